//! The data dictionary: one page from the same descriptions that write the files.

use std::fmt::Write as _;

use crate::table::Presence;
use crate::tables;

pub fn dictionary() -> String {
    let mut page = String::from(INTRODUCTION);
    for table in tables::ALL {
        // Writing to a String cannot fail.
        let _ = write!(page, "\n## {}\n\n{}\n\n", table.name, table.about);
        page.push_str("| column | type | may be empty | meaning |\n| --- | --- | --- | --- |\n");
        for column in table.columns {
            let empty = match column.presence {
                Presence::Always => "",
                Presence::Maybe => "yes",
            };
            let kind = column.kind.as_str();
            let _ = writeln!(
                page,
                "| `{}` | {kind} | {empty} | {} |",
                column.name, column.meaning
            );
        }
    }
    page
}

const INTRODUCTION: &str = "\
# Data dictionary

Every table is one `.csv`, one `.json` and one `.parquet` file; `publication.json` holds the same rows,
nested, without those of `habits` and `reliability`.
Column names end in their unit: `_fraction` (0.01 is 1 %), `_percent`, `_bps` (10,000 is the whole),
`_points`, `_usd`, `_seconds`. Instants are UTC, days are sessions of the market of the round. Figures are
doubles to their last digit; nothing is rounded.

A value that does not exist is empty (CSV), null (Parquet, JSON). Where the reason is not plain, the
column named `…_reason` beside it holds one word for it. An empty text is written `\"\"` in CSV.

A round that is not resolved has no row in `round_results`, `option_returns`, `outcomes`,
`control_outcomes` and `repeated_calls`, no exit row in `prices`, and counts
in no figure of a result. `behaviour`, `habits` and `exposures` tell how models decide, so they count every
public decision, those of open rounds included.
";
