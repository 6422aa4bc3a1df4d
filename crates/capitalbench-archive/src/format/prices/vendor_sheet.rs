//! Closes that stay private: every session as fetched, behind a salt.
//!
//! The first line is a random salt of 32 bytes. The plain digest of the file is therefore a salted one:
//! it may be public, and nobody can find the closes by trying candidates against it.

use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::values::ids::Digest;

use super::price_window;
use crate::disk::error::Fault;
use crate::format::utf8;

/// What a digest of the closes cannot be found without.
pub type Salt = [u8; 32];

const SALT: &str = "# salt ";

/// The text of the sheet.
pub fn render(salt: &Salt, windows: &[PriceWindow]) -> String {
    let salt = Digest::from_bytes(*salt).to_hex();
    format!("{SALT}{salt}\n{}", price_window::render(windows))
}

/// Reads a sheet with or without a salt: rounds that publish closes have none.
pub fn parse(bytes: &[u8]) -> Result<Vec<PriceWindow>, Fault> {
    let Some(salted) = bytes.strip_prefix(SALT.as_bytes()) else {
        return price_window::parse(bytes);
    };
    let end = salted.iter().position(|byte| *byte == b'\n');
    let (salt, rest) = salted.split_at(end.unwrap_or(salted.len()));
    if utf8(salt).ok().and_then(Digest::parse).is_none() {
        return Err(Fault::new("its salt must be 64 hex digits").on_line(1));
    }
    let windows = price_window::parse(rest.get(1..).unwrap_or_default());
    windows.map_err(|fault| Fault {
        line: fault.line.map(|line| line + 1),
        field: fault.field,
        problem: "cannot be read; closes are private here, so the cell is not quoted".to_owned(),
    })
}

/// Reads a sheet that must have a salt.
pub fn parse_salted(bytes: &[u8]) -> Result<Vec<PriceWindow>, Fault> {
    if !bytes.starts_with(SALT.as_bytes()) {
        return Err(Fault::new("must begin with its salt").on_line(1));
    }
    parse(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "option_id,symbol,date,close,adj_close,dividend,split_factor,volume\n\
                        SP500,SPY,2026-05-08,187.654321,180.123456,0.0,1.0,1000.0\n";

    #[test]
    fn a_salted_sheet_reads_back_and_its_digest_depends_on_the_salt() {
        let windows = price_window::parse(ROWS.as_bytes()).unwrap();
        let text = render(&[171; 32], &windows);
        assert_eq!(text, format!("# salt {}\n{ROWS}", "ab".repeat(32)));
        assert_eq!(parse(text.as_bytes()).unwrap(), windows);
        assert_eq!(parse_salted(text.as_bytes()).unwrap(), windows);
        assert_eq!(parse(ROWS.as_bytes()).unwrap(), windows);
        assert_ne!(text, render(&[172; 32], &windows));
    }

    #[test]
    fn a_sheet_without_a_whole_salt_is_refused_and_faults_name_the_line_of_the_file() {
        let check = |text: String, expected: &str| {
            assert_eq!(
                parse_salted(text.as_bytes()).unwrap_err().to_string(),
                expected
            );
        };
        check(ROWS.to_owned(), "line 1: must begin with its salt");
        check(
            format!("# salt ab\n{ROWS}"),
            "line 1: its salt must be 64 hex digits",
        );
        let broken = ROWS.replace("187.654321", "none");
        check(
            format!("# salt {}\n{broken}", "ab".repeat(32)),
            "line 3: close: cannot be read; closes are private here, so the cell is not quoted",
        );
    }
}
