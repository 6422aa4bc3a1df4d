//! Published salts: those of public files.

use std::collections::BTreeMap;

use capitalbench_core::asking::run::official_run;
use capitalbench_core::publication::artifact::{Audience, audience};
use capitalbench_proof::merkle::Hash;
use serde_json::{Map, Value};

use super::{LogFolder, LogKey, read};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::text::json;
use crate::round::round_folder::{RoundFolder, parse_file};

/// Salts by the path of the file inside the round.
pub type Salts = BTreeMap<String, [u8; 32]>;

/// How far a round is, which decides what is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shown {
    /// Whether a run is the record.
    pub record: bool,
    pub result: bool,
}

impl Shown {
    /// Whether a file is public.
    pub fn shows(self, path: &str) -> bool {
        match audience(path) {
            Audience::Public => true,
            Audience::AfterRecord => self.record,
            Audience::AfterResult => self.result,
            Audience::Private => false,
        }
    }

    pub fn of(round: &RoundFolder) -> Result<Self, FileError> {
        let runs = round.runs()?;
        let Ok(official) = official_run(&runs, round.record_rules()?) else {
            return Ok(Self::default());
        };
        let run = round.run(&official.run_id)?;
        Ok(Self {
            record: true,
            result: run.has(layout::run::LEADERBOARD),
        })
    }
}

impl LogFolder {
    fn salts_file(&self, round: &str) -> std::path::PathBuf {
        self.file(layout::LOG_SALTS).join(format!("{round}.json"))
    }

    /// The published salts of a round; none where there is no such file.
    pub fn salts(&self, round: &str) -> Result<Option<Salts>, FileError> {
        parse_file(&self.salts_file(round), |bytes| {
            let salts = parse(bytes)?;
            if render(&salts) != bytes {
                let text = "differs from the form in which the program writes it";
                return Err(Fault::new(text));
            }
            Ok(salts)
        })
    }

    /// Publishes the salts of the files that are public by now.
    pub fn disclose(&self, key: &LogKey, round: &RoundFolder) -> Result<(), FileError> {
        let name = round.name();
        let shown = Shown::of(round)?;
        let told = self.inventory(&name)?;
        let visible = told.bodies.into_keys().filter(|path| shown.shows(path));
        let salts: Salts = visible
            .map(|path| (path.clone(), key.salt(&name, &path)))
            .collect();
        let bytes = render(&salts);
        let file = self.salts_file(&name);
        if salts.is_empty() || read(&file)?.as_ref() == Some(&bytes) {
            return Ok(());
        }
        file_ops::create_folder(&self.file(layout::LOG_SALTS))?;
        Ok(file_ops::replace(&file, &bytes)?)
    }
}

/// The salt of a file: from the owner's key, otherwise from the published salts.
pub(crate) fn salt_of(
    owner: Option<&LogKey>,
    salts: &Salts,
    round: &str,
    path: &str,
) -> Option<[u8; 32]> {
    let own = owner.map(|key| key.salt(round, path));
    own.or_else(|| salts.get(path).copied())
}

fn parse(bytes: &[u8]) -> Result<Salts, Fault> {
    let Value::Object(members) = json::parse(bytes)? else {
        return Err(Fault::new("is not an object"));
    };
    let salt = |(path, value): (String, Value)| {
        let hash = value.as_str().and_then(Hash::parse_hex);
        let hash = hash.ok_or_else(|| Fault::field(&path, "is not a salt"))?;
        Ok((path, *hash.as_bytes()))
    };
    members.into_iter().map(salt).collect()
}

/// The file of some salts.
pub fn render(salts: &Salts) -> Vec<u8> {
    let member =
        |(path, salt): (&String, &[u8; 32])| (path.clone(), Value::from(Hash::new(*salt).to_hex()));
    let members: Map<String, Value> = salts.iter().map(member).collect();
    format!("{:#}\n", Value::Object(members)).into_bytes()
}
