//! A model that goes on under another id keeps its record, and rounds keep the id they were stored with.

use capitalbench_core::publication::boards::comparison_set::SetPolicy;
use capitalbench_core::publication::calls::ModelCalls;
use capitalbench_core::publication::facts::RoundFacts;
use capitalbench_core::publication::outline::RoundOutline;
use capitalbench_core::publication::standings::{Standings, standings};
use capitalbench_core::publication::{Publication, publish};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_export::tables;
use jiff::Timestamp;

use crate::made::{MODELS, Made, facts};

const OLD: &str = MODELS[1];
/// It stands where the old id stood in every list.
const NEW: &str = "mock-birch-2";
const AFTER_ALL: &str = "2026-07-01T00:00:00Z";

fn id(text: &str) -> ModelId {
    ModelId::parse(text).expect("made input")
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("made input")
}

/// Eight weekly rounds one after the other; from the fifth on the second model has its new id.
fn rounds(new: &str) -> Vec<RoundFacts> {
    let price = |round: i32, option: i32| 50.0 + f64::from((round * 7 + option * 13) % 29);
    let made = |round: i32| Made {
        begins: round * 7,
        monthly: false,
        held: vec![3, u32::try_from(round).expect("made input"), 15],
        entry: (0..4).map(|option| price(round, option)).collect(),
        exit: (0..4).map(|option| price(round + 1, option)).collect(),
    };
    let mut all: Vec<RoundFacts> = (0..8)
        .map(|round| facts(usize::try_from(round).expect("made input"), &made(round)))
        .collect();
    for round in all.iter_mut().skip(4) {
        let record = round.record.as_mut().expect("made input");
        record.submissions[1].model_id = id(new);
    }
    all
}

/// The operator's word in the plan of a round.
fn say(round: &mut RoundFacts, (model, other): (&str, &str)) {
    let record = round.record.as_mut().expect("made input");
    record.calls.push(ModelCalls {
        continues: Some(id(other)),
        ..ModelCalls::new(id(model))
    });
}

fn published(rounds: &[RoundFacts], as_of: &str) -> Publication {
    publish(rounds.to_vec(), &SetPolicy::default(), at(as_of)).expect("made input")
}

fn ranked(rounds: &[RoundFacts], as_of: &str) -> Standings {
    let outlines = rounds.iter().cloned().map(RoundOutline::from).collect();
    standings(outlines, &SetPolicy::default(), at(as_of)).expect("made input")
}

/// What boards tell, as text in which both ids are written alike.
fn told(publication: &Publication) -> String {
    let Publication {
        boards,
        comparison_sets,
        statistics,
        ..
    } = publication;
    format!("{boards:?}\n{comparison_sets:?}\n{statistics:?}").replace(NEW, OLD)
}

#[test]
fn boards_of_a_renamed_model_are_those_of_one_that_kept_its_id() {
    let kept = published(&rounds(OLD), AFTER_ALL);
    let mut renamed = rounds(NEW);
    let apart = published(&renamed, AFTER_ALL);
    assert_eq!(
        apart.comparison_sets.len(),
        2,
        "another id is another model"
    );
    say(&mut renamed[4], (NEW, OLD));

    let merged = published(&renamed, AFTER_ALL);
    assert_eq!(told(&merged), told(&kept));
    let [set] = &merged.comparison_sets[..] else {
        panic!("one roster is one set");
    };
    assert_eq!(set.included.len(), 8);
    assert!(set.definition.model_ids.contains(&id(NEW)));
    let rows = &merged.boards[&Track::Weekly].cumulative;
    let row = rows.iter().find(|row| row.model_id == id(NEW));
    assert_eq!(row.map(|row| row.rounds.len()), Some(8));

    // Rounds keep the id that they were stored with; the earlier ones are found by both.
    let stored = |round: usize, name: &str| {
        let standing = merged.rounds[round].standing(&id(name));
        standing.map(|own| own.model_id().to_string())
    };
    assert_eq!(stored(0, NEW).as_deref(), Some(OLD));
    assert_eq!(stored(0, OLD).as_deref(), Some(OLD));
    assert_eq!(
        (stored(7, NEW).as_deref(), stored(7, OLD)),
        (Some(NEW), None)
    );
    let models: Vec<String> = (tables::ALL.iter().find(|table| table.name == "models"))
        .expect("a table")
        .rows(&merged)
        .into_iter()
        .map(|row| format!("{:?}", row.last()))
        .collect();
    assert_eq!(models.len(), 4, "a row for every id that a round has");
    assert!(models[2].contains(OLD), "{models:?}");

    let ranked = ranked(&renamed, AFTER_ALL);
    assert_eq!(ranked.comparison_sets, merged.comparison_sets);
    assert_eq!(ranked.names, merged.names);
    let statistics = merged.statistics.sets.get(&set.definition.set_id);
    assert_eq!(ranked.statistics(set).as_ref(), statistics);
    assert_eq!(ranked.model_ids()[&id(OLD)], &id(NEW));
}

#[test]
fn a_set_of_the_operator_follows_the_name_of_its_model() {
    let mut renamed = rounds(NEW);
    say(&mut renamed[4], (NEW, OLD));
    let first = published(&renamed, AFTER_ALL).comparison_sets.remove(0);
    let mut policy = SetPolicy::default();
    let mut written = first.definition.clone();
    written.set_id = "written".to_owned();
    written.model_ids = MODELS.map(id).to_vec();
    policy.sets.push(written);
    let found = publish(renamed, &policy, at(AFTER_ALL)).expect("made input");
    let [set] = &found.comparison_sets[..] else {
        panic!("the operator's set covers every round");
    };
    assert_eq!(set.included, first.included);
    assert_eq!(set.rows, first.rows);
}

#[test]
fn a_word_of_a_round_that_nobody_may_see_yet_changes_no_board() {
    let mut silent = rounds(NEW);
    let record = silent[4].record.as_mut().expect("made input");
    record.since = Some(at("2026-03-30T12:00:00Z"));
    let mut said = silent.clone();
    say(&mut said[4], (NEW, OLD));
    let before = "2026-03-30T11:59:59Z";
    let (quiet, own) = (published(&silent, before), published(&said, before));
    assert_eq!(quiet, own);
    assert_eq!(ranked(&silent, before), ranked(&said, before));
    assert_eq!(own.renames().newest(&id(OLD)), &id(OLD));
    let after = published(&said, "2026-03-30T12:00:00Z");
    assert_eq!(after.renames().newest(&id(OLD)), &id(NEW));
}

#[test]
fn models_of_one_round_keep_their_records_apart_whatever_the_plan_says() {
    let apart = rounds(OLD);
    let mut said = apart.clone();
    say(&mut said[4], (OLD, MODELS[2]));
    let (apart, said) = (published(&apart, AFTER_ALL), published(&said, AFTER_ALL));
    assert_eq!(told(&said), told(&apart));
    assert_eq!(said.renames().refused.len(), 1);
}
