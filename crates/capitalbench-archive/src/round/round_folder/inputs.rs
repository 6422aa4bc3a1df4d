//! [`RoundInputs`] reads what a round froze, so that everything else works on types of core.

use std::sync::Arc;

use capitalbench_core::decision::control::own::funds;
use capitalbench_core::decision::judgment::Slate;
use capitalbench_core::market::universe::Universe;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::round::methodology::Family;

use super::{RoundFolder, Universes, refuse_links};
use crate::disk::error::{Fault, FileError};
use crate::disk::layout;
use crate::format::round::{manifest, slate};
use crate::round::listing_changes;

/// The frozen inputs of a round as core types.
#[derive(Debug, Clone)]
pub struct RoundInputs {
    /// The folder they came from.
    pub folder: RoundFolder,
    pub manifest: Manifest,
    /// The options, with what became of their listings.
    pub universe: Arc<Universe>,
    /// Everything that has prices: the options, then the funds that controls hold.
    pub priced: Arc<Universe>,
    /// The candidates of a judgment round.
    pub slate: Option<Slate>,
}

impl RoundInputs {
    /// Reads manifest, options and, for a judgment round, the slate.
    pub fn load(folder: RoundFolder, universes: &Universes) -> Result<Self, FileError> {
        refuse_links(folder.path(), &layout::FOLDERS)?;
        let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
        let mut universe = folder.parse(layout::OPTIONS, |bytes| universes.get(bytes))?;
        if manifest.market != universe.market() {
            let (own, other) = (manifest.market, universe.market());
            let text = format!("says {own}, but the options of the round are of {other}");
            let fault = Fault::field("market", text);
            return Err(fault.in_file(&folder.file(layout::MANIFEST)));
        }
        let mut priced = priced(&folder, &manifest, &universe)?;
        if let Some(changed) = listing_changes::applied(&folder, &priced)? {
            let options = changed.options().iter();
            let offered = options.filter(|option| universe.get(&option.id).is_some());
            let offered = Universe::on(universe.market(), offered.cloned().collect());
            let offered = offered.map_err(|error| FileError::folder(folder.path(), error))?;
            (universe, priced) = (Arc::new(offered), Arc::new(changed));
        }
        let slate = match manifest.methodology.family() {
            Family::Judgment => Some(load_slate(&folder)?),
            _ => None,
        };
        Ok(Self {
            folder,
            manifest,
            universe,
            priced,
            slate,
        })
    }
}

/// The options and the funds of configured controls; the options themselves where there is no fund.
fn priced(
    folder: &RoundFolder,
    manifest: &Manifest,
    universe: &Arc<Universe>,
) -> Result<Arc<Universe>, FileError> {
    let funds = funds(&manifest.controls, universe);
    if funds.is_empty() {
        return Ok(Arc::clone(universe));
    }
    let wrong = |error| Fault::field("controls", error).in_file(&folder.file(layout::MANIFEST));
    universe
        .beside(funds)
        .map(Arc::new)
        .map_err(|error| wrong(error.to_string()))
}

fn load_slate(folder: &RoundFolder) -> Result<Slate, FileError> {
    let context = folder.parse(layout::DECISION_CONTEXT, slate::parse_context)?;
    folder.parse(layout::QUALITY_EVIDENCE, |bytes| {
        slate::parse_slate(&context, bytes)
    })
}
