//! A site that takes over what did not change is the site that takes over nothing.

use std::sync::Arc;

use capitalbench_core::market::universe::Universe;
use capitalbench_core::publication::{PublicRound, RoundKey, RoundState};
use capitalbench_core::values::ids::RoundId;

use super::sources::{Source, fixtures};

/// A change, and which rounds it must render again.
type Change = (
    &'static str,
    fn(&mut Source, usize),
    fn(&Source, usize, usize) -> bool,
);

const ONLY_ITS_OWN: fn(&Source, usize, usize) -> bool = |_, changed, round| changed == round;

/// A new round, and the rounds of its track that lead to it.
const ANOTHER_AND_BESIDE: fn(&Source, usize, usize) -> bool = |source, _, round| {
    let rounds = &source.publication.rounds;
    let track = rounds[round].track;
    let of_track: Vec<usize> = (0..rounds.len())
        .filter(|own| rounds[*own].track == track)
        .collect();
    let place = of_track.iter().position(|own| *own == round);
    let new = of_track
        .iter()
        .position(|own| rounds[*own].id().as_str() == "another");
    place
        .zip(new)
        .is_some_and(|(place, new)| place.abs_diff(new) <= 1)
};

fn round(source: &mut Source, place: usize) -> &mut PublicRound {
    &mut source.publication.rounds[place]
}

fn id(source: &Source, place: usize) -> RoundId {
    source.publication.rounds[place].id().clone()
}

const CHANGES: [Change; 11] = [
    ("nothing", |_, _| {}, |_, _, _| false),
    (
        "the instant",
        |source, _| source.publication.as_of = "2031-02-03T04:05:06Z".parse().expect("an instant"),
        |_, _, _| false,
    ),
    (
        "a byte of a file",
        |source, place| {
            let id = id(source, place);
            let own = source.files.get_mut(&id).expect("its files");
            let briefing = own.get_mut("briefing.md").expect("a briefing");
            *briefing = [&briefing[..], b"!"].concat().into();
        },
        ONLY_ITS_OWN,
    ),
    (
        "a file that is gone",
        |source, place| {
            let id = id(source, place);
            let own = source.files.get_mut(&id).expect("its files");
            own.remove("prompt.md").expect("a prompt");
        },
        ONLY_ITS_OWN,
    ),
    (
        "no file at all",
        |source, place| {
            let id = id(source, place);
            source.files.remove(&id);
        },
        ONLY_ITS_OWN,
    ),
    (
        "its methodology",
        |source, place| round(source, place).manifest.decision_deadline = None,
        ONLY_ITS_OWN,
    ),
    (
        "its seal",
        |source, place| round(source, place).frozen = None,
        ONLY_ITS_OWN,
    ),
    (
        "its state",
        |source, place| round(source, place).state = RoundState::Draft,
        ONLY_ITS_OWN,
    ),
    (
        "its last figure",
        |source, place| match &mut round(source, place).state {
            RoundState::Resolved(resolved) => {
                let standing = resolved.models.last_mut().expect("a model");
                standing.scored.submission.confidence = 0.123_456;
            }
            RoundState::Open(open) => open.submissions[0].confidence = 0.123_456,
            RoundState::Draft | RoundState::Ended(_) => panic!("a round without a record"),
        },
        ONLY_ITS_OWN,
    ),
    (
        "another round",
        |source, place| {
            let mut more = round(source, place).clone();
            more.manifest.round_id = RoundId::parse("another").expect("a plain name");
            more.key = RoundKey::of(&more.manifest);
            source.publication.rounds.push(more);
            source.publication.rounds.sort_by(|a, b| a.key.cmp(&b.key));
        },
        ANOTHER_AND_BESIDE,
    ),
    (
        "the market is invented",
        |source, _| source.publication.synthetic = !source.publication.synthetic,
        |_, _, _| true,
    ),
];

#[test]
fn reused_pages_equal_rendered_ones() {
    let before = fixtures().after(&std::collections::BTreeMap::new());
    assert_eq!((before.families.len(), before.reused), (3, 0));
    for (what, change, renders) in CHANGES {
        for place in 0..3 {
            let mut source = fixtures();
            change(&mut source, place);
            let found = source.after(&before.families);
            let rounds = source.publication.rounds.len();
            let fresh = (0..rounds)
                .filter(|round| renders(&source, place, *round))
                .count();
            assert_eq!(found.reused, rounds - fresh, "{what}, round {place}");
            let whole = source.site();
            assert!(
                found.files.keys().eq(whole.keys()),
                "{what}, round {place}: other paths"
            );
            for (path, bytes) in &whole {
                assert!(found.files[path] == bytes, "{what}, round {place}: {path}");
            }
        }
    }
}

/// Names stand on the pages of rounds that did not change themselves.
#[test]
fn a_new_name_reaches_the_rounds_that_tell_it() {
    let before = fixtures().after(&std::collections::BTreeMap::new());
    for place in 0..3 {
        let mut source = fixtures();
        let model = source.publication.rounds[place].submissions()[0]
            .model_id
            .clone();
        source
            .publication
            .names
            .insert(model.clone(), "Renamed".to_owned());
        let telling = |round: &&PublicRound| {
            let mut submissions = round.submissions().into_iter();
            submissions.any(|submission| submission.model_id == model)
        };
        let telling = source.publication.rounds.iter().filter(telling).count();
        let found = source.after(&before.families);
        assert_eq!(found.reused, 3 - telling, "{model}");
        assert!(found.files == source.site(), "{model}");
    }
    // The newest round names options for all of them.
    let mut source = fixtures();
    let newest = source.publication.rounds.last_mut().expect("a round");
    let mut options = newest.universe.options().to_vec();
    let renamed = options[0].id.clone();
    "Renamed".clone_into(&mut options[0].name);
    newest.universe = Arc::new(Universe::new(options).expect("a universe"));
    let telling = |round: &&PublicRound| round.universe.get(&renamed).is_some();
    let telling = source.publication.rounds.iter().filter(telling).count();
    let found = source.after(&before.families);
    assert_eq!(found.reused, 3 - telling);
    assert!(found.files == source.site());
}
