//! A claim in a league that is played for some months: killed passes and daily looks change no figure.
//! `scripts/prove claims` plays a year.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use capitalbench_archive::public::claims::claims;
use capitalbench_core::evidence::claims::record::{ClaimDay, ClaimRecord, Standing};
use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::values::ids::Digest;
use capitalbench_operations::league::folder::LeagueFolder;
use capitalbench_operations::league::rehearsal::{RehearsalRequest, rehearse};
use jiff::Timestamp;
use tempfile::TempDir;

use crate::harness::{Ran, command, program, raised};

const MODELS: [&str; 3] = ["mock-amber", "mock-birch", "mock-cedar"];
const FIRST_DAY: &str = "2026-11-30";
/// Every so many passes one is killed before it.
const KILLED: usize = 17;

/// A league of three models and weekly rounds.
fn house() -> (TempDir, LeagueFolder) {
    let place = tempfile::tempdir().expect("a folder");
    let made = command(&["league", "new", "house"])
        .current_dir(place.path())
        .output();
    Ran::new("league new", made.expect("the program runs")).code(0);
    let house = place.path().join("house");
    let mut models = "models:\n".to_owned();
    for name in MODELS {
        writeln!(
            models,
            "- {{model_id: {name}, provider: mock, api_model_name: {name}}}"
        )
        .expect("a text grows");
    }
    fs::write(house.join("models.yaml"), models).expect("a file");
    let league = LeagueFolder::open(&house).expect("a league");
    (place, league)
}

/// What a reader saw of a claim at an instant.
struct Look {
    at: Timestamp,
    settled: Vec<ClaimDay>,
    standing: Standing,
}

#[derive(Default)]
struct Followed {
    is_registered: bool,
    passes: usize,
    kills: usize,
    looks: Vec<Look>,
}

impl Followed {
    /// Registers the claims as soon as the league has a round, looks at them, and kills a pass now and
    /// then.
    fn before_pass(&mut self, league: &LeagueFolder, at: Timestamp, random: &mut Random) {
        let rounds = league.rounds();
        if !self.is_registered && fs::read_dir(&rounds).is_ok_and(has_round) {
            for (name, against) in [("above", "reference"), ("apart", MODELS[1])] {
                let words = [
                    "claim",
                    "register",
                    name,
                    "--model",
                    MODELS[0],
                    "--against",
                    against,
                    "--track",
                    "weekly",
                    "--first-day",
                    FIRST_DAY,
                    "--family",
                    "2",
                    "--scale",
                    "0.004",
                    "--rounds-dir",
                    "rehearsal/rounds",
                    "--now",
                    &at.to_string(),
                ];
                let made = command(&words).current_dir(&league.folder).output();
                Ran::new(name, made.expect("the program runs")).code(0);
            }
            self.is_registered = true;
        }
        self.passes += 1;
        if self.is_registered {
            if self.passes.is_multiple_of(KILLED) {
                self.kills += usize::from(kill_one(league, at, random));
            }
            // A reader looks once a day.
            let day = |at: Timestamp| at.as_second() / 86_400;
            if self.looks.last().is_none_or(|last| day(last.at) < day(at)) {
                let found = claims(&rounds, at).expect("claims");
                self.looks.push(look(&found, at));
            }
        }
    }
}

fn has_round(folder: fs::ReadDir) -> bool {
    folder
        .flatten()
        .any(|entry| entry.path().join("manifest.yaml").exists())
}

fn look(found: &[ClaimRecord], at: Timestamp) -> Look {
    let own = &found[0];
    Look {
        at,
        settled: own.figures.days[..own.figures.settled].to_vec(),
        standing: own.standing,
    }
}

/// Begins a pass and kills it; false where it had ended by itself.
fn kill_one(league: &LeagueFolder, at: Timestamp, random: &mut Random) -> bool {
    let mut child = Command::new(program())
        .args(["league", "run", "--now", &at.to_string(), "--league"])
        .arg(&league.folder)
        .env_clear()
        .env("CAPITALBENCH_CLOCK", "still")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    // The moment of a kill is what varies; nothing waits for anything here.
    thread::sleep(Duration::from_millis(15 + random.below(120)));
    let has_ended = child.try_wait().expect("a child").is_some();
    if !has_ended {
        let _ = child.kill();
        child.wait().expect("a child that was killed");
    }
    !has_ended
}

fn played(days: u16) -> (TempDir, LeagueFolder, Followed, Timestamp) {
    let (place, league) = house();
    let request = RehearsalRequest {
        league,
        scratch: place.path().join("played"),
        from: "2026-11-16T00:00:00Z".parse().expect("an instant"),
        days,
        seed: 11,
        faults: Vec::new(),
    };
    let mut followed = Followed::default();
    let mut random = Random::of(Digest::of(b"kills of claims"), "moments");
    let done = rehearse(&request, &mut |league, at| {
        followed.before_pass(league, at, &mut random);
        Ok(())
    });
    let done = done.expect("a played league");
    (place, done.league, followed, done.until)
}

#[test]
fn a_claim_followed_daily_says_what_computing_it_at_once_says() {
    let days = raised("PROVE_CLAIM_DAYS", 70);
    let (_place, league, followed, until) = played(u16::try_from(days).expect("days of a year"));
    let rounds = league.rounds();
    let at_once = claims(&rounds, until).expect("claims");
    assert_eq!(at_once.len(), 2);
    let own = &at_once[0].figures;
    assert!(own.settled > days / 3, "{} days", own.settled);
    assert!(followed.kills > days / 60, "{} kills", followed.kills);
    assert!(
        followed.looks.len() > days * 3 / 4,
        "{} looks",
        followed.looks.len()
    );
    for look in &followed.looks {
        let same = look.settled.iter().zip(&own.days);
        for (then, now) in same {
            let both = [then, now].map(|day| (day.increment.day, day.evidence.to_bits()));
            assert_eq!(both[0], both[1], "seen at {}", look.at);
        }
        if let Standing::Established(_) = look.standing {
            assert_eq!(look.standing, at_once[0].standing, "seen at {}", look.at);
        }
    }
    let folder = Path::new("rehearsal/rounds");
    let told = command(&[
        "verify",
        &folder.display().to_string(),
        "--now",
        &until.to_string(),
    ])
    .current_dir(&league.folder)
    .output();
    Ran::new("verify", told.expect("the program runs")).code(0);
}
