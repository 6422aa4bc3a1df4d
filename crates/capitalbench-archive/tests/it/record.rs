//! The real rounds at the gate, and what controls hold in them.

use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::acceptance::facts;
use capitalbench_archive::run::control_sources::ControlSources;
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_core::asking::acceptance::{AcceptanceFacts, Choice, refusals, remarks};
use capitalbench_core::asking::run::official_run;
use capitalbench_core::decision::control::Rule;
use capitalbench_core::values::units::BasisPoints;

use crate::golden::rounds;

/// What the gate looks at, long after the last call.
fn gathered(round: &RoundInputs, folder: &RunFolder) -> AcceptanceFacts {
    let now = "2030-01-01T00:00:00Z".parse().expect("an instant");
    facts(round, folder, Choice::First, now).expect("a readable run")
}

#[test]
fn every_record_passes_the_gate_and_late_ones_are_reported() {
    let Some(rounds) = rounds() else { return };
    let (mut records, mut late) = (0, 0);
    for round in &rounds {
        let runs = round.folder.runs().unwrap();
        let rules = round.manifest.record_rules();
        let Ok(record) = official_run(&runs, rules) else {
            continue;
        };
        let folder = round.folder.run(&record.run_id).unwrap();
        let facts = gathered(round, &folder);
        assert_eq!(refusals(&facts), [], "{}", round.folder.name());
        records += 1;
        late += usize::from(!remarks(&facts).is_empty());
        let others = runs.iter().filter(|run| run.run_id != record.run_id);
        for other in others.filter(|run| !run.eligible) {
            let folder = round.folder.run(&other.run_id).unwrap();
            let refused = refusals(&gathered(round, &folder));
            assert!(
                !refused.is_empty(),
                "{}/{}",
                round.folder.name(),
                other.run_id
            );
        }
    }
    assert!(
        records >= 46 && late >= 42,
        "{records} records, {late} late"
    );
}

#[test]
fn controls_hold_whole_portfolios_in_every_round() {
    let Some(rounds) = rounds() else { return };
    let mut held = [0; Rule::ALL.len()];
    for round in &rounds {
        let sources = ControlSources::load(round).unwrap();
        for (count, control) in held.iter_mut().zip(sources.controls(round)) {
            let Ok(holdings) = control.holdings else {
                continue;
            };
            let total: BasisPoints = holdings.iter().map(|holding| holding.weight).sum();
            assert_eq!(total, BasisPoints::WHOLE, "{}", round.folder.name());
            *count += 1;
        }
    }
    for (rule, held) in Rule::ALL.into_iter().zip(held) {
        let everywhere = matches!(
            rule,
            Rule::Reference | Rule::Cash | Rule::EqualWeight | Rule::SixtyForty | Rule::Random
        );
        let least = if everywhere { rounds.len() } else { 1 };
        assert!(held >= least, "{rule:?} is held in {held} rounds");
    }
}
