//! After the record changed, the database follows, where one is configured.
//!
//! The work before is done and stays done; the result tells whether the database is behind.

use std::fmt;
use std::path::{Path, PathBuf};

use capitalbench_archive::public::public_record::publication;
use capitalbench_core::publication::{Publication, RoundState};
use capitalbench_core::values::ids::{RoundId, RunId};
use capitalbench_core::values::similar::closest;
use capitalbench_database::sync::{Scope, Synced};

use super::target::{NOT_CONFIGURED, Target};
use crate::error::Error;
use crate::operator::Operator;
use crate::proof::promise::require_orders;
use crate::syncing::store::whole::{NOT_IN_STORE, is_in_store};

/// How the database stands now.
#[derive(Debug)]
pub enum Followed {
    Synced(Synced),
    NotSynced(NotSynced),
    Failed(Error),
}

impl Followed {
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// Why nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSynced {
    NotConfigured,
    NotARound(PathBuf),
    NotPublic(RoundId),
    /// The publication shows an instant that was asked for, which is not what is public now.
    OtherInstant,
    /// A demo beside a configured database must not replace the record.
    Invented,
    /// The log of the checkout may never count.
    NotPushed,
}

impl fmt::Display for NotSynced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConfigured => f.write_str(NOT_CONFIGURED),
            Self::NotARound(path) => {
                write!(f, "{} does not have the name of a round", path.display())
            }
            Self::NotPublic(id) => write!(f, "{id} is not public"),
            Self::OtherInstant => f.write_str("--as-of shows another instant; use sync-web"),
            Self::Invented => f.write_str("the market is invented; use sync-web"),
            Self::NotPushed => write!(f, "{NOT_IN_STORE}; use `store push`, then sync-web"),
        }
    }
}

/// After one round changed.
pub fn follow_round(operator: &Operator, round: &Path) -> Followed {
    let path = std::fs::canonicalize(round).unwrap_or_else(|_| round.to_path_buf());
    let name = path.file_name().and_then(|name| name.to_str());
    let (Some(Ok(id)), Some(rounds)) = (name.map(RoundId::parse), path.parent()) else {
        return Followed::NotSynced(NotSynced::NotARound(path));
    };
    follow(operator, rounds, |target| {
        let found = load(operator, rounds)?;
        if found.round(&id).is_none() {
            return Ok(Followed::NotSynced(NotSynced::NotPublic(id.clone())));
        }
        send(operator, target, rounds, &found, &Scope::Round(id.clone()))
    })
}

/// After several rounds or the boards changed.
pub fn follow_folder(operator: &Operator, rounds: &Path) -> Followed {
    follow(operator, rounds, |target| {
        let found = load(operator, rounds)?;
        send(operator, target, rounds, &found, &Scope::Whole)
    })
}

/// After a publication was written; one of a given instant is not what is public now.
pub fn follow_publication(
    operator: &Operator,
    rounds: &Path,
    publication: &Publication,
    scope: &Scope,
) -> Followed {
    follow(operator, rounds, |target| {
        if operator.given.is_some() {
            return Ok(Followed::NotSynced(NotSynced::OtherInstant));
        }
        send(operator, target, rounds, publication, scope)
    })
}

fn follow(
    operator: &Operator,
    rounds: &Path,
    work: impl FnOnce(&Target) -> Result<Followed, Error>,
) -> Followed {
    let done = match Target::configured(&operator.configuration) {
        Ok(Some(target)) => match is_in_store(operator, rounds) {
            Ok(true) => work(&target),
            Ok(false) => Ok(Followed::NotSynced(NotSynced::NotPushed)),
            Err(error) => Err(error),
        },
        Ok(None) => Ok(Followed::NotSynced(NotSynced::NotConfigured)),
        Err(error) => Err(error),
    };
    done.unwrap_or_else(Followed::Failed)
}

fn load(operator: &Operator, rounds: &Path) -> Result<Publication, Error> {
    let found = publication(rounds, operator.now(), &|| ())?;
    require_orders(rounds, &found)?;
    Ok(found)
}

fn send(
    operator: &Operator,
    target: &Target,
    rounds: &Path,
    publication: &Publication,
    scope: &Scope,
) -> Result<Followed, Error> {
    if publication.synthetic {
        return Ok(Followed::NotSynced(NotSynced::Invented));
    }
    let synced = target.bring(operator, rounds, publication, scope)?;
    Ok(Followed::Synced(synced))
}

/// The part of a publication that is one round: it must be public, and have this record if one is
/// named.
pub fn scope_of_round(
    publication: &Publication,
    round: &Path,
    record: Option<&RunId>,
) -> Result<Scope, Error> {
    let name = round.file_name().and_then(|name| name.to_str());
    let id =
        RoundId::parse(name.unwrap_or_default()).map_err(|error| Error::new(error.to_string()))?;
    let Some(found) = publication.round(&id) else {
        let known = publication.rounds.iter().map(|round| round.id().as_str());
        let error = Error::new(format!("there is no public round {id}"));
        return Err(match closest(id.as_str(), known) {
            Some(near) => error.hint(format!("did you mean {near}?")),
            None => error.hint("list the rounds with `capitalbench status`"),
        });
    };
    let own = match &found.state {
        RoundState::Draft | RoundState::Ended(_) => None,
        RoundState::Open(open) => Some(&open.run_id),
        RoundState::Resolved(resolved) => Some(&resolved.run_id),
    };
    match record {
        Some(wanted) if own != Some(wanted) => {
            let error = Error::new(format!("{wanted} is not the record of {id}"));
            Err(match own {
                Some(own) => error.hint(format!("its record is {own}")),
                None => error.hint("it has none yet; make one with `capitalbench accept-run`"),
            })
        }
        _ => Ok(Scope::Round(id)),
    }
}
