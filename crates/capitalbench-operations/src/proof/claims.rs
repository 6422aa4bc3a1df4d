//! Registers a claim before its first day.

use std::collections::BTreeSet;
use std::path::Path;

use capitalbench_archive::format::round::models;
use capitalbench_archive::log::claims::{Entered, claim_file};
use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_archive::public::public_record::publication;
use capitalbench_archive::verify::count_rounds;
use capitalbench_core::evidence::claims::pair::PairRecord;
use capitalbench_core::evidence::claims::terms::{
    ClaimName, REFERENCE, Second, Terms, USUAL_SCALE, USUAL_SPREAD, WIDE_SPREAD,
};
use capitalbench_core::evidence::claims::{Rules, Side};
use capitalbench_core::publication::Publication;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::similar::closest;
use capitalbench_proof::order::CLOCK_SLACK;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::error::Error;
use crate::league::folder::LeagueFolder;
use crate::operator::Operator;
use crate::operator::files::read;

/// What somebody wants to claim.
#[derive(Debug, Clone)]
pub struct ClaimRequest<'a> {
    pub rounds: &'a Path,
    pub claim: &'a str,
    pub first: &'a str,
    /// A model, or the reference.
    pub second: &'a str,
    pub track: Track,
    pub side: Side,
    pub alpha: f64,
    pub first_day: Date,
    pub last_day: Option<Date>,
    pub family: usize,
    /// By default what the record shows.
    pub scale: Option<f64>,
    /// By default what the market suggests.
    pub spread: Option<f64>,
    /// Its models may not have answered yet.
    pub league: Option<&'a LeagueFolder>,
}

/// A claim that the log holds from now on.
#[derive(Debug, Clone, PartialEq)]
pub struct RegisteredClaim {
    pub terms: Terms,
    pub leaf: u64,
    /// Its file, relative to the folder of rounds.
    pub file: String,
    /// Days of the record that the scale follows from; none where it was given or is the usual one.
    pub scale_from: Option<usize>,
}

/// Registers a claim; the log holds it when this returns.
pub fn register_claim(
    operator: &Operator,
    request: &ClaimRequest<'_>,
) -> Result<RegisteredClaim, Error> {
    let now = operator.now();
    let log = LogFolder::of_rounds(request.rounds);
    let key = signing_key(operator, &log)?;
    require_newest_before(&log, now)?;
    let public = match count_rounds(request.rounds) {
        0 => None,
        _ => Some(publication(request.rounds, now, &|| ()).map_err(|error| {
            Error::new(format!(
                "the record before the claim cannot be read: {error}"
            ))
        })?),
    };
    let known = known_models(public.as_ref(), request.league)?;
    let first = model(request.first, &known)?;
    let second = match request.second {
        REFERENCE => Second::Reference,
        other => Second::Model(model(other, &known)?),
    };
    let record = public.as_ref();
    let record = record.and_then(|own| PairRecord::of(own, request.track, (&first, &second)));
    let scale_from = record.as_ref().filter(|_| request.scale.is_none());
    let terms = Terms {
        claim: name(request.claim)?,
        season: request.first_day.year(),
        rules: Rules {
            side: request.side,
            alpha: request.alpha,
            scale: request.scale.unwrap_or_else(|| {
                scale_from.map_or(USUAL_SCALE, |record| rounded(record.deviation))
            }),
            spread: request
                .spread
                .unwrap_or_else(|| usual_spread(public.as_ref(), request.track)),
        },
        first,
        second,
        track: request.track,
        first_day: request.first_day,
        last_day: request.last_day,
        family: request.family,
        registered_at: second_of(now),
    };
    match log.register_claim(&key, &terms)? {
        Entered::Refused(refusal) => {
            let text = format!("{} was not registered: it {refusal}", terms.claim);
            Err(Error::new(text).hint(refusal.hint()))
        }
        Entered::Signed { leaf } => Ok(RegisteredClaim {
            file: claim_file(terms.claim.as_str()),
            scale_from: scale_from.map(|record| record.days),
            terms,
            leaf,
        }),
    }
}

/// The key of a signed folder; without one nothing can be registered.
pub(crate) fn signing_key(operator: &Operator, log: &LogFolder) -> Result<LogKey, Error> {
    if log.verifier()?.is_none() {
        let text = format!("{} is unsigned: it has no log", log.rounds().display());
        let hint = "make a key with `capitalbench keys init`; a claim is an entry of the log";
        return Err(Error::new(text).hint(hint));
    }
    let key = LogKey::load(&operator.configuration.log_key(log))?;
    key.ok_or_else(|| {
        let text = "the key of the log is not here, so nothing can be registered";
        Error::new(text).hint("name the key's file with CAPITALBENCH_LOG_KEY")
    })
}

/// A claim is not registered by a clock that is behind the log: the entry would say too early an
/// instant.
pub(crate) fn require_newest_before(log: &LogFolder, now: Timestamp) -> Result<(), Error> {
    let newest = log.newest_instant()?;
    match newest.filter(|newest| newest.duration_since(now) > CLOCK_SLACK) {
        None => Ok(()),
        Some(newest) => {
            let text = format!("the clock shows {now}, and the log has an event of {newest}");
            Err(Error::new(text).hint("set the clock of this machine; nothing was registered"))
        }
    }
}

fn name(text: &str) -> Result<ClaimName, Error> {
    ClaimName::parse(text).map_err(|error| {
        let hint = "use a name like grok-above-index";
        Error::new(format!("NAME: {error}")).hint(hint)
    })
}

/// Models of public rounds, of rosters, and of the league.
fn known_models(
    public: Option<&Publication>,
    league: Option<&LeagueFolder>,
) -> Result<BTreeSet<ModelId>, Error> {
    let mut known = BTreeSet::new();
    if let Some(league) = league {
        let all = read(&league.file(&league.league.models), models::parse_settings)?;
        known.extend(all.into_iter().map(|own| own.contestant.model_id));
    }
    let Some(public) = public else {
        return Ok(known);
    };
    known.extend(public.contestants().into_values().cloned());
    let rosters = public
        .rounds
        .iter()
        .flat_map(|round| &round.manifest.roster);
    known.extend(rosters.flat_map(|roster| roster.model_ids.iter().cloned()));
    Ok(known)
}

fn model(text: &str, known: &BTreeSet<ModelId>) -> Result<ModelId, Error> {
    if let Some(found) = known.iter().find(|id| id.as_str() == text) {
        return Ok(found.clone());
    }
    let error = Error::new(format!(
        "no round and no roster of this folder has a model named {text:?}"
    ));
    let names = known.iter().map(ModelId::as_str);
    Err(match closest(text, names.clone()) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None if known.is_empty() => error.hint("open a round first, or name the league's folder"),
        None => {
            let names: Vec<&str> = names.collect();
            error.hint(format!("models: {}", names.join(", ")))
        }
    })
}

/// Two significant digits, so that a file says no more than the record tells.
fn rounded(scale: f64) -> f64 {
    format!("{scale:.1e}").parse().unwrap_or(scale)
}

/// Markets that never close move further on a day.
fn usual_spread(public: Option<&Publication>, track: Track) -> f64 {
    let rounds = public.into_iter().flat_map(|own| &own.rounds);
    let mut own = rounds.filter(|round| round.track == Some(track));
    if own.any(|round| round.manifest.market.never_closes()) {
        WIDE_SPREAD
    } else {
        USUAL_SPREAD
    }
}

/// The instant in whole seconds, as files have it.
fn second_of(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}
