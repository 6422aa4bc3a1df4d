//! `claim`: registers a claim, lists claims, shows one.

use capitalbench_core::evidence::claims::record::{ClaimRecord, Figures};
use capitalbench_core::publication::Publication;
use capitalbench_core::values::ids::ModelId;
use capitalbench_export::claims::{
    Days, amount, as_json, family, left_out, outlook, question, sequence, standing,
};
use capitalbench_operations::proof::claims::{ClaimRequest, RegisteredClaim, register_claim};
use serde_json::json;

use crate::cli::{Claim, ClaimList, ClaimRegister, ClaimShow, ClaimVerb};
use crate::commands::publishing::published::{load, unknown};
use crate::config::{operator, working_league};
use crate::console::{
    BOLD, DIM, document, line, next_step, or_none, paint, show, table, width, wrapped,
};
use crate::error::{Error, Exit};

/// Widest line of text, on a terminal that is wider.
const WIDEST: usize = 100;

pub(crate) fn run(arguments: &Claim) -> Result<Exit, Error> {
    match &arguments.verb {
        ClaimVerb::Register(arguments) => register(arguments),
        ClaimVerb::List(arguments) => list(arguments),
        ClaimVerb::Show(arguments) => show_one(arguments),
    }
}

fn register(arguments: &ClaimRegister) -> Result<Exit, Error> {
    let league = working_league()?;
    let request = ClaimRequest {
        rounds: &arguments.rounds.folder,
        claim: &arguments.name,
        first: &arguments.model,
        second: &arguments.against,
        track: arguments.track.track(),
        side: arguments.side,
        alpha: arguments.alpha,
        first_day: arguments.first_day,
        last_day: arguments.last_day,
        family: arguments.family,
        scale: arguments.stakes.scale,
        spread: arguments.stakes.spread,
        league: league.as_ref(),
    };
    let done = register_claim(&operator(arguments.now.instant)?, &request)?;
    show(|| registered_json(&done), || print_registered(&done));
    Ok(Exit::Success)
}

fn registered_json(done: &RegisteredClaim) -> serde_json::Value {
    let terms = &done.terms;
    json!({
        "claim": terms.claim.as_str(),
        "registered_at": terms.registered_at.to_string(),
        "leaf": done.leaf,
        "file": done.file,
        "scale": terms.rules.scale,
        "scale_from_days": done.scale_from,
        "spread": terms.rules.spread,
        "season": terms.season,
        "family": terms.family,
    })
}

fn print_registered(done: &RegisteredClaim) {
    let terms = &done.terms;
    let text = terms.question(ModelId::to_string);
    line(format!("registered {}: {text}", paint(BOLD, &terms.claim)));
    line(format!(
        "  leaf {} of the log, {}, season {} of {} claims",
        done.leaf, done.file, terms.season, terms.family
    ));
    let from = done.scale_from.map_or("as stated".to_owned(), |days| {
        format!("from {days} days of the record")
    });
    line(format!(
        "  scale {} ({from}), spread {}",
        terms.rules.scale, terms.rules.spread
    ));
    next_step("have outside clocks stamp the log before the first day: capitalbench anchor");
}

fn list(arguments: &ClaimList) -> Result<Exit, Error> {
    let public = load(&arguments.rounds)?;
    let all = &public.claims;
    show(
        || {
            let each = all.iter().map(|claim| as_json(&public, claim, Days::None));
            json!({"as_of": public.as_of.to_string(), "claims": each.collect::<Vec<_>>()})
        },
        || print_list(&public),
    );
    Ok(Exit::of(!all.is_empty()))
}

fn print_list(public: &Publication) {
    if public.claims.is_empty() {
        line("no claim is registered");
        return next_step("capitalbench claim register --help");
    }
    let row = |claim: &ClaimRecord| {
        let Figures {
            evidence,
            needed,
            p_value,
            ..
        } = claim.figures;
        vec![
            claim.terms.claim.to_string(),
            question(public, claim),
            claim.terms.first_day.to_string(),
            amount(evidence),
            amount(needed),
            format!("{p_value:.3}"),
            match claim.standing.day() {
                Some(day) => format!("{} {day}", claim.standing.as_str().replace('_', " ")),
                None => claim.standing.as_str().to_owned(),
            },
        ]
    };
    let header = "claim | question | from | evidence > | needed > | p > | state";
    line(table(header, public.claims.iter().map(row).collect()));
}

fn show_one(arguments: &ClaimShow) -> Result<Exit, Error> {
    let public = load(&arguments.rounds)?;
    let found = public
        .claims
        .iter()
        .find(|own| own.terms.claim.as_str() == arguments.name);
    let Some(claim) = found else {
        let known: Vec<&str> = public
            .claims
            .iter()
            .map(|own| own.terms.claim.as_str())
            .collect();
        return Err(unknown("claim", &arguments.name, &known));
    };
    if crate::console::is_json() {
        document(&as_json(&public, claim, Days::All));
    } else {
        print_claim(&public, claim);
    }
    Ok(Exit::Success)
}

fn print_claim(public: &Publication, claim: &ClaimRecord) {
    let widest = width().map_or(WIDEST, |width| width.min(WIDEST));
    let say = |text: &str| line(wrapped(text, 0, widest));
    line(format!(
        "{}: {}",
        paint(BOLD, &claim.terms.claim),
        question(public, claim)
    ));
    say(&paint(BOLD, standing(claim)));
    let Figures {
        settled,
        p_value,
        running,
        ..
    } = claim.figures;
    let rows = [
        (
            "registered",
            format!(
                "{}, leaf {} of the log",
                claim.terms.registered_at, claim.leaf
            ),
        ),
        ("rounds that count", claim.rounds.len().to_string()),
        ("settled days", settled.to_string()),
        ("evidence", amount(claim.figures.evidence)),
        (
            "with days of open rounds",
            format!("{}, decides nothing yet", amount(running)),
        ),
        ("p, whenever it is read", format!("{p_value:.4}")),
        ("mean difference", or_none(sequence(claim))),
    ];
    for (what, value) in rows {
        line(format!("  {what:<26}{value}"));
    }
    if let Some(text) = outlook(claim) {
        say(&text);
    }
    say(&family(claim));
    for text in left_out(claim) {
        say(&text);
    }
    line(paint(DIM, "method eproc-v1; docs/statistics.md"));
}
