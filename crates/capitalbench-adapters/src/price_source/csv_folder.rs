//! A folder of histories, one `SYMBOL.csv` per symbol.
//!
//! The header is `date,close,adj_close` and, if wanted, `volume`, `dividend` and `split`, in any
//! order; `adjClose` is the same as `adj_close`. Rows may stand in any order. An empty cell is a
//! value that is not known; a row needs one of the two closes. The whole file must be right, also
//! outside the range that is asked for.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::similar::closest;
use jiff::civil::Date;

use super::{AnswerFuture, DailyClose, History, PriceError, PriceSource, check_question};

mod table;

/// The folder's name as a source, and in stored prices.
const NAME: &str = "csv";

/// A larger file is no history of one symbol.
const LARGEST: u64 = 32 << 20;

/// Histories on the disk, prepared by whoever gives the folder.
#[derive(Debug, Clone)]
pub struct CsvFolder {
    folder: PathBuf,
}

impl CsvFolder {
    /// The histories of a folder; it is looked at when a history is asked for.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The rows of a file's text, oldest first; the file's name is for messages.
    pub fn rows(file: &Path, text: &str) -> Result<Vec<DailyClose>, PriceError> {
        table::parse(file, text)
    }

    fn load(&self, symbol: &str, from: Date, to: Date) -> Result<History, PriceError> {
        check_question(symbol, from, to)?;
        if !self.folder.is_dir() {
            return Err(PriceError::NoFolder {
                folder: self.folder.clone(),
            });
        }
        let file = self.folder.join(format!("{symbol}.csv"));
        let text = self.read(symbol, &file)?;
        let rows = Self::rows(&file, &text)?;
        // The folder is a matter of this machine; the digest names the file.
        let proof = (Digest::of(text.as_bytes()), format!("{symbol}.csv"));
        History::within((NAME, symbol), (from, to), rows, proof)
    }

    fn read(&self, symbol: &str, file: &Path) -> Result<String, PriceError> {
        let unreadable = |reason: String| PriceError::Unreadable {
            file: file.to_owned(),
            reason,
        };
        // Opening a pipe would wait for its other end, so the kind is asked for first.
        let found = match fs::symlink_metadata(file) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(self.no_file(symbol, file));
            }
            Err(error) => return Err(unreadable(error.to_string())),
        };
        if found.is_symlink() {
            let reason = "it is a symbolic link, which may leave the folder; put the file itself";
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

    fn no_file(&self, symbol: &str, file: &Path) -> PriceError {
        let symbols: Vec<String> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".csv").map(str::to_owned))
            .collect();
        let nearest = closest(symbol, symbols.iter().map(String::as_str));
        PriceError::NoFile {
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
        // One small local file is read faster than it could be handed to another thread.
        Box::pin(async move { self.load(symbol, from, to) })
    }
}
