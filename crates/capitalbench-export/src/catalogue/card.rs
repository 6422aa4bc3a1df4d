//! The page of a data set on a hub, with one configuration per table.

use std::fmt::Write as _;

use capitalbench_core::league::licence::Licence;
use capitalbench_core::publication::Publication;
use serde_json::Value;

use super::{CITATION, LISTED, Publisher, about, day};
use crate::tables;

const BODY: &str = "
`data_dictionary.md` says what every column means, `croissant.json` and `datapackage.json` say it to \
programs, and `checksums.txt` holds the digest of every file. Column names end in their unit.

```python
from datasets import load_dataset

outcomes = load_dataset(\".\", \"outcomes\", split=\"train\")
```

Everything lies in one split, which the hub calls `train`; nothing here is meant for training. A round \
that is not resolved has decisions and no result. Rounds overlap in time, so their number is no sample \
size; `statistics` and `pairs` say what the record may claim. This is research, not investment advice.

";

pub(super) fn card(publication: &Publication, publisher: &Publisher<'_>) -> String {
    let mut text = head(publisher);
    let title = publisher.title();
    let rounds = publication.rounds.len();
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "\n# {title}\n\n{}\n\nAs of {}: {rounds} rounds in {} tables.\n",
        about(publication),
        publication.as_of,
        tables::ALL.len(),
    );
    text.push_str(BODY);
    text.push_str("| table | what one row is |\n| --- | --- |\n");
    for table in tables::ALL {
        let _ = writeln!(text, "| `{}` | {} |", table.name, table.about);
    }
    let _ = write!(
        text,
        "\n## Cite\n\n{}. *{title}*. As of {}.",
        publisher.name,
        day(publication)
    );
    if let Some(address) = publisher.address {
        let _ = write!(text, " {address}");
    }
    let _ = writeln!(text, "\n\n`{CITATION}` holds the same for programs.");
    text
}

/// What the hub reads before the page.
fn head(publisher: &Publisher<'_>) -> String {
    let mut text = String::from("---\n");
    let mut field = |name: &str, value: &str| _ = writeln!(text, "{name}: {}", Value::from(value));
    field("pretty_name", &publisher.title());
    if let Some(licence) = publisher.licence {
        let known = LISTED.iter().find(|(id, _)| *id == licence.to_string());
        match (known, licence) {
            (Some((_, word)), _) => field("license", word),
            (None, other) => {
                field("license", "other");
                let name = match other {
                    Licence::Spdx(id) => id,
                    Licence::Address(_) => "own terms",
                };
                field("license_name", name);
                field("license_link", &other.address());
            }
        }
    }
    text.push_str("language:\n- en\ntags:\n- finance\n- benchmark\n- tabular\nconfigs:\n");
    for table in tables::ALL {
        let name = table.name;
        let _ = writeln!(text, "- config_name: {name}\n  data_files: {name}.parquet");
        if name == tables::outcomes::OUTCOMES.name {
            text.push_str("  default: true\n");
        }
    }
    text + "---\n"
}

/// Which files a repository keeps outside its history: those that grow.
pub(super) fn attributes() -> String {
    let own = tables::ALL
        .iter()
        .map(|table| format!("{}.json", table.name));
    let all = ["*.csv", "*.parquet", "publication.json"].map(str::to_owned);
    let lines = all.into_iter().chain(own);
    lines.fold(String::new(), |text, name| {
        text + &name + " filter=lfs diff=lfs merge=lfs -text\n"
    })
}
