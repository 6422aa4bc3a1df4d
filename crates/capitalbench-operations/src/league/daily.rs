//! What is done when no round is decided: results, daily tracking, publication, warnings.

use std::collections::BTreeSet;

use capitalbench_archive::disk::layout::run;
use capitalbench_archive::disk::space;
use capitalbench_archive::results::interim_update::{snapshot_file, snapshots_folder};
use capitalbench_core::decision::entering::times::Times;
use capitalbench_core::league::message::MessageKind;
use capitalbench_core::round::lifecycle::overdue_from;
use capitalbench_core::round::manifest::Window;
use jiff::Timestamp;
use jiff::civil::Date;

use super::pass::{About, BuildSite, StepKind, Work};
use super::standing::{Live, Standing};
use super::terms::RESOLVING;
use crate::error::Error;
use crate::prices::fetcher::AtLimit;
use crate::publishing::boards::BoardsDirty;
use crate::publishing::interim::{Fetching, InterimRequest, update_interim};
use crate::resolving::due::{DueRequest, resolve_due};
use crate::resolving::resolve::Resolution;
use crate::syncing::follow::{Followed, follow_folder};
use crate::syncing::store::whole::push_first;

/// With less room than this the next rounds and their site may not fit.
const LEAST_BYTES: u64 = 256 << 20;

impl Work<'_> {
    /// Resolves every round whose job is due.
    pub(super) fn resolve(&mut self, standing: &Standing) {
        let now = self.operator.clock.now();
        let is_due = standing.jobs.iter().any(|job| job.is_due(now));
        if !is_due && !BoardsDirty::of(&self.league.rounds()).is_set() {
            return;
        }
        self.attempt("resolve", About::default(), Self::resolve_now);
    }

    fn resolve_now(&mut self) -> Result<(), Error> {
        self.hints.set_unpublished()?;
        let report = resolve_due(
            self.operator,
            &DueRequest {
                rounds: self.league.rounds(),
                prices: self.league.price_choice()?,
                worker: None,
                lease: RESOLVING,
                max: None,
                boards: None,
                at_limit: AtLimit::Stop,
            },
        )?;
        for (round, resolution) in &report.rounds {
            match resolution {
                Resolution::Resolved { warnings } => {
                    let text = match warnings {
                        0 => "it has its result".to_owned(),
                        warnings => format!("it has its result, with {warnings} price warnings"),
                    };
                    let command = self.commands().resolve();
                    self.note(StepKind::Resolved, Some(round), (command, text));
                }
                Resolution::Waiting { until, reason } => {
                    let waits = Error {
                        waits_until: Some(*until),
                        ..Error::new(format!("{reason}; it goes on at {until}"))
                    };
                    self.failed(&format!("resolve {round}"), about(round), &waits);
                }
                Resolution::Failed { error, .. } => {
                    self.problem(Some(round), error.clone());
                    self.tell(MessageKind::Problem, Some(round), error.clone());
                }
                Resolution::Busy(holder) => self.next(holder.until),
                Resolution::NotDue => {}
            }
        }
        for text in report.unreadable {
            self.problem(None, text);
        }
        match report.boards {
            Some(Err(error)) => Err(error),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Tracks every open round through each session whose rows are final.
    pub(super) fn track(&mut self, standing: &Standing) {
        let market = self.league.league.market;
        let Some(last) = market.last_final_session(self.now()) else {
            return;
        };
        if !self.league.league.publication.interim {
            return;
        }
        for day in self.untracked(standing, last) {
            let done = self.attempt("track", About::default(), |work| work.track_day(day));
            if !done {
                break;
            }
        }
        if let Some(day) = market.next_session(last)
            && standing.live.iter().any(|live| is_tracked_on(live, day))
            && let Some(ready) = market.rows_final_at(day)
        {
            self.next(ready);
        }
    }

    /// Days without a snapshot, and the last day where a round does not show it.
    fn untracked(&self, standing: &Standing, last: Date) -> BTreeSet<Date> {
        let folder = snapshots_folder(&self.league.rounds());
        let mut days = BTreeSet::new();
        for live in &standing.live {
            let Some(window) = live.manifest.window.filter(|_| live.record().is_some()) else {
                continue;
            };
            let mut shown = None;
            let mut day = Some(window.entry);
            while let Some(own) = day.filter(|own| *own <= last && *own < window.exit) {
                if !snapshot_file(&folder, own).is_file() {
                    days.insert(own);
                }
                shown = Some(own);
                day = window.market.next_session(own);
            }
            days.extend(shown.filter(|day| !shows(live, *day)));
        }
        days
    }

    fn track_day(&mut self, day: Date) -> Result<(), Error> {
        self.hints.set_unpublished()?;
        let request = InterimRequest {
            rounds: self.league.rounds(),
            day,
            track: None,
            snapshots: None,
            fetching: Fetching::IfMissing,
            vendor: self.league.price_choice()?.vendor,
            universe_round: None,
            soft_fail: false,
            at_limit: AtLimit::Stop,
            dry_run: false,
        };
        let report = update_interim(self.operator, &request)?;
        let text = format!("open rounds are tracked to {day}");
        self.note(StepKind::Tracked, None, (self.commands().track(day), text));
        match report.failed.first_key_value() {
            None => Ok(()),
            Some((round, why)) => Err(Error::new(format!("{round}: {why}"))),
        }
    }

    /// Shows the public what changed, and what an instant made visible.
    pub(super) fn publish(&mut self, standing: &Standing, site: Option<BuildSite<'_>>) {
        let now = self.now();
        let instants: Vec<Timestamp> = standing.live.iter().flat_map(becomes_visible).collect();
        for at in &instants {
            self.next(*at);
        }
        let published = self.hints.published();
        let is_current = published
            .is_some_and(|then| then <= now && !instants.iter().any(|at| *at > then && *at <= now));
        if is_current || standing.names.is_empty() {
            return;
        }
        self.attempt("publish", About::default(), |work| {
            work.publish_now(site)?;
            work.hints.set_published(now);
            Ok(())
        });
    }

    fn publish_now(&mut self, site: Option<BuildSite<'_>>) -> Result<(), Error> {
        push_first(self.operator)?;
        let settings = &self.league.league.publication;
        if settings.database {
            match follow_folder(self.operator, &self.league.rounds()) {
                Followed::Failed(error) => return Err(error),
                Followed::NotSynced(_) => {}
                Followed::Synced(_) => {
                    let text = "the database is up to date".to_owned();
                    self.note(
                        StepKind::Published,
                        None,
                        (self.commands().database(), text),
                    );
                }
            }
        }
        if let Some(build) = site.filter(|_| settings.site.is_some()) {
            let built = build()?;
            self.note(StepKind::Published, None, (built.command, built.text));
        }
        Ok(())
    }

    /// Tells what is overdue, and that the disk is nearly full.
    pub(super) fn warn_about(&mut self, standing: &Standing) {
        let now = self.now();
        let free = space::free_bytes(&self.league.folder);
        if let Some(free) = free.filter(|free| *free < LEAST_BYTES) {
            let text = format!("only {} MiB are free on the disk; make room", free >> 20);
            self.problem(None, text.clone());
            self.tell(MessageKind::DiskShort, None, text);
        }
        for live in &standing.live {
            let exit = live.manifest.window.and_then(Window::exit_close);
            let Some(exit) = exit.filter(|_| live.record().is_some()) else {
                continue;
            };
            let overdue = overdue_from(exit);
            self.next(overdue);
            if now >= overdue {
                let job = standing
                    .jobs
                    .iter()
                    .find(|job| job.round_id == live.manifest.round_id);
                let why = job.map_or("it has no resolution job", |job| job.last_error.as_str());
                let why = if why.is_empty() {
                    "no reason is known"
                } else {
                    why
                };
                let text = format!(
                    "{} has no result a day after its exit close: {why}",
                    live.name
                );
                self.problem(Some(&live.name), text.clone());
                self.tell(MessageKind::Overdue, Some(&live.name), text);
            }
        }
    }

    /// Finds the first instant at which something is due again.
    pub(super) fn look_ahead(&mut self, standing: &Standing) {
        let now = self.now();
        for round in self.league.league.next_rounds(now) {
            self.next(round.opens);
        }
        // A round that is open now has its own instants; the one after it opens later.
        for round in self.league.league.next_rounds(now) {
            for later in self.league.league.next_rounds(round.deadline) {
                self.next(later.opens);
            }
        }
        for job in &standing.jobs {
            if let Some(at) = job.next_attempt() {
                self.next(at);
            }
        }
    }
}

fn about(round: &str) -> About<'_> {
    About {
        round: Some(round),
        last_try: None,
    }
}

/// Whether an open round has a line for a day.
fn is_tracked_on(live: &Live, day: Date) -> bool {
    let window = live.manifest.window.filter(|_| live.record().is_some());
    window.is_some_and(|window| day >= window.entry && day < window.exit)
}

/// Whether the tracking of a round has rows of a day.
fn shows(live: &Live, day: Date) -> bool {
    let Some(id) = live.record() else {
        return false;
    };
    let Ok(own) = live.folder.run(id) else {
        return false;
    };
    let rows = own
        .read_optional(run::INTERIM)
        .ok()
        .flatten()
        .unwrap_or_default();
    String::from_utf8_lossy(&rows).contains(&format!(",{day},"))
}

/// The instants at which the public sees more of a round.
fn becomes_visible(live: &Live) -> Vec<Timestamp> {
    let window = live.manifest.window.filter(|_| live.record().is_some());
    let Some(window) = window else {
        return Vec::new();
    };
    // From then on an entry from outside that was not opened counts as cash.
    let unopened = Times::of(&live.manifest).map(|times| times.closes);
    let closes = [window.entry_close(), unopened, window.exit_close()];
    let exit = window.exit_close().map(overdue_from);
    closes.into_iter().chain([exit]).flatten().collect()
}
