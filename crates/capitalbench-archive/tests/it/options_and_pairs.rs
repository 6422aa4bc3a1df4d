//! Records of options, pairs of models and daily paths of the public record, counted again.

use std::collections::BTreeSet;

use capitalbench_archive::public::public_record::publication;
use capitalbench_core::evidence::statistics::{Basis, horizon_sessions};
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
#[expect(clippy::cast_precision_loss, reason = "counts of days are small")]
fn a_path_ends_where_the_mean_says() {
    let Some(published) = published() else { return };
    let mut looked = 0;
    for set in &published.comparison_sets {
        let Some(statistics) = published.statistics.sets.get(&set.definition.set_id) else {
            continue;
        };
        for model in &statistics.models {
            let (Some(path), Some(alpha)) = (&model.path, model.model.alpha) else {
                continue;
            };
            assert_eq!(alpha.basis, Basis::Days(path.len()));
            let last = path.last().expect("a day");
            let days = path.len() as f64 / horizon_sessions(set.definition.track);
            assert!(
                (last.value - alpha.value * days).abs() < 1e-9,
                "{last:?} {alpha:?}"
            );
            assert!((last.value + last.half_width - alpha.high * days).abs() < 1e-9);
            looked += 1;
        }
    }
    assert!(looked > 10, "{looked}");
}
