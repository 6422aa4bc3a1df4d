//! The real rounds: verdicts, parsed files, hashes and results must come out as they are stored.

use std::collections::BTreeMap;

use capitalbench_archive::disk::layout::run;
use capitalbench_archive::format::text::table::read_table;
use capitalbench_archive::results::scoring::score_run;
use capitalbench_archive::round::freeze;
use capitalbench_archive::round::round_folder::{RoundInputs, Universes, list_rounds};
use capitalbench_archive::run::validation::{validate_run, validation_files};
use serde_json::Value;

use crate::archive::archive_root;

pub(crate) fn rounds() -> Option<Vec<RoundInputs>> {
    let root = archive_root()?;
    let universes = Universes::default();
    let folders = list_rounds(&root.join("rounds")).expect("the archive has rounds");
    let load = |folder| RoundInputs::load(folder, &universes).expect("a real round loads");
    Some(folders.into_iter().map(load).collect())
}

#[test]
fn input_hashes_hold() {
    let Some(rounds) = rounds() else { return };
    for round in &rounds {
        let problems = freeze::changes(&round.folder).unwrap();
        assert_eq!(problems, Some(Vec::new()), "{}", round.folder.name());
    }
    assert!(rounds.len() >= 49);
}

#[test]
fn raw_submissions_get_their_verdict_and_their_parsed_file() {
    let Some(rounds) = rounds() else { return };
    let (mut valid, mut invalid) = (0, 0);
    for round in &rounds {
        for run_id in round.folder.run_ids().unwrap() {
            let folder = round.folder.run(&run_id).unwrap();
            let rules = folder.record().unwrap().run.rules;
            let checked = validate_run(round, &folder, rules).unwrap();
            let place = format!("{}/{run_id}", round.folder.name());
            let mut expected: BTreeMap<String, Vec<u8>> = BTreeMap::new();
            for name in folder.submission_names(run::PARSED).unwrap() {
                let path = format!("{}/{name}", run::PARSED);
                let bytes = folder.read_optional(&path).unwrap().unwrap();
                expected.insert(path, bytes);
            }
            for (path, text) in validation_files(&folder, rules, &checked) {
                if path.starts_with(run::PARSED) {
                    let stored = expected.remove(&path);
                    let stored = stored.unwrap_or_else(|| panic!("{place}: {path} is not stored"));
                    let stored = String::from_utf8(stored).unwrap();
                    assert_eq!(text, stored, "{place}: {path}");
                }
            }
            assert!(expected.is_empty(), "{place}: {:?}", expected.keys());
            let summary = folder.read_optional(run::SUMMARY).unwrap().unwrap();
            let summary: Value = serde_json::from_slice(&summary).unwrap();
            let refused: Vec<&str> = checked
                .iter()
                .filter(|file| file.verdict.is_err())
                .map(|file| file.name.as_str())
                .collect();
            let recorded: Vec<&String> = summary["errors"].as_object().unwrap().keys().collect();
            assert_eq!(refused, recorded, "{place}");
            invalid += refused.len();
            valid += checked.len() - refused.len();
        }
    }
    assert!(
        valid >= 457 && invalid >= 40,
        "{valid} valid, {invalid} invalid"
    );
}

#[test]
fn results_are_reproduced_to_the_last_byte() {
    let Some(rounds) = rounds() else { return };
    let (mut files, mut older) = (0, 0);
    for round in &rounds {
        for run_id in round.folder.run_ids().unwrap() {
            let folder = round.folder.run(&run_id).unwrap();
            // Results of the migrated run were made from a universe that is no longer there.
            if !folder.has(run::RETURNS) || run_id.as_str() == "legacy-run" {
                continue;
            }
            let record = folder.record().unwrap();
            let result = score_run(round, &folder, record.run.rules).unwrap();
            for (path, table) in &result.tables {
                let Some(stored) = folder.read_optional(path).unwrap() else {
                    continue;
                };
                let stored = String::from_utf8(stored).unwrap();
                let mut text = table.render();
                if round.folder.name().starts_with("example") {
                    let header = read_table(stored.as_bytes()).unwrap().header;
                    text = table.render_as(&header).unwrap();
                    older += 1;
                }
                assert_eq!(text, stored, "{}/{run_id}: {path}", round.folder.name());
                files += 1;
            }
            assert_eq!(
                result.price_warnings.is_some(),
                folder.has(run::PRICE_WARNINGS)
            );
        }
    }
    assert!(files >= 3 * 41 + older, "{files} files");
}
