//! Simulates records whose truth is known, and prints how often each method is wrong.
//!
//! One row a line, tab-separated: what, figure, limit, and `holds`, `fails` or `told` where no limit
//! applies. Every seed follows from the names of the world and of the case.

use std::io::Write as _;

mod claims;
mod coverage;
mod family;
mod luck;
mod twins;
mod world;

/// One line of the table.
struct Row {
    what: String,
    figure: String,
    limit: String,
    /// None where the figure is only told.
    holds: Option<bool>,
}

/// A table of one part, by the histories of a case.
type Part = fn(usize) -> Vec<Row>;

#[expect(
    clippy::disallowed_methods,
    reason = "an example is a program of its own, and core does not use it"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    // Histories of a case, then the one part that is wanted.
    let histories = arguments.next().and_then(|text| text.parse().ok());
    let histories = histories.unwrap_or(1_000);
    let wanted = arguments.next();
    let parts: [(&str, Part); 6] = [
        ("coverage", coverage::rows),
        ("family", family::rows),
        ("luck", luck::rows),
        ("claims", claims::false_crossings),
        ("decisions", claims::decisions),
        ("twins", twins::rows),
    ];
    for (name, rows) in parts {
        if wanted.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        for row in rows(histories) {
            let verdict = match row.holds {
                Some(true) => "holds",
                Some(false) => "fails",
                None => "told",
            };
            let (what, figure, limit) = (row.what, row.figure, row.limit);
            writeln!(std::io::stdout(), "{what}\t{figure}\t{limit}\t{verdict}")?;
        }
    }
    Ok(())
}
