//! Registered claims: an entry of the log and a file that repeats it.
//!
//! The entry holds everything that a claim fixes, so a claim is judged even when its file was edited
//! or is gone; `verify` names both.

use std::collections::BTreeMap;

use capitalbench_core::evidence::claims::terms::{ClaimName, Refusal, Second, Terms};
use capitalbench_core::evidence::claims::{METHOD, Rules, Side};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::parse_day;
use capitalbench_proof::event::{Event, Fact, Files, Instant, Registration};
use capitalbench_proof::merkle::sha256;
use jiff::Timestamp;
use serde_json::json;

use super::append::Known;
use super::{LogFolder, LogKey, instant, read};
use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::text::json::to_pretty;
use crate::round::round_folder::names_in;

/// A registration as the log has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Registered {
    /// Its place in the log.
    pub leaf: u64,
    pub name: String,
    /// What it fixes; or what in the entry cannot be read.
    pub terms: Result<Terms, String>,
    pub file: FileState,
}

/// The file of a registration beside its entry in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    Same,
    Edited,
    Missing,
}

/// What became of a registration.
#[derive(Debug)]
pub enum Entered {
    /// The log holds it.
    Signed { leaf: u64 },
    /// A rule forbids it.
    Refused(Refusal),
}

/// The entry of an acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acceptance {
    pub leaf: u64,
    pub at: Timestamp,
}

/// Acceptances by round and run.
pub type Acceptances = BTreeMap<String, BTreeMap<String, Acceptance>>;

/// Where the file of a claim lies, relative to the folder of rounds.
pub fn claim_file(name: &str) -> String {
    format!("{}/{name}.json", layout::LOG_CLAIMS)
}

impl LogFolder {
    /// Every registration, in the order of the log.
    pub fn registered_claims(&self) -> Result<Vec<Registered>, FileError> {
        let mut found = Vec::new();
        for (leaf, event) in self.events_of_round(layout::CLAIMS)? {
            if let Fact::Registered(own) = &event.fact {
                found.push(Registered {
                    leaf,
                    name: own.claim.clone(),
                    terms: terms(own, instant(&event)),
                    file: self.file_state(own, &event.at)?,
                });
            }
        }
        Ok(found)
    }

    /// When each run of these rounds was accepted, by the log: by round, runs in the order of the log.
    pub fn acceptances(&self, rounds: &[String]) -> Result<Acceptances, FileError> {
        let mut found = Acceptances::new();
        let Some(signed) = self.checkpoint()? else {
            return Ok(found);
        };
        let size = signed.checkpoint.size;
        let known = self.index(size)?;
        for round in rounds {
            for (leaf, bytes) in self.leaves(&known.places(self, round)?, size)? {
                // A leaf that cannot be read proves nothing; `verify` reports it.
                let Ok(event) = Event::parse(&bytes) else {
                    continue;
                };
                if let (Fact::Accepted { run, .. }, Some(at)) = (&event.fact, instant(&event)) {
                    let own = found.entry(round.clone()).or_default();
                    own.insert(run.clone(), Acceptance { leaf, at });
                }
            }
        }
        Ok(found)
    }

    /// The instant of the newest entry; none where there is none.
    pub fn newest_instant(&self) -> Result<Option<Timestamp>, FileError> {
        let size = self.size()?;
        let leaf = self.leaf(size.saturating_sub(1), size)?;
        let event = leaf.and_then(|leaf| Event::parse(&leaf).ok());
        Ok(event.and_then(|event| instant(&event)))
    }

    fn file_state(&self, own: &Registration, at: &Instant) -> Result<FileState, FileError> {
        // A name that leads elsewhere is no name; its terms are refused.
        if ClaimName::parse(&own.claim).is_err() {
            return Ok(FileState::Missing);
        }
        let path = claim_file(&own.claim);
        Ok(match read(&self.file(&path))? {
            None => FileState::Missing,
            Some(bytes) => {
                let text = text(own, at);
                let signed = own.files.get(&path) == Some(&sha256(&bytes));
                if signed && bytes == text.as_bytes() {
                    FileState::Same
                } else {
                    FileState::Edited
                }
            }
        })
    }

    /// Names in the folder of claims that no entry of the log has.
    pub fn unsigned_claims(&self, registered: &[Registered]) -> Result<Vec<String>, FileError> {
        let mut names = names_in(&self.file(layout::LOG_CLAIMS))?;
        names.retain(|name| {
            let known = |own: &Registered| Some(own.name.as_str()) == name.strip_suffix(".json");
            !name.starts_with(file_ops::TEMPORARY_PREFIX) && !registered.iter().any(known)
        });
        Ok(names)
    }

    /// Writes the file of a claim and its entry, unless a rule forbids the claim.
    ///
    /// The file comes first: a process that dies in between leaves a file that no entry names, and
    /// the next registration under that name replaces it.
    pub fn register_claim(&self, key: &LogKey, new: &Terms) -> Result<Entered, FileError> {
        let _hold = self.take_turn()?;
        let known = self.registered_claims()?.into_iter();
        let known: Vec<Terms> = known.filter_map(|own| own.terms.ok()).collect();
        if let Err(refusal) = new.check(&known) {
            return Ok(Entered::Refused(refusal));
        }
        let own = |text: String| FileError::folder(&self.file(layout::LOG_CLAIMS), text);
        let at = Instant::parse(&new.registered_at.to_string());
        let at = at.ok_or_else(|| own(format!("{} is out of range", new.registered_at)))?;
        let mut entry = registration(new);
        let text = text(&entry, &at);
        let path = claim_file(&entry.claim);
        entry.files = Files::from([(path.clone(), sha256(text.as_bytes()))]);
        file_ops::create_folder(&self.file(layout::LOG_CLAIMS))?;
        file_ops::replace(&self.file(&path), text.as_bytes())?;
        let event = Event {
            round: layout::CLAIMS.to_owned(),
            at,
            fact: Fact::Registered(entry),
        };
        let appended = self.append_held(key, &[event], Known::Skipped)?;
        let leaf = appended.size.saturating_sub(1);
        Ok(Entered::Signed { leaf })
    }
}

/// The entry of a claim, without its file.
fn registration(new: &Terms) -> Registration {
    Registration {
        claim: new.claim.to_string(),
        first: new.first.to_string(),
        second: new.second.as_str().to_owned(),
        track: new.track.as_str().to_owned(),
        side: new.rules.side.as_str().to_owned(),
        alpha: new.rules.alpha.to_string(),
        scale: new.rules.scale.to_string(),
        spread: new.rules.spread.to_string(),
        first_day: new.first_day.to_string(),
        last_day: new.last_day.map(|day| day.to_string()),
        season: new.season.to_string(),
        family: new.family as u64,
        method: METHOD.to_owned(),
        files: Files::new(),
    }
}

/// The file of a claim; its bytes follow from the entry.
fn text(own: &Registration, at: &Instant) -> String {
    to_pretty(&json!({
        "format_version": 1,
        "claim": own.claim,
        "registered_at_utc": at.as_str(),
        "method": own.method,
        "first": own.first,
        "second": own.second,
        "track": own.track,
        "side": own.side,
        "alpha": own.alpha,
        "scale": own.scale,
        "spread": own.spread,
        "first_day": own.first_day,
        "last_day": own.last_day,
        "season": own.season,
        "family": own.family,
    }))
}

/// What an entry fixes, or which of its members cannot be read.
fn terms(own: &Registration, at: Option<Timestamp>) -> Result<Terms, String> {
    let wrong = |member: &str, value: &str| format!("{member}: {value:?} cannot be read");
    let number = |member: &str, text: &str| {
        let value = text.parse::<f64>().ok();
        // One number has one text.
        value
            .filter(|value| value.is_finite() && value.to_string() == text)
            .ok_or_else(|| wrong(member, text))
    };
    let day = |member: &str, text: &str| parse_day(text).ok_or_else(|| wrong(member, text));
    let model = |text: &str| ModelId::parse(text).map_err(|error| error.to_string());
    let name = |text: &str| ClaimName::parse(text).map_err(|error| error.to_string());
    if own.method != METHOD {
        return Err(wrong("method", &own.method));
    }
    let second = Second::Reference;
    let second = if own.second == second.as_str() {
        second
    } else {
        Second::Model(model(&own.second)?)
    };
    let tracks = [Track::Weekly, Track::Monthly];
    let mut tracks = tracks.into_iter();
    let track = tracks.find(|track| track.as_str() == own.track);
    let family = usize::try_from(own.family);
    let season = own.season.parse::<i16>().ok();
    let season = season.filter(|year| year.to_string() == own.season);
    Ok(Terms {
        claim: name(&own.claim)?,
        first: model(&own.first)?,
        second,
        track: track.ok_or_else(|| wrong("track", &own.track))?,
        rules: Rules {
            side: Side::parse(&own.side).ok_or_else(|| wrong("side", &own.side))?,
            alpha: number("alpha", &own.alpha)?,
            scale: number("scale", &own.scale)?,
            spread: number("spread", &own.spread)?,
        },
        first_day: day("first_day", &own.first_day)?,
        last_day: own
            .last_day
            .as_deref()
            .map(|text| day("last_day", text))
            .transpose()?,
        season: season.ok_or_else(|| wrong("season", &own.season))?,
        family: family.map_err(|_| wrong("family", &own.family.to_string()))?,
        registered_at: at.ok_or("at: is out of range")?,
    })
}
