//! Raw submissions → verdicts and the files that record them.

use capitalbench_core::asking::run::RunRules;
use capitalbench_core::decision::submission::{
    PayloadForm, Problem, RoundRules, Submission, duplicates, validate,
};
use capitalbench_core::values::ids::ModelId;
use serde_json::{Map, Value, json};

use crate::disk::error::FileError;
use crate::disk::layout::run;
use crate::format::{run::submission, text::json};
use crate::round::lane_form::masked_universe;
use crate::round::round_folder::RoundInputs;
use crate::run::run_folder::RunFolder;

/// One submission file and its verdict.
#[derive(Debug, Clone)]
pub struct Checked {
    /// File name in the raw folder.
    pub name: String,
    /// The raw object, where it could be read.
    pub payload: Option<Value>,
    /// The submission, or every reason why it is invalid.
    pub verdict: Result<Submission, Vec<Problem>>,
}

impl Checked {
    /// Name of the parsed file that goes with the raw one.
    pub fn parsed_name(&self) -> String {
        let stem = self.name.rsplit_once('.').map(|(stem, _)| stem);
        format!("{}.json", stem.unwrap_or(&self.name))
    }

    /// The first reason why the file is invalid.
    pub fn reason(&self) -> String {
        let problems = self.verdict.as_ref().err();
        let first = problems.and_then(|problems| problems.first());
        first.map(ToString::to_string).unwrap_or_default()
    }

    /// The model that the file names, valid or not.
    pub fn model_id(&self) -> Option<&str> {
        self.payload.as_ref()?.get("model_id")?.as_str()
    }

    /// The provider that the file names.
    pub fn provider(&self) -> Option<&str> {
        self.payload.as_ref()?.get("provider")?.as_str()
    }
}

/// Checks every raw file of a run, in order of name.
pub fn validate_run(
    inputs: &RoundInputs,
    run: &RunFolder,
    rules: RunRules,
) -> Result<Vec<Checked>, FileError> {
    check_files(inputs, run, rules, PayloadForm::Raw)
}

/// Reads the parsed files of a run again; each must still be a valid submission.
pub fn load_parsed(
    inputs: &RoundInputs,
    run: &RunFolder,
    rules: RunRules,
) -> Result<Vec<Checked>, FileError> {
    check_files(inputs, run, rules, PayloadForm::Parsed)
}

fn check_files(
    inputs: &RoundInputs,
    run: &RunFolder,
    rules: RunRules,
    stage: PayloadForm,
) -> Result<Vec<Checked>, FileError> {
    let folder = match stage {
        PayloadForm::Raw => run::RAW,
        PayloadForm::Parsed => run::PARSED,
    };
    let masked = masked_universe(inputs, rules.kind)?;
    let round = RoundRules {
        manifest: &inputs.manifest,
        universe: masked.as_ref().unwrap_or(&inputs.universe),
        slate: inputs.slate.as_ref(),
        run: rules,
    };
    let mut checked = Vec::new();
    for name in run.submission_names(folder)? {
        checked.push(match run.payload(folder, &name) {
            Ok(payload) => Checked {
                name,
                verdict: validate(&payload, stage, &round),
                payload: Some(payload),
            },
            Err(FileError::Content { fault, .. }) => Checked {
                name,
                payload: None,
                verdict: Err(vec![Problem::whole(fault.to_string())]),
            },
            Err(error) => return Err(error),
        });
    }
    refuse_duplicates(rules, &mut checked);
    Ok(checked)
}

fn refuse_duplicates(rules: RunRules, checked: &mut [Checked]) {
    let valid = checked.iter().enumerate();
    let valid = valid.filter_map(|(place, file)| Some((place, file.verdict.as_ref().ok()?)));
    let (places, keys): (Vec<usize>, Vec<(&ModelId, u32)>) = valid
        .map(|(place, own)| (place, (&own.model_id, own.replicate())))
        .unzip();
    let found = duplicates(rules.kind, &keys);
    for (index, problem) in found {
        checked[places[index]].verdict = Err(vec![problem]);
    }
}

/// The files that record a validation: paths inside the run, and their text.
pub fn validation_files(
    run: &RunFolder,
    rules: RunRules,
    checked: &[Checked],
) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut errors = Map::new();
    for file in checked {
        match &file.verdict {
            Ok(valid) => {
                let path = format!("{}/{}", run::PARSED, file.parsed_name());
                files.push((path, submission::render(valid)));
            }
            Err(problems) => {
                let text: Vec<String> = problems.iter().map(Problem::to_string).collect();
                errors.insert(file.name.clone(), json!([text.join("; ")]));
            }
        }
    }
    let invalid = errors.len();
    let summary = json!({
        "run_id": run.run_id().as_str(),
        "run_type": rules.kind.as_str(),
        "replicates": rules.replicates,
        "raw_count": checked.len(),
        "valid_count": checked.len() - invalid,
        "invalid_count": invalid,
        "errors": errors,
    });
    let errors = json::to_pretty(&summary["errors"]);
    files.push((run::ERRORS.to_owned(), errors));
    files.push((run::SUMMARY.to_owned(), json::to_pretty(&summary)));
    files
}
