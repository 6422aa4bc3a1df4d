//! Registered claims with what the public files of their rounds show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_core::decision::portfolio::{Holding, HoldingForecast};
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::evidence::claims::daily::ClaimRound;
use capitalbench_core::evidence::claims::record::{
    Candidate, Case, ClaimRecord, LeftOut, admit, records,
};
use capitalbench_core::evidence::claims::terms::Terms;
use capitalbench_core::evidence::inference::daily::Closes;
use capitalbench_core::publication::renames::Renames;
use capitalbench_core::round::manifest::{Stream, Track, Window};
use capitalbench_core::values::ids::{ModelId, OptionId, RoundId, RunId};
use capitalbench_core::values::units::BasisPoints;
use jiff::Timestamp;
use jiff::civil::Date;

use super::public_record::{PublicationError, Shared, record};
use crate::disk::layout::run;
use crate::log::LogFolder;
use crate::log::claims::Acceptance;
use crate::results::scoring::parsed_submissions;
use crate::round::cast::RoundCast;
use crate::round::round_folder::{RoundInputs, list_rounds};
use crate::run::ledger::RunPlan;

/// The claims of a folder of rounds at an instant, in the order of the log.
pub fn claims(rounds: &Path, as_of: Timestamp) -> Result<Vec<ClaimRecord>, PublicationError> {
    let log = LogFolder::of_rounds(rounds);
    let told = log.registered_claims()?.into_iter();
    let told = told.filter_map(|own| Some((own.leaf, own.terms.ok()?)));
    let told = told.filter(|(_, terms)| terms.registered_at <= as_of);
    let (good, _) = admit(told.collect());
    let Some(first_day) = good.iter().map(|(_, terms)| terms.first_day).min() else {
        return Ok(Vec::new());
    };
    let shared = Shared::load(rounds)?;
    let mut found = Vec::new();
    for folder in list_rounds(rounds)? {
        let inputs = RoundInputs::load(folder, shared.universes())?;
        found.extend(OwnRound::load(&inputs, &shared, (first_day, as_of))?);
    }
    let names: Vec<String> = found.iter().map(|own| own.folder.clone()).collect();
    let accepted = log.acceptances(&names)?;
    for own in &mut found {
        let runs = accepted.get(&own.folder);
        own.left_out = own.unproved(runs.and_then(|runs| runs.get(own.run.as_str())));
    }
    let is_synthetic = found.iter().all(|own| own.stream == Stream::Synthetic);
    let wanted = if is_synthetic {
        Stream::Synthetic
    } else {
        Stream::Primary
    };
    found.retain(|own| own.stream == wanted);
    found.sort_by(|a, b| (a.window.entry, &a.round_id).cmp(&(b.window.entry, &b.round_id)));
    let casts = found.iter().filter_map(|own| own.cast.as_ref());
    let renames = Renames::of(casts.map(RoundCast::as_cast).collect());
    let markets = found.iter().map(|own| own.window.market);
    let closed = markets.filter_map(|market| market.last_session_by(as_of));
    let Some(up_to) = closed.min() else {
        return Ok(records(
            waiting(good),
            first_day.yesterday().unwrap_or(first_day),
        ));
    };
    let held: Vec<Sides> = good
        .iter()
        .map(|(_, terms)| Sides::of(terms, &found, &renames))
        .collect();
    let told = good.into_iter().zip(&held);
    let told = told.map(|((leaf, terms), sides)| sides.case(leaf, terms, &found));
    Ok(records(told.collect(), up_to))
}

/// Claims of which no round has entered yet.
fn waiting(good: Vec<(u64, Terms)>) -> Vec<Case<'static>> {
    let case = |(leaf, terms)| Case {
        terms,
        leaf,
        rounds: Vec::new(),
        left_out: Vec::new(),
    };
    good.into_iter().map(case).collect()
}

/// A round of the time of the claims.
struct OwnRound {
    round_id: RoundId,
    stream: Stream,
    track: Option<Track>,
    window: Window,
    resolved: bool,
    /// The name of its folder, which is its name in the log.
    folder: String,
    /// Its record.
    run: RunId,
    /// Why nothing of it counts.
    left_out: Option<LeftOut>,
    submissions: BTreeMap<ModelId, Vec<Holding>>,
    reference: OptionId,
    closes: Closes,
    cast: Option<RoundCast>,
}

impl OwnRound {
    /// A round that entered from a day on and before an instant, and that has a record.
    fn load(
        inputs: &RoundInputs,
        shared: &Shared,
        (first_day, as_of): (Date, Timestamp),
    ) -> Result<Option<Self>, PublicationError> {
        let manifest = &inputs.manifest;
        let Some(window) = manifest.window.filter(|own| own.entry >= first_day) else {
            return Ok(None);
        };
        if window.entry_close().is_none_or(|close| close >= as_of) {
            return Ok(None);
        }
        let runs = inputs.folder.runs()?;
        let Some(run) = record(inputs, &runs) else {
            return Ok(None);
        };
        let run_folder = inputs.folder.run(&run.run_id)?;
        let all = parsed_submissions(inputs, &run_folder, run.rules)?;
        let reference = inputs.universe.reference().id.clone();
        let decided = |own: &Submission| (own.model_id.clone(), own.decision.holdings());
        let submissions: BTreeMap<ModelId, Vec<Holding>> = all.iter().map(decided).collect();
        let mut held: BTreeSet<&OptionId> = BTreeSet::from([&reference]);
        held.extend(submissions.values().flatten().map(|own| &own.option_id));
        let closes = shared.snapshots().of_round(inputs, &held)?;
        let plan = |id: &RunId| RunPlan::of_run(&inputs.folder.run(id)?);
        let is_over = window.exit_close().is_some_and(|exit| exit < as_of);
        Ok(Some(Self {
            round_id: manifest.round_id.clone(),
            stream: manifest.stream,
            track: manifest.track(),
            window,
            resolved: is_over && run_folder.has(run::LEADERBOARD),
            left_out: None,
            folder: inputs.folder.name(),
            run: run.run_id.clone(),
            cast: RoundCast::of_record(manifest, &runs, plan)?,
            submissions,
            reference: reference.clone(),
            closes,
        }))
    }

    /// Why the log does not show that its record was accepted before the entry close; none where it
    /// does.
    fn unproved(&self, accepted: Option<&Acceptance>) -> Option<LeftOut> {
        let close = self.window.entry_close()?;
        match accepted {
            None => Some(LeftOut::NotLogged),
            Some(Acceptance { at, .. }) if *at >= close => {
                Some(LeftOut::LoggedLate { at: *at, close })
            }
            Some(_) => None,
        }
    }
}

/// What both sides hold in a round, or why it does not count.
type BothHeld = Result<[Vec<Holding>; 2], LeftOut>;

/// What both sides of a claim held, round by round.
struct Sides(Vec<(usize, BothHeld)>);

impl Sides {
    fn of(terms: &Terms, rounds: &[OwnRound], renames: &Renames) -> Self {
        let counts = |own: &OwnRound| {
            let last = terms.last_day.is_none_or(|last| own.window.entry <= last);
            own.track == Some(terms.track) && own.window.entry >= terms.first_day && last
        };
        let all = rounds.iter().enumerate().filter(|(_, own)| counts(own));
        let sides = |own: &OwnRound| {
            if let Some(why) = &own.left_out {
                return Err(why.clone());
            }
            let held = |model: &ModelId| {
                let newest = renames.newest(model);
                let mut decided = own.submissions.iter();
                let found = decided.find(|(id, _)| renames.newest(id) == newest);
                let found = found.map(|(_, holdings)| holdings.clone());
                found.ok_or_else(|| LeftOut::NoAnswer(model.clone()))
            };
            let second = match terms.second.model() {
                Some(model) => held(model)?,
                None => vec![whole(&own.reference)],
            };
            Ok([held(&terms.first)?, second])
        };
        Self(all.map(|(place, own)| (place, sides(own))).collect())
    }

    fn case<'a>(&'a self, leaf: u64, terms: Terms, rounds: &'a [OwnRound]) -> Case<'a> {
        let mut case = Case {
            terms,
            leaf,
            rounds: Vec::new(),
            left_out: Vec::new(),
        };
        for (place, sides) in &self.0 {
            let own = &rounds[*place];
            let round_id = own.round_id.clone();
            match sides {
                Err(why) => case.left_out.push((round_id, why.clone())),
                Ok([first, second]) => case.rounds.push(Candidate {
                    round_id,
                    resolved: own.resolved,
                    live: ClaimRound {
                        window: own.window,
                        first,
                        second,
                        closes: &own.closes,
                    },
                }),
            }
        }
        case
    }
}

/// Everything in one option.
fn whole(option: &OptionId) -> Holding {
    Holding {
        option_id: option.clone(),
        weight: BasisPoints::WHOLE,
        rationale: String::new(),
        forecast: HoldingForecast::default(),
    }
}
