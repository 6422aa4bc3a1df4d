//! The briefing that follows from the kept histories and from public sources.

use std::time::Duration;

use capitalbench_adapters::treasury::{Treasury, TreasuryFault};
use capitalbench_archive::disk::layout;
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::format::round::briefing_recipe::{self, TreasuryPart};
use capitalbench_archive::round::kept_sources::{KeptHistories, asks_treasury};
use capitalbench_archive::round::research_import::Beside;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_core::asking::mechanical_briefing::{MechanicalFacts, RULE, TreasuryFacts};
use capitalbench_core::market::treasury::{Curve, parse_feed};
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::WrittenInstant;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use tokio::time::sleep;

use super::{Draft, Gaps};
use crate::error::Error;
use crate::operator::backoff::Backoff;
use crate::operator::{Operator, wait};

/// How often a question that failed on its way is asked again.
const RETRIES: u32 = 2;
/// The longest wait before that; a longer one is left to the next attempt.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// From so long before the deadline on, a round is worth more than the yields.
const LAST_HOUR: SignedDuration = SignedDuration::from_hours(1);
const BASE_URL: &str = "TREASURY_BASE_URL";

/// The answers of three months, the month of the cutoff first.
type Months = [Vec<u8>; 3];

pub(super) fn draft(
    operator: &Operator,
    inputs: &RoundInputs,
    cutoff: Timestamp,
    gaps: Gaps,
) -> Result<Draft, Error> {
    let kept = kept_histories(inputs)?;
    let (part, months, gap) = ask_treasury(operator, inputs, cutoff, gaps)?;
    let curve = months.as_ref().map(curve_of).transpose()?;
    let facts = MechanicalFacts {
        universe: &inputs.universe,
        histories: &kept.histories,
        as_of: kept.as_of,
        treasury: match (part, &curve) {
            (TreasuryPart::Read, Some(curve)) => TreasuryFacts::Read(curve),
            (TreasuryPart::NotAsked, _) => TreasuryFacts::NotAsked,
            _ => TreasuryFacts::NotReached,
        },
        publish: inputs.manifest.publish,
    };
    if let Some(fact) = facts.later_facts(cutoff).first() {
        return Err(Error::new(fact.text.clone()).hint(
            "give a later --research-cutoff-utc, or make the table again as of an earlier day; \
             nothing was written",
        ));
    }
    let mut beside: Beside = vec![(
        layout::BRIEFING_RECIPE,
        briefing_recipe::render(part).into_bytes(),
    )];
    let months = months.into_iter().flatten();
    beside.extend(layout::TREASURY_MONTHS.into_iter().zip(months));
    let mut sources = vec![(
        layout::SOURCE_HISTORIES,
        inputs.folder.read(layout::SOURCE_HISTORIES)?,
    )];
    sources.extend(beside.iter().skip(1).cloned());
    Ok(Draft {
        facts: fact_report(&sources, part).into_bytes(),
        audit: audit_report().into_bytes(),
        briefing: facts.text().into_bytes(),
        beside,
        gap,
    })
}

fn kept_histories(inputs: &RoundInputs) -> Result<KeptHistories, Error> {
    let folder = &inputs.folder;
    if let Some(kept) = KeptHistories::load(inputs)? {
        return Ok(kept);
    }
    let text = format!(
        "{} has no price histories, from which the facts are computed",
        folder.name()
    );
    let round = shell_word(folder.path());
    let hint = if inputs.manifest.methodology.freezes_daily_returns() {
        format!(
            "run `capitalbench fetch-universe-performance --round {round} --as-of-date DAY` first"
        )
    } else {
        "histories are kept from portfolio-v1.2 and single_pick-v1.2 on: create the round with \
         --methodology, or bring a briefing with `import-research`"
            .to_owned()
    };
    Err(Error::new(text).hint(hint))
}

/// What the Treasury says: nothing for an invented market or another currency, and a gap where that is allowed.
fn ask_treasury(
    operator: &Operator,
    inputs: &RoundInputs,
    cutoff: Timestamp,
    gaps: Gaps,
) -> Result<(TreasuryPart, Option<Months>, Option<String>), Error> {
    if !asks_treasury(inputs) {
        return Ok((TreasuryPart::NotAsked, None, None));
    }
    let configuration = &operator.configuration;
    let address = configuration.get(BASE_URL);
    let address = address.as_deref().unwrap_or(Treasury::DEFAULT_BASE_URL);
    let http = configuration.http(configuration.reach())?;
    let treasury = Treasury::new(http, address);
    let treasury = treasury.map_err(|error| Error::new(format!("{BASE_URL}: {error}")))?;
    let day = TimeZone::UTC.to_datetime(cutoff).date();
    let fault = match wait(fetch(&treasury, day))? {
        Ok(months) => return Ok((TreasuryPart::Read, Some(months), None)),
        Err(fault) => fault,
    };
    let deadline = inputs.manifest.decision_deadline.as_ref();
    let deadline = deadline.map(WrittenInstant::at);
    let is_late = deadline.is_some_and(|at| at.duration_since(operator.now()) <= LAST_HOUR);
    if gaps == Gaps::Stated || is_late {
        return Ok((TreasuryPart::NotReached, None, Some(fault.to_string())));
    }
    Err(Error::new(fault.to_string()).hint(
        "try again; with --allow-gaps, and in the last hour before the deadline, the briefing says \
         that the curve is missing; nothing was written",
    ))
}

async fn fetch(treasury: &Treasury, day: Date) -> Result<Months, TreasuryFault> {
    let mut months = Months::default();
    let first = day.first_of_month();
    for (back, month) in months.iter_mut().enumerate() {
        let back = i64::try_from(back).unwrap_or_default();
        let asked = first.saturating_sub(back.months());
        *month = ask(treasury, asked).await?;
    }
    Ok(months)
}

async fn ask(treasury: &Treasury, month: Date) -> Result<Vec<u8>, TreasuryFault> {
    let mut failures = 0;
    loop {
        let fault = match treasury.month(month).await {
            Ok(body) => return Ok(body),
            Err(fault) => fault,
        };
        failures += 1;
        let Some(asked_for) = fault.passes().filter(|_| failures <= RETRIES) else {
            return Err(fault);
        };
        let pause = Backoff::SECOND.pause(failures, asked_for);
        if pause > LONGEST_WAIT {
            return Err(fault);
        }
        sleep(pause).await;
    }
}

fn curve_of(months: &Months) -> Result<Curve, Error> {
    let mut read = Vec::new();
    for month in months {
        let text = String::from_utf8_lossy(month);
        read.push(parse_feed(&text).map_err(|fault| Error::new(fault.to_string()))?);
    }
    Curve::of(read).map_err(|day| Error::new(format!("the Treasury gave {day} in two months")))
}

fn fact_report(sources: &[(&str, Vec<u8>)], part: TreasuryPart) -> String {
    let mut text = format!(
        "# Facts\n\nEvery fact of the briefing was computed by the rule {RULE} from these files of the \
         round:\n\n"
    );
    for (path, bytes) in sources {
        let digest = Digest::of(bytes).to_hex();
        text.extend(["- `", path, "`, SHA-256 ", &digest, "\n"]);
    }
    text += match part {
        TreasuryPart::Read => {
            "\nThe price histories are the vendor's and private. The yields are the US Treasury's daily \
             par yield curve, as its public XML feed gave them.\n"
        }
        TreasuryPart::NotAsked => {
            "\nThe market is invented or has another currency, so no yields of the US Treasury belong to \
             it and nobody was asked for them.\n"
        }
        TreasuryPart::NotReached => {
            "\nThe price histories are the vendor's and private. The US Treasury's curve could not be \
             fetched, and the briefing says so.\n"
        }
    };
    text
}

fn audit_report() -> String {
    format!(
        "# Audit\n\nNo person and no model wrote the briefing: it follows from the kept sources by the \
         rule {RULE}. `capitalbench verify` makes it again and compares every byte, and names every row \
         of a source that is later than the research cutoff.\n"
    )
}
