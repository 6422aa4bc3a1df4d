//! Control entrants of a run: `controls/<control>.json`, apart from every model's file.
//!
//! They are computed from the frozen round, the valid decisions of the run and the best option of the
//! round before, which only their file records. Computed again, they have the same bytes.

use capitalbench_core::asking::run::RunRules;
pub use capitalbench_core::decision::control::PROVIDER;
use capitalbench_core::decision::control::{Control, Follows, Rule};
use capitalbench_core::decision::submission::{Decision, Forecast, MODE, RunFields, Submission};
use capitalbench_core::round::manifest::{Manifest, SubmissionFormat};
use capitalbench_core::values::ids::{IdError, ModelId, OptionId, RoundId};
use serde_json::{Map, Value, json};

use crate::disk::error::{Fault, FileError};
use crate::disk::layout::run;
use crate::format::{run::submission, text::json};
use crate::round::round_folder::RoundInputs;
use crate::run::control_sources::{ControlSources, LastBest, best_beside, last_best};
use crate::run::ledger::RunPlan;
use crate::run::run_folder::RunFolder;
use crate::run::validation::Checked;

/// The member that says why the rounds beside it could not be read.
const UNREAD: &str = "rounds_not_read";

#[derive(Debug, Clone, PartialEq)]
pub struct RunControls {
    /// All of them, in their order.
    pub controls: Vec<Control>,
    best: Best,
}

/// The best option of the last resolved round, as a run records it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Best {
    last: Option<LastBest>,
    /// Why the rounds beside this one could not be read.
    unread: Option<String>,
}

impl RunControls {
    /// The controls of a run that has them on disk or planned them.
    pub fn of_run(
        inputs: &RoundInputs,
        folder: &RunFolder,
        checked: &[Checked],
    ) -> Result<Option<Self>, FileError> {
        let planned = RunPlan::of_run(folder)?.is_some_and(|plan| plan.controls);
        let ended = folder.has(run::SUMMARY);
        if !(folder.has(run::CONTROLS) || planned && ended) {
            return Ok(None);
        }
        let recorded = recorded_best(folder)?;
        Self::new(inputs, checked, recorded).map(Some)
    }

    /// The controls of a run that is about to be derived; keeps a best option recorded before.
    pub(crate) fn for_new_run(
        inputs: &RoundInputs,
        folder: &RunFolder,
        checked: &[Checked],
    ) -> Result<Self, FileError> {
        let recorded = recorded_best(folder)?;
        if recorded.last.is_some() {
            return Self::new(inputs, checked, recorded);
        }
        // An unreadable round beside it must not stop a run whose calls were paid for.
        let best = last_best(inputs).map(|last| Best { last, unread: None });
        let best = best.unwrap_or_else(|error| {
            let place = error.place_in(&inputs.folder.rounds());
            let unread = Some(format!("{place}: {}", error.problem()));
            Best { last: None, unread }
        });
        Self::new(inputs, checked, best)
    }

    fn new(inputs: &RoundInputs, checked: &[Checked], best: Best) -> Result<Self, FileError> {
        let valid = checked.iter().filter_map(|file| file.verdict.as_ref().ok());
        let decisions: Vec<_> = valid.map(|valid| valid.decision.holdings()).collect();
        let sources = ControlSources::new(inputs, best.last.as_ref(), decisions)?;
        let controls = sources.controls(inputs);
        Ok(Self { controls, best })
    }

    /// The files of the controls: paths inside the run, and their text.
    pub fn files(&self, manifest: &Manifest, rules: RunRules) -> Vec<(String, String)> {
        let file = |control: &Control| {
            let path = path(&control.rule);
            let metadata = self.metadata(control);
            if let Some(held) = as_submission(control, manifest, rules) {
                return (path, submission::render(&Submission { metadata, ..held }));
            }
            let unread = self.best.unread.clone();
            let unread = unread.filter(|_| control.rule.is(Rule::LastBest));
            let reason = control.holdings.as_ref().err().map(ToString::to_string);
            let reason = unread.or(reason);
            let text = json::to_pretty(&json!({
                "round_id": manifest.round_id.as_str(),
                "model_id": control.rule.name(),
                "provider": PROVIDER,
                "unavailable": reason,
                "metadata": metadata,
            }));
            (path, text)
        };
        self.controls.iter().map(file).collect()
    }

    fn metadata(&self, control: &Control) -> Map<String, Value> {
        let mut metadata = Map::new();
        metadata.insert("control".into(), json!(true));
        if !control.rule.is(Rule::LastBest) {
            return metadata;
        }
        if let Some(best) = &self.best.last {
            metadata.insert("best_of_round".into(), json!(best.round_id.as_str()));
            metadata.insert("best_option_id".into(), json!(best.option_id.as_str()));
        }
        if let Some(unread) = &self.best.unread {
            metadata.insert(UNREAD.into(), json!(unread));
        }
        metadata
    }

    /// Whether the named round lies beside it and gives another best option.
    pub(crate) fn best_is_contradicted(&self, inputs: &RoundInputs) -> bool {
        self.best.last.as_ref().is_some_and(|named| {
            let found = best_beside(inputs, &named.round_id).ok().flatten();
            found.is_some_and(|found| found != named.option_id)
        })
    }
}

/// A control as a submission that can be scored; none when it holds nothing.
pub fn as_submission(
    control: &Control,
    manifest: &Manifest,
    rules: RunRules,
) -> Option<Submission> {
    let holdings = control.holdings.as_ref().ok()?.clone();
    let decision = match manifest.format {
        SubmissionFormat::Portfolio => Decision::Portfolio(holdings),
        SubmissionFormat::SinglePick => Decision::SinglePick(holdings.first()?.option_id.clone()),
    };
    Some(Submission {
        round_id: manifest.round_id.clone(),
        model_id: ModelId::parse(control.rule.name()).ok()?,
        provider: PROVIDER.to_owned(),
        mode: MODE.to_owned(),
        decision,
        confidence: 0.5,
        rationale_summary: control.rule.meaning(),
        portfolio_rationale: Some(control.rule.meaning()),
        key_risks: Vec::new(),
        forecast: Forecast::default(),
        ledger: None,
        run: RunFields {
            kind: Some(rules.kind),
            replicate_index: Some(1),
            replicate_count: Some(1),
            is_official_score: Some(false),
        },
        usage: None,
        cost_usd: Some(0.0),
        metadata: Map::new(),
    })
}

/// The file of a control, inside its run.
fn path(rule: &Follows) -> String {
    let stem = match rule {
        Follows::Rule(rule) => rule.name().to_owned(),
        Follows::Own(own) => own.id().file_stem(),
    };
    format!("{}/{stem}.json", run::CONTROLS)
}

/// The file of the control that names the best option of the round before.
pub fn last_best_path() -> String {
    path(&Follows::Rule(Rule::LastBest))
}

/// The best option that the run recorded.
fn recorded_best(folder: &RunFolder) -> Result<Best, FileError> {
    let path = last_best_path();
    let best = folder.parse_optional(&path, |bytes| {
        let value = json::parse(bytes)?;
        let said = |name: &str| value["metadata"][name].as_str();
        let Some((round, option)) = said("best_of_round").zip(said("best_option_id")) else {
            let unread = said(UNREAD).map(str::to_owned);
            return Ok(Best { last: None, unread });
        };
        let wrong = |field: &'static str| move |error: IdError| Fault::field(field, error);
        let last = LastBest {
            round_id: RoundId::parse(round).map_err(wrong("metadata.best_of_round"))?,
            option_id: OptionId::parse(option).map_err(wrong("metadata.best_option_id"))?,
        };
        Ok(Best {
            last: Some(last),
            unread: None,
        })
    })?;
    Ok(best.unwrap_or_default())
}
