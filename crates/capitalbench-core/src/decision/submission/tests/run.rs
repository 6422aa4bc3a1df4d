use super::*;

fn told(run: RunRules, changes: &[(&str, Value)]) -> String {
    let (manifest, universe) = (manifest(OLD), universe());
    let rules = RoundRules {
        manifest: &manifest,
        universe: &universe,
        slate: None,
        run,
    };
    let mut payload = portfolio_payload();
    for (path, value) in changes {
        set(&mut payload, path, value.clone());
    }
    let found = joined(validate(&payload, PayloadForm::Raw, &rules));
    found.map_or_else(|problems| problems, |_| "ok".to_owned())
}

fn rules(kind: RunKind, replicates: u32) -> RunRules {
    RunRules { kind, replicates }
}

/// The run fields of a payload: kind, index, count, official.
fn fields(kind: Value, index: Value, count: Value, official: Value) -> [(&'static str, Value); 4] {
    [
        ("run_type", kind),
        ("replicate_index", index),
        ("replicate_count", count),
        ("is_official_score", official),
    ]
}

#[test]
fn an_official_submission_is_the_one_call_that_counts() {
    let check = |changes: &[(&str, Value)], expected: &str| {
        assert_eq!(told(OFFICIAL, changes), expected, "{changes:?}");
    };
    check(&[], "ok");
    check(
        &[("run_type", json!("stability"))],
        "run_type: must be official",
    );
    check(
        &[("run_type", json!("private"))],
        "run_type: is not a run type",
    );
    check(&[("run_type", json!(null))], "run_type: must be official");
    check(
        &[("replicate_index", json!(2))],
        "replicate_index: must be 1",
    );
    check(
        &[("replicate_index", json!(null))],
        "replicate_index: must be 1",
    );
    check(
        &[("replicate_count", json!(5))],
        "replicate_count: must be 1",
    );
    check(
        &[("is_official_score", json!(false))],
        "is_official_score: must be true",
    );
    check(
        &[("is_official_score", json!(null))],
        "is_official_score: must be true",
    );
    let none = fields(json!(null), json!(null), json!(null), json!(null));
    check(
        &none,
        "run_type: must be official | replicate_index: must be 1 | \
        replicate_count: must be 1 | is_official_score: must be true",
    );
    let zero = "replicate_index: 0 is outside 1 to 4294967295";
    check(&[("replicate_index", json!(0))], zero);
    let two = told(rules(RunKind::Official, 2), &[]);
    assert_eq!(two, "run_type: an official run has 1 replicate");
}

#[test]
fn a_consistency_submission_names_its_replicate_and_does_not_count() {
    let check = |index: Value, count: Value, official: Value, expected: &str| {
        let fields = fields(json!("stability"), index, count, official);
        let found = told(rules(RunKind::Consistency, 5), &fields);
        assert_eq!(found, expected, "{fields:?}");
    };
    let no = || json!(false);
    check(json!(1), json!(5), no(), "ok");
    check(json!(5), json!(5), json!(null), "ok");
    check(json!(6), json!(5), no(), "replicate_index: must be 1 to 5");
    check(
        json!(null),
        json!(5),
        no(),
        "replicate_index: must be 1 to 5",
    );
    check(json!(1), json!(4), no(), "replicate_count: must be 5");
    check(json!(1), json!(null), no(), "replicate_count: must be 5");
    check(
        json!(1),
        json!(5),
        json!(true),
        "is_official_score: must be false",
    );
    let official = fields(json!("official"), json!(1), json!(5), json!(false));
    let found = told(rules(RunKind::Consistency, 5), &official);
    assert_eq!(found, "run_type: must be stability");
}

#[test]
fn a_retrospective_submission_says_so_and_never_counts() {
    let check = |kind: Value, official: Value, expected: &str| {
        let fields = fields(kind, json!(null), json!(null), official);
        let found = told(rules(RunKind::Retrospective, 1), &fields);
        assert_eq!(found, expected);
    };
    check(json!("retrospective"), json!(false), "ok");
    check(json!("retrospective"), json!(null), "ok");
    check(
        json!("retrospective"),
        json!(true),
        "is_official_score: must be false",
    );
    check(json!(null), json!(null), "run_type: must be retrospective");
}

#[test]
fn a_mock_submission_is_checked_only_when_it_says_something_about_its_run() {
    let check = |kind: Value, index: Value, expected: &str| {
        let fields = fields(kind, index, json!(null), json!(null));
        assert_eq!(told(rules(RunKind::Mock, 1), &fields), expected);
    };
    check(json!(null), json!(null), "ok");
    check(json!("mock"), json!(1), "ok");
    check(json!("official"), json!(null), "run_type: must be mock");
    check(json!(null), json!(1), "run_type: must be mock");
}

#[test]
fn a_later_answer_to_the_same_call_is_a_duplicate() {
    let check = |kind, rows: &[(&str, u32)], expected: &[(usize, &str)]| {
        let ids: Vec<ModelId> = rows
            .iter()
            .map(|(id, _)| ModelId::parse(id).unwrap())
            .collect();
        let pairs: Vec<(&ModelId, u32)> =
            ids.iter().zip(rows).map(|(id, row)| (id, row.1)).collect();
        let found = duplicates(kind, &pairs);
        let found: Vec<(usize, String)> =
            found.into_iter().map(|(i, p)| (i, p.to_string())).collect();
        let expected: Vec<(usize, String)> = expected
            .iter()
            .map(|(index, text)| (*index, format!("model_id: {text}")))
            .collect();
        assert_eq!(found, expected, "{kind:?} {rows:?}");
    };
    let official = "a answers twice in an official run";
    check(RunKind::Official, &[("a", 1), ("b", 1)], &[]);
    check(
        RunKind::Official,
        &[("a", 1), ("b", 1), ("a", 1)],
        &[(2, official)],
    );
    check(
        RunKind::Official,
        &[("a", 1), ("a", 2), ("a", 3)],
        &[(1, official), (2, official)],
    );
    check(RunKind::Consistency, &[("a", 1), ("a", 2), ("b", 1)], &[]);
    let replicate = "a answers replicate 2 twice";
    check(
        RunKind::Consistency,
        &[("a", 2), ("b", 2), ("a", 2)],
        &[(2, replicate)],
    );
    check(RunKind::Mock, &[("a", 1), ("a", 1)], &[]);
}

#[test]
fn token_totals_are_completed_and_must_cover_their_parts() {
    let check = |usage: Value, expected: Result<Option<u64>, &str>| {
        let mut payload = portfolio_payload();
        set(&mut payload, "usage", usage.clone());
        let found = judged(&payload, OLD).map(|s| s.usage.unwrap().total_tokens);
        assert_eq!(found, expected.map_err(str::to_owned), "{usage}");
    };
    check(json!({}), Ok(None));
    check(json!({"input_tokens": 0, "output_tokens": 0}), Ok(None));
    check(
        json!({"input_tokens": 10, "output_tokens": 5}),
        Ok(Some(15)),
    );
    check(
        json!({"input_tokens": 10, "output_tokens": 5, "reasoning_tokens": 3}),
        Ok(Some(15)),
    );
    check(
        json!({"input_tokens": 10, "output_tokens": 5, "reasoning_tokens": 8}),
        Ok(Some(18)),
    );
    check(
        json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}),
        Ok(Some(15)),
    );
    check(
        json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 40}),
        Ok(Some(40)),
    );
    let below = "usage.total_tokens: is below the 15 tokens of its parts";
    check(
        json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 14}),
        Err(below),
    );
    let negative = "usage.input_tokens: -1 is below 0";
    check(json!({"input_tokens": -1}), Err(negative));
    let cost = "usage.cost_usd: -1 is below 0";
    check(json!({"cost_usd": -1}), Err(cost));
    let seconds = "usage.latency_seconds: must be a finite number";
    check(json!({"latency_seconds": "slow"}), Err(seconds));
    let huge = json!({"input_tokens": u64::MAX, "output_tokens": u64::MAX});
    check(huge, Ok(Some(u64::MAX)));
}
