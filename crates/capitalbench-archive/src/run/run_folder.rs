//! One run on disk: its manifest, run log and submission files.

use std::fs;
use std::path::{Path, PathBuf};

use capitalbench_core::values::ids::RunId;
use serde_json::Value;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout::{self, run};
use crate::format::run::acceptance;
use crate::format::run::run_log::{self, RunLogLine};
use crate::format::run::run_manifest::{self, RunRecord};
use crate::format::{text::json, utf8};
use crate::round::round_folder::{names_in, parse_file, read_file, refuse_links};
use crate::run::replay_folder::refuse_replay;
use capitalbench_core::encoding::yaml::from_yaml;

/// A folder below `runs/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
    run_id: RunId,
}

impl RunFolder {
    /// Opens a run folder; refuses a link, because it may lead anywhere.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let meta = fs::symlink_metadata(path);
        if meta.is_ok_and(|meta| meta.file_type().is_symlink()) {
            let text = "is a symbolic link; a run is a plain folder";
            return Err(FileError::folder(path, text));
        }
        refuse_links(path, &run::FOLDERS)?;
        refuse_replay(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let run_id = RunId::parse(&name).map_err(|error| FileError::folder(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            run_id,
        })
    }

    pub fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// The path of a file of the run.
    pub fn file(&self, relative: &str) -> PathBuf {
        self.path.join(relative)
    }

    /// The path of a file of the run inside its round.
    pub fn place(&self, relative: &str) -> String {
        format!("{}/{}/{relative}", layout::RUNS, self.run_id)
    }

    /// Whether a file of the run exists; a broken link counts, and cannot be read.
    pub fn has(&self, relative: &str) -> bool {
        fs::symlink_metadata(self.file(relative)).is_ok()
    }

    /// Reads a file of the run that may be absent.
    pub fn read_optional(&self, relative: &str) -> Result<Option<Vec<u8>>, FileError> {
        read_file(&self.file(relative))
    }

    /// Reads and parses a file of the run.
    pub(crate) fn parse<T>(
        &self,
        relative: &str,
        parse: impl FnOnce(&[u8]) -> Result<T, Fault>,
    ) -> Result<T, FileError> {
        let file = self.file(relative);
        parse(&file_ops::read(&file)?).map_err(|fault| fault.in_file(&file))
    }

    /// Reads and parses a file of the run that may be absent.
    pub fn parse_optional<T>(
        &self,
        relative: &str,
        parse: impl FnOnce(&[u8]) -> Result<T, Fault>,
    ) -> Result<Option<T>, FileError> {
        parse_file(&self.file(relative), parse)
    }

    /// Reads the run manifest, and the acceptance where there is one.
    pub fn record(&self) -> Result<RunRecord, FileError> {
        let mut record = if self.has(run::SLOTS) {
            self.parse(run::MANIFEST, run_manifest::parse_own)?
        } else {
            self.parse(run::MANIFEST, run_manifest::parse)?
        };
        record.run.acceptance = self.parse_optional(run::ACCEPTANCE, acceptance::parse)?;
        Ok(record)
    }

    /// Reads the run log; none when there is no such file.
    pub fn run_log(&self) -> Result<Option<Vec<RunLogLine>>, FileError> {
        self.parse_optional(run::RUN_LOG, run_log::parse)
    }

    /// Names of the submission files in a folder of the run, in order.
    pub fn submission_names(&self, relative: &str) -> Result<Vec<String>, FileError> {
        let mut names = names_in(&self.file(relative))?;
        let endings = [".json", ".yaml", ".yml"];
        let is_submission = |name: &String| endings.iter().any(|end| name.ends_with(end));
        names.retain(|name| !name.starts_with('_') && is_submission(name));
        Ok(names)
    }

    /// Reads a submission file as a JSON value.
    pub fn payload(&self, relative: &str, name: &str) -> Result<Value, FileError> {
        let path = format!("{relative}/{name}");
        self.parse(&path, |bytes| parse_payload(name, bytes))
    }
}

/// Reads a raw or parsed submission as JSON or YAML, by the ending of its name.
pub fn parse_payload(name: &str, bytes: &[u8]) -> Result<Value, Fault> {
    if Path::new(name).extension().is_some_and(|end| end == "json") {
        Ok(json::parse(bytes)?)
    } else {
        Ok(from_yaml(utf8(bytes)?)?)
    }
}
