use super::*;
use crate::asking::attempt::Reason;
use crate::asking::missing_answer::NoAnswer;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn model(text: &str) -> ModelId {
    ModelId::parse(text).unwrap()
}

fn run_id(text: &str) -> RunId {
    RunId::parse(text).unwrap()
}

/// A run of two models under our own rules that has nothing against it.
fn facts() -> AcceptanceFacts {
    AcceptanceFacts {
        rules: RecordRules::all_answer(Enforcement::Refuse),
        freeze: Freeze::Frozen { changed: vec![] },
        kind: RunKind::Official,
        stream: Stream::Primary,
        calls: Calls::Real,
        eligible: true,
        counts: Counts {
            models: Some(2),
            valid: Some(2),
            invalid: Some(0),
        },
        submissions: Submissions {
            model_ids: vec![model("b"), model("a")],
            valid: 2,
            invalid: vec![],
        },
        missing: vec![],
        roster: Some(vec![model("a"), model("b")]),
        times: Times {
            accepted_at: at("2026-03-02T19:00:00Z"),
            record_accepted: None,
            calls_ended: vec![at("2026-03-02T15:00:00Z"), at("2026-03-02T18:00:00Z")],
            answers_ended: vec![],
            deadline: Some(at("2026-03-02T18:00:00Z")),
            entry_close: Some(at("2026-03-02T21:00:00Z")),
        },
        accepted_before: false,
        others_accepted: vec![],
        outcome: vec![],
        choice: Choice::First,
    }
}

fn after(change: fn(&mut AcceptanceFacts)) -> AcceptanceFacts {
    let mut facts = facts();
    change(&mut facts);
    facts
}

fn texts(refusals: &[Refusal]) -> Vec<String> {
    refusals.iter().map(ToString::to_string).collect()
}

#[test]
fn a_clean_run_is_not_refused() {
    assert_eq!(refusals(&facts()), []);
    assert_eq!(remarks(&facts()), []);
    assert_eq!(refusals(&after(|f| f.roster = None)), []);
}

/// One change, the only reason it must give, and a part of its text.
fn check(change: fn(&mut AcceptanceFacts), code: &str, part: &str) {
    let found = refusals(&after(change));
    let codes: Vec<&str> = found.iter().map(Refusal::code).collect();
    assert_eq!(codes, [code], "{found:?}");
    assert!(texts(&found)[0].contains(part), "{found:?}");
}

#[test]
fn each_property_of_a_run_can_alone_refuse_it() {
    check(|f| f.freeze = Freeze::Draft, "not-frozen", "not frozen");
    check(
        |f| {
            f.freeze = Freeze::Frozen {
                changed: vec!["prompt.md changed".into()],
            }
        },
        "inputs-changed",
        "prompt.md",
    );
    check(
        |f| f.kind = RunKind::Retrospective,
        "not-official",
        "retrospective",
    );
    check(|f| f.calls = Calls::Mock, "not-real", "rehearsal");
    check(|f| f.calls = Calls::Unknown, "not-real", "does not say");
    check(|f| f.eligible = false, "not-eligible", "may not count");
    check(|f| f.counts.models = Some(3), "partial", "2 of 3 models");
    check(|f| f.counts = Counts::default(), "partial", "has not ended");
    check(
        |f| f.counts.valid = Some(1),
        "counts-differ",
        "counts 1 valid and 0 invalid; the files are 2 and 0",
    );
    check(
        |f| f.roster = Some(vec![model("a"), model("c")]),
        "roster-mismatch",
        "missing [c], added [b]",
    );
}

#[test]
fn a_record_is_not_exchanged_once_prices_can_tell() {
    let exchange: fn(&mut AcceptanceFacts) = |f| {
        f.others_accepted = vec![run_id("r1")];
        f.choice = Choice::Supersede;
    };
    assert_eq!(refusals(&after(exchange)), []);
    let late: fn(&mut AcceptanceFacts) = |f| {
        f.others_accepted = vec![run_id("r1")];
        f.choice = Choice::Supersede;
        f.times.accepted_at = at("2026-03-02T21:00:01Z");
    };
    check(late, "outcome-visible", "which run did better");
    let mut older = after(late);
    older.rules.enforcement = Enforcement::Reproduce;
    assert_eq!(refusals(&older), []);
    assert_eq!(remarks(&older).len(), 1);
}

#[test]
fn each_instant_and_each_other_record_can_alone_refuse_a_run() {
    check(
        |f| f.times.calls_ended.truncate(1),
        "times-unproved",
        "the end of 1 calls; there are 2 submissions",
    );
    check(
        |f| f.times.deadline = Some(at("2026-03-02T17:59:59Z")),
        "after-deadline",
        "1 call ended (the last at 2026-03-02T18:00:00Z) after the decision deadline",
    );
    check(
        |f| f.times.entry_close = Some(at("2026-03-02T14:00:00Z")),
        "after-entry-close",
        "2 calls ended",
    );
    check(
        |f| f.times.accepted_at = at("2026-03-02T18:00:00Z"),
        "before-its-time",
        "before what it builds on (2026-03-02T18:00:00Z)",
    );
    check(
        |f| f.times.record_accepted = Some(at("2026-03-02T20:00:00Z")),
        "before-its-time",
        "at 2026-03-02T19:00:00Z",
    );
    check(
        |f| f.accepted_before = true,
        "accepted-before",
        "never rewritten",
    );
    check(
        |f| f.others_accepted = vec![run_id("r1")],
        "another-accepted",
        "the record is r1",
    );
    check(
        |f| f.choice = Choice::Supersede,
        "nothing-to-supersede",
        "no other run",
    );
}

#[test]
fn a_run_without_models_is_named_as_such() {
    let found = refusals(&after(|f| {
        f.counts = Counts {
            models: Some(0),
            valid: Some(0),
            invalid: Some(0),
        };
        f.submissions = Submissions::default();
        f.roster = None;
    }));
    assert_eq!(found, [Refusal::NoModels]);
}

#[test]
fn an_invalid_submission_is_named() {
    let found = refusals(&after(|f| {
        f.counts.valid = Some(1);
        f.counts.invalid = Some(1);
        f.submissions.valid = 1;
        f.submissions.invalid = vec!["b.json: adds up to 95%".into()];
    }));
    assert_eq!(
        texts(&found),
        [
            "1 of 2 models have a valid submission",
            "invalid submissions: b.json: adds up to 95%",
        ]
    );
}

#[test]
fn all_reasons_are_told_at_once() {
    let found = refusals(&after(|f| {
        f.freeze = Freeze::Draft;
        f.calls = Calls::Mock;
        f.counts.models = Some(5);
        f.roster = Some(vec![model("z")]);
        f.times.deadline = Some(at("2026-03-01T00:00:00Z"));
        f.others_accepted = vec![run_id("r1")];
    }));
    let codes: Vec<&str> = found.iter().map(Refusal::code).collect();
    let expected = [
        "not-frozen",
        "not-real",
        "partial",
        "roster-mismatch",
        "after-deadline",
        "another-accepted",
    ];
    assert_eq!(codes, expected);
}

#[test]
fn older_rules_only_report_lateness() {
    let facts = after(|f| {
        f.rules.enforcement = Enforcement::Reproduce;
        f.times.deadline = Some(at("2026-03-01T00:00:00Z"));
        f.times.entry_close = Some(at("2026-03-01T00:00:00Z"));
    });
    assert_eq!(refusals(&facts), []);
    let codes: Vec<&'static str> = remarks(&facts).iter().map(Refusal::code).collect();
    assert_eq!(codes, ["after-deadline", "after-entry-close"]);
}

#[test]
fn one_record_can_be_superseded_and_several_cannot() {
    let one = after(|f| {
        f.choice = Choice::Supersede;
        f.others_accepted = vec![run_id("r1")];
    });
    assert_eq!(refusals(&one), []);
    let two = after(|f| {
        f.choice = Choice::Supersede;
        f.others_accepted = vec![run_id("r1"), run_id("r2")];
    });
    assert_eq!(refusals(&two)[0].code(), "another-accepted");
}

/// Eight models of which one gave no valid answer, under a policy that asks for four.
fn without_one() -> AcceptanceFacts {
    let ids = ["a", "b", "c", "d", "e", "f", "g", "h"].map(model);
    let mut facts = facts();
    facts.rules.enough = Some(4);
    facts.counts = Counts {
        models: Some(8),
        valid: Some(7),
        invalid: Some(1),
    };
    facts.roster = Some(ids.to_vec());
    facts.submissions = Submissions {
        model_ids: ids.to_vec(),
        valid: 7,
        invalid: vec!["h.json: refusal".into()],
    };
    facts.missing = vec![MissingAnswer {
        model_id: model("h"),
        why: NoAnswer::Ended(Reason::Refusal),
    }];
    facts.times.answers_ended = vec![at("2026-03-02T15:00:00Z"); 7];
    facts
}

#[test]
fn the_failure_policy_lets_a_round_go_on_without_one_model() {
    assert_eq!(refusals(&without_one()), []);
    // A call that the deadline cut off ended after it; it brought no answer.
    let mut late = without_one();
    late.times.calls_ended.push(at("2026-03-02T18:00:00.5Z"));
    assert_eq!(refusals(&late), []);
    late.times.answers_ended[0] = at("2026-03-02T18:00:00.5Z");
    assert_eq!(refusals(&late)[0].code(), "after-deadline");
    // A model that was never asked has no file at all.
    let mut unasked = without_one();
    unasked.submissions.model_ids.pop();
    unasked.submissions.invalid.clear();
    unasked.counts.models = Some(7);
    unasked.counts.invalid = Some(0);
    assert_eq!(refusals(&unasked), []);
    // The plan of the run must have named it, though.
    unasked.missing.clear();
    assert_eq!(refusals(&unasked)[0].code(), "roster-mismatch");
}

#[test]
fn too_few_valid_answers_make_the_round_void() {
    let mut few = without_one();
    few.rules.enough = Some(8);
    few.eligible = false;
    let found = refusals(&few);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code(), "too-few-answers");
    assert_eq!(
        found[0].to_string(),
        "7 valid answers, and the frozen failure policy needs 8 (h: refusal), so the round is void: \
         end it with `capitalbench void-round`"
    );
    // A run that has not ended may still get more.
    few.counts = Counts::default();
    let codes: Vec<&str> = refusals(&few).iter().map(Refusal::code).collect();
    assert_eq!(codes, ["not-eligible", "partial"]);
}

#[test]
fn without_a_policy_one_missing_answer_refuses_the_run() {
    let mut all = without_one();
    all.rules.enough = None;
    let codes: Vec<&str> = refusals(&all).iter().map(Refusal::code).collect();
    assert_eq!(codes, ["partial", "invalid-submissions", "times-unproved"]);
}

#[test]
fn accepting_again_finds_only_that_it_was_accepted() {
    let mut again = facts();
    again.accepted_before = true;
    again.choice = Choice::Supersede;
    again.times.accepted_at = at("2026-03-02T10:00:00Z");
    assert_eq!(refusals(&again), [Refusal::AcceptedBefore]);
    again.others_accepted = vec![run_id("r2")];
    again.choice = Choice::First;
    assert!(refusals(&again).contains(&Refusal::AnotherAccepted(vec![run_id("r2")])));
}
