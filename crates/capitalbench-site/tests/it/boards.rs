//! Figures across rounds that only pages show, held against the boards and the rounds they follow from.

use std::collections::BTreeMap;

use capitalbench_core::publication::RoundState;
use capitalbench_core::publication::boards::consensus::consensus;
use capitalbench_core::publication::boards::race::race;
use capitalbench_core::publication::boards::regime::{Regime, by_regime};
use capitalbench_core::publication::boards::stakes::{STAKE, stakes};
use capitalbench_core::round::manifest::Track;

use super::sources::{PUBLISHED, Source, archive, fixtures};

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// After its last round a race is at the gap of the board.
fn races_end_at_the_board(source: &Source) -> usize {
    let mut looked = 0;
    for set in &source.publication.comparison_sets {
        let race = race(&source.publication, set);
        assert_eq!(race.rounds.len(), set.included.len());
        for runner in &race.models {
            let row = set.rows.iter().find(|row| row.model_id == runner.model_id);
            let row = row.expect("a row of the set");
            let last = runner.means.last().copied().expect("a round");
            assert!(near(last, row.average_alpha), "{}: {last}", runner.model_id);
            assert_eq!(runner.bands.len(), race.rounds.len());
            looked += 1;
        }
    }
    looked
}

/// A stake stands in one round at a time, and its gain is the sum of the returns.
fn stakes_never_overlap(source: &Source) -> usize {
    let publication = &source.publication;
    let mut looked = 0;
    for set in &publication.comparison_sets {
        let Some(found) = stakes(publication, set) else {
            continue;
        };
        assert_eq!(found.rounds.len(), set.separate_windows);
        let rounds: Vec<_> = found
            .rounds
            .iter()
            .map(|(id, _)| publication.round(id).expect("a public round"))
            .collect();
        for two in rounds.windows(2) {
            let [before, after] =
                [two[0], two[1]].map(|own| own.manifest.window.expect("a window"));
            assert!(before.exit <= after.entry);
        }
        if let Some(fan) = &found.random {
            assert_eq!(fan.len(), rounds.len());
            assert!(fan.iter().all(|lines| lines.is_sorted()));
        }
        for (id, path) in &found.models {
            assert_eq!(path.len(), rounds.len());
            let gain = path.last().expect("a round");
            let own = rounds.iter().map(|round| {
                let standing = round.standing(id);
                standing
                    .expect("its result")
                    .scored
                    .outcome
                    .decision_return
                    .get()
            });
            assert!(
                (gain - STAKE * own.sum::<f64>()).abs() < 1e-6,
                "{id}: {gain}"
            );
            looked += 1;
        }
    }
    looked
}

/// All open weight is somewhere, and each holder's own weights are means of its portfolios.
fn everything_open_is_held(source: &Source) {
    let found = consensus(&source.publication.rounds);
    let open = source
        .publication
        .rounds
        .iter()
        .filter_map(|round| match &round.state {
            RoundState::Open(open) => Some(open.submissions.len()),
            RoundState::Draft | RoundState::Ended(_) | RoundState::Resolved(_) => None,
        });
    assert_eq!(found.decisions, open.sum::<usize>());
    let whole: f64 = found.options.iter().map(|option| option.mean_weight).sum();
    assert!((whole - 1.0).abs() < 1e-9, "{whole}");
    let mut of_model: BTreeMap<_, f64> = BTreeMap::new();
    for option in &found.options {
        for (id, weight) in &option.holders {
            *of_model.entry(id).or_default() += weight;
        }
    }
    assert_eq!(of_model.len(), found.models.len());
    for (id, weight) in of_model {
        assert!((weight - 1.0).abs() < 1e-9, "{id}: {weight}");
    }
}

/// Every resolved round is of one kind, and the parts of a record make its mean.
fn kinds_of_market_split_the_record(source: &Source) {
    for track in [Track::Weekly, Track::Monthly] {
        let found = by_regime(&source.publication.rounds, track);
        let rounds = source.publication.rounds.iter();
        let resolved = rounds.filter(|own| own.track == Some(track) && own.resolved().is_some());
        assert_eq!(found.rounds.values().sum::<usize>(), resolved.count());
        for row in &source.publication.boards[&track].cumulative {
            let parts = &found.models[&row.model_id];
            let rounds: usize = Regime::ALL
                .iter()
                .filter_map(|kind| Some(parts.get(kind)?.0))
                .sum();
            assert_eq!(rounds, row.rounds.len());
            #[expect(clippy::cast_precision_loss, reason = "some rounds")]
            let sum: f64 = parts
                .values()
                .map(|(rounds, mean)| *rounds as f64 * mean)
                .sum();
            #[expect(clippy::cast_precision_loss, reason = "some rounds")]
            let mean = sum / rounds as f64;
            assert!((mean - row.average_alpha).abs() < 1e-9, "{}", row.model_id);
        }
    }
}

#[test]
fn figures_of_pages_follow_from_the_rounds() {
    let small = fixtures();
    races_end_at_the_board(&small);
    kinds_of_market_split_the_record(&small);
    everything_open_is_held(&small);
    let Some(source) = archive(PUBLISHED) else {
        return;
    };
    assert!(races_end_at_the_board(&source) > 20);
    assert!(stakes_never_overlap(&source) > 20);
    everything_open_is_held(&source);
    kinds_of_market_split_the_record(&source);
}
