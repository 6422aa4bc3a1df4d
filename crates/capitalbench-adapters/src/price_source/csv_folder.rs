//! A folder of histories, one `SYMBOL.csv` per symbol.
//!
//! The header is `date,close,adj_close` and, optionally, `volume`, `dividend` and `split`, in any
//! order; `adjClose` is the same as `adj_close`. Rows may stand in any order. An empty cell is an
//! unknown value; a row needs one of the two closes. The whole file must be right, also outside the
//! requested range.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::similar::closest;
use jiff::civil::Date;

use super::{AnswerFuture, DailyClose, History, PriceFault, PriceSource, Question, named};

mod table;

/// The name of this source, also in stored prices.
const NAME: &str = "csv";

/// A larger file cannot be the history of one symbol.
const LARGEST: u64 = 32 << 20;

/// Histories on the disk, prepared by whoever gives the folder.
#[derive(Debug, Clone)]
pub struct CsvFolder {
    folder: PathBuf,
}

impl CsvFolder {
    /// Names the folder; nothing is read until a history is asked for.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The rows of a file's text, oldest first; the file's name is for messages.
    pub fn rows(file: &Path, text: &str) -> Result<Vec<DailyClose>, PriceFault> {
        table::parse(file, text)
    }

    fn load(&self, question: Question<'_>) -> Result<History, PriceFault> {
        if !self.folder.is_dir() {
            return Err(PriceFault::NoFolder {
                folder: self.folder.clone(),
            });
        }
        let name = format!("{}.csv", question.symbol);
        let file = self.folder.join(&name);
        let text = self.read(question.symbol, &file)?;
        // The record names the file and its digest; where the folder lies is of no interest to others.
        question.history(Self::rows(&file, &text)?, &text, name)
    }

    fn read(&self, symbol: &str, file: &Path) -> Result<String, PriceFault> {
        let unreadable = |reason: String| PriceFault::Unreadable {
            file: file.to_owned(),
            reason,
        };
        // Opening a pipe would block until somebody writes to it, so the file type is checked first.
        let found = match fs::symlink_metadata(file) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(self.no_file(symbol, file));
            }
            Err(error) => return Err(unreadable(error.to_string())),
        };
        if found.is_symlink() {
            let reason =
                "it is a symbolic link, which may leave the folder; put the file itself there";
            return Err(unreadable(reason.to_owned()));
        }
        if !found.is_file() {
            return Err(unreadable("it is not a regular file".to_owned()));
        }
        let mut bytes = Vec::new();
        File::open(file)
            .and_then(|opened| opened.take(LARGEST + 1).read_to_end(&mut bytes))
            .map_err(|error| unreadable(error.to_string()))?;
        if bytes.len() as u64 > LARGEST {
            return Err(unreadable(format!("it is larger than {LARGEST} bytes")));
        }
        let not_text = |_| unreadable("it is not UTF-8; save it as UTF-8".to_owned());
        String::from_utf8(bytes).map_err(not_text)
    }

    fn no_file(&self, symbol: &str, file: &Path) -> PriceFault {
        let symbols: Vec<String> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".csv").map(str::to_owned))
            .collect();
        let nearest = closest(symbol, symbols.iter().map(String::as_str));
        PriceFault::NoFile {
            file: file.to_owned(),
            nearest: nearest.map(|name| format!("{name}.csv")),
        }
    }
}

impl PriceSource for CsvFolder {
    fn name(&self) -> &'static str {
        NAME
    }

    fn stored_label(&self) -> &'static str {
        NAME
    }

    fn close_basis(&self) -> CloseBasis {
        CloseBasis::Raw
    }

    fn answer<'a>(&'a self, symbol: &'a str, from: Date, to: Date) -> AnswerFuture<'a> {
        // Reading one small local file is faster than handing it to another thread.
        let answer = async move { self.load(Question::new(symbol, from, to)?) };
        Box::pin(named(NAME, symbol, answer))
    }
}
