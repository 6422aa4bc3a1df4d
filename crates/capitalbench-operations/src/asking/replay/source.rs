//! Where a round that is asked again comes from: a folder, a bundle or a published site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capitalbench_adapters::site::SiteRound;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::format::text::json;
use capitalbench_archive::log::inventory::hidden_files;
use capitalbench_archive::public::bundle::{self, OpenBundle};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::verify::{Reader, Severity, verify_for};
use capitalbench_core::values::ids::{Digest, RoundId};
use serde_json::{Value, json};

use crate::error::Error;
use crate::operator::{Operator, wait};

/// Most bytes that are fetched of one round.
const MOST_BYTES: usize = 512 << 20;
/// Most files that are fetched of one round with its log.
const MOST_FILES: usize = 20_000;

/// A round that was verified, and where it lies now.
#[derive(Debug)]
pub struct Source {
    /// As it was typed.
    pub name: String,
    pub folder: RoundFolder,
    /// What `verify` says of it.
    pub verdict: &'static str,
    /// Keeps a fetched or unpacked copy until it is not needed any more.
    _copy: Option<OpenBundle>,
}

/// Opens a round and verifies it; one that does not hold is refused.
pub fn open(operator: &Operator, text: &str) -> Result<Source, Error> {
    let copy = if text.starts_with("https://") || text.starts_with("http://") {
        Some(wait(fetched(operator, text))??)
    } else {
        unpacked(Path::new(text))?
    };
    let path = copy.as_ref().map_or(PathBuf::from(text), OpenBundle::round);
    let folder = RoundFolder::open(&path)?;
    let withheld = match &copy {
        Some(own) => own
            .withheld
            .iter()
            .cloned()
            .chain(hidden_files(&folder)?)
            .collect(),
        None => BTreeSet::new(),
    };
    let reader = Reader {
        withheld,
        ..Reader::default()
    };
    let report = verify_for(&reader, &path, operator.now(), &|| ())?;
    let round = report.rounds.first();
    let errors = round.map_or(0, |own| own.count(Severity::Error));
    if let Some(found) = round.filter(|_| errors > 0).and_then(|own| {
        let mut all = own.findings.iter();
        all.find(|finding| finding.severity() == Severity::Error)
    }) {
        let text = format!("{text}: {}: {}", found.place, found.detail);
        return Err(Error::new(text).hint(format!(
            "`capitalbench verify` found {errors} errors; a round that does not hold is not asked again"
        )));
    }
    Ok(Source {
        name: text.to_owned(),
        folder,
        verdict: round.map_or("", |own| own.verdict().as_str()),
        _copy: copy,
    })
}

fn unpacked(path: &Path) -> Result<Option<OpenBundle>, Error> {
    if !path.is_file() {
        return Ok(None);
    }
    let bytes = file_ops::read(path).map_err(capitalbench_archive::disk::error::FileError::from)?;
    if bundle::is_bundle(&bytes) {
        return Ok(Some(bundle::open(&bytes, path)?));
    }
    let text = format!("{} is neither a round nor a bundle", path.display());
    Err(Error::new(text)
        .hint("give the folder of a round, a bundle or the address of a round on a site"))
}

/// Everything that a site has of a round, with its log, as an opened bundle.
async fn fetched(operator: &Operator, address: &str) -> Result<OpenBundle, Error> {
    let configuration = &operator.configuration;
    let http = configuration.http(configuration.reach())?;
    let site =
        SiteRound::new(http, address).map_err(|why| Error::new(format!("{address}: {why}")))?;
    let name = site.round().to_owned();
    if RoundId::parse(&name).is_err() {
        return Err(Error::new(format!(
            "{address}: {name:?} is not the name of a round"
        )));
    }
    let mut fetching = Fetching {
        site: &site,
        files: BTreeMap::new(),
        bytes: 0,
    };
    let list = fetching
        .document(&format!("rounds/{name}/files.json"))
        .await?;
    for entry in list["files"].as_array().into_iter().flatten() {
        let Some((path, digest)) = entry["path"].as_str().zip(entry["sha256"].as_str()) else {
            return Err(Error::new(format!(
                "{address}: files.json names no path or digest"
            )));
        };
        let bytes = fetching.get(&format!("rounds/{name}/files/{path}")).await?;
        if Digest::of(&bytes).to_hex() != digest {
            let text = format!("{address}: {path} has another digest than files.json says");
            return Err(Error::new(text).hint("the site may have been built meanwhile; try again"));
        }
        fetching.keep(format!("{name}/{path}"), bytes)?;
    }
    fetching.log(&name).await?;
    let told = json!({"bundle": 1, "round": name, "withheld": []});
    fetching.keep("bundle.json".to_owned(), told.to_string().into_bytes())?;
    Ok(bundle::open_files(fetching.files, Path::new(address))?)
}

/// Files that were fetched so far.
struct Fetching<'a> {
    site: &'a SiteRound,
    files: BTreeMap<String, Vec<u8>>,
    bytes: usize,
}

impl Fetching<'_> {
    async fn get(&self, path: &str) -> Result<Vec<u8>, Error> {
        let got = self.site.get(path).await;
        got.map_err(|error| Error::new(format!("{path}: {error}")))
    }

    async fn document(&self, path: &str) -> Result<Value, Error> {
        let bytes = self.get(path).await?;
        json::parse(&bytes).map_err(|error| Error::new(format!("{path}: {error}")))
    }

    fn keep(&mut self, path: String, bytes: Vec<u8>) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        self.files.insert(path, bytes);
        if self.bytes > MOST_BYTES || self.files.len() > MOST_FILES {
            let text = format!(
                "the site has more than {MOST_BYTES} bytes or {MOST_FILES} files of the round"
            );
            return Err(Error::new(text).hint("download its bundle and give that file"));
        }
        Ok(())
    }

    /// The signed log, where the site has one of this round.
    async fn log(&mut self, round: &str) -> Result<(), Error> {
        let signed = self.document("verify/signed.json").await?;
        let mut signed = signed.as_array().into_iter().flatten();
        if !signed.any(|name| name.as_str() == Some(round)) {
            return Ok(());
        }
        let list = self.document("verify/log.json").await?;
        let listed = list["files"].as_array().into_iter().flatten();
        let mut paths: Vec<String> = listed
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        paths.push(format!("log/salts/{round}.json"));
        for path in paths {
            if !path.starts_with("log/") {
                return Err(Error::new(format!(
                    "verify/log.json names {path}, which is no file of a log"
                )));
            }
            let bytes = self.get(&path).await?;
            self.keep(path, bytes)?;
        }
        Ok(())
    }
}
