//! Who took part in a round, and whose records they continue, as its folder tells.

use std::path::Path;

use capitalbench_core::asking::run::{Run, official_run};
use capitalbench_core::publication::renames::Cast;
use capitalbench_core::round::manifest::{Manifest, Stream};
use capitalbench_core::values::ids::{ModelId, RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::round::manifest;
use crate::round::round_folder::{RoundFolder, names_in};
use crate::run::ledger::RunPlan;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundCast {
    round_id: RoundId,
    stream: Stream,
    decided: (Option<Date>, Option<Timestamp>),
    models: Vec<ModelId>,
    continues: Vec<(ModelId, ModelId)>,
}

impl RoundCast {
    /// The cast of a round with these models, each with the one whose record it continues.
    pub fn new<'a>(
        manifest: &Manifest,
        models: impl IntoIterator<Item = (&'a ModelId, Option<&'a ModelId>)>,
    ) -> Self {
        let deadline = manifest.decision_deadline.as_ref();
        let mut cast = Self {
            round_id: manifest.round_id.clone(),
            stream: manifest.stream,
            decided: (manifest.decision_date, deadline.map(WrittenInstant::at)),
            models: Vec::new(),
            continues: Vec::new(),
        };
        for (id, other) in models {
            let other = other.map(|other| (id.clone(), other.clone()));
            cast.continues.extend(other);
            cast.models.push(id.clone());
        }
        cast
    }

    /// The cast of the run of record; none where no run is the record, or where its manifest names
    /// no models.
    pub(crate) fn of_record(
        manifest: &Manifest,
        runs: &[Run],
        plan: impl FnOnce(&RunId) -> Result<Option<RunPlan>, FileError>,
    ) -> Result<Option<Self>, FileError> {
        let Ok(run) = official_run(runs, manifest.record_rules()) else {
            return Ok(None);
        };
        let plan = plan(&run.run_id)?;
        let other = |id: &ModelId| {
            let slots = plan.iter().flat_map(|plan| &plan.slots);
            let mut own = slots.filter(|planned| planned.slot.model_id == *id);
            own.find_map(|planned| planned.continues.as_ref())
        };
        let missing = run.acceptance.iter().flat_map(|own| &own.missing);
        let missing: Vec<&ModelId> = missing.map(|own| &own.model_id).collect();
        let models = run.model_ids.iter().flatten();
        let models = models.filter(|id| !missing.contains(id));
        Ok(Some(Self::new(manifest, models.map(|id| (id, other(id))))))
    }

    /// The casts of the other rounds of a folder that stand in one record with this round.
    ///
    /// A round that cannot be read is left out: `verify` reports it, and the next round may be asked.
    pub fn others(&self, rounds: &Path) -> Result<Vec<Self>, FileError> {
        let mut found = Vec::new();
        for name in names_in(rounds)? {
            let path = rounds.join(&name);
            if name.starts_with('.')
                || name == self.round_id.as_str()
                || !RoundFolder::is_round(&path)
            {
                continue;
            }
            let own = RoundFolder::open(&path).and_then(|folder| Self::of_folder(&folder));
            found.extend(own.ok().flatten().filter(|own| own.stream == self.stream));
        }
        Ok(found)
    }

    fn of_folder(folder: &RoundFolder) -> Result<Option<Self>, FileError> {
        let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
        let plan = |id: &RunId| RunPlan::of_run(&folder.run(id)?);
        Self::of_record(&manifest, &folder.runs()?, plan)
    }

    pub fn stream(&self) -> Stream {
        self.stream
    }

    pub fn round_id(&self) -> &RoundId {
        &self.round_id
    }

    pub fn models(&self) -> &[ModelId] {
        &self.models
    }

    pub fn as_cast(&self) -> Cast<'_> {
        let continues = self.continues.iter();
        Cast {
            round_id: &self.round_id,
            decided: self.decided,
            models: self.models.iter().collect(),
            continues: continues.map(|(own, other)| (own, other)).collect(),
        }
    }
}
