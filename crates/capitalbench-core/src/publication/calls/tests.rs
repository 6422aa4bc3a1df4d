use super::*;
use crate::asking::attempt::Reason;
use crate::publication::boards::set_round::SetRound;
use crate::publication::names::{by_decision, give, names_of};
use crate::publication::renames::Renames;
use crate::publication::{OpenRound, RoundKey, RoundState};
use crate::round::lifecycle::Due;
use crate::test_support::{manifest, pick, universe};
use crate::values::ids::RunId;
use std::collections::BTreeMap;

fn id(text: &str) -> ModelId {
    ModelId::parse(text).unwrap()
}

fn asked(reasoning: &str) -> AskedFor {
    let stored = Asked {
        api_model_name: "model".to_owned(),
        schema_mode: "json".to_owned(),
        reasoning: Some(reasoning.to_owned()),
        max_output_tokens: 3000,
        time_limit_seconds: 90.0,
        body_sha256: format!("{reasoning} {}", reasoning.len()),
        ..Asked::default()
    };
    AskedFor::of(stored).unwrap()
}

/// A round of this day in which these models decided.
fn round(day: i8, models: &[&str], calls: Vec<ModelCalls>) -> PublicRound {
    let mut manifest = manifest("portfolio-v1.1");
    manifest.round_id = RoundId::parse(&format!("R{day}")).unwrap();
    manifest.decision_date = Some(jiff::civil::date(2026, 6, day));
    let open = OpenRound {
        run_id: RunId::parse("official-1").unwrap(),
        submissions: models.iter().map(|model| pick(model, "AAA")).collect(),
        controls: Vec::new(),
        calls,
        missing: Vec::new(),
        lanes: Vec::new(),
        entry: None,
        interim: Vec::new(),
        due: Due::NotYet,
    };
    PublicRound {
        key: RoundKey::of(&manifest),
        track: manifest.track(),
        manifest,
        universe: universe().into(),
        frozen: None,
        state: RoundState::Open(open),
        exceptions: Vec::new(),
        continued: BTreeMap::new(),
    }
}

fn called(model: &str) -> ModelCalls {
    ModelCalls::new(id(model))
}

fn named(model: &str, name: &str) -> ModelCalls {
    ModelCalls {
        display_name: Some(name.to_owned()),
        ..called(model)
    }
}

#[test]
fn unseen_and_rejected_attempts_are_counted_apart() {
    let failed = |reason| AttemptStatus::Failed {
        reason,
        message: String::new(),
    };
    let attempts = [
        AttemptStatus::Unknown,
        failed(Reason::Timeout),
        failed(Reason::Transport),
        failed(Reason::Key),
        failed(Reason::RateLimit),
        failed(Reason::Server),
        AttemptStatus::Invalid {
            reason: Reason::Malformed,
            problems: Vec::new(),
        },
        AttemptStatus::Valid,
    ];
    let expected = AttemptCounts {
        made: 8,
        unseen: 3,
        rejected: 2,
    };
    assert_eq!(AttemptCounts::of(&attempts), expected);
}

#[test]
fn a_schema_mode_that_is_not_known_is_no_record() {
    let stored = Asked {
        schema_mode: "strict".to_owned(),
        ..Asked::default()
    };
    assert_eq!(AskedFor::of(stored), None);
}

#[test]
fn a_period_ends_where_the_settings_or_the_served_name_change() {
    let call = |reasoning: &str, served: &str, host: &str, made: u32| ModelCalls {
        asked: Some(AskedFor {
            body_sha256: format!("body of a round at {host}"),
            ..asked(reasoning)
        }),
        served: Served {
            model: Some(served.to_owned()),
            answered_by: Some(host.to_owned()),
            billed_usd: (made == 1).then_some(0.25),
            ..Served::default()
        },
        attempts: Some(AttemptCounts {
            made,
            unseen: made - 1,
            rejected: 0,
        }),
        ..called("a")
    };
    let rounds = [
        round(1, &["a"], vec![call("effort low", "model-1", "east", 1)]),
        round(2, &["a"], vec![call("effort low", "model-1", "west", 2)]),
        // No ledger tells anything of this round.
        round(3, &["a"], Vec::new()),
        round(4, &["a"], vec![call("effort low", "model-2", "west", 1)]),
        round(5, &["a"], vec![call("effort high", "model-2", "west", 1)]),
    ];
    let periods = periods(&rounds, &id("a"));
    let shown: Vec<String> = periods
        .iter()
        .map(|own| {
            let reasoning = own.asked.reasoning.as_deref().unwrap();
            let hosts: Vec<&str> = own.hosts.iter().copied().collect();
            let served = own.served_model.unwrap();
            let (first, last, rounds) = (own.first, own.last, own.rounds);
            format!(
                "{first} {last} {rounds} {reasoning} {served} {}",
                hosts.join("+")
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "R1 R2 2 effort low model-1 east+west",
            "R4 R4 1 effort low model-2 west",
            "R5 R5 1 effort high model-2 west",
        ]
    );
    let totals = totals(&rounds, &id("a"));
    assert_eq!((totals.answers, totals.attempts.made), (4, 5));
    assert_eq!(totals.attempts.unseen, 1);
    let billed = (
        totals.billed.usd,
        totals.billed.known,
        totals.billed.answers,
    );
    assert_eq!(billed, (Some(0.75), 3, 4));
    assert_eq!(totals.card.usd, None);
}

#[test]
fn a_cost_that_nobody_knows_is_counted_and_not_added() {
    let costs = [
        vec![Some(0.5), Some(0.25)],
        vec![None, Some(1.0)],
        vec![None],
    ];
    let sum = CostSum::of(costs.iter().map(|own| KnownCost::of(own)));
    let expected = CostSum {
        known_usd: Some(1.75),
        models: 3,
        unknown: 1,
        incomplete: 1,
    };
    assert_eq!(sum, expected);
    assert_eq!(CostSum::of([KnownCost::of(&[None])]).known_usd, None);
}

fn names(rounds: &[PublicRound]) -> BTreeMap<String, String> {
    let submissions = rounds.iter().flat_map(PublicRound::submissions);
    let mut names = names_of(submissions.map(|own| &own.model_id));
    let rounds: Vec<SetRound<'_>> = rounds.iter().map(SetRound::of).collect();
    give(&mut names, &rounds, &Renames::of_rounds(&rounds));
    let texts = names.into_iter();
    texts.map(|(id, name)| (id.to_string(), name)).collect()
}

#[test]
fn the_newest_round_names_a_model() {
    let models = ["mock-amber", "openai-gpt-5-5"];
    // In order of exit the first round may be the newest: only the day of decision counts.
    let rounds = [
        round(9, &models, vec![named("mock-amber", " Amber 2 ")]),
        round(3, &models, vec![named("mock-amber", "Amber")]),
    ];
    let expected = [("mock-amber", "Amber 2"), ("openai-gpt-5-5", "GPT-5.5")];
    assert_eq!(
        names(&rounds),
        expected.map(|(a, b)| (a.into(), b.into())).into()
    );
    let ordered: Vec<&str> = by_decision(&rounds)
        .iter()
        .map(|r| r.id().as_str())
        .collect();
    assert_eq!(ordered, ["R3", "R9"]);
    // A newer round that names nobody takes the name back.
    let rounds = [
        rounds[1].clone(),
        round(9, &models, vec![called("mock-amber")]),
    ];
    assert_eq!(names(&rounds).get("mock-amber"), None);
}

#[test]
fn a_name_that_could_be_taken_for_another_model_is_not_shown() {
    let models = ["mock-amber", "mock-birch", "openai-gpt-5-5"];
    for (name, shown) in [
        ("gpt-5.5", None),
        ("mock-birch", None),
        ("Mock-Amber", Some("Mock-Amber")),
        ("", None),
        ("two\nlines", None),
        ("\u{1b}[31mred", None),
        (&*"x".repeat(81), None),
        ("Amber", Some("Amber")),
    ] {
        let rounds = [round(1, &models, vec![named("mock-amber", name)])];
        let found = names(&rounds);
        assert_eq!(
            found.get("mock-amber").map(String::as_str),
            shown,
            "{name:?}"
        );
        let taken = name == "gpt-5.5";
        assert_eq!(found.contains_key("openai-gpt-5-5"), !taken, "{name:?}");
    }
}
