//! Records of options, pairs of models and daily paths of the public record, counted again.

use std::collections::BTreeSet;

use capitalbench_archive::public::public_record::publication;
use capitalbench_core::evidence::statistics::Basis;
use capitalbench_core::publication::{Publication, RoundState};
use capitalbench_core::values::ids::{ModelId, RoundId};

use crate::archive::archive_root;

fn published() -> Option<Publication> {
    let rounds = archive_root()?.join("rounds");
    let as_of = "2026-08-21T22:00:00Z".parse().expect("an instant");
    Some(publication(&rounds, as_of, &|| ()).expect("a publication"))
}

#[test]
fn options_count_every_holding_once() {
    let Some(published) = published() else { return };
    for (track, boards) in &published.boards {
        let rounds = published.rounds.iter().filter(|r| r.track == Some(*track));
        let held: usize = rounds
            .flat_map(|round| round.submissions())
            .map(|submission| submission.decision.option_ids().len())
            .sum();
        let counted: usize = boards.options.iter().map(|record| record.decisions).sum();
        assert_eq!(counted, held, "{track:?}");
        assert!(
            boards
                .options
                .is_sorted_by(|a, b| a.option_id < b.option_id)
        );
        for record in &boards.options {
            let (mut right, mut known) = (0_u32, 0_u32);
            for own in &record.rounds {
                let round = published.round(&own.round_id).expect("a public round");
                let resolved = matches!(round.state, RoundState::Resolved(_));
                assert!(resolved || own.result.is_none(), "{}", own.round_id);
                for _ in &own.holders {
                    let Some(result) = own.result else { continue };
                    known += 1;
                    right += u32::from(result.alpha > 0.0);
                }
            }
            let expected = (known > 0).then(|| f64::from(right) / f64::from(known));
            assert_eq!(record.hit_rate, expected, "{}", record.option_id);
        }
    }
}

#[test]
fn pairs_are_compared_on_what_they_share() {
    let Some(published) = published() else { return };
    for (track, pairs) in &published.statistics.head_to_head {
        let rows = &published.boards[track].cumulative;
        let rounds = |id: &ModelId| -> BTreeSet<&RoundId> {
            let row = rows.iter().find(|row| row.model_id == *id);
            row.expect("a record").rounds.iter().collect()
        };
        assert!(!pairs.is_empty());
        for pair in pairs {
            let shared: BTreeSet<&RoundId> = pair.rounds.iter().collect();
            let expected: BTreeSet<&RoundId> = &rounds(&pair.first) & &rounds(&pair.second);
            assert_eq!(shared, expected, "{} {}", pair.first, pair.second);
            assert!(pair.first < pair.second);
            assert!(pair.first_ahead + pair.second_ahead <= pair.rounds.len());
        }
        for set in published
            .comparison_sets
            .iter()
            .filter(|s| s.definition.track == *track)
        {
            let Some(statistics) = published.statistics.sets.get(&set.definition.set_id) else {
                continue;
            };
            for own in &statistics.pairs {
                let same = |p: &&capitalbench_core::evidence::statistics::HeadToHead| {
                    p.first == own.first && p.second == own.second
                };
                let Some(pair) = pairs.iter().find(same) else {
                    continue;
                };
                if pair.rounds.iter().collect::<BTreeSet<_>>() == set.included.iter().collect() {
                    let (a, b) = (pair.difference, own.difference);
                    let close = a
                        .zip(b)
                        .is_none_or(|(a, b)| (a.value - b.value).abs() < 1e-12);
                    assert!(close, "{} {}: {a:?} {b:?}", pair.first, pair.second);
                }
            }
        }
    }
}

#[test]
fn every_gap_is_the_mean_of_its_rounds() {
    let Some(published) = published() else { return };
    let (mut looked, mut paths) = (0, 0);
    for set in &published.comparison_sets {
        let Some(statistics) = published.statistics.sets.get(&set.definition.set_id) else {
            continue;
        };
        for (row, model) in set.rows.iter().zip(&statistics.models) {
            if let Some(alpha) = model.model.alpha {
                assert!((alpha.value - row.average_alpha).abs() < 1e-12, "{alpha:?}");
                looked += 1;
            }
            if let Some(Basis::Days(days)) = model.model.alpha.map(|alpha| alpha.basis) {
                assert_eq!(model.path.as_ref().map(Vec::len), Some(days));
                paths += 1;
            }
        }
        let gap = |id: &ModelId| {
            let row = set.rows.iter().find(|row| row.model_id == *id);
            row.expect("a row").average_alpha
        };
        for pair in &statistics.pairs {
            let Some(difference) = pair.difference else {
                continue;
            };
            let expected = gap(&pair.first) - gap(&pair.second);
            assert!((difference.value - expected).abs() < 1e-12, "{pair:?}");
        }
    }
    assert!(looked > 10 && paths > 10, "{looked} {paths}");
    for (track, records) in &published.statistics.records {
        for (record, row) in records.iter().zip(&published.boards[track].cumulative) {
            let Some(alpha) = record.model.alpha else {
                continue;
            };
            assert!((alpha.value - row.average_alpha).abs() < 1e-12, "{alpha:?}");
        }
    }
}

#[test]
fn no_rank_range_excludes_a_place_that_the_corrected_tests_leave_open() {
    let Some(published) = published() else { return };
    for (id, set) in &published.statistics.sets {
        let apart = set.pairs.iter().filter(|pair| pair.apart()).count();
        let models = set.models.len();
        let closed: usize = (0..models)
            .filter_map(|row| set.places(row))
            .map(|(from, to)| models - 1 + from - to)
            .sum();
        // Every pair that is told apart closes one place of each of its models.
        assert_eq!(closed, 2 * apart, "{id}");
    }
}
