//! Whatever a pending round will come to, nothing of it is in any file.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use capitalbench_core::publication::boards::comparison_set::SetPolicy;
use capitalbench_core::publication::facts::{Luck, RoundFacts};
use capitalbench_core::publication::outline::RoundOutline;
use capitalbench_core::publication::publish;
use capitalbench_core::publication::standings::{Standings, standings};
use capitalbench_core::result::score::{Score, score};
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::units::Return;
use capitalbench_export::catalogue::Publisher;
use capitalbench_export::{Measure, Shelf, export, tables};
use jiff::Timestamp;
use jiff::civil::{Date, date};
use proptest::prelude::*;

use crate::made::{Made, facts, made};

fn files(rounds: Vec<RoundFacts>, as_of: Timestamp) -> BTreeMap<String, Vec<u8>> {
    let published = publish(rounds, &SetPolicy::default(), as_of).expect("made input");
    let publisher = Publisher {
        name: "House",
        address: None,
        licence: None,
    };
    let mut files = InMemory::default();
    export(&published, &publisher, &mut files, &|| ()).expect("memory takes it");
    files.0
}

/// What `leaderboard`, `compare` and `cumulative-status` are made from.
fn outlines(rounds: &[RoundFacts], as_of: Timestamp) -> Standings {
    let rounds = rounds.iter().cloned().map(RoundOutline::from).collect();
    standings(rounds, &SetPolicy::default(), as_of).expect("made input")
}

#[derive(Default)]
struct InMemory(BTreeMap<String, Vec<u8>>);

impl Shelf for InMemory {
    type File = Vec<u8>;
    type Error = io::Error;

    fn begin(&mut self, _name: &str) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn end(&mut self, name: &str, file: Vec<u8>, measure: Measure) -> io::Result<()> {
        assert_eq!(measure.digest, Digest::of(&file), "{name}");
        self.0.insert(name.to_owned(), file);
        Ok(())
    }

    fn failed(&self, _name: &str, error: io::Error) -> io::Error {
        error
    }
}

fn is_open(facts: &RoundFacts, as_of: Timestamp) -> bool {
    facts
        .manifest
        .window
        .expect("made input")
        .exit_close()
        .expect("made input")
        > as_of
}

/// Every figure of a result, as files would write it.
fn would_be(facts: &RoundFacts) -> BTreeSet<String> {
    let result = facts.result.as_ref().expect("made input");
    let oracle = result.returns.oracle();
    let mut values = vec![result.returns.reference().get()];
    values.extend(oracle.map(Return::get));
    for option in result.returns.options() {
        values.push(option.value.get());
        values.extend(option.exit.map(|(price, _)| price.get()));
    }
    for outcome in &result.models {
        values.extend([outcome.decision_return.get(), outcome.alpha.get()]);
        values.extend(outcome.regret.map(Return::get));
        if let Ok(Score::Points(points)) = score(outcome.decision_return, oracle) {
            values.push(points);
        }
    }
    if let Luck::Drawn(Some(chance)) = &result.luck {
        values.extend([chance.low, chance.median, chance.high]);
    }
    let texts = values
        .iter()
        .map(|value| serde_json::Value::from(*value).to_string());
    // Short texts, such as the zero of cash, are no secret and occur everywhere.
    texts.filter(|text| text.len() > 8).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_pending_round_tells_nothing_of_its_result(
        rounds in proptest::collection::vec(made(), 2..5),
        other_exit in proptest::collection::vec(20.0..200.0_f64, 4),
        day in 0..45_i32,
    ) {
        let first: Date = date(2026, 3, 2);
        let day = first.checked_add(jiff::Span::new().days(day)).expect("made input");
        let as_of: Timestamp = format!("{day}T23:59:59Z").parse().expect("made input");
        let told: Vec<RoundFacts> = rounds.iter().enumerate().map(|(i, m)| facts(i, m)).collect();
        let with_result = files(told.clone(), as_of);

        let mut unscored = told.clone();
        let mut elsewhere = Vec::new();
        for (place, (round, made)) in unscored.iter_mut().zip(&rounds).enumerate() {
            let other = Made { exit: other_exit.clone(), ..made.clone() };
            let open = is_open(round, as_of);
            elsewhere.push(if open { facts(place, &other) } else { round.clone() });
            if open {
                round.result = None;
            }
        }
        let outlined = outlines(&told, as_of);
        prop_assert_eq!(&outlined, &outlines(&unscored, as_of));
        prop_assert_eq!(&outlined, &outlines(&elsewhere, as_of));
        prop_assert_eq!(&with_result, &files(unscored, as_of));
        prop_assert_eq!(&with_result, &files(elsewhere, as_of));

        let public: BTreeSet<String> = told
            .iter()
            .filter(|round| !is_open(round, as_of))
            .flat_map(would_be)
            .collect();
        for round in told.iter().filter(|round| is_open(round, as_of)) {
            for secret in would_be(round).difference(&public) {
                for (name, bytes) in &with_result {
                    let text = String::from_utf8_lossy(bytes);
                    prop_assert!(!text.contains(secret.as_str()), "{} holds {}", name, secret);
                }
            }
        }
    }
}

/// The test above can see a leak: a resolved round's figures are in the files.
#[test]
fn a_resolved_round_tells_its_result() {
    let made = Made {
        begins: 0,
        monthly: false,
        held: vec![3, 10],
        entry: vec![101.25, 33.3, 57.1, 98.7],
        exit: vec![103.7, 31.9, 59.2, 99.4],
    };
    let round = facts(0, &made);
    let written = files(
        vec![round.clone()],
        "2026-03-20T00:00:00Z".parse().expect("made input"),
    );
    let all: Vec<u8> = written.values().flatten().copied().collect();
    let all = String::from_utf8_lossy(&all);
    let secrets = would_be(&round);
    assert!(secrets.len() > 10, "{secrets:?}");
    for secret in &secrets {
        assert!(all.contains(secret.as_str()), "{secret}");
    }
}

#[test]
fn every_row_fits_the_description_of_its_table() {
    use capitalbench_export::table::{Cell, Kind, Presence};
    let made = |begins, monthly| Made {
        begins,
        monthly,
        held: vec![3, 10, 0],
        entry: vec![101.25, 33.3, 57.1, 98.7],
        exit: vec![103.7, 31.9, 59.2, 99.4],
    };
    let rounds = [(0, false), (7, false), (14, false), (0, true), (30, true)];
    let rounds = rounds.into_iter().enumerate();
    let rounds = rounds.map(|(place, (begins, monthly))| facts(place, &made(begins, monthly)));
    let as_of = "2026-04-10T00:00:00Z".parse().expect("made input");
    let published = publish(rounds.collect(), &SetPolicy::default(), as_of).expect("made input");
    let mut names = BTreeSet::new();
    for table in tables::ALL {
        assert!(names.insert(table.name), "{} is there twice", table.name);
        for row in table.rows(&published) {
            assert_eq!(row.len(), table.columns.len(), "{}", table.name);
            for (cell, column) in row.iter().zip(table.columns) {
                let kind = match cell {
                    Cell::Text(_) => Some(Kind::Text),
                    Cell::Integer(_) => Some(Kind::Integer),
                    Cell::Real(_) => Some(Kind::Real),
                    Cell::Flag(_) => Some(Kind::Flag),
                    Cell::Day(_) => Some(Kind::Day),
                    Cell::Instant(_) => Some(Kind::Instant),
                    Cell::Missing => None,
                };
                let place = format!("{}.{}", table.name, column.name);
                match kind {
                    Some(kind) => assert_eq!(kind, column.kind, "{place}"),
                    None => assert_eq!(column.presence, Presence::Maybe, "{place}"),
                }
            }
        }
    }
}
