//! Rounds, the digests of their frozen files, and the models that ever decided.

use std::collections::BTreeMap;

use capitalbench_core::publication::{PublicRound, Publication, RoundState};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::{ModelId, RunId};

use super::decisions::controls_of;
use crate::table::{Cell, Filling, Row, Table, columns};

/// One row per round of the public record, whatever its state.
pub const ROUNDS: Table = Table {
    name: "rounds",
    about: "One row per round of the public record: its rules and where it stands. Results are in `round_results`, for resolved rounds only.",
    columns: columns! {
        always "round_id" Text "Name of the round";
        always "state" Text "draft, pending, overdue or resolved";
        maybe "track" Text "weekly or monthly; never mixed";
        always "title" Text "Title for people";
        always "horizon" Text "Horizon in words";
        maybe "decision_date" Day "Day of the decision";
        maybe "decision_deadline_utc" Instant "Last moment for a decision";
        maybe "entry_date" Day "Day of the starting close";
        maybe "exit_date" Day "Day of the ending close";
        maybe "methodology_version" Text "Version of the rules";
        maybe "universe_version" Text "Version of the universe, where named";
        always "universe_key" Text "Joins `options`: digest of the frozen options, else the round";
        always "reference_option_id" Text "The option that alpha is measured against";
        always "submission_format" Text "single_pick or portfolio";
        maybe "official_run_id" Text "The run that counts; none while draft";
        maybe "roster_version" Text "Version of the frozen roster, where there is one";
        maybe "freeze_sha256" Text "Digest of the list of digests; none while not frozen";
        always "model_count" Integer "Public decisions of models";
        always "control_count" Integer "Public decisions of control entrants";
        always "has_entry_prices" Flag "Starting prices are public";
    },
    filling: Filling::ByRound(|public| vec![round(public)]),
};

pub(crate) fn round(round: &PublicRound) -> Row<'_> {
    let manifest = &round.manifest;
    let priced = match &round.state {
        RoundState::Draft => false,
        RoundState::Open(open) => open.entry.is_some(),
        RoundState::Resolved(_) => true,
    };
    vec![
        round.id().as_str().into(),
        round.state.as_str().into(),
        round.track.map(Track::as_str).into(),
        manifest.title.as_str().into(),
        manifest.horizon.as_str().into(),
        manifest.decision_date.into(),
        manifest.decision_deadline.as_ref().into(),
        manifest.window.map(|window| window.entry).into(),
        manifest.window.map(|window| window.exit).into(),
        manifest.methodology.label().into(),
        manifest.universe_version.as_deref().into(),
        universe_key(round).into(),
        round.universe.reference().id.as_str().into(),
        manifest.format.as_str().into(),
        run_id(round).map(RunId::as_str).into(),
        manifest.roster.as_ref().map(|r| r.version.as_str()).into(),
        round.frozen.as_ref().map(|f| f.digest.to_hex()).into(),
        round.submissions().len().into(),
        controls_of(round).len().into(),
        priced.into(),
    ]
}

/// The run whose decisions are the record; none while the round is a draft.
pub fn run_id(round: &PublicRound) -> Option<&RunId> {
    match &round.state {
        RoundState::Draft => None,
        RoundState::Open(open) => Some(&open.run_id),
        RoundState::Resolved(resolved) => Some(&resolved.run_id),
    }
}

/// The digest of the frozen options; the round's id if they are not frozen.
pub(crate) fn universe_key(round: &PublicRound) -> String {
    let frozen = round.frozen.as_ref();
    let digest = frozen.and_then(|frozen| frozen.files.get("options.yaml"));
    digest.map_or_else(|| round.id().to_string(), |digest| digest.to_hex())
}

pub const ARTIFACT_HASHES: Table = Table {
    name: "artifact_hashes",
    about: "One row per frozen file of a round, with the digest stored at the freeze.",
    columns: columns! {
        always "round_id" Text "The round";
        always "path" Text "Path inside the round's folder";
        always "sha256" Text "SHA-256 of the file's bytes";
    },
    filling: Filling::ByRound(artifact_hashes),
};

pub(crate) fn artifact_hashes(round: &PublicRound) -> Vec<Row<'_>> {
    let files = round.frozen.iter().flat_map(|frozen| &frozen.files);
    files
        .map(|(path, digest)| {
            vec![
                round.id().as_str().into(),
                path.as_str().into(),
                digest.to_hex().into(),
            ]
        })
        .collect()
}

pub const MODELS: Table = Table {
    name: "models",
    about: "One row per model with a public decision.",
    columns: columns! {
        always "model_id" Text "Id of the model";
        always "name" Text "Name for people; the id where none is safe";
        always "provider" Text "Whose model it is";
        always "decisions" Integer "Rounds with a public decision";
        always "resolved_decisions" Integer "Those of them that are resolved";
        always "first_round_id" Text "First of them in order of rounds";
        always "last_round_id" Text "Last of them in order of rounds";
    },
    filling: Filling::Whole(models),
};

/// One row per model, in order of id.
pub(crate) fn models(publication: &Publication) -> Vec<Row<'_>> {
    let mut found: BTreeMap<&ModelId, (&str, Vec<&PublicRound>)> = BTreeMap::new();
    for round in &publication.rounds {
        for submission in round.submissions() {
            let entry = found.entry(&submission.model_id).or_default();
            *entry = (&submission.provider, std::mem::take(&mut entry.1));
            entry.1.push(round);
        }
    }
    let row = |(id, (provider, rounds)): (&'_ ModelId, (&'_ str, Vec<&PublicRound>))| {
        let resolved = rounds.iter().filter(|r| r.resolved().is_some()).count();
        let end = |round: Option<&&PublicRound>| round.map(|round| round.id().to_string());
        vec![
            Cell::from(id.to_string()),
            publication.name(id).to_owned().into(),
            provider.to_owned().into(),
            rounds.len().into(),
            resolved.into(),
            end(rounds.first()).into(),
            end(rounds.last()).into(),
        ]
    };
    found.into_iter().map(row).collect()
}
