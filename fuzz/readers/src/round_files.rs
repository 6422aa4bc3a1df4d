//! Files that say what a round asks.

use std::collections::BTreeSet;

use capitalbench_archive::disk::error::Fault;
use capitalbench_archive::format::{
    league as league_file, round::benchmark_sets as sets, round::hashes as hash_file,
    round::manifest as manifest_file, round::models as model_file, round::options as option_file,
    round::research, round::slate, run::pricing,
};

use capitalbench_core::league::settings::League;

use crate::is_in_proportion;

/// Reads twice: the same bytes mean the same.
fn steady<T: PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<T, Fault>,
) -> Option<T> {
    match read(bytes) {
        Ok(value) => {
            assert_eq!(read(bytes).as_ref().ok(), Some(&value));
            Some(value)
        }
        Err(fault) => {
            is_in_proportion(&fault.to_string(), bytes);
            None
        }
    }
}

/// `manifest.yaml` of a round.
pub fn manifest(bytes: &[u8]) {
    if let Some(manifest) = steady(bytes, manifest_file::parse) {
        let id = manifest.round_id.as_str();
        assert!(!id.contains(['/', '\\', '\0']) && id != "." && id != "..");
    }
}

/// `options.yaml` of a round.
pub fn options(bytes: &[u8]) {
    if let Some(universe) = steady(bytes, option_file::parse) {
        let ids: BTreeSet<_> = universe.options().iter().map(|option| &option.id).collect();
        assert_eq!(ids.len(), universe.options().len());
        assert!(universe.get(&universe.reference().id).is_some());
    }
}

/// The models of a run with their prices, and the record of research: YAML that operators write.
pub fn models(bytes: &[u8]) {
    steady(bytes, model_file::parse);
    steady(bytes, model_file::parse_settings);
    steady(bytes, pricing::parse);
    steady(bytes, research::parse);
}

/// `league.yaml`: what was read and is written again reads the same.
pub fn league(bytes: &[u8]) {
    let Some(mut league) = steady(bytes, |bytes| league_file::parse(bytes, "house")) else {
        return;
    };
    // Large sums lose their last digits on the way through dollars.
    league.budget = League::named("house").budget;
    if bytes.is_ascii() {
        let text = league_file::render(&league);
        let again = league_file::parse(text.as_bytes(), "house");
        assert_eq!(again.as_ref(), Ok(&league), "{text}");
    }
}

/// `benchmark_sets.yaml`, and the evidence of a judgment round.
pub fn benchmark_sets(bytes: &[u8]) {
    steady(bytes, |bytes| {
        sets::parse(bytes).map(|policy| format!("{policy:?}"))
    });
    let context = slate::parse_context(bytes).unwrap_or_default();
    if let Err(fault) = slate::parse_slate(&context, bytes) {
        is_in_proportion(&fault.to_string(), bytes);
    }
}

/// `hashes.json`: what is read is written, and reads the same.
pub fn hashes(bytes: &[u8]) {
    let Some(Some(digests)) = steady(bytes, hash_file::parse) else {
        return;
    };
    let text = hash_file::render(&digests);
    let again = hash_file::parse(text.as_bytes()).expect("our own file");
    assert_eq!(again.unwrap_or_default(), digests);
}
