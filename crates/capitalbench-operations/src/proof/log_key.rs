//! Makes the key that signs the log of a folder of rounds.

use std::path::{Path, PathBuf};

use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_proof::note::VerifierKey;

use crate::error::Error;
use crate::operator::Operator;
use crate::operator::files::absolute;

/// Whose key is made.
#[derive(Debug)]
pub struct LogKeyRequest<'a> {
    /// A folder that is there.
    pub rounds: &'a Path,
    /// The name of the log; by default the folder's.
    pub name: Option<&'a str>,
}

/// A key that signs from now on.
#[derive(Debug)]
pub struct MadeLogKey {
    pub public: VerifierKey,
    /// The file with the private half.
    pub file: PathBuf,
}

/// Makes the key of a log that has none, where the configuration says; an existing key is never
/// replaced.
pub fn make_log_key(operator: &Operator, request: &LogKeyRequest<'_>) -> Result<MadeLogKey, Error> {
    let log = LogFolder::of_rounds(request.rounds);
    let file = operator.configuration.log_key(&log);
    let name = match request.name {
        Some(name) => name.to_owned(),
        None => format!("capitalbench/{}", usual_name(request.rounds)?),
    };
    let name = name.replace(|c: char| c.is_whitespace() || c == '+', "-");
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
    let made = LogKey::create(&log, &file, &name, &seed);
    seed.fill(0);
    Ok(MadeLogKey {
        public: made?.verifier(),
        file,
    })
}

/// A name for a log that is published nowhere yet.
fn usual_name(rounds: &Path) -> Result<String, Error> {
    let whole = absolute(rounds)?;
    Ok(whole
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned())
}
