//! The entrant's side: `enter keys`, `enter register`, `enter seal`, `enter open`.

use capitalbench_core::decision::entering::names::EntrantKey;
use capitalbench_core::decision::entering::registration::AgentTerms;
use capitalbench_operations::proof::entering::registering::{
    RegistrationRequest, make_entrant_key, register as sign,
};
use capitalbench_operations::proof::entering::sealing::{self, OpenedPortfolio, SealRequest};
use serde_json::json;

use crate::cli::{AgentFlags, EnterKeys, EnterOpen, EnterRegister, EnterSeal};
use crate::config::operator;
use crate::console::{line, next_step, show};
use crate::error::{Error, Exit};

pub(super) fn keys(arguments: &EnterKeys) -> Result<Exit, Error> {
    let public = make_entrant_key(&arguments.name, &arguments.key)?;
    let file = arguments.key.display().to_string();
    show(
        || json!({"name": public.name(), "vkey": public.as_str(), "private_key_file": file}),
        || {
            line(&public);
            line(format!(
                "the private half is in {file}; whoever has it can enter in your name"
            ));
            next_step("capitalbench enter register --help");
        },
    );
    Ok(Exit::Success)
}

/// What an agent declares, where one is named.
fn agent(flags: &AgentFlags) -> Result<Option<AgentTerms>, Error> {
    let Some(address) = &flags.agent else {
        return Ok(None);
    };
    let seconds = u32::try_from(flags.time_limit.as_secs());
    let seconds = seconds.map_err(|_| Error::new("--time-limit must be from 1s to 1h"))?;
    Ok(Some(AgentTerms {
        address: address.to_string(),
        seconds,
        model: flags.model.clone(),
    }))
}

pub(super) fn register(arguments: &EnterRegister) -> Result<Exit, Error> {
    let request = RegistrationRequest {
        league: &arguments.league,
        entrant: &arguments.entrant,
        name: &arguments.name,
        kind: arguments.kind,
        contact: &arguments.contact,
        method: &arguments.method,
        address: arguments.address.as_deref(),
        agent: agent(&arguments.agent)?,
        keys: &arguments.keys,
        output: &arguments.output,
    };
    let (file, own) = sign(&operator(None)?, &request)?;
    let file = file.display().to_string();
    show(
        || {
            json!({
                "file": file,
                "league": own.league,
                "entrant": own.entrant.as_str(),
                "keys": own.keys.iter().map(EntrantKey::as_str).collect::<Vec<_>>(),
            })
        },
        || {
            line(format!("signed for {}: {file}", own.league));
            next_step(format!("send {file} to the operator of the league"));
        },
    );
    Ok(Exit::Success)
}

pub(super) fn seal(arguments: &EnterSeal) -> Result<Exit, Error> {
    let request = SealRequest {
        round: &arguments.round,
        portfolio: &arguments.portfolio,
        key: &arguments.key,
        authority: arguments.authority.as_ref(),
        output: &arguments.output,
    };
    let done = sealing::seal(&operator(arguments.now.instant)?, &request)?;
    let times = done.terms.times;
    let (file, secret) = (done.file.display(), done.secret.display());
    let stamped = done.stamp.as_ref().map(|stamp| stamp.before.to_string());
    show(
        || {
            json!({
                "round": done.entry.round.as_str(),
                "league": done.entry.league,
                "commitment": done.entry.commitment.to_hex(),
                "file": file.to_string(),
                "secret": secret.to_string(),
                "deadline": times.deadline.to_string(),
                "opens": times.opens.to_string(),
                "closes": times.closes.to_string(),
                "stamped_before": stamped,
            })
        },
        || {
            line(format!("sealed for {}: {file}", done.entry.round));
            if let Some(before) = &stamped {
                line(format!("stamped before {before}"));
            }
            line(format!(
                "keep {secret} to yourself: without it nobody can open the entry"
            ));
            next_step(format!(
                "deliver {file} before {}; run `capitalbench enter open` from {} to {}",
                times.deadline, times.opens, times.closes
            ));
        },
    );
    Ok(Exit::Success)
}

pub(super) fn open(arguments: &EnterOpen) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let done = sealing::open(&operator, &arguments.round, &arguments.folder)?;
    let as_json = |own: &OpenedPortfolio| {
        json!({
            "round": own.terms.round.as_str(),
            "key": own.opening.key.name(),
            "file": own.file.display().to_string(),
            "closes": own.terms.times.closes.to_string(),
        })
    };
    show(
        || json!(done.iter().map(as_json).collect::<Vec<_>>()),
        || {
            for own in &done {
                line(format!("opened: {}", own.file.display()));
                next_step(format!(
                    "deliver it before {}; later it counts as cash",
                    own.terms.times.closes
                ));
            }
        },
    );
    Ok(Exit::Success)
}
