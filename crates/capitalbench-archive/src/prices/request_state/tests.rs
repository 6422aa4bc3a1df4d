use capitalbench_core::values::time::parse_day;

use super::*;

#[test]
fn questions_and_answers_outlive_their_process() {
    let folder = tempfile::TempDir::new().unwrap();
    let state = || RequestState::new(&folder.path().join("state"), "tiingo");
    let plan = Plan::parse("1/-/-").unwrap();
    let now: Timestamp = "2026-03-02T10:00:00Z".parse().unwrap();
    assert_eq!(state().reserve(plan, "A", now).unwrap(), None);
    let next: Timestamp = "2026-03-02T11:00:00Z".parse().unwrap();
    assert_eq!(state().reserve(plan, "B", now).unwrap(), Some(next));
    let until: Timestamp = "2026-03-02T12:00:00Z".parse().unwrap();
    state().close_until(until).unwrap();
    assert_eq!(state().reserve(plan, "B", next).unwrap(), Some(until));
    let answer = KeptAnswer {
        address: "AA.csv".into(),
        fetched_at: now,
        body: Digest::of(b"x"),
        requests: 2,
        sessions: vec![Session {
            date: parse_day("2026-03-02").unwrap(),
            close: Price::new(1.5),
            adjusted: Price::new(1.25),
            dividend: Some(0.0),
            split: Some(1.0),
            volume: None,
        }],
    };
    state().keep("R", "AA", &answer).unwrap();
    assert_eq!(state().kept("R", "AA").unwrap(), Some(answer.clone()));
    assert_eq!(state().kept("R2", "AA").unwrap(), None);
    assert_eq!(state().kept("R", "../AA").unwrap(), None);
    state().keep("R", "../AA", &answer).unwrap();
    state().forget("R").unwrap();
    assert_eq!(state().kept("R", "AA").unwrap(), None);
}

#[test]
fn state_the_program_never_writes_is_refused() {
    for (text, part) in [
        (
            r#"{"questions": [], "symbols": {}, "limit": 9}"#,
            "unknown field `limit`",
        ),
        (
            r#"{"questions": [1], "symbols": {}}"#,
            "invalid type: integer `1`",
        ),
        ("[]", "is not an object"),
    ] {
        let fault = parse_usage(text.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    }
    let answer = |session: &str| {
        let digest = Digest::of(b"x").to_hex();
        format!(
            r#"{{"address": "a", "fetched_at_utc": "2026-03-02T10:00:00Z", "requests": 1,
            "body_sha256": "{digest}", "sessions": [{session}]}}"#
        )
    };
    assert!(parse_answer(answer(r#"{"date": "2026-03-02"}"#).as_bytes()).is_ok());
    for session in [
        r#"{"date": "2026-03-02", "open": 1}"#,
        r#"{"date": "2026-03-02", "close": "448.4"}"#,
        r#"{"date": "2026-03-02", "close": -448.4}"#,
    ] {
        let fault = parse_answer(answer(session).as_bytes()).unwrap_err();
        let told = "is no answer that the program kept; remove it, and the source is asked again";
        assert_eq!(fault.to_string(), told);
    }
}

#[test]
fn concurrent_processes_stay_within_the_request_plan() {
    let folder = tempfile::TempDir::new().unwrap();
    let plan = Plan::parse("7/-/-").unwrap();
    let now: Timestamp = "2026-03-02T10:00:00Z".parse().unwrap();
    let asked: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let state = RequestState::new(folder.path(), "tiingo");
                    let free = |_: &u32| state.reserve(plan, "A", now).unwrap().is_none();
                    (0..5_u32).filter(free).count()
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    assert_eq!(asked, 7);
}
