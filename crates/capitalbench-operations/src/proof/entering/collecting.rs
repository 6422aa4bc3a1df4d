//! The league takes what entrants bring: each file is checked, logged and answered with a receipt.

use capitalbench_archive::disk::{file_ops, layout};
use capitalbench_archive::entering::delivered::Delivered;
use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::entrants::{Taken, Taking};
use capitalbench_core::decision::entering::admission::Refusal;

use super::delivery::{Delivery, Found, fetched};
use crate::error::Error;
use crate::league::folder::LeagueFolder;
use crate::league::pass::refuse_given_instant;
use crate::operator::Operator;
use crate::proof::claims::{require_newest_before, signing_key};

/// What became of one file.
#[derive(Debug, Clone)]
pub struct Collected {
    pub found: Found,
    pub taken: Taken,
}

/// What a look at every way of delivery brought.
#[derive(Debug, Clone, Default)]
pub struct Collection {
    pub files: Vec<Collected>,
    /// Files that could not be read and addresses that could not be asked, with the reason.
    pub failed: Vec<(String, String)>,
}

impl Collection {
    /// What the log holds from now on.
    pub fn new_files(&self) -> impl Iterator<Item = &Collected> {
        let is_new = |own: &&Collected| matches!(own.taken, Taken::New(_));
        self.files.iter().filter(is_new)
    }

    pub fn refused(&self) -> impl Iterator<Item = (&Found, &Refusal)> {
        self.files.iter().filter_map(|own| match &own.taken {
            Taken::Refused(refusal) => Some((&own.found, refusal)),
            Taken::New(_) | Taken::Known(_) => None,
        })
    }
}

/// Takes what entrants of a league brought; a real league goes by the clock alone.
pub fn collect_for(operator: &Operator, league: &LeagueFolder) -> Result<Collection, Error> {
    refuse_given_instant(operator, league)?;
    let log = LogFolder::of_rounds(&league.rounds());
    collect(operator, &log, &league.delivery()?)
}

/// Takes registrations first, then what lies in the folder, then what registered addresses have.
pub(crate) fn collect(
    operator: &Operator,
    log: &LogFolder,
    delivery: &Delivery,
) -> Result<Collection, Error> {
    let key = signing_key(operator, log)?;
    // The site shows how to enter where this folder is.
    file_ops::create_folder(&log.rounds().join(layout::LOG_ENTRANTS))?;
    let mut done = Collection::default();
    let (admitted, unread) = delivery.registrations()?;
    done.failed.extend(unread);
    let (entries, unread) = delivery.entries()?;
    done.failed.extend(unread);
    take_all(
        operator,
        log,
        &key,
        (&mut done, admitted, Brought::Admitted),
    )?;
    // An address is asked before the log is held, so that nobody else has to wait for it.
    let (mut found, failed) = fetched(operator, log, &log.entrants()?, operator.now())?;
    done.failed.extend(failed);
    found.splice(0..0, entries);
    take_all(operator, log, &key, (&mut done, found, Brought::Delivered))?;
    Ok(done)
}

/// Who put a file where it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brought {
    /// The operator, who decides whom the league admits.
    Admitted,
    /// Anybody.
    Delivered,
}

fn take_all(
    operator: &Operator,
    log: &LogFolder,
    key: &capitalbench_archive::log::LogKey,
    (done, found, by): (&mut Collection, Vec<Found>, Brought),
) -> Result<(), Error> {
    if found.is_empty() {
        return Ok(());
    }
    let now = operator.clock.now();
    require_newest_before(log, now)?;
    let mut taking = Taking::begin(log, key, now)?;
    for found in found {
        let is_registration = matches!(
            Delivered::read(&found.bytes),
            Ok(Delivered::Registration(_))
        );
        let taken = if is_registration == (by == Brought::Admitted) {
            taking.take(&found.bytes)?
        } else {
            let why = match by {
                Brought::Admitted => match Delivered::read(&found.bytes) {
                    Err(refusal) => refusal,
                    Ok(_) => Refusal::Unreadable("it is no registration".to_owned()),
                },
                Brought::Delivered => Refusal::Unreadable(
                    "it is a registration; the operator admits entrants, by `entrants.registrations` \
                     in league.yaml"
                        .to_owned(),
                ),
            };
            Taken::Refused(why)
        };
        done.files.push(Collected { found, taken });
    }
    Ok(())
}
