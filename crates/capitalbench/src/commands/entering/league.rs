//! The league's side, and how an entrant checks it: `enter collect`, `enter check`.

use capitalbench_archive::log::entrants::{Logged, Taken};
use capitalbench_operations::proof::entering::checking::{CheckedReceipt, check_receipt};
use capitalbench_operations::proof::entering::collecting::{Collected, Collection, collect_for};
use serde_json::{Value, json};

use crate::cli::{EnterCheck, EnterCollect};
use crate::config::{enter_league, league_operator, operator};
use crate::console::{ERROR, GOOD, WARNING, line, paint, show, warn};
use crate::error::{Error, Exit};

pub(super) fn collect(arguments: &EnterCollect) -> Result<Exit, Error> {
    let league = enter_league(&arguments.league.folder)?;
    let operator = league_operator(&league, arguments.now.instant)?;
    let done = collect_for(&operator, &league)?;
    show(|| as_json(&done), || print(&done));
    Ok(Exit::of(
        done.refused().next().is_none() && done.failed.is_empty(),
    ))
}

fn as_json(done: &Collection) -> Value {
    let one = |own: &Collected| {
        let (state, logged, refusal) = match &own.taken {
            Taken::New(logged) => ("logged", Some(logged), None),
            Taken::Known(logged) => ("known", Some(logged), None),
            Taken::Refused(refusal) => (refusal.as_str(), None, Some(refusal.to_string())),
        };
        json!({
            "from": own.found.from,
            "state": state,
            "entrant": logged.map(|logged| logged.entrant.as_str()),
            "round": logged.and_then(|logged| Some(logged.round.as_ref()?.as_str())),
            "receipt": logged.map(|logged| &logged.receipt),
            "reason": refusal,
        })
    };
    let failed = done.failed.iter();
    let failed = failed.map(|(from, why)| json!({"from": from, "reason": why}));
    json!({
        "files": done.files.iter().map(one).collect::<Vec<_>>(),
        "failed": failed.collect::<Vec<_>>(),
    })
}

fn print(done: &Collection) {
    for own in &done.files {
        let from = &own.found.from;
        match &own.taken {
            Taken::New(Logged { receipt, .. }) => {
                line(format!(
                    "{} {from}: receipt {receipt}",
                    paint(GOOD, "logged")
                ));
            }
            Taken::Known(_) => {}
            Taken::Refused(refusal) => line(format!(
                "{} {from} {refusal}",
                paint(WARNING, refusal.as_str())
            )),
        }
    }
    for (from, why) in &done.failed {
        warn(format!("{from}: {why}"));
    }
    if done.new_files().next().is_none() {
        line("nothing new arrived");
    }
}

pub(super) fn check(arguments: &EnterCheck) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let mut checked = Vec::new();
    for receipt in &arguments.receipts {
        let known = (arguments.from.as_str(), arguments.key.as_ref());
        checked.push((receipt, check_receipt(&operator, receipt, known)?));
    }
    let as_json = |own: &CheckedReceipt| {
        json!({
            "event": own.receipt.event.fact.name(),
            "at": own.receipt.event.at.as_str(),
            "leaf": own.receipt.leaf,
            "holds": own.broken.is_empty(),
            "broken": own.broken,
            "stamped_before": own.stamps.iter().flatten().map(|stamp| stamp.before.to_string()).collect::<Vec<_>>(),
        })
    };
    show(
        || {
            json!(
                checked
                    .iter()
                    .map(|(_, own)| as_json(own))
                    .collect::<Vec<_>>()
            )
        },
        || {
            for (file, own) in &checked {
                let (leaf, event) = (own.receipt.leaf, &own.receipt.event);
                let file = file.display();
                for problem in &own.broken {
                    line(format!("{} {file}: {problem}", paint(ERROR, "broken")));
                }
                for stamp in &own.stamps {
                    line(match stamp {
                        Ok(stamp) => format!(
                            "{file}: sealed before {}, by {}",
                            stamp.before, stamp.authority
                        ),
                        Err(why) => format!("{file}: a stamp proves nothing: {why}"),
                    });
                }
                if own.broken.is_empty() {
                    line(format!(
                        "{} {file}: {} of {}, leaf {leaf} of the log",
                        paint(GOOD, "holds"),
                        event.fact.name(),
                        event.at
                    ));
                }
            }
        },
    );
    Ok(Exit::of(
        checked.iter().all(|(_, own)| own.broken.is_empty()),
    ))
}
