//! What is too much is refused with a sentence that names the limit; `docs/limits.md` lists them.

use std::fs;
use std::path::Path;

use capitalbench_archive::disk::file_ops::{self, READ_LIMIT};
use capitalbench_archive::format::text::table::read_table;
use capitalbench_archive::format::{round::manifest, round::models, round::options, text::json};
use capitalbench_core::encoding::yaml::from_yaml;
use capitalbench_core::values::ids::{ModelId, RoundId};
use serde_json::Value;

const TOO_MUCH: &str = "the document is too large, too deep or repeats too much by aliases";

fn many(count: usize, head: &str, entry: impl Fn(usize) -> String) -> Vec<u8> {
    let entries: String = (0..count).map(entry).collect();
    format!("{head}{entries}").into_bytes()
}

fn fault<T: std::fmt::Debug, E: ToString>(result: Result<T, E>) -> String {
    result.expect_err("too much").to_string()
}

#[test]
fn options_and_models_have_a_highest_number() {
    let option = |number: usize| {
        format!(
            "- {{id: O{number}, name: N, symbol: S{number}, tiingo_symbol: S{number}, asset_class: equity, \
             category: equity, option_group: equity, risk_bucket: high, currency: USD, \
             exposure_description: Shares.}}\n"
        )
    };
    let found = fault(options::parse(&many(5_001, "options:\n", option)));
    assert!(
        found.contains("the universe has 5001 options; at most 5000 are allowed"),
        "{found}"
    );
    let model = |number: usize| {
        format!("- {{model_id: m{number}, provider: openai, api_model_name: m{number}}}\n")
    };
    let found = fault(models::parse(&many(2_001, "models:\n", model)));
    assert_eq!(found, "models: lists 2001 models; at most 2000 are allowed");
    assert!(models::parse(&many(50, "models:\n", model)).is_ok());
}

#[test]
fn nesting_width_and_length_are_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(json::parse(nested(127).as_bytes()).is_ok());
    let found = fault(json::parse(nested(128).as_bytes()));
    assert!(
        found.ends_with("nested too deeply; the limit is 128 levels"),
        "{found}"
    );
    let found = fault(manifest::parse(nested(200).as_bytes()));
    assert!(found.ends_with(TOO_MUCH), "{found}");
    let wide = |count: usize| {
        let columns: Vec<String> = (0..count).map(|number| format!("c{number}")).collect();
        columns.join(",")
    };
    assert!(read_table(wide(1_000).as_bytes()).is_ok());
    let found = fault(read_table(wide(1_001).as_bytes()));
    assert_eq!(
        found,
        "the header has 1001 columns; at most 1000 are allowed"
    );
    // Bytes, not characters.
    let found = fault(RoundId::parse(&format!("{}x", "ü".repeat(100))));
    assert_eq!(found, "the round id has 201 bytes; at most 200 are allowed");
    assert!(ModelId::parse(&"m".repeat(200)).is_ok());
}

#[test]
fn yaml_is_bounded_in_every_direction() {
    let read = |text: &str| from_yaml::<Value>(text);
    let refused = |text: &str| assert_eq!(read(text).expect_err("too much").message, TOO_MUCH);
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(read(&nested(32)).is_ok());
    refused(&nested(33));
    refused(&format!("a: {}\n", "x".repeat(16 << 20)));
    let entries = |count: usize| "- 1\n".repeat(count);
    // The list and the document are nodes of their own.
    assert!(read(&entries(199_990)).is_ok());
    refused(&entries(200_001));
    let anchors = |count: usize| {
        let lines = (0..count).map(|number| format!("k{number}: &a{number} 1\n"));
        lines.collect::<String>()
    };
    assert!(read(&anchors(100)).is_ok());
    refused(&anchors(101));
    // Twenty lists of so many entries, and so many uses of them.
    let repeated = |entries: usize, uses: usize| {
        let list = vec!["1"; entries].join(", ");
        let lists = (0..20).map(|number| format!("k{number}: &a{number} [{list}]\n"));
        let uses: Vec<String> = (0..uses)
            .map(|number| format!("*a{}", number % 20))
            .collect();
        format!("{}all: [{}]\n", lists.collect::<String>(), uses.join(", "))
    };
    assert!(read(&repeated(1, 100)).is_ok());
    refused(&repeated(1, 101));
    // The beginning and the end of a list are events as well.
    assert!(read(&repeated(98, 100)).is_ok());
    refused(&repeated(99, 100));
}

#[test]
fn a_file_may_fill_the_limit_and_not_a_byte_more() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("large.json");
    let file = fs::File::options().write(true).create_new(true).open(&path);
    let file = file.expect("a file");
    file.set_len(READ_LIMIT).expect("a file without blocks");
    assert_eq!(file_ops::read(&path).map(|bytes| bytes.len()), Ok(64 << 20));
    file.set_len(READ_LIMIT + 1)
        .expect("a long file without blocks");
    let found = fault(file_ops::read(&path));
    assert_eq!(
        found,
        format!("{} is larger than 67108864 bytes", path.display())
    );
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert!(fault(file_ops::read(&link)).contains("is a symbolic link"));
    for path in [folder.path(), Path::new("/dev/zero")] {
        let expected = format!("{} is not a regular file", path.display());
        assert_eq!(fault(file_ops::read(path)), expected);
    }
}
