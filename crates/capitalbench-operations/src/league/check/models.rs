//! The models of a league: known, priced, and asked one short question each.

use std::thread;

use capitalbench_archive::format::round::models::{self as format, ModelSettings};
use capitalbench_core::asking::attempt::Reason;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::league::settings::LeagueCalls;
use capitalbench_core::values::ids::RoundId;
use jiff::{SignedDuration, Timestamp};

use super::Checked;
use crate::asking::price_card::PriceBook;
use crate::asking::providers::{check_model, is_offline, key_variable};
use crate::asking::seats::UNPRICED;
use crate::asking::smoke::{SmokeReport, SmokeRequest, prepare_smoke};
use crate::error::Error;
use crate::league::folder::LeagueFolder;
use crate::operator::Operator;
use crate::operator::files::read;

/// How far the clock of this machine may be from those of servers.
const MOST_SKEW: SignedDuration = SignedDuration::from_secs(60);

/// What answers said besides.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Clocks of servers, each with ours.
    clocks: Vec<(Timestamp, Timestamp)>,
}

/// Says whether the models can be asked, and asks them where the league may.
pub(super) fn check(operator: &Operator, league: &LeagueFolder, found: &mut Vec<Checked>) -> Asked {
    const WHAT: &str = "models";
    let file = league.file(&league.league.models);
    let all = match read(&file, format::parse_settings) {
        Ok(all) => all,
        Err(error) => {
            let next = "repair the file; docs/models.md has every field";
            found.push(Checked::repair(WHAT, error.to_string(), next));
            return Asked::default();
        }
    };
    let active = active(operator, league, all);
    if active.is_empty() {
        let text = format!("{} has no model that takes part now", league.league.models);
        found.push(Checked::repair(WHAT, text, "add a model, or enable one"));
        return Asked::default();
    }
    let mut askable = Vec::new();
    for model in active {
        match check_model(&model) {
            Ok(()) => askable.push(model),
            Err(error) => {
                let usual = "repair its entry; docs/models.md has every field";
                found.push(Checked::of_error(WHAT, error, usual));
            }
        }
    }
    if let Some(problem) = unpriced(operator, league, &askable) {
        found.push(problem);
    }
    let names: Vec<&str> = askable
        .iter()
        .map(|m| m.contestant.model_id.as_str())
        .collect();
    found.push(Checked::ready(
        WHAT,
        format!("{} known: {}", names.len(), names.join(", ")),
    ));
    keys(operator, league, &askable, found)
}

/// The models that a round of today would ask.
fn active(
    operator: &Operator,
    league: &LeagueFolder,
    all: Vec<ModelSettings>,
) -> Vec<ModelSettings> {
    let now = operator.clock.now();
    let day = now.to_string()[..10].to_owned();
    let Ok(round) = RoundId::parse(&format!("{}-{day}-1W", league.league.prefix)) else {
        return all;
    };
    let is_active = |model: &ModelSettings| model.contestant.is_active(&round, now);
    all.into_iter().filter(is_active).collect()
}

/// A budget cannot be kept when a price is unknown.
fn unpriced(
    operator: &Operator,
    league: &LeagueFolder,
    models: &[ModelSettings],
) -> Option<Checked> {
    const WHAT: &str = "budget";
    let budget = league.league.budget;
    if league.is_rehearsed() || (budget.per_round.is_none() && budget.per_month.is_none()) {
        return None;
    }
    let card = league
        .league
        .pricing
        .as_deref()
        .map(|file| league.file(file));
    let book = match PriceBook::open(card.as_deref(), Some(operator.clock.now())) {
        Ok(book) => book,
        Err(error) => return Some(Checked::of_error(WHAT, error, "repair the price card")),
    };
    let is_unknown = |model: &&ModelSettings| {
        let contestant = &model.contestant;
        let asked = [(&contestant.provider, &contestant.api_model_name)];
        !is_offline(&contestant.provider) && book.prices(asked, "").0.is_empty()
    };
    let unknown: Vec<&str> = models
        .iter()
        .filter(is_unknown)
        .map(|model| model.contestant.model_id.as_str())
        .collect();
    if unknown.is_empty() {
        return None;
    }
    let text = format!("cannot be kept: no price of {}", unknown.join(", "));
    Some(Checked::repair(WHAT, text, UNPRICED))
}

/// One short question for each model, all at once.
fn keys(
    operator: &Operator,
    league: &LeagueFolder,
    models: &[ModelSettings],
    found: &mut Vec<Checked>,
) -> Asked {
    const WHAT: &str = "keys";
    if league.is_rehearsed() {
        let text = "rehearsal: mock models answer, so no key is needed";
        found.push(Checked::not_used(WHAT, text));
        return Asked::default();
    }
    let remote = models
        .iter()
        .filter(|m| !is_offline(&m.contestant.provider));
    let remote: Vec<&ModelSettings> = remote.collect();
    let reports = thread::scope(|threads| {
        let ask = |model| threads.spawn(move || ask(operator, league, model));
        let asking: Vec<_> = remote.iter().map(|model| ask(*model)).collect();
        let ended = asking.into_iter().map(|one| match one.join() {
            Ok(report) => report,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ended.collect::<Vec<_>>()
    });
    let mut asked = Asked::default();
    let (mut answered, mut cost) = (0, Cost::ZERO);
    for (model, report) in remote.iter().zip(reports) {
        match report {
            Err(error) => {
                let text = format!("{}: {}", model.contestant.model_id, error.message);
                let next = error.hint.unwrap_or_else(|| "repair its entry".to_owned());
                found.push(Checked::repair(WHAT, text, next));
            }
            Ok(report) => {
                cost = cost.plus(report.cost.unwrap_or_default());
                asked.clocks.extend(report.clocks);
                match &report.problem {
                    None => answered += 1,
                    Some((reason, text)) => {
                        let id = &model.contestant.model_id;
                        let next = remedy(*reason, model, &report);
                        found.push(Checked::repair(WHAT, format!("{id}: {text}"), next));
                    }
                }
            }
        }
    }
    let text = format!(
        "{answered} of {} models answered a short question, for {:.4} US dollars",
        remote.len(),
        cost.usd()
    );
    if answered > 0 {
        found.push(Checked::ready(WHAT, text));
    }
    asked
}

fn ask(
    operator: &Operator,
    league: &LeagueFolder,
    model: &ModelSettings,
) -> Result<SmokeReport, Error> {
    let request = SmokeRequest {
        models: league.file(&league.league.models),
        model: model.contestant.model_id.to_string(),
        pricing: league
            .league
            .pricing
            .as_deref()
            .map(|file| league.file(file)),
        allow_real_calls: true,
    };
    prepare_smoke(operator, &request)?.ask(operator)
}

/// What to do about a model that did not answer as asked.
fn remedy(reason: Reason, model: &ModelSettings, report: &SmokeReport) -> String {
    let key = key_variable(model).unwrap_or("its key");
    let name = &model.contestant.api_model_name;
    match reason {
        Reason::Key => format!("get another key, write it as {key} into .env, and run this again"),
        Reason::Quota => format!("raise the allowance of the account behind {key}"),
        Reason::NoModel => format!("correct api_model_name {name} in the models file"),
        Reason::OtherModel => match &report.served_models_line {
            Some(line) => format!("if this is the model you mean, add to its entry: {line}"),
            None => "correct its name in the models file".to_owned(),
        },
        Reason::Unreachable => "look at base_url and at this machine's network".to_owned(),
        _ => "run this again; an open slot is asked until the deadline".to_owned(),
    }
}

impl Asked {
    /// Whether this machine's clock agrees with those of the servers.
    pub(super) fn clock(&self, calls: LeagueCalls) -> Checked {
        const WHAT: &str = "clock";
        let apart = |(server, own): &(Timestamp, Timestamp)| own.duration_since(*server);
        let nearest = self
            .clocks
            .iter()
            .map(apart)
            .min_by_key(|apart| apart.abs());
        let Some(apart) = nearest else {
            return match calls {
                LeagueCalls::Rehearsed => {
                    Checked::not_used(WHAT, "rehearsal: no server was asked for the time")
                }
                LeagueCalls::Real => Checked::not_used(WHAT, "no server told the time"),
            };
        };
        let seconds = apart.as_secs();
        if apart.abs() > MOST_SKEW {
            let side = if seconds > 0 { "ahead of" } else { "behind" };
            let text = format!("{} s {side} the clocks of servers", seconds.abs());
            let next = "set this machine's clock by a time server, for example with timedatectl";
            return Checked::repair(WHAT, text, next);
        }
        let text = format!("within {} s of the clocks of servers", seconds.abs().max(1));
        Checked::ready(WHAT, text)
    }
}

#[cfg(test)]
mod tests;
