//! What is too much is refused with a sentence that names the limit; `docs/limits.md` lists them.

use std::fs;
use std::path::Path;

use capitalbench_archive::file_ops::{self, READ_LIMIT};
use capitalbench_archive::format::table::read_table;
use capitalbench_archive::format::{json, manifest, models, options};
use capitalbench_core::ids::{ModelId, RoundId};

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
    let deep = "[".repeat(200) + &"]".repeat(200);
    let found = fault(json::parse(deep.as_bytes()));
    assert!(
        found.ends_with("nested too deeply; the limit is 128 levels"),
        "{found}"
    );
    let found = fault(manifest::parse(deep.as_bytes()));
    assert!(
        found.ends_with("too large, too deep or repeats too much by aliases"),
        "{found}"
    );
    let columns: Vec<String> = (0..1_002).map(|number| format!("c{number}")).collect();
    let wide = columns.join(",");
    let found = fault(read_table(wide.as_bytes()));
    assert_eq!(
        found,
        "the header has 1002 columns; at most 1000 are allowed"
    );
    let found = fault(RoundId::parse(&"ü".repeat(101)));
    assert_eq!(found, "the round id has 202 bytes; at most 200 are allowed");
    assert!(ModelId::parse(&"m".repeat(200)).is_ok());
}

#[test]
fn a_file_may_fill_the_limit_and_not_a_byte_more() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("large.json");
    let file = fs::File::options().write(true).create_new(true).open(&path);
    let file = file.expect("a file");
    file.set_len(READ_LIMIT + 1)
        .expect("a long file without blocks");
    let found = fault(file_ops::read(&path));
    assert_eq!(
        found,
        format!("{} is larger than 67108864 bytes", path.display())
    );
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert!(fault(file_ops::read(&link)).contains("symbolic link"));
    assert!(fault(file_ops::read(folder.path())).contains("file"));
    assert!(fault(file_ops::read(Path::new("/dev/zero"))).contains("file"));
}
