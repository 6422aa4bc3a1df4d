//! Rounds, the digests of their frozen files, and the models that ever decided.

use std::collections::BTreeMap;

use capitalbench_core::publication::{PublicRound, Publication, RoundState};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::{Digest, ModelId, RunId};

use super::decisions::controls_of;
use crate::table::{Filling, Row, Table, columns};

/// One row per round of the public record, whatever its state.
pub const ROUNDS: Table = Table {
    name: "rounds",
    about: "One row per round of the public record: its rules and where it stands. Results are in `round_results`, for resolved rounds only.",
    columns: ROUND_COLUMNS,
    filling: Filling::ByRound(|public| vec![round(public)]),
};

columns! {
    ROUND_COLUMNS, pub(crate) fn round(round: &PublicRound) -> Row<'_>;
    Always "round_id" Text "Name of the round" => round.id().as_str();
    Always "state" Text "draft, pending, overdue, resolved, voided or abandoned" => round.state.as_str();
    Maybe "track" Text "weekly or monthly; never mixed" => round.track.map(Track::as_str);
    Always "title" Text "Title for people" => round.manifest.title.as_str();
    Always "horizon" Text "Horizon in words" => round.manifest.horizon.as_str();
    Maybe "decision_date" Day "Day of the decision" => round.manifest.decision_date;
    Maybe "decision_deadline_utc" Instant "Last moment for a decision" => round.manifest.decision_deadline.as_ref();
    Maybe "entry_date" Day "Day of the starting close" => round.manifest.window.map(|window| window.entry);
    Maybe "exit_date" Day "Day of the ending close" => round.manifest.window.map(|window| window.exit);
    Maybe "methodology_version" Text "Version of the rules" => round.manifest.methodology.label();
    Maybe "universe_version" Text "Version of the universe, where named" => round.manifest.universe_version.as_deref();
    Always "universe_key" Text "Joins `options`: digest of the frozen options, else the round" => universe_key(round);
    Always "reference_option_id" Text "The option that alpha is measured against" => round.universe.reference().id.as_str();
    Always "submission_format" Text "single_pick or portfolio" => round.manifest.format.as_str();
    Maybe "official_run_id" Text "The run that counts; none while draft" => run_id(round).map(RunId::as_str);
    Maybe "roster_version" Text "Version of the frozen roster, where there is one" => round.manifest.roster.as_ref().map(|r| r.version.as_str());
    Maybe "freeze_sha256" Text "Digest of the list of digests; none while not frozen" => round.frozen.as_ref().map(|f| f.digest.to_hex());
    Always "model_count" Integer "Public decisions of models" => round.submissions().len();
    Always "control_count" Integer "Public decisions of control entrants" => controls_of(round).len();
    Always "has_entry_prices" Flag "Starting prices are public" => has_entry_prices(round);
    Always "missing_count" Integer "Models of the record without a valid answer" => round.missing().len();
    Maybe "ended_at_utc" Instant "When a voided or abandoned round ended" => round.tombstone().map(|own| &own.ended_at);
    Maybe "end_reason" Text "Why it ended, in the operator's words" => round.tombstone().map(|own| own.reason.as_str());
}

fn has_entry_prices(round: &PublicRound) -> bool {
    match &round.state {
        RoundState::Draft | RoundState::Ended(_) => false,
        RoundState::Open(open) => open.entry.is_some(),
        RoundState::Resolved(_) => true,
    }
}

/// The run whose decisions are the record; none while the round is a draft.
pub fn run_id(round: &PublicRound) -> Option<&RunId> {
    match &round.state {
        RoundState::Draft | RoundState::Ended(_) => None,
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
    columns: HASH_COLUMNS,
    filling: Filling::ByRound(artifact_hashes),
};

columns! {
    HASH_COLUMNS, fn artifact_hash<'a>(round: &'a PublicRound, path: &'a str, digest: &Digest) -> Row<'a>;
    Always "round_id" Text "The round" => round.id().as_str();
    Always "path" Text "Path inside the round's folder" => path;
    Always "sha256" Text "SHA-256 of the file's bytes" => digest.to_hex();
}

pub(crate) fn artifact_hashes(round: &PublicRound) -> Vec<Row<'_>> {
    let files = round.frozen.iter().flat_map(|frozen| &frozen.files);
    files
        .map(|(path, digest)| artifact_hash(round, path, digest))
        .collect()
}

pub const MODELS: Table = Table {
    name: "models",
    about: "One row per model with a public decision.",
    columns: MODEL_COLUMNS,
    filling: Filling::Whole(models),
};

columns! {
    MODEL_COLUMNS, fn model<'a>(names: Names<'a>, provider: &'a str, rounds: &[&'a PublicRound]) -> Row<'a>;
    Always "model_id" Text "Id of the model" => names.id.as_str();
    Always "name" Text "Name for people: the operator's in the newest round, else one made from the id" => names.name;
    Always "provider" Text "Whose model it is" => provider;
    Always "decisions" Integer "Rounds with a public decision" => rounds.len();
    Always "resolved_decisions" Integer "Those of them that are resolved" => rounds.iter().filter(|round| round.resolved().is_some()).count();
    Always "first_round_id" Text "First of them in order of rounds" => rounds.first().map(|round| round.id().as_str());
    Always "last_round_id" Text "Last of them in order of rounds" => rounds.last().map(|round| round.id().as_str());
    Maybe "continues_model_id" Text "Model whose record this one continues, by the operator's word" => names.continues.map(ModelId::as_str);
}

/// How a model is called, and which model it comes after.
#[derive(Clone, Copy)]
struct Names<'a> {
    id: &'a ModelId,
    name: &'a str,
    continues: Option<&'a ModelId>,
}

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
    let renames = publication.renames();
    let known: BTreeMap<&ModelId, &ModelId> = found.keys().map(|id| (*id, *id)).collect();
    let mut rows = Vec::with_capacity(found.len());
    for (id, (provider, rounds)) in found {
        let names = Names {
            id,
            name: publication.name(id),
            continues: renames.before(id).and_then(|id| known.get(id).copied()),
        };
        rows.push(model(names, provider, &rounds));
    }
    rows
}
