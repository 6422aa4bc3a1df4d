//! `compare-runs`: the decisions of two runs side by side.

use std::collections::BTreeMap;

use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::run::run_controls::{RunControls, as_submission};
use capitalbench_archive::run::validation::{Checked, validate_run};
use capitalbench_core::decision::control::Control;
use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::result::consistency::overlap;
use serde_json::{Value, json};

use crate::cli::CompareRuns;
use crate::commands::{holdings_json, holdings_text, parse_run_id};
use crate::console::{NONE, document, in_header, is_json, line, or_none, table};
use crate::error::{Error, Exit};

/// A model's answer in one run: a submission, or why there is none.
type Answer = Result<Submission, String>;

/// Answers by model and replicate.
type Answers = BTreeMap<(String, u32), Answer>;

/// Both runs hold the same weights.
const SAME: &str = "same";
/// They do not.
const DIFFERS: &str = "differs";
/// One of them has no valid submission.
const NOT_COMPARABLE: &str = "not comparable";

/// One model and replicate in both runs.
struct Row {
    model_id: String,
    replicate: u32,
    answers: [Option<Answer>; 2],
}

impl Row {
    fn submissions(&self) -> [Option<&Submission>; 2] {
        self.answers
            .each_ref()
            .map(|answer| answer.as_ref()?.as_ref().ok())
    }

    /// Share held alike; none unless both runs have a valid submission.
    fn overlap(&self) -> Option<f64> {
        match self.submissions() {
            [Some(first), Some(second)] => Some(overlap(&[first, second])),
            _ => None,
        }
    }

    fn verdict(&self) -> &'static str {
        let weights = |submission: &Submission| -> BTreeMap<String, u32> {
            let holdings = submission.decision.holdings();
            let weight = |h: &Holding| (h.option_id.to_string(), h.weight.get());
            holdings.iter().map(weight).collect()
        };
        match self.submissions() {
            [Some(first), Some(second)] if weights(first) == weights(second) => SAME,
            [Some(_), Some(_)] => DIFFERS,
            _ => NOT_COMPARABLE,
        }
    }
}

pub(crate) fn run(arguments: &CompareRuns) -> Result<Exit, Error> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    let names = [&arguments.first, &arguments.second];
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let [first, first_controls] = decisions(&inputs, names[0])?;
    let [second, second_controls] = decisions(&inputs, names[1])?;
    let rows = side_by_side(first, second);
    let controls = side_by_side(first_controls, second_controls);
    let count = |verdict| rows.iter().filter(|row| row.verdict() == verdict).count();
    let [same, differ, open] = [SAME, DIFFERS, NOT_COMPARABLE].map(count);
    if is_json() {
        let models: Vec<Value> = rows.iter().map(as_json).collect();
        document(&json!({
            "round_id": folder.name(),
            "runs": names,
            "models": models,
            "controls": controls.iter().map(as_json).collect::<Vec<_>>(),
            "same": same,
            "differ": differ,
            "not_comparable": open,
        }));
        return Ok(Exit::Success);
    }
    print_rows("model", names, &rows);
    line(format!(
        "{same} same, {differ} differ, {open} not comparable"
    ));
    if !controls.is_empty() {
        print_rows("control, not counted", names, &controls);
    }
    Ok(Exit::Success)
}

fn print_rows(first: &str, names: [&String; 2], rows: &[Row]) {
    let cells = rows.iter().map(|row| {
        let [first, second] = row.answers.each_ref().map(|own| answer_text(own.as_ref()));
        let share = row.overlap().map(|share| format!("{:.0}%", share * 100.0));
        vec![
            label(row, rows),
            first,
            second,
            or_none(share),
            row.verdict().to_owned(),
        ]
    });
    let [one, other] = names.map(|name| in_header(name));
    let header = format!("{first} | {one} | {other} | overlap > |");
    line(table(&header, cells.collect()));
}

/// What the models of a run answered, and what its control entrants hold, made again from its files.
fn decisions(inputs: &RoundInputs, name: &str) -> Result<[Answers; 2], Error> {
    let run = inputs.folder.run(&parse_run_id("run", name)?)?;
    let rules = run.record()?.run.rules;
    let checked = validate_run(inputs, &run, rules)?;
    let control = |control: &Control| {
        let held = as_submission(control, &inputs.manifest, rules);
        let reason = control.holdings.as_ref().err().map(ToString::to_string);
        let answer = held.ok_or_else(|| reason.unwrap_or_default());
        ((control.rule.name().to_owned(), 1), answer)
    };
    let own = RunControls::of_run(inputs, &run, &checked)?;
    let controls = own.iter().flat_map(|own| &own.controls);
    let controls = controls.map(control).collect();
    let answer = |file: Checked| {
        let model_id = file.model_id().unwrap_or(&file.name).to_owned();
        let reason = file.reason();
        let payload = file.payload.as_ref();
        let replicate = payload.and_then(|raw| raw["replicate_index"].as_u64());
        let replicate = replicate.and_then(|index| u32::try_from(index).ok());
        let answer = file.verdict.map_err(|_| reason);
        ((model_id, replicate.unwrap_or(1)), answer)
    };
    Ok([checked.into_iter().map(answer).collect(), controls])
}

fn side_by_side(mut first: Answers, mut second: Answers) -> Vec<Row> {
    let mut keys: Vec<(String, u32)> = first.keys().chain(second.keys()).cloned().collect();
    keys.sort();
    keys.dedup();
    let row = |key: (String, u32)| Row {
        answers: [first.remove(&key), second.remove(&key)],
        model_id: key.0,
        replicate: key.1,
    };
    keys.into_iter().map(row).collect()
}

/// The model, with its replicate where there are several.
fn label(row: &Row, rows: &[Row]) -> String {
    if rows.iter().any(|row| row.replicate > 1) {
        format!("{} #{}", row.model_id, row.replicate)
    } else {
        row.model_id.clone()
    }
}

fn answer_text(answer: Option<&Answer>) -> String {
    match answer {
        None => NONE.to_owned(),
        Some(Err(_)) => "invalid".to_owned(),
        Some(Ok(submission)) => holdings_text(&submission.decision.holdings()),
    }
}

fn as_json(row: &Row) -> Value {
    let answer = |answer: &Option<Answer>| match answer {
        None => json!({"state": "absent"}),
        Some(Err(reason)) => json!({"state": "invalid", "reason": reason}),
        Some(Ok(submission)) => json!({
            "state": "valid",
            "holdings": holdings_json(&submission.decision.holdings()),
        }),
    };
    json!({
        "model_id": row.model_id,
        "replicate": row.replicate,
        "answers": row.answers.each_ref().map(answer),
        "overlap": row.overlap(),
        "verdict": row.verdict(),
    })
}
