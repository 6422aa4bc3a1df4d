//! Reports for people: the decisions, and after the window has closed, the result.
//!
//! A report of an open round is made without results, so it cannot reveal any.

use capitalbench_core::asking::missing_answer::NoAnswer;
use capitalbench_core::asking::run::{Run, RunKind};
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::units::Return;
use jiff::Timestamp;

use crate::disk::error::FileError;
use crate::disk::layout::{self, run};
use crate::results::scoring::{ScoredRun, ScoringError, score_run};
use crate::round::freeze;
use crate::round::round_folder::RoundInputs;
use crate::run::run_folder::RunFolder;
use crate::run::validation::validate_run;
use crate::verify::derivation;
use chart::{Bar, Chart};
use markdown::{list, plain, table};
use tables::{consistency, contributions, controls, costs, leaderboard, options};

pub mod chart;
pub mod markdown;
mod tables;

/// What a report may reveal about the result.
#[derive(Debug)]
pub enum ReportedResult {
    /// Nothing, because the window is open or the run has no score yet; the text says which.
    Withheld(String),
    /// The stored results, computed again.
    Known(Box<ScoredRun>),
}

/// Everything a report is made from.
#[derive(Debug)]
pub struct RunReport<'a> {
    inputs: &'a RoundInputs,
    run: Run,
    submissions: Vec<Submission>,
    invalid: Vec<(String, String)>,
    outcome: ReportedResult,
}

impl<'a> RunReport<'a> {
    /// Loads what a report may reveal about a run at an instant.
    pub fn load(
        inputs: &'a RoundInputs,
        folder: &RunFolder,
        now: Timestamp,
    ) -> Result<Self, ScoringError> {
        derivation::require(inputs, folder)?;
        let run = folder.record()?.run;
        let (mut submissions, mut invalid) = (Vec::new(), Vec::new());
        for file in validate_run(inputs, folder, run.rules)? {
            match &file.verdict {
                Ok(submission) => submissions.push(submission.clone()),
                Err(_) => invalid.push((file.name.clone(), file.reason())),
            }
        }
        let close = inputs.manifest.window.and_then(Window::exit_close);
        let scored = folder.has(run::LEADERBOARD) || folder.has(run::STABILITY);
        let outcome = match close {
            Some(close) if close > now => {
                ReportedResult::Withheld(format!("The window is open until {close}."))
            }
            _ if !scored => ReportedResult::Withheld("The run is not scored yet.".to_owned()),
            _ => ReportedResult::Known(Box::new(score_run(inputs, folder, run.rules)?)),
        };
        Ok(Self {
            inputs,
            run,
            submissions,
            invalid,
            outcome,
        })
    }

    /// Whether the report shows a result.
    pub fn is_resolved(&self) -> bool {
        matches!(self.outcome, ReportedResult::Known(_))
    }

    /// The chart of a ranked run; `None` while the result is withheld.
    pub fn chart(&self) -> Option<String> {
        let ReportedResult::Known(scored) = &self.outcome else {
            return None;
        };
        if self.run.rules.kind == RunKind::Consistency {
            return None;
        }
        let bars = scored.outcomes.iter().map(|row| Bar {
            label: row.submission.model_id.to_string(),
            value: row.outcome.decision_return.get(),
        });
        Some(chart::svg(&Chart {
            title: format!("Returns, {}", self.inputs.manifest.round_id),
            bars: bars.collect(),
            reference: (
                self.inputs.universe.reference().id.to_string(),
                scored.returns.reference().get(),
            ),
            oracle: scored.returns.oracle().map(Return::get),
        }))
    }

    /// `report.md`.
    pub fn render(&self) -> Result<String, FileError> {
        let manifest = &self.inputs.manifest;
        let title = format!(
            "# {} · {}",
            plain(manifest.round_id.as_str()),
            plain(self.run.run_id.as_str())
        );
        let mut page = Page(vec![title, self.status()]);
        page.section("Round", self.round());
        page.section("Decisions", self.decisions());
        match &self.outcome {
            ReportedResult::Withheld(why) => {
                let untold = "Nothing about the outcome is known or told before.";
                page.section("Result", format!("{} {untold}", plain(why)));
            }
            ReportedResult::Known(scored) => self.result(scored, &mut page),
        }
        let accepted = self.run.acceptance.as_ref();
        let missing = accepted.map_or(&[][..], |own| &own.missing);
        if !missing.is_empty() {
            let why = |why: NoAnswer| format!("no valid answer: {}", why.meaning());
            let rows = missing
                .iter()
                .map(|own| vec![plain(own.model_id.as_str()), why(own.why)]);
            page.section("No valid answer", table("model | why", rows));
        }
        let invalid = self.invalid.iter();
        let rows = invalid.map(|(file, reason)| vec![plain(file), plain(reason)]);
        page.section("Invalid submissions", table("file | why", rows));
        self.end(page)
    }

    fn status(&self) -> String {
        let kind = match self.run.rules.kind {
            RunKind::Official => "official run",
            RunKind::Consistency => "consistency run, never ranked",
            RunKind::Retrospective => "retrospective run, made after the fact",
            RunKind::Lane(_) => "twin lane, never part of a record",
            RunKind::Mock | RunKind::Smoke => "rehearsal without any model",
        };
        let state = if self.is_resolved() {
            "resolved"
        } else {
            "pending"
        };
        format!("**{state}** · {kind}")
    }

    fn round(&self) -> String {
        let manifest = &self.inputs.manifest;
        let window = manifest.window.map_or_else(
            || "not set".to_owned(),
            |window| format!("close of {} to close of {}", window.entry, window.exit),
        );
        let label = manifest.methodology.label().unwrap_or("none");
        let version = manifest.universe_version.as_deref().unwrap_or("none");
        let options = self.inputs.universe.options().len();
        list([
            format!("Horizon: {}", plain(&manifest.horizon)),
            format!("Window: {}", plain(&window)),
            format!("Rules: {}", plain(label)),
            format!("Universe: {}, {options} options", plain(version)),
            format!(
                "Reference: {}",
                plain(self.inputs.universe.reference().id.as_str())
            ),
            format!(
                "Submissions: {} valid, {} invalid",
                self.submissions.len(),
                self.invalid.len()
            ),
        ])
    }

    fn decisions(&self) -> String {
        let rows = self.submissions.iter().map(|own| {
            let holdings = own.decision.holdings();
            let held = holdings
                .iter()
                .map(|holding| format!("{} {} %", holding.option_id, holding.weight.percent()));
            let held: Vec<String> = held.map(|text| plain(&text)).collect();
            let risks: Vec<String> = own.key_risks.iter().map(|risk| plain(risk)).collect();
            vec![
                plain(own.model_id.as_str()),
                plain(&own.provider),
                held.join("<br>"),
                format!("{:.2}", own.confidence),
                plain(&own.rationale_summary),
                risks.join("<br>"),
            ]
        });
        let header = "model | provider | holds | confidence | reason given | risks named";
        table(header, rows)
    }

    fn result(&self, scored: &ScoredRun, page: &mut Page) {
        if self.run.rules.kind == RunKind::Consistency {
            page.section("Result", consistency(scored));
        } else {
            let name = run::CHART.rsplit('/').next().unwrap_or_default();
            let text = "Return of every model beside the reference and the best option";
            page.section("Result", format!("![{text}]({name})"));
            page.0.push(leaderboard(scored));
            page.section("What each holding added", contributions(scored));
            page.section("Cost", costs(scored));
        }
        if !scored.controls.is_empty() {
            page.section("Controls, never ranked", controls(scored));
        }
        page.section("Options", options(scored));
        let problems = scored.price_problems.iter();
        let problems = problems.map(|one| plain(&one.to_string()));
        page.section("Doubts about the prices", list(problems));
    }

    /// Ends a report: how it can be made again, and what it does not say.
    fn end(&self, mut page: Page) -> Result<String, FileError> {
        let folder = &self.inputs.folder;
        let holds = match freeze::changes(folder)? {
            None => "The inputs are not frozen.",
            Some(problems) if problems.is_empty() => {
                "Every frozen input has the digest it was frozen with."
            }
            Some(_) => "**Some frozen input is not what it was; do not trust this report.**",
        };
        let text =
            format!("{holds} `capitalbench verify` computes all of it again from the files.");
        page.section("Can it be made again?", text);
        let stored = freeze::stored_digests(folder)?.unwrap_or_default();
        let digests = stored
            .iter()
            .map(|(file, digest)| vec![plain(file), format!("`{}`", digest.to_hex())]);
        page.0.push(table("file | sha256", digests));
        let there = layout::RESEARCH_FILES.iter();
        let there = there.filter(|file| folder.file(file).is_file());
        page.section("Research", list(there.map(|file| plain(file))));
        page.section("Limits of what this says", LIMITS.to_owned());
        Ok(page.0.join("\n\n") + "\n")
    }
}

/// The paragraphs of a report.
struct Page(Vec<String>);

impl Page {
    fn section(&mut self, title: &str, text: String) {
        self.0.extend([format!("## {title}"), text]);
    }
}

const LIMITS: &str = "One window is one draw: a rank in it says little about skill, and the windows \
of different rounds overlap. Returns are adjusted closes without costs of trading. This is research \
into how language models decide, not investment advice.";

/// `round_summary.md`: the official run and the consistency run of a round together.
pub fn round_summary(
    official: &RunReport<'_>,
    consistent: &RunReport<'_>,
) -> Result<String, FileError> {
    let manifest = &official.inputs.manifest;
    let title = format!("# {}", plain(manifest.round_id.as_str()));
    let mut page = Page(vec![title, official.status()]);
    page.section("Round", official.round());
    for (title, report) in [("Official run", official), ("Consistency run", consistent)] {
        let text = match &report.outcome {
            ReportedResult::Withheld(why) => format!("{} There is no result to tell.", plain(why)),
            ReportedResult::Known(scored) if report.run.rules.kind == RunKind::Consistency => {
                consistency(scored)
            }
            ReportedResult::Known(scored) => leaderboard(scored),
        };
        let run_id = plain(report.run.run_id.as_str());
        page.section(&format!("{title}: {run_id}"), text);
    }
    official.end(page)
}
