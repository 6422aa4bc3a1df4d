use capitalbench_core::asking::attempt::Reason;
use capitalbench_core::asking::missing_answer::NoAnswer;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::WrittenInstant;

use serde_json::json;

use super::*;

fn acceptance() -> Acceptance {
    let path = "submissions/raw/a.json".to_owned();
    Acceptance {
        round_id: RoundId::parse("R").unwrap(),
        run_id: RunId::parse("two").unwrap(),
        accepted_at: WrittenInstant::parse("2026-03-02T18:00:00Z").unwrap(),
        run_log: Digest::of(b"log"),
        submissions: BTreeMap::from([(path, Digest::of(b"a"))]),
        hashes: Digest::of(b"hashes"),
        supersedes: Some(RunId::parse("one").unwrap()),
        reason: Some("the first run asked a retired model".into()),
        missing: Vec::new(),
    }
}

#[test]
fn written_content_reads_back() {
    let mut written = acceptance();
    assert_eq!(parse(render(&written).as_bytes()).unwrap(), written);
    (written.supersedes, written.reason) = (None, None);
    assert_eq!(parse(render(&written).as_bytes()).unwrap(), written);
    // Only a round that goes on without a model says so.
    assert!(!render(&written).contains("without_answer"));
    written.missing = vec![MissingAnswer {
        model_id: ModelId::parse("b").unwrap(),
        why: NoAnswer::Ended(Reason::Refusal),
    }];
    let text = render(&written);
    assert!(text.contains("\"reason\": \"refusal\""), "{text}");
    assert_eq!(parse(text.as_bytes()).unwrap(), written);
}

#[test]
fn other_content_is_refused() {
    let check = |change: fn(&mut Value), part: &str| {
        let mut value = to_value(&acceptance());
        change(&mut value);
        let fault = parse(value.to_string().as_bytes()).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    };
    check(|v| *v = json!([]), "is not an object");
    check(|v| v["more"] = json!(1), "unknown field `more`; remove it");
    check(|v| v["run_id"] = json!("../x"), "the run id");
    check(|v| v["supersedes"] = json!(1), "expected a string");
    check(|v| v["accepted_at_utc"] = json!("today"), "not an instant");
    check(|v| v["run_log_sha256"] = json!("00"), "not a digest");
    check(|v| v["submissions"]["x"] = json!(1), "expected a string");
    let strange = json!([{"model_id": "b", "reason": "lazy"}]);
    let fault = {
        let mut value = to_value(&acceptance());
        value["without_answer"] = strange;
        parse(value.to_string().as_bytes()).unwrap_err().to_string()
    };
    assert!(fault.contains("lazy"), "{fault}");
    let remove = |v: &mut Value| _ = v.as_object_mut().unwrap().shift_remove("reason");
    check(remove, "missing field `reason`");
}
