//! Passes in processes of their own that are killed at random moments.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::values::ids::Digest;
use capitalbench_operations::league::folder::LeagueFolder;
use capitalbench_operations::league::pass::StepKind;
use capitalbench_operations::league::rehearsal::Rehearsal;
use capitalbench_operations::operator::{CLOCK, STILL};
use jiff::Timestamp;

use crate::error::Error;

/// How long a process takes to begin its work.
const START: Duration = Duration::from_millis(15);
/// How often a pass that asks models is killed. A call under way then has an outcome that nobody saw and
/// counts as an attempt, and a slot has three: a fourth kill could end it without an answer.
const MOST_WHILE_ASKING: u32 = 2;
/// A process that ended too early is begun again with half the time, so often.
const TRIES: u32 = 4;

/// Kills so many passes, spread over those that have something to do.
pub(super) struct Killer {
    program: PathBuf,
    random: Random,
    /// How many are killed from an instant on, and how long a whole pass takes there.
    plan: BTreeMap<Timestamp, (u32, Duration)>,
    /// The instants at which models are asked.
    asking: BTreeSet<Timestamp>,
    /// Those that ended before they were killed.
    owed: u32,
    pub(super) kills: u32,
}

impl Killer {
    pub(super) fn new(kills: u32, seed: u64, calm: &Rehearsal) -> Result<Self, Error> {
        let program = std::env::current_exe()
            .map_err(|error| Error::new(format!("the program does not find itself: {error}")))?;
        let digest = Digest::of(format!("kills {seed}").as_bytes());
        let mut random = Random::of(digest, "moments");
        let mut plan: BTreeMap<Timestamp, (u32, Duration)> = BTreeMap::new();
        for _ in 0..kills {
            let Some((at, took)) = calm.busy.get(random.index(calm.busy.len())) else {
                continue;
            };
            plan.entry(*at).or_insert((0, *took)).0 += 1;
        }
        let asked = calm
            .steps
            .iter()
            .filter(|step| step.kind == StepKind::Asked);
        Ok(Self {
            program,
            random,
            plan,
            asking: asked.map(|step| step.at).collect(),
            owed: 0,
            kills: 0,
        })
    }

    /// Kills the passes that are due to be killed.
    pub(super) fn strike(&mut self, league: &LeagueFolder, at: Timestamp) -> Result<(), Error> {
        while let Some((planned, (count, took))) = self.plan.first_key_value() {
            if *planned > at {
                break;
            }
            let (planned, count, took) = (*planned, *count, *took);
            self.plan.remove(&planned);
            self.owed += count;
            let most = if self.asking.contains(&planned) {
                MOST_WHILE_ASKING
            } else {
                u32::MAX
            };
            let now = self.owed.min(most);
            for _ in 0..now {
                self.kill_one(league, at, took)?;
            }
        }
        Ok(())
    }

    fn kill_one(
        &mut self,
        league: &LeagueFolder,
        at: Timestamp,
        took: Duration,
    ) -> Result<(), Error> {
        let mut most = START + took;
        for _ in 0..TRIES {
            let after = most.mul_f64(self.random.unit());
            if self.is_killed(league, at, after)? {
                self.kills += 1;
                self.owed -= 1;
                return Ok(());
            }
            most /= 2;
        }
        Ok(())
    }

    /// Begins a pass and kills it after a while; false where it had ended by itself.
    fn is_killed(
        &self,
        league: &LeagueFolder,
        at: Timestamp,
        after: Duration,
    ) -> Result<bool, Error> {
        let failed = |error: std::io::Error| Error::new(format!("a pass to be killed: {error}"));
        let mut child = Command::new(&self.program)
            .args(["league", "run", "--now", &at.to_string(), "--league"])
            .arg(&league.folder)
            .env_clear()
            .env(CLOCK, STILL)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        thread::sleep(after);
        let has_ended = child.try_wait().map_err(failed)?.is_some();
        if !has_ended {
            // A process that ends just now needs no kill.
            let _ = child.kill();
            child.wait().map_err(failed)?;
        }
        Ok(!has_ended)
    }
}
