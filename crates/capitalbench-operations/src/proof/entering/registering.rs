//! An entrant makes a key, and signs once who it is.

use std::path::{Path, PathBuf};

use capitalbench_adapters::http::HttpLimits;
use capitalbench_adapters::site::fetch_small;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::entering::delivered::{LARGEST, signed_registration};
use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::key::keep_signer;
use capitalbench_core::decision::entering::names::{EntrantKey, EntrantKind, EntrantName};
use capitalbench_core::decision::entering::registration::{AgentTerms, Registration};
use capitalbench_proof::note::{KeyKind, SignerKey, VerifierKey};

use super::{league_of, signer};
use crate::error::Error;
use crate::league::folder::{LEAGUE_FILE, LeagueFolder};
use crate::operator::{Operator, wait};

/// Makes a private key in a new file, and returns the public one.
pub fn make_entrant_key(name: &str, file: &Path) -> Result<EntrantKey, Error> {
    let name = EntrantName::parse(name).map_err(|error| Error::new(format!("--name: {error}")))?;
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
    let made = SignerKey::from_seed(name.as_str(), &seed, KeyKind::Note);
    seed.fill(0);
    let made = made.map_err(|error| Error::new(error.to_string()))?;
    if file.exists() {
        let text = format!("{} exists; a key is never replaced", file.display());
        return Err(Error::new(text).hint("name another file with --key FILE"));
    }
    keep_signer(file, &made)?;
    public(&made)
}

fn public(key: &SignerKey) -> Result<EntrantKey, Error> {
    EntrantKey::parse(&key.verifier().to_string()).map_err(|error| Error::new(error.to_string()))
}

/// What an entrant says of itself.
#[derive(Debug, Clone)]
pub struct RegistrationRequest<'a> {
    /// A folder, a file with a public key, or the address of a site.
    pub league: &'a str,
    pub entrant: &'a str,
    pub name: &'a str,
    pub kind: EntrantKind,
    pub contact: &'a str,
    pub method: &'a str,
    /// Where the league fetches entries; none where they are brought.
    pub address: Option<&'a str>,
    /// Where it is asked, where it is an agent.
    pub agent: Option<AgentTerms>,
    /// The files of its keys.
    pub keys: &'a [PathBuf],
    /// The folder for the registration.
    pub output: &'a Path,
}

/// Signs a registration into a file; its path and what it says.
pub fn register(
    operator: &Operator,
    request: &RegistrationRequest<'_>,
) -> Result<(PathBuf, Registration), Error> {
    let keys = request.keys.iter().map(|file| signer(file));
    let keys: Vec<SignerKey> = keys.collect::<Result<_, _>>()?;
    let registration = Registration {
        league: league_named(operator, request.league)?,
        entrant: EntrantName::parse(request.entrant)
            .map_err(|error| Error::new(format!("--entrant: {error}")))?,
        name: request.name.to_owned(),
        kind: request.kind,
        contact: request.contact.to_owned(),
        method: request.method.to_owned(),
        address: request
            .address
            .map(|text| text.trim_end_matches('/').to_owned()),
        agent: request.agent.clone(),
        keys: keys.iter().map(public).collect::<Result<_, _>>()?,
    };
    registration
        .check()
        .map_err(|error| Error::new(error.to_string()))?;
    let bytes = signed_registration(&registration, &keys).map_err(Error::new)?;
    let file = request
        .output
        .join(format!("{}.registration", registration.entrant));
    file_ops::create_folder(request.output)?;
    file_ops::create_new(&file, &bytes)?;
    Ok((file, registration))
}

/// The name of a league's log, wherever its public key lies.
fn league_named(operator: &Operator, text: &str) -> Result<String, Error> {
    if text.starts_with("https://") || text.starts_with("http://") {
        let limits = HttpLimits {
            body_bytes: LARGEST,
            reach: operator.configuration.reach(),
            ..HttpLimits::default()
        };
        let address = format!("{}/log", text.trim_end_matches('/'));
        let failed = |why: String| Error::new(format!("{address}/vkey: {why}"));
        let bytes = wait(fetch_small(limits, &address, "vkey"))?.map_err(failed)?;
        let bytes = bytes.ok_or_else(|| failed("the site has no signed log".to_owned()))?;
        return vkey(text, &bytes);
    }
    let path = Path::new(text);
    if path.is_file() {
        let bytes = file_ops::read(path);
        let bytes = bytes.map_err(capitalbench_archive::disk::error::FileError::from)?;
        return vkey(text, &bytes);
    }
    let rounds = if path.join(LEAGUE_FILE).is_file() {
        LeagueFolder::open(path)?.rounds()
    } else {
        path.to_owned()
    };
    league_of(&LogFolder::of_rounds(&rounds))
}

fn vkey(from: &str, bytes: &[u8]) -> Result<String, Error> {
    let text = String::from_utf8_lossy(bytes);
    let key = VerifierKey::parse(text.trim_end());
    let key = key.map_err(|error| Error::new(format!("{from}: {error}")))?;
    Ok(key.name().to_owned())
}
