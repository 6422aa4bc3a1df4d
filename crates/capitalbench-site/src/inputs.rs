//! What the pages of a round follow from, as one digest.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::sync::Arc;

use capitalbench_core::market::universe::Universe;
use capitalbench_core::publication::{PublicRound, Publication, RoundState, Standing};
use capitalbench_core::values::ids::{Digest, ModelId};

use crate::Files;
use crate::pages::entrants;
use crate::pages::view::View;
use crate::pages::words;
use crate::title::title;

/// The digest of each universe, by where it lies: most rounds share one.
pub(crate) type Universes = BTreeMap<usize, Digest>;

fn place(universe: &Arc<Universe>) -> usize {
    Arc::as_ptr(universe).addr()
}

/// The digests of all universes of a publication.
pub(crate) fn universes(publication: &Publication) -> Universes {
    let mut found = Universes::new();
    for round in &publication.rounds {
        found
            .entry(place(&round.universe))
            .or_insert_with(|| digest_of(format_args!("{:?}", round.universe)));
    }
    found
}

/// The debug form tells every field, and numbers to their last bit.
fn digest_of(words: fmt::Arguments<'_>) -> Digest {
    let mut text = String::new();
    // Writing to a text cannot fail.
    let _ = text.write_fmt(words);
    Digest::of(text.as_bytes())
}

/// A digest of the public files of a round, by paths and bytes.
pub fn files_digest(own: &Files) -> Digest {
    let mut text = String::new();
    for (path, bytes) in own {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n{path:?} {}", Digest::of(bytes).to_hex());
    }
    Digest::of(text.as_bytes())
}

pub(crate) fn digest(
    view: &View<'_>,
    universes: &Universes,
    round: &PublicRound,
    own: Digest,
) -> Digest {
    let mut text = String::with_capacity(64 << 10);
    let universe = universes.get(&place(&round.universe));
    // Writing to a text cannot fail.
    let _ = write!(
        text,
        "{} {} {} {} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        view.base_url,
        view.identity.mark().to_hex(),
        view.images.are_shown(),
        view.reference,
        view.publication.synthetic,
        round.key,
        round.track,
        round.manifest,
        universe,
        round.frozen,
        round.state,
        round.exceptions,
        round.continued
    );
    // What comes next depends on the instant, and the pages lead to the rounds around this one.
    let _ = write!(text, "\n{}", words::next_event(view, round));
    let _ = write!(text, "\n{}", entrants::inputs(view, round));
    for beside in view.beside(round).into_iter().flatten() {
        let _ = write!(text, "\n{} {}", beside.id(), title(beside));
    }
    for id in models(round) {
        let _ = write!(text, "\n{id} {:?} {:?}", view.name(id), view.look(id));
    }
    for option in round.universe.options() {
        let _ = write!(text, "\n{} {:?}", option.id, view.option_name(&option.id));
    }
    let _ = write!(text, "\n{}", own.to_hex());
    Digest::of(text.as_bytes())
}

/// Every entrant whose name a page of the round may tell.
fn models(round: &PublicRound) -> BTreeSet<&ModelId> {
    let mut found: BTreeSet<&ModelId> = round.submissions().iter().map(|s| &s.model_id).collect();
    match &round.state {
        RoundState::Draft | RoundState::Ended(_) => {}
        RoundState::Open(open) => {
            found.extend(open.controls.iter().map(|control| &control.model_id));
            found.extend(open.interim.iter().map(|row| &row.model_id));
        }
        RoundState::Resolved(resolved) => {
            found.extend(resolved.models.iter().map(Standing::model_id));
            found.extend(resolved.controls.iter().map(Standing::model_id));
            found.extend(resolved.interim.iter().map(|row| &row.model_id));
        }
    }
    found
}
