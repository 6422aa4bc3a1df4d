//! Reports for people: what was decided, and once the window has closed, what came of it.
//!
//! A report of an open round is made without the results, so it cannot tell any.

use capitalbench_core::leaderboard::Scored;
use capitalbench_core::manifest::Window;
use capitalbench_core::run::{Run, RunKind};
use capitalbench_core::score::{Score, contribution, score};
use capitalbench_core::submission::Submission;
use jiff::Timestamp;

use crate::error::FileError;
use crate::freeze;
use crate::layout::{self, run};
use crate::round_folder::RoundInputs;
use crate::run_folder::RunFolder;
use crate::scoring::{ScoredRun, ScoringError, score_run};
use crate::validation::validate_run;
use chart::{Bar, Chart};
use markdown::{list, percent, plain, table};

pub mod chart;
pub mod markdown;

/// What a report may tell about the outcome.
#[derive(Debug)]
pub enum Outcome {
    /// The window is open, or nobody scored it yet: nothing.
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
    outcome: Outcome,
}

impl<'a> RunReport<'a> {
    /// Gathers what may be told about a run at an instant.
    pub fn load(
        inputs: &'a RoundInputs,
        folder: &RunFolder,
        now: Timestamp,
    ) -> Result<Self, ScoringError> {
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
                Outcome::Withheld(format!("The window is open until {close}."))
            }
            _ if !scored => Outcome::Withheld("The run is not scored yet.".to_owned()),
            _ => Outcome::Known(Box::new(score_run(inputs, folder, run.rules)?)),
        };
        Ok(Self {
            inputs,
            run,
            submissions,
            invalid,
            outcome,
        })
    }

    /// Whether the report tells a result.
    pub fn is_resolved(&self) -> bool {
        matches!(self.outcome, Outcome::Known(_))
    }

    /// The chart of a ranked run; none while nothing is known.
    pub fn chart(&self) -> Option<String> {
        let Outcome::Known(scored) = &self.outcome else {
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
            oracle: scored
                .returns
                .oracle()
                .map(capitalbench_core::units::Return::get),
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
        let mut parts = vec![title, self.status(), "## Round".to_owned(), self.round()];
        parts.push("## Decisions".to_owned());
        parts.push(self.decisions());
        match &self.outcome {
            Outcome::Withheld(why) => {
                parts.push("## Result".to_owned());
                parts.push(format!(
                    "{} Nothing about the outcome is known or told before.",
                    plain(why)
                ));
            }
            Outcome::Known(scored) => self.result(scored, &mut parts),
        }
        parts.push("## Invalid submissions".to_owned());
        let invalid = self.invalid.iter();
        let rows: Vec<Vec<String>> = invalid
            .map(|(file, reason)| vec![plain(file), plain(reason)])
            .collect();
        parts.push(table(&["file", "why"], &rows));
        parts.extend(self.reproducibility()?);
        parts.push("## Limits of what this says".to_owned());
        parts.push(LIMITS.to_owned());
        Ok(parts.join("\n\n") + "\n")
    }

    fn status(&self) -> String {
        let kind = match self.run.rules.kind {
            RunKind::Official => "official run",
            RunKind::Consistency => "consistency run, never ranked",
            RunKind::Retrospective => "retrospective run, made after the fact",
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
        list(&[
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
        let rows: Vec<Vec<String>> = self
            .submissions
            .iter()
            .map(|own| {
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
            })
            .collect();
        let header = [
            "model",
            "provider",
            "holds",
            "confidence",
            "reason given",
            "risks named",
        ];
        table(&header, &rows)
    }

    fn result(&self, scored: &ScoredRun, parts: &mut Vec<String>) {
        parts.push("## Result".to_owned());
        if self.run.rules.kind == RunKind::Consistency {
            parts.push(consistency(scored));
        } else {
            let name = run::CHART.rsplit('/').next().unwrap_or_default();
            parts.push(format!(
                "![Return of every model beside the reference and the best option]({name})"
            ));
            parts.push(ranking(scored));
            parts.push("## What each holding added".to_owned());
            parts.push(contributions(scored));
            parts.push("## Cost".to_owned());
            parts.push(costs(scored));
        }
        if !scored.controls.is_empty() {
            parts.push("## Controls, never ranked".to_owned());
            parts.push(controls(scored));
        }
        parts.push("## Options".to_owned());
        parts.push(options(scored));
        parts.push("## Doubts about the prices".to_owned());
        let problems = scored.price_problems.iter();
        let problems: Vec<String> = problems.map(|one| plain(&one.to_string())).collect();
        parts.push(if problems.is_empty() {
            "None.".to_owned()
        } else {
            list(&problems)
        });
    }

    fn reproducibility(&self) -> Result<Vec<String>, FileError> {
        let folder = &self.inputs.folder;
        let mut parts = vec!["## Can it be made again?".to_owned()];
        let holds = match freeze::changes(folder)? {
            None => "The inputs are not frozen.",
            Some(problems) if problems.is_empty() => {
                "Every frozen input has the digest it was frozen with."
            }
            Some(_) => "**Some frozen input is not what it was; do not trust this report.**",
        };
        parts.push(format!(
            "{holds} `capitalbench verify` computes all of it again from the files."
        ));
        let stored = freeze::stored_digests(folder)?.unwrap_or_default();
        let digests = stored
            .iter()
            .map(|(file, digest)| vec![plain(file), format!("`{}`", digest.replace('`', ""))]);
        parts.push(table(&["file", "sha256"], &digests.collect::<Vec<_>>()));
        parts.push("## Research".to_owned());
        let there = layout::RESEARCH_FILES.iter();
        let there: Vec<String> = there
            .filter(|file| folder.file(file).is_file())
            .map(|file| plain(file))
            .collect();
        parts.push(if there.is_empty() {
            "None.".to_owned()
        } else {
            list(&there)
        });
        Ok(parts)
    }
}

const LIMITS: &str = "One window is one draw: a rank in it says little about skill, and the windows \
of different rounds overlap. Returns are adjusted closes without costs of trading. This is research \
into how language models decide, not investment advice.";

fn ranking(scored: &ScoredRun) -> String {
    let oracle = scored.returns.oracle();
    let dash = || "–".to_owned();
    let rows: Vec<Vec<String>> = (1_u32..)
        .zip(&scored.outcomes)
        .map(
            |(
                place,
                Scored {
                    submission,
                    outcome,
                },
            )| {
                let points = match score(outcome.decision_return, oracle) {
                    Ok(Score::Points(points)) => format!("{points:.1}"),
                    _ => dash(),
                };
                let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
                vec![
                    place.to_string(),
                    plain(submission.model_id.as_str()),
                    points,
                    percent(outcome.decision_return.get()),
                    percent(outcome.alpha.get()),
                    outcome
                        .regret
                        .map_or_else(dash, |regret| percent(regret.get())),
                    yes(outcome.beats_reference),
                    yes(outcome.beats_cash),
                ]
            },
        )
        .collect();
    let header = [
        "rank",
        "model",
        "score",
        "return",
        "above the reference",
        "regret",
        "beats reference",
        "beats cash",
    ];
    let best = oracle.map_or_else(
        || "The best option is not known: some option has no price.".to_owned(),
        |oracle| format!("Best option {}.", percent(oracle.get())),
    );
    format!(
        "{}\n\nReference {}. {best}",
        table(&header, &rows),
        percent(scored.returns.reference().get())
    )
}

fn contributions(scored: &ScoredRun) -> String {
    let mut rows = Vec::new();
    for Scored { submission, .. } in &scored.outcomes {
        for holding in submission.decision.holdings() {
            let found = scored.returns.get(&holding.option_id);
            let value = found.map(|option| option.value).unwrap_or_default();
            rows.push(vec![
                plain(submission.model_id.as_str()),
                plain(holding.option_id.as_str()),
                format!("{} %", holding.weight.percent()),
                percent(value.get()),
                percent(contribution(&holding, value)),
                plain(&holding.rationale),
            ]);
        }
    }
    let header = [
        "model",
        "option",
        "weight",
        "its return",
        "adds",
        "reason given",
    ];
    table(&header, &rows)
}

fn costs(scored: &ScoredRun) -> String {
    let rows: Vec<Vec<String>> = scored
        .outcomes
        .iter()
        .filter_map(
            |Scored {
                 submission,
                 outcome,
             }| {
                let per_dollar = outcome.alpha_per_dollar?;
                Some((submission, outcome, per_dollar))
            },
        )
        .map(|(submission, outcome, per_dollar)| {
            vec![
                plain(submission.model_id.as_str()),
                format!("{:.4}", submission.cost_usd.unwrap_or_default()),
                percent(outcome.alpha.get()),
                format!("{per_dollar:.4}"),
            ]
        })
        .collect();
    let header = [
        "model",
        "cost in USD",
        "above the reference",
        "of that per dollar",
    ];
    table(&header, &rows)
}

fn controls(scored: &ScoredRun) -> String {
    let rows: Vec<Vec<String>> = scored
        .controls
        .iter()
        .map(|(rule, outcome)| {
            let figures = match outcome {
                Ok(own) => [
                    percent(own.outcome.decision_return.get()),
                    percent(own.outcome.alpha.get()),
                ],
                Err(reason) => ["–".to_owned(), plain(reason)],
            };
            let [value, alpha] = figures;
            vec![plain(rule.name()), value, alpha]
        })
        .collect();
    table(&["control", "return", "above the reference"], &rows)
}

fn consistency(scored: &ScoredRun) -> String {
    let rows: Vec<Vec<String>> = scored
        .consistency
        .iter()
        .map(|model| {
            let mut row = vec![
                plain(model.model_id.as_str()),
                model.valid.to_string(),
                model.invalid.to_string(),
            ];
            row.extend(match &model.figures {
                None => ["–", "–", "–"].map(str::to_owned),
                Some(own) => [
                    plain(own.modal_pick.as_str()),
                    format!("{:.0} %", 100.0 * own.consistency_rate()),
                    percent(own.average_return),
                ],
            });
            row
        })
        .collect();
    let header = [
        "model",
        "valid",
        "invalid",
        "most frequent",
        "agreement",
        "average return",
    ];
    table(&header, &rows)
}

fn options(scored: &ScoredRun) -> String {
    let price = |side: Option<(capitalbench_core::units::Price, _)>| {
        side.map_or_else(|| "–".to_owned(), |(price, _)| format!("{}", price.get()))
    };
    let rows: Vec<Vec<String>> = scored
        .returns
        .by_rank()
        .into_iter()
        .map(|option| {
            vec![
                option
                    .rank
                    .map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
                plain(option.option_id.as_str()),
                price(option.entry),
                price(option.exit),
                percent(option.value.get()),
            ]
        })
        .collect();
    table(&["rank", "option", "entry", "exit", "return"], &rows)
}

/// `round_summary.md`: the official run and the consistency run of a round together.
pub fn round_summary(
    official: &RunReport<'_>,
    consistent: &RunReport<'_>,
) -> Result<String, FileError> {
    let manifest = &official.inputs.manifest;
    let mut parts = vec![
        format!("# {}", plain(manifest.round_id.as_str())),
        official.status(),
        "## Round".to_owned(),
        official.round(),
    ];
    for (title, report) in [("Official run", official), ("Consistency run", consistent)] {
        parts.push(format!("## {title}: {}", plain(report.run.run_id.as_str())));
        parts.push(match &report.outcome {
            Outcome::Withheld(why) => format!("{} There is no result to tell.", plain(why)),
            Outcome::Known(scored) if report.run.rules.kind == RunKind::Consistency => {
                consistency(scored)
            }
            Outcome::Known(scored) => ranking(scored),
        });
    }
    parts.extend(official.reproducibility()?);
    parts.push("## Limits of what this says".to_owned());
    parts.push(LIMITS.to_owned());
    Ok(parts.join("\n\n") + "\n")
}
