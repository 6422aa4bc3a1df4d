//! What operations announce and return, as people and machines read it.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anstream::adapter::strip_str;
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_core::publication::Publication;
use capitalbench_database::jobs::Job;
use capitalbench_database::sync::{Scope, Synced};
use capitalbench_operations::league::pass::Step;
use capitalbench_operations::operator::configuration::LOG_KEY;
use capitalbench_operations::operator::{Listener, Notice};
use capitalbench_operations::prices::fetcher::AtLimit;
use capitalbench_operations::prices::sources::{CrossCheckChoice, PriceChoice, Vendor};
use capitalbench_operations::proof::anchor::Anchored;
use capitalbench_operations::proof::record::Recorded;
use capitalbench_operations::proof::stamped_picks::StampedPicks;
use capitalbench_operations::resolving::worker::JobEnd;
use capitalbench_operations::syncing::follow::{self, Followed, NotSynced};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use crate::cli;
use crate::config::operator;
use crate::console::{
    DIM, ERROR, GOOD, WARNING, is_json, line, paint, plural, progress, remark, show, warn,
};
use crate::error::{Error, Exit, report};

/// Shows on a terminal what operations announce.
#[derive(Default)]
pub(crate) struct Console {
    bar: Mutex<Option<ProgressBar>>,
}

impl Console {
    fn with_bar(&self, change: impl FnOnce(&mut Option<ProgressBar>)) {
        // A bar for the screen; a panic elsewhere leaves it whole.
        change(&mut self.bar.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Listener for Console {
    fn hear(&self, notice: &Notice<'_>) {
        match *notice {
            Notice::Progress { what, done, of } => self.with_bar(|bar| {
                let bar = bar.get_or_insert_with(|| progress(of, what));
                bar.set_length(of as u64);
                bar.set_message(what);
                bar.set_position(done as u64);
            }),
            Notice::ProgressEnded => self.with_bar(|bar| {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
                }
            }),
            Notice::PlanTakes { time, at_limit } => {
                let next = match at_limit {
                    AtLimit::Wait => format!("; this command waits until {}", time.until),
                    AtLimit::Stop => "; this command stops when the plan is used up and keeps the \
                                      answers, and the same command then goes on"
                        .to_owned(),
                };
                remark(paint(DIM, format!("{time}{next}")));
            }
            Notice::PlanUsedUp { left } => self.with_bar(|bar| {
                if let Some(bar) = bar {
                    bar.set_message(plan_used_up(left.as_secs()));
                }
            }),
            Notice::Stamped => remark(paint(DIM, "stamped by outside clocks")),
            Notice::NotStamped { why, rounds } => {
                let next = format!(
                    "not stamped ({why}); do it with `capitalbench anchor --rounds-dir {}`",
                    shell_word(rounds)
                );
                remark(format!("{} {next}", paint(WARNING, "caution:")));
            }
            Notice::NotCosigned { why, rounds } => {
                let next = format!(
                    "too few witnesses ({why}); ask again with `capitalbench anchor --rounds-dir {}`",
                    shell_word(rounds)
                );
                remark(format!("{} {next}", paint(WARNING, "caution:")));
            }
            Notice::HeldElsewhere { round, holder } => remark(format!(
                "{round}: left to {}, who holds it until {} unless it renews",
                holder.who, holder.until
            )),
            Notice::Failed(error) => report(error),
            Notice::Stepped(step) => print_step(step),
            Notice::TriesAgain(error) => warn(error),
            Notice::WaitsForLog { owner, until } => {
                let text = format!("waits for {owner}, who holds the log until {until}");
                remark(paint(DIM, text));
            }
            Notice::JobEnded { job, end } => job_ended(job, end),
            Notice::Followed(followed) => {
                print_followed(followed);
            }
        }
    }
}

fn plan_used_up(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("the plan is used up; goes on in {hours}:{minutes:02}:{seconds:02}")
}

fn job_ended(job: &Job, end: &JobEnd) {
    let told = match end {
        JobEnd::Resolved => paint(GOOD, "resolved"),
        JobEnd::WasResolved => "was resolved already".to_owned(),
        JobEnd::Waits { until, reason } => {
            format!("{} until {until}: {reason}", paint(WARNING, "waits"))
        }
        JobEnd::Busy { holder } => paint(DIM, format!("the folder is with {holder}")),
        JobEnd::GivenBack => "given back".to_owned(),
        JobEnd::Failed { error, is_given_up } => {
            let next = if *is_given_up { " (given up)" } else { "" };
            format!("{}{next}: {error}", paint(ERROR, "failed"))
        }
        JobEnd::TakenOver => paint(WARNING, "another worker has taken it over"),
    };
    let round = job.round_id.as_str();
    let plain = strip_str(&told).to_string();
    show(
        || json!({"round_id": round, "attempt": job.attempts, "told": plain}),
        || line(format!("{round}: {told}")),
    );
}

/// After a publication was written: the database follows, unless it is of a given instant.
pub(super) fn follow_publication(
    rounds: &cli::Rounds,
    publication: &Publication,
    scope: &Scope,
) -> Result<Exit, Error> {
    let operator = operator(rounds.as_of)?;
    let followed = follow::follow_publication(&operator, &rounds.folder, publication, scope);
    Ok(print_followed(&followed))
}

fn not_done(what: &str, error: &Error) {
    remark(paint(ERROR, format!("the work above is done, but {what}")));
    report(error);
}

/// How the database followed a change.
pub(super) fn print_followed(followed: &Followed) -> Exit {
    match followed {
        Followed::Synced(synced) => remark(paint(DIM, synced_in_words(synced))),
        Followed::NotSynced(reason) => {
            let style = match reason {
                NotSynced::NotARound(_) => WARNING,
                _ => DIM,
            };
            remark(paint(style, format!("not synced: {reason}")));
        }
        Followed::Failed(error) => {
            not_done("the database was not synced", error);
        }
    }
    Exit::of(!followed.is_failed())
}

/// Whether the job of a round is in the database, where there is one.
pub(super) fn print_registered(registered: &Result<bool, Error>) -> Exit {
    match registered {
        Ok(true) => remark(paint(DIM, "the job is in the database")),
        Ok(false) => {}
        Err(error) => {
            not_done("its job is not in the database", error);
        }
    }
    Exit::of(registered.is_ok())
}

/// What a sync did, in words.
pub(super) fn synced_in_words(synced: &Synced) -> String {
    let counts = synced.counts;
    let rows = |count: u64, what: &str| {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        format!("{} {what}", plural(count, "row"))
    };
    let requests = plural(synced.requests, "request");
    let requests = match synced.uploads {
        0 => requests,
        uploads => format!("{requests}, {} of files", plural(uploads, "upload")),
    };
    if counts.written + counts.removed == 0 {
        return format!("the database is up to date ({requests})");
    }
    let (written, removed) = (
        rows(counts.written, "written"),
        rows(counts.removed, "removed"),
    );
    format!("synced: {written}, {removed} ({requests})")
}

pub(super) fn recorded_json(recorded: &Recorded) -> Value {
    match recorded {
        Recorded::Unsigned => json!({"state": "unsigned"}),
        Recorded::KeyMissing(name) => json!({"state": "key-missing", "log": name}),
        Recorded::Signed { size, added } => {
            json!({"state": "signed", "size": size, "added": added})
        }
    }
}

/// One line about the log, where the folder has one.
pub(super) fn print_signed(recorded: &Recorded) {
    if *recorded != Recorded::Unsigned {
        print_recorded(recorded);
    }
}

/// One line about the log.
pub(super) fn print_recorded(recorded: &Recorded) {
    line(match recorded {
        Recorded::Unsigned => paint(
            DIM,
            "log: unsigned; sign what happens with `capitalbench keys init`",
        ),
        Recorded::KeyMissing(name) => {
            let text = format!("not signed, the key of {name} is not here; set {LOG_KEY}");
            format!("log: {}", paint(WARNING, text))
        }
        Recorded::Signed { size, added } => {
            let added = plural(usize::try_from(*added).unwrap_or(usize::MAX), "event");
            let signed = paint(GOOD, "signed");
            format!("log: {signed}, {added} added, {size} in all")
        }
    });
}

pub(super) fn stamped_json(stamped: &StampedPicks) -> Value {
    json!({
        "complete": stamped.is_complete(),
        "lacking": stamped.lacking,
        "clocks_refused": stamped.anchored.as_ref().map(Anchored::reasons),
    })
}

/// One line about the stamps of the picks, or one for each that is missing.
pub(super) fn print_stamped(stamped: &StampedPicks) {
    if stamped.is_complete() {
        let word = paint(GOOD, "stamped");
        line(format!("proof: {word} before the entry close"));
        return;
    }
    let not_complete = paint(ERROR, "not complete");
    line(format!("proof: the acceptance is {not_complete}"));
    for lack in &stamped.lacking {
        line(format!("  {}: {}", lack.code, lack.text));
        line(format!("  next: {}", lack.next));
    }
    let reasons = stamped.anchored.as_ref().map(Anchored::reasons);
    if let Some(reasons) = reasons.filter(|reasons| !reasons.is_empty()) {
        line(format!("  clocks: {reasons}"));
    }
    line("  then: `capitalbench accept-run` again looks whether it is complete");
}

/// The vendor that the flags name.
pub(super) fn vendor(choice: &cli::SourceChoice) -> Result<Vendor, Error> {
    named_vendor(choice.source, choice.histories.as_deref())
}

fn named_vendor(source: cli::Source, histories: Option<&Path>) -> Result<Vendor, Error> {
    Ok(match source {
        cli::Source::Tiingo => Vendor::Tiingo,
        cli::Source::Yahoo => Vendor::Yahoo,
        cli::Source::Alphavantage => Vendor::AlphaVantage,
        cli::Source::Invented => Vendor::Invented,
        cli::Source::Csv => {
            let folder = histories.ok_or_else(|| {
                let text = "the csv source needs a folder of histories";
                let hint = "give it with --histories, or --cross-check-histories for a cross-check";
                Error::new(text).hint(hint)
            })?;
            Vendor::Csv(folder.to_owned())
        }
    })
}

/// The source that counts and the one it is compared with, as the flags name them.
pub(super) fn price_choice(
    first: &cli::SourceChoice,
    second: &cli::CrossCheckChoice,
) -> Result<PriceChoice, Error> {
    let histories = second.histories.as_deref();
    let cross_check = second.source.map(|source| named_vendor(source, histories));
    Ok(PriceChoice {
        vendor: vendor(first)?,
        cross_check: cross_check.transpose()?.map(|vendor| CrossCheckChoice {
            vendor,
            tolerance_bps: second.tolerance_bps,
        }),
    })
}

/// A step of a league on one line.
fn print_step(step: &Step) {
    if is_json() {
        return;
    }
    let round = step.round.as_deref().unwrap_or_default();
    let at = step.at.strftime("%Y-%m-%d %H:%MZ");
    let word = paint(GOOD, format!("{:<9}", step.kind.as_str()));
    let about = if round.is_empty() {
        String::new()
    } else {
        format!("{round}: ")
    };
    line(format!("{}  {word} {about}{}", paint(DIM, at), step.text));
}
