//! `record-listing`: an option was renamed or delisted after the freeze.

use capitalbench_core::market::universe::ListingChange;
use capitalbench_core::values::ids::OptionId;
use capitalbench_operations::prices::listing::{ListingRequest, record_listing};
use serde_json::json;

use crate::cli::RecordListing;
use crate::commands::notices::{print_recorded, recorded_json};
use crate::config::operator;
use crate::console::{line, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &RecordListing) -> Result<Exit, Error> {
    let option_id = OptionId::parse(&arguments.option);
    let request = ListingRequest {
        round: arguments.round.path.clone(),
        option_id: option_id.map_err(|error| Error::new(format!("--option: {error}")))?,
        change: match &arguments.renamed_to {
            Some(to) => ListingChange::Renamed {
                to: to.trim().to_ascii_uppercase(),
                on: arguments.on,
            },
            None => ListingChange::Delisted { on: arguments.on },
        },
        reason: arguments.reason.clone(),
    };
    let done = record_listing(&operator(arguments.now.instant)?, &request)?;
    let (round, change) = (done.folder.name(), &done.change);
    show(
        || {
            json!({
                "round_id": round,
                "option_id": change.option_id.as_str(),
                "change": change.change.to_string(),
                "log": recorded_json(&done.recorded),
            })
        },
        || {
            line(format!("{round}: {} {}", change.option_id, change.change));
            print_recorded(&done.recorded);
        },
    );
    Ok(Exit::Success)
}
