//! Every JSON file of the archive is written again, byte for byte.

use std::fs;

use capitalbench_archive::format::text::json;

use crate::archive::{archive_root, files_with_extension, relative};

/// Files that people wrote by hand, in their own layout.
const BY_HAND: [&str; 5] = [
    "rounds/CB-2026-07-13-V2-1W/submission_schema.json",
    "rounds/example-round/runs/legacy-run/submissions/raw/anthropic-claude-example.json",
    "rounds/example-round/runs/legacy-run/submissions/raw/google-gemini-example.json",
    "rounds/example-round/runs/legacy-run/submissions/raw/openai-gpt-example.json",
    "rounds/example-round/runs/legacy-run/submissions/raw/xai-grok-example.json",
];

/// Larger files are left to release builds.
const DEBUG_LIMIT: usize = 1 << 20;

#[test]
fn json_files_are_rewritten_byte_for_byte() {
    let Some(root) = archive_root() else { return };
    let (mut same, mut left_out) = (0, 0);
    let mut different = Vec::new();
    for path in files_with_extension(&root, "json") {
        let bytes = fs::read(&path).unwrap();
        if cfg!(debug_assertions) && bytes.len() > DEBUG_LIMIT {
            left_out += 1;
            continue;
        }
        let name = relative(&root, &path);
        let value = json::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        if json::to_pretty(&value).as_bytes() == bytes {
            same += 1;
        } else {
            different.push(name);
        }
    }
    eprintln!("{same} JSON files equal, {left_out} left out for their size");
    assert!(same > 0, "the archive has JSON files");
    assert_eq!(different, BY_HAND);
}

#[test]
fn log_lines_are_rewritten_byte_for_byte() {
    let Some(root) = archive_root() else { return };
    let mut same = 0;
    for path in files_with_extension(&root, "jsonl") {
        let text = fs::read_to_string(&path).unwrap();
        for (index, line) in text.split_terminator('\n').enumerate() {
            let name = format!("{}:{}", relative(&root, &path), index + 1);
            let value =
                json::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(json::to_line(&value), line, "{name}");
            same += 1;
        }
    }
    eprintln!("{same} log lines equal");
    assert!(same > 0, "the archive has log lines");
}
