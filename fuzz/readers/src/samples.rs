//! The small rounds of the repository, for readers that need a round around the bytes.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use capitalbench_adapters::http::{HttpClient, HttpLimits};
use capitalbench_adapters::secret::ApiKey;
use capitalbench_archive::public::public_record::publication;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_site::machine::api::Api;

/// A key that no message may repeat.
pub(crate) const KEY: &str = "sk-fuzz-0123456789abcdef";

/// Frozen inputs of a portfolio round and of one with a single pick.
pub(crate) static ROUNDS: LazyLock<[RoundInputs; 2]> = LazyLock::new(|| {
    ["weekly-portfolio-resolved", "monthly-single-pick-resolved"].map(|name| {
        let folder = RoundFolder::open(&rounds().join(name)).expect("a round of the repository");
        RoundInputs::load(folder, &Universes::default()).expect("its inputs")
    })
});

/// What `serve` answers from.
pub(crate) static API: LazyLock<Api> = LazyLock::new(|| {
    let as_of = "2030-01-01T00:00:00Z".parse().expect("an instant");
    let publication = publication(&rounds(), as_of, &|| ()).expect("rounds of the repository");
    Api::new(publication)
});

/// A client that is never used to ask anybody.
pub(crate) fn http() -> HttpClient {
    HttpClient::new(HttpLimits::default()).expect("a client")
}

pub(crate) fn key() -> ApiKey {
    ApiKey::new(KEY.to_owned()).expect("a key")
}

fn rounds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds")
}
