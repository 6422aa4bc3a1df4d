//! The rounds behind a board as they were at a checkpoint of the log.

use std::env;
use std::path::Path;

use capitalbench_archive::public::past_rounds::{LeftOut, PastRounds};
use capitalbench_archive::public::public_record::RoundSource;
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::standings::Standings;
use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde_json::{Value, json};

use crate::cli::Rounds;
use crate::commands::checking::verify::owner;
use crate::commands::publishing::published::{say_synthetic, with_bar};
use crate::console::{BOLD, DIM, line, paint, plural};
use crate::error::Error;

/// Restored rounds, and the instant at which their board is wanted.
pub(super) struct Past {
    rounds: PastRounds,
    as_of: Timestamp,
}

impl Past {
    /// Restores the rounds; the board is that of the last event unless another instant was given.
    pub(super) fn restore(rounds: &Rounds, checkpoint: &str) -> Result<Self, Error> {
        let owner = owner(&rounds.folder)?;
        let within = env::temp_dir();
        let found = PastRounds::restore(&rounds.folder, checkpoint, owner.as_ref(), &within)?;
        // Boards are those of whole seconds, and the event itself counts.
        let up = TimestampRound::new()
            .smallest(Unit::Second)
            .mode(RoundMode::Ceil);
        let as_of = rounds.as_of.unwrap_or(found.at);
        Ok(Self {
            as_of: as_of.round(up).unwrap_or(as_of),
            rounds: found,
        })
    }

    /// Where the restored rounds lie.
    pub(super) fn folder(&self) -> &Path {
        self.rounds.folder()
    }

    pub(super) fn standings(&self) -> Result<Standings, Error> {
        let source = RoundSource::past(&self.rounds);
        let found = with_bar(self.rounds.rounds, |tick| {
            source.standings(self.as_of, tick)
        })?;
        say_synthetic(found.synthetic);
        Ok(found)
    }

    pub(super) fn publication(&self) -> Result<Publication, Error> {
        let source = RoundSource::past(&self.rounds);
        let found = with_bar(self.rounds.rounds, |tick| {
            source.publication(self.as_of, tick)
        })?;
        say_synthetic(found.synthetic);
        Ok(found)
    }

    pub(super) fn as_json(&self) -> Value {
        let checkpoint = &self.rounds.checkpoint;
        let left_out = |own: &LeftOut| json!({"place": own.place, "reason": own.reason});
        json!({
            "origin": checkpoint.origin,
            "size": checkpoint.size,
            "root": checkpoint.root.to_base64(),
            "last_event_at": self.rounds.at.to_string(),
            "rounds": self.rounds.rounds,
            "left_out": self.rounds.left_out.iter().map(left_out).collect::<Vec<_>>(),
        })
    }

    /// The checkpoint, above its board.
    pub(super) fn print(&self) {
        let checkpoint = &self.rounds.checkpoint;
        let heading = format!(
            "Checkpoint {} of {} · last event {}",
            checkpoint.size, checkpoint.origin, self.rounds.at
        );
        line(paint(BOLD, heading));
        let rounds = plural(self.rounds.rounds, "round");
        let root = checkpoint.root.to_base64();
        let text = format!("root {root} · signed, and the log of today continues it · {rounds}");
        line(paint(DIM, text));
        for LeftOut { place, reason } in &self.rounds.left_out {
            line(paint(DIM, format!("left out: {place}: {reason}")));
        }
        line("");
    }
}
