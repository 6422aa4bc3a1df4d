//! Did every request go to a host that the manifest froze?

use capitalbench_core::asking::run::Calls;
use capitalbench_core::round::manifest::host_of;

use super::RunState;
use super::finding::{Code, Findings};
use crate::disk::layout::run;
use crate::round::round_folder::{RoundInputs, names_in};
use crate::run::ledger::{Begun, parse_record};

/// Compares the address of every attempt with the frozen hosts, where the round froze some.
pub(super) fn check(state: &RunState, inputs: &RoundInputs, findings: &mut Findings) {
    let frozen = &inputs.manifest.origins.provider_hosts;
    if frozen.is_empty() || state.record.run.calls != Calls::Real {
        return;
    }
    let names = names_in(&state.folder.file(run::ATTEMPTS)).unwrap_or_default();
    for name in names.iter().filter(|name| name.ends_with(".begun.json")) {
        let path = format!("{}/{name}", run::ATTEMPTS);
        let bytes = state.folder.read_optional(&path).ok().flatten();
        // The check of the ledger reports unreadable files.
        let Some(Ok(begun)) = bytes.map(|bytes| parse_record::<Begun>(&bytes)) else {
            continue;
        };
        let host = begun.base_url.as_deref().and_then(host_of);
        let text = match host {
            Some(host) if frozen.contains(&host) => continue,
            Some(host) => format!("called {host}; the manifest froze {}", frozen.join(", ")),
            None => "does not name its host, although the manifest froze the hosts".to_owned(),
        };
        let place = state.place(&path);
        findings.add(Code::ProviderHostDiffers, place, text);
    }
}
