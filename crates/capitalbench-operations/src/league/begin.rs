//! From nothing to a frozen round: the first steps of a pass.

use capitalbench_archive::format::prices::trailing;
use capitalbench_archive::log::LogFolder;
use capitalbench_archive::round::freeze::Frozen;
use capitalbench_core::league::message::MessageKind;
use capitalbench_core::league::schedule::ScheduledRound;
use capitalbench_core::round::manifest::{Proof, Track};
use jiff::SignedDuration;
use jiff::civil::Date;

use super::pass::{About, StepKind, Work};
use super::standing::{Live, Standing, State};
use crate::error::Error;
use crate::opening::briefing::{BriefingRequest, is_briefed, make_briefing};
use crate::opening::freezing::freeze_round;
use crate::opening::market_table::{TableManner, fetch_table};
use crate::opening::new_round::{open_round, record_missed};
use crate::proof::anchor::anchor;
use crate::proof::clocks::Clocks;
use crate::proof::log_key::{LogKeyRequest, make_log_key};

/// So long before the deadline everything that failed is tried once more.
pub(super) const LAST_TRY: SignedDuration = SignedDuration::from_mins(2);

impl Live {
    pub(super) fn about(&self) -> About<'_> {
        About {
            round: Some(&self.name),
            last_try: self.deadline.checked_sub(LAST_TRY).ok(),
        }
    }
}

impl Work<'_> {
    /// A league whose rounds are signed makes the key of their log, once.
    pub(super) fn make_key(&mut self) -> Result<(), Error> {
        let rounds = self.league.rounds();
        let log = LogFolder::of_rounds(&rounds);
        if self.league.league.proof == Proof::None || log.verifier()?.is_some() {
            return Ok(());
        }
        let prefix = &self.league.league.prefix;
        let name = match &self.league.league.address {
            Some(address) if !self.league.is_rehearsed() => bare(address).to_owned(),
            _ => format!("capitalbench/{prefix}"),
        };
        let request = LogKeyRequest {
            rounds: &rounds,
            name: Some(&name),
        };
        let made = make_log_key(self.operator, &request)?;
        let text = format!(
            "the log has its key; keep a copy of {} where nobody else reads it",
            made.file.display()
        );
        self.note(StepKind::Keyed, None, (self.commands().key(&name), text));
        Ok(())
    }

    /// Opens rounds whose time has come, and records those whose time has passed.
    pub(super) fn open_due(&mut self, standing: &Standing) {
        let now = self.now();
        for round in self.missed(standing) {
            let name = round.round_id.to_string();
            let key = format!("open {name}");
            let about = About {
                round: Some(&name),
                last_try: None,
            };
            self.attempt(&key, about, |work| work.open_missed(&round));
        }
        for round in self.league.league.next_rounds(now) {
            let name = round.round_id.to_string();
            // The first round of a rehearsal comes at once: whoever tries a league waits for no Monday.
            let is_first = self.league.is_rehearsed() && !standing.last.contains_key(&round.track);
            if (round.opens > now && !is_first) || standing.names.contains(&name) {
                continue;
            }
            let about = About {
                round: Some(&name),
                last_try: round.deadline.checked_sub(LAST_TRY).ok(),
            };
            self.attempt(&format!("open {name}"), about, |work| work.open(&round));
        }
    }

    fn open(&mut self, round: &ScheduledRound) -> Result<(), Error> {
        let opened = open_round(self.operator, &self.league.round_request(round))?;
        let window = opened.window.window;
        let name = round.round_id.as_str();
        let text = format!(
            "open until {}, for the week from {} to {}",
            round.deadline, window.entry, window.exit
        );
        let text = match round.track {
            Track::Weekly => text,
            Track::Monthly => text.replace("the week from", "the month from"),
        };
        self.note(
            StepKind::Opened,
            Some(name),
            (self.commands().open(round), text),
        );
        Ok(())
    }

    /// Rounds that nobody opened in time, since the last one of their track. Those of before are none of
    /// this league: it began later, or had another cadence.
    fn missed(&self, standing: &Standing) -> Vec<ScheduledRound> {
        let (league, now) = (&self.league.league, self.now());
        let mut missed = Vec::new();
        for (track, last) in &standing.last {
            let Some(known) = league.round_of(*track, *last) else {
                continue;
            };
            let between = league.rounds_between(known.deadline, now).into_iter();
            missed.extend(between.filter(|own| {
                let apart = own.deadline.duration_since(known.deadline);
                own.track == *track && apart >= least_apart(*track)
            }));
        }
        missed
    }

    /// A round that nobody opened in time is created to say so, and ends at once.
    fn open_missed(&mut self, round: &ScheduledRound) -> Result<(), Error> {
        let request = self.league.round_request(round);
        let folder = record_missed(self.operator, &request)?;
        let name = round.round_id.as_str();
        let text = format!(
            "its deadline {} passed before it was opened",
            round.deadline
        );
        let command = "capitalbench league run".to_owned();
        self.note(StepKind::Opened, Some(name), (command, text));
        self.abandon(
            &folder,
            "no pass of the league opened it before its deadline",
        )
    }

    /// Brings a round as far as its freeze.
    pub(super) fn prepare(&mut self, live: &Live) {
        let now = self.now();
        if now >= live.deadline || now < live.opens {
            if now < live.opens {
                self.next(live.opens);
            }
            return;
        }
        let frozen = format!("freeze {}", live.name);
        let is_settled = live.state != State::Draft && self.hints.is_done(&frozen);
        if is_settled || !matches!(live.state, State::Draft | State::Frozen) {
            return;
        }
        let key = format!("prepare {}", live.name);
        let frozen_now = self.attempt(&key, live.about(), |work| {
            if live.state == State::Draft {
                work.make_table(live)?;
                work.make_briefing(live)?;
            }
            work.freeze(live)
        });
        if frozen_now {
            let text = format!("{} is open until {}.", live.name, live.deadline);
            self.tell(MessageKind::Opened, Some(&live.name), text);
            self.hints.set_done(&frozen);
        }
    }

    fn make_table(&mut self, live: &Live) -> Result<(), Error> {
        let has_table = live.folder.file(trailing::CSV).exists();
        let failed = format!("failed table {}", live.name);
        let again = has_table && self.hints.is_done(&failed);
        if has_table && !again {
            return Ok(());
        }
        let as_of = table_day(live)?;
        let vendor = self.league.price_choice()?.vendor;
        let manner = TableManner {
            overwrite: again,
            ..TableManner::default()
        };
        let (_, table) = fetch_table(self.operator, live.folder.path(), as_of, &vendor, &manner)?;
        let text = format!("closes up to {as_of}, {} options", table.rows.len());
        let command = self.commands().table(&live.name, as_of, again);
        self.note(StepKind::Tabled, Some(&live.name), (command, text));
        let lacking = table.failed();
        let Some(first) = lacking.first() else {
            self.hints.unset_done(&failed);
            return Ok(());
        };
        self.hints.set_done(&failed);
        let row = table.rows.iter().find(|row| row.option_id == **first);
        let text = format!(
            "{} options have no whole history, such as {first}: {}",
            lacking.len(),
            row.map_or("no reason is known", |row| row.message.as_str())
        );
        let hint = "the table is made again; take the option out of the universe if this lasts";
        Err(Error::new(text).hint(hint))
    }

    fn make_briefing(&mut self, live: &Live) -> Result<(), Error> {
        if is_briefed(&live.folder)? {
            return Ok(());
        }
        let cutoff = live.opens;
        let request = BriefingRequest {
            round: live.folder.path().to_owned(),
            source: self.league.briefing(),
            cutoff,
        };
        make_briefing(self.operator, &request)?;
        let command = self.commands().briefing(&live.name, cutoff);
        let text = format!("the briefing is made, no fact after {cutoff}");
        self.note(StepKind::Briefed, Some(&live.name), (command, text));
        Ok(())
    }

    fn freeze(&mut self, live: &Live) -> Result<(), Error> {
        let frozen = freeze_round(self.operator, live.folder.path())?;
        if let Frozen::Written(files) = frozen.frozen {
            let text = format!("{files} files are frozen");
            let command = self.commands().freeze(&live.name);
            self.note(StepKind::Frozen, Some(&live.name), (command, text));
        }
        self.stamp(live)
    }

    /// Has the configured clocks stamp the newest signed state and the witnesses cosign it. Without a
    /// stamp the step is tried again; a witness that is away stops nothing.
    pub(super) fn stamp(&mut self, live: &Live) -> Result<(), Error> {
        let clocks = Clocks::configured(&self.operator.configuration)?;
        if clocks.is_empty() || live.manifest.proof == Proof::None {
            return Ok(());
        }
        let log = LogFolder::of_round(&live.folder);
        let anchored = anchor(self.operator, &log, &clocks)?;
        if !clocks.has_no_clock() && !anchored.is_stamped() {
            let text = format!("no clock stamped it: {}", anchored.reasons());
            return Err(Error::new(text));
        }
        let mut text = if clocks.has_no_clock() {
            format!("signed at size {}", anchored.size)
        } else {
            format!("stamped at size {}", anchored.size)
        };
        if !clocks.witnesses.is_empty() {
            text = format!("{text}; {}", anchored.cosigned.words());
        }
        self.note(
            StepKind::Stamped,
            Some(&live.name),
            (self.commands().stamp(), text),
        );
        Ok(())
    }
}

/// An address without its scheme, as logs are named.
fn bare(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.trim_end_matches('/')
}

/// Rounds of a track lie at least so far apart, however its day moves off a holiday.
fn least_apart(track: Track) -> SignedDuration {
    SignedDuration::from_hours(match track {
        Track::Weekly => 4 * 24 - 1,
        Track::Monthly => 20 * 24,
    })
}

/// The day of the market table: the last one that was final when the round opened, so that another try
/// gives the same table.
fn table_day(live: &Live) -> Result<Date, Error> {
    let market = live.manifest.market;
    market
        .last_final_session(live.opens)
        .ok_or_else(|| Error::new("the exchange calendar has no session before this round"))
}
