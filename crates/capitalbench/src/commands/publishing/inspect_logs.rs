//! `export --inspect`: every public run as a log that Inspect reads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_archive::disk::error::{Fault, FileError};
use capitalbench_archive::disk::file_ops::replace_all;
use capitalbench_archive::disk::layout;
use capitalbench_archive::format::run::run_manifest;
use capitalbench_archive::format::text::json;
use capitalbench_archive::format::utf8;
use capitalbench_archive::public::public_files::public_files;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::values::ids::{ModelId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_export::inspect::{Answer, RunTexts, log};
use capitalbench_export::tables::rounds::run_id;
use serde_json::Value;

use crate::error::Error;

/// Whether logs hold what providers sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RawReplies {
    Included,
    LeftOut,
}

/// The public files of a round by path.
type Files = BTreeMap<String, Vec<u8>>;

/// Writes one log per run; their names and sizes.
pub(super) fn write(
    folder: &Path,
    rounds: &Path,
    publication: &Publication,
    raw: RawReplies,
) -> Result<BTreeMap<String, u64>, Error> {
    let mut sizes = BTreeMap::new();
    for round in &publication.rounds {
        let files = public_files(rounds, round, publication.as_of)?.into_iter();
        let files: Files = files.map(|file| (file.path, file.bytes)).collect();
        let mut logs = Vec::new();
        for run in runs_of(round) {
            let place = rounds.join(round.id().as_str());
            let text = Run {
                round,
                id: run,
                raw,
                files: &files,
                place: &place,
            }
            .log(publication)?;
            let name = format!("{}_{run}.json", round.id());
            sizes.insert(name.clone(), text.len() as u64);
            logs.push((folder.join(name), text));
        }
        replace_all(&logs)?;
    }
    Ok(sizes)
}

/// The run of record, and the runs of repeated calls once their figures are public.
fn runs_of(round: &PublicRound) -> BTreeSet<&RunId> {
    let repeated = round.resolved().into_iter().flat_map(|own| &own.repeated);
    let repeated = repeated.map(|run| &run.run_id);
    run_id(round).into_iter().chain(repeated).collect()
}

/// A run of a round, and where its files lie.
struct Run<'a> {
    round: &'a PublicRound,
    id: &'a RunId,
    raw: RawReplies,
    files: &'a Files,
    place: &'a Path,
}

impl Run<'_> {
    fn log(&self, publication: &Publication) -> Result<Vec<u8>, FileError> {
        let path = format!("{}/{}/{}", layout::RUNS, self.id, layout::run::MANIFEST);
        let manifest = self.files.get(&path).map(|bytes| {
            let read = run_manifest::parse(bytes);
            read.map_err(|fault| fault.in_file(&self.place.join(&path)))
        });
        let told = manifest.transpose()?.map(|record| record.run);
        let told = told.as_ref();
        let at = |stamp: Option<&WrittenInstant>| stamp.map(WrittenInstant::at);
        let texts = RunTexts {
            run_id: self.id,
            kind: told.map_or("unknown", |run| run.rules.kind.as_str()),
            began: at(told.and_then(|run| run.created_at.as_ref())),
            ended: at(told.and_then(|run| run.completed_at.as_ref())),
            prompt: self.text(layout::MODEL_INPUT)?,
            answers: self.answers()?,
        };
        let mut text = log(publication, self.round, &texts).to_string();
        text.push('\n');
        Ok(text.into_bytes())
    }

    /// The text of a file of the round, where it is public.
    fn text(&self, path: &str) -> Result<Option<&str>, FileError> {
        let text = self.files.get(path).map(|bytes| utf8(bytes)).transpose();
        text.map_err(|fault| fault.in_file(&self.place.join(path)))
    }

    fn answers(&self) -> Result<Vec<Answer<'_>>, FileError> {
        let below = format!("{}/{}/", layout::RUNS, self.id);
        let parsed = format!("{below}{}/", layout::run::PARSED);
        let names = self.files.range(parsed.clone()..);
        let names = names.map_while(|(path, _)| path.strip_prefix(&parsed));
        let mut answers = Vec::new();
        for stem in names.filter_map(|name| name.strip_suffix(".json")) {
            let path = format!("{parsed}{stem}.json");
            let text = self.text(&path)?.unwrap_or_default();
            let refused = |fault: Fault| fault.in_file(&self.place.join(&path));
            let read = json::parse(text.as_bytes()).map_err(|error| refused(error.into()))?;
            let Value::Object(members) = read else {
                return Err(refused(Fault::new("is no JSON object")));
            };
            let model = members.get("model_id").and_then(Value::as_str);
            let model_id = ModelId::parse(model.unwrap_or_default());
            let problem =
                |error: &dyn std::fmt::Display| Fault::field("model_id", error.to_string());
            let raw = format!("{below}{}/{stem}.txt", layout::run::REPLIES);
            answers.push(Answer {
                model_id: model_id.map_err(|error| refused(problem(&error)))?,
                replicate: members
                    .get("replicate_index")
                    .and_then(Value::as_u64)
                    .unwrap_or(1),
                text,
                members,
                raw: match self.raw {
                    RawReplies::Included => self.text(&raw)?,
                    RawReplies::LeftOut => None,
                },
            });
        }
        Ok(answers)
    }
}
