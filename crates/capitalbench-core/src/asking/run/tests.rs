use super::*;

#[derive(Clone, Copy, PartialEq)]
enum Eligible {
    Yes,
    No,
}

fn run(id: &str, eligible: Eligible, selection: Selection) -> Run {
    Run {
        run_id: RunId::parse(id).unwrap(),
        round_id: RoundId::parse("R").unwrap(),
        rules: RunRules {
            kind: RunKind::Official,
            replicates: 1,
        },
        calls: Calls::Real,
        eligible: eligible == Eligible::Yes,
        selection,
        created_at: None,
        completed_at: None,
        accepted_at: None,
        counts: Counts::default(),
        model_ids: None,
        acceptance: None,
    }
}

#[test]
fn the_operators_choice_comes_before_the_only_eligible_run() {
    use Selection::{Selected, Unmarked, Withdrawn};
    let check = |runs: &[Run], expected: Result<&str, &str>| {
        let found = official_run(runs, RecordRules::all_answer(Enforcement::Reproduce));
        match (&found, expected) {
            (Ok(run), Ok(id)) => assert_eq!(run.run_id.as_str(), id),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            _ => panic!("{found:?} is not {expected:?}"),
        }
    };
    check(&[], Err("no run"));
    check(&[run("a", Eligible::No, Unmarked)], Err("no run"));
    check(&[run("a", Eligible::Yes, Unmarked)], Ok("a"));
    check(
        &[
            run("a", Eligible::Yes, Unmarked),
            run("b", Eligible::Yes, Selected),
        ],
        Ok("b"),
    );
    check(
        &[
            run("a", Eligible::Yes, Withdrawn),
            run("b", Eligible::Yes, Selected),
        ],
        Ok("b"),
    );
    check(&[run("a", Eligible::Yes, Withdrawn)], Err("no run"));
    check(
        &[
            run("a", Eligible::Yes, Unmarked),
            run("b", Eligible::Yes, Unmarked),
        ],
        Err("a, b"),
    );
    check(
        &[
            run("a", Eligible::Yes, Selected),
            run("b", Eligible::Yes, Selected),
        ],
        Err("a, b"),
    );
    check(
        &[
            run("a", Eligible::No, Selected),
            run("b", Eligible::Yes, Unmarked),
        ],
        Ok("b"),
    );
}

/// The same run with an acceptance that may name another.
fn accepted(mut run: Run, supersedes: Option<&str>) -> Run {
    let nothing = crate::values::ids::Digest::of(b"");
    run.acceptance = Some(Acceptance {
        round_id: run.round_id.clone(),
        run_id: run.run_id.clone(),
        accepted_at: WrittenInstant::parse("2026-03-02T18:00:00Z").unwrap(),
        run_log: nothing,
        submissions: std::collections::BTreeMap::new(),
        hashes: nothing,
        supersedes: supersedes.map(|id| RunId::parse(id).unwrap()),
        reason: None,
        missing: Vec::new(),
    });
    run
}

#[test]
fn an_acceptance_selects_until_another_supersedes_it() {
    use Selection::{Selected, Unmarked, Withdrawn};
    let plain = |id: &str, selection| run(id, Eligible::Yes, selection);
    let record = |runs: &[Run]| {
        let found = official_run(runs, RecordRules::all_answer(Enforcement::Refuse));
        found.map(|run| run.run_id.to_string())
    };
    let unmarked = NoOfficialRun::NotAccepted(RunId::parse("a").unwrap());
    assert_eq!(record(&[plain("a", Unmarked)]), Err(unmarked));
    assert_eq!(record(&[plain("a", Selected)]).unwrap(), "a");
    let first = accepted(plain("a", Unmarked), None);
    let two = [first.clone(), plain("b", Unmarked)];
    assert_eq!(record(&two).unwrap(), "a");
    let second = accepted(plain("b", Unmarked), Some("a"));
    let chain = [first.clone(), second.clone()];
    assert_eq!(record(&chain).unwrap(), "b");
    assert_eq!(selection(&chain[0], &chain), Withdrawn);
    let third = accepted(plain("c", Unmarked), Some("b"));
    assert_eq!(
        record(&[first.clone(), second.clone(), third]).unwrap(),
        "c"
    );
    let loose = accepted(plain("c", Unmarked), Some("a"));
    let several =
        NoOfficialRun::Ambiguous(vec![RunId::parse("b").unwrap(), RunId::parse("c").unwrap()]);
    assert_eq!(record(&[first, second.clone(), loose]), Err(several));
    // A choice in the run manifest gives way in the same way.
    assert_eq!(record(&[plain("a", Selected), second]).unwrap(), "b");
    // An acceptance is later than a withdrawal in the manifest.
    let back = accepted(plain("a", Withdrawn), None);
    assert_eq!(record(&[back]).unwrap(), "a");
}

#[test]
fn kinds_are_inferred_as_the_archive_needs() {
    assert_eq!(RunKind::infer("stability", None), RunKind::Consistency);
    assert_eq!(RunKind::infer("legacy", None), RunKind::Mock);
    assert_eq!(
        RunKind::infer("closed_capability", Some(true)),
        RunKind::Mock
    );
    assert_eq!(RunKind::infer("closed_capability", None), RunKind::Official);
}

#[test]
fn enough_valid_answers_make_a_run_countable_only_where_the_round_says_so() {
    let mut own = run("a", Eligible::Yes, Selection::Unmarked);
    own.counts = Counts {
        models: Some(8),
        valid: Some(7),
        invalid: Some(1),
    };
    let all = RecordRules::all_answer(Enforcement::Refuse);
    let rules = |enough| RecordRules {
        enough: Some(enough),
        ..all
    };
    assert!(!own.may_count(all));
    assert!(own.may_count(rules(7)));
    assert!(!own.may_count(rules(8)));
    own.eligible = false;
    assert!(!own.may_count(rules(4)));
}
