//! Prices that the reader fetches again, as findings of the rounds they belong to.

use std::path::Path;

use capitalbench_archive::disk::layout;
use capitalbench_archive::verify::{Code, Finding, Report};
use capitalbench_operations::prices::again::{
    AgainRequest, Differing, FetchedAgain, Restated, fetch_again,
};
use capitalbench_operations::prices::sources::Vendor;

use crate::cli::Verify;
use crate::config::{Environment, reader};
use crate::error::Error;

/// Fetches the rounds at `path` again and compares.
pub(super) fn check(
    report: &mut Report,
    arguments: &Verify,
    source: &str,
    path: &Path,
) -> Result<(), Error> {
    let operator = reader(arguments.now.instant)?;
    let home = Environment::cache_home()?;
    let vendor = match source {
        "yahoo" => Vendor::Yahoo,
        "alphavantage" => Vendor::AlphaVantage,
        _ => Vendor::Tiingo,
    };
    let request = AgainRequest {
        path,
        home: &home,
        vendor,
    };
    for fetched in fetch_again(&operator, &request)? {
        let mut rounds = report.rounds.iter_mut();
        if let Some(round) = rounds.find(|round| round.round_id == fetched.round_id) {
            let own = &mut round.findings;
            if fetched.is_equal() {
                own.retain(|finding| finding.code != Code::ClosesNotPublished);
            }
            own.extend(findings(&fetched));
            own.sort();
        }
    }
    Ok(())
}

fn findings(fetched: &FetchedAgain) -> Vec<Finding> {
    let source = &fetched.source;
    let place = layout::PRICES;
    let of = fetched.of;
    let equal = of - fetched.differing.len() - fetched.missing.len();
    let at = fetched.at.map(|at| format!(" at {at}")).unwrap_or_default();
    let text = format!("returns fetched again from {source}{at}: {equal} of {of} equal");
    let mut found = vec![Finding::new(Code::ReturnsFetchedAgain, place, text)];
    let differing = fetched.differing.iter();
    found.extend(differing.map(|own| {
        let text = match own {
            Differing::Restated(own) => restated(own, source),
            Differing::StillListed(problem) => problem.to_string(),
        };
        Finding::new(Code::ReturnRestated, layout::EXIT_PRICES, text)
    }));
    let missing = fetched.missing.iter();
    found.extend(missing.map(|(option_id, reason)| {
        let text = format!("{option_id}: {reason}");
        Finding::new(Code::ReturnsNotFetched, place, text)
    }));
    found
}

fn restated(own: &Restated, source: &str) -> String {
    let Restated {
        option_id,
        day,
        published,
        again,
    } = own;
    format!(
        "{option_id} returned {:+.6} until {day} as published, and {:+.6} by {source}: restated or wrong",
        published.get(),
        again.get()
    )
}
