//! Strict reading of JSON.

use capitalbench_core::encoding::yaml::unique_keys::UniqueKeys;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::disk::error::Fault;

/// Why a text is not JSON that the archive accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    #[error("the file is empty")]
    Empty,
    #[error("line {line}, column {column}: {message}")]
    Invalid {
        /// Counted from 1.
        line: usize,
        /// Column in bytes, counted from 1; 0 when the problem lies at the end of the line before.
        column: usize,
        message: String,
    },
}

/// Reads one JSON value from a whole file.
///
/// Whole numbers outside 64 bits become floats, as in `serde_json`; the archive has none.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| invalid_at(bytes, error.valid_up_to(), "not UTF-8 text"))?;
    if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
        return Err(JsonError::Empty);
    }
    if text.starts_with('\u{feff}') {
        let message = "the file starts with a byte order mark; save it as plain UTF-8";
        return Err(invalid_at(bytes, 0, message));
    }
    serde_json::from_str::<UniqueKeys>(text)
        .map(|unique| unique.0)
        .map_err(|error| readable(text, &error))
}

/// Reads a whole file into a type that derives its stored form.
///
/// The text is read twice: [`parse`] refuses repeated keys, which a derived reader of a map accepts,
/// and the derived reader knows the line of a member that is unknown or of the wrong type.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    if !parse(bytes)?.is_object() {
        // A derived reader would also take a list of the values.
        return Err(Fault::new("is not an object"));
    }
    read_checked(bytes)
}

/// The second half of [`read`], for an object that [`parse`] has accepted.
pub(in crate::format) fn read_checked<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(bytes).map_err(|error| {
        let mut fault = readable("", &error);
        let JsonError::Invalid { message, .. } = &mut fault else {
            return fault.into();
        };
        if let Some((unknown, _)) = message.split_once(", expected")
            && unknown.starts_with("unknown field")
        {
            *message =
                format!("{unknown}; remove it, or read the file with the version that wrote it");
        }
        fault.into()
    })
}

fn invalid_at(bytes: &[u8], offset: usize, message: &str) -> JsonError {
    let mut lines = bytes[..offset].rsplit(|byte| *byte == b'\n');
    let start_of_line = lines.next().unwrap_or_default();
    JsonError::Invalid {
        line: lines.count() + 1,
        column: start_of_line.len() + 1,
        message: message.to_owned(),
    }
}

fn readable(text: &str, error: &serde_json::Error) -> JsonError {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let message = match full.strip_suffix(&format!(" at line {line} column {column}")) {
        _ if names_no_number(text, line, column) => "NaN and Infinity are not allowed",
        Some("recursion limit exceeded") => "nested too deeply; the limit is 128 levels",
        Some(message) => message,
        None => &full,
    };
    JsonError::Invalid {
        line,
        column,
        message: message.to_owned(),
    }
}

/// Whether the text at this place is a word that Python writes for a number JSON does not have.
fn names_no_number(text: &str, line: usize, column: usize) -> bool {
    text.split('\n')
        .nth(line.saturating_sub(1))
        .and_then(|line| line.get(column.saturating_sub(1)..))
        .is_some_and(|rest| rest.starts_with("NaN") || rest.starts_with("Infinity"))
}

#[cfg(test)]
mod tests;
