//! Every kept seed and every crash that was ever found, through the function it belongs to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use capitalbench_fuzz::TARGETS;

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.into_string().expect("a plain name"))
        .collect()
}

#[test]
fn seeds_keep_every_promise() {
    for (name, target) in TARGETS {
        let folder = fuzz_folder().join("seeds").join(name);
        let seeds = names(&folder);
        assert!(!seeds.is_empty(), "{name} has no seed");
        for seed in seeds {
            let bytes = fs::read(folder.join(&seed)).expect("a seed");

            target(&bytes);
            // Cut anywhere, it is another input.
            for part in 1..8 {
                target(&bytes[..bytes.len() * part / 8]);
            }
        }
    }
}

#[test]
fn every_target_has_its_program_and_seeds() {
    let known: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(known.len(), TARGETS.len());
    assert_eq!(names(&fuzz_folder().join("seeds")), known);
    let programs = names(&fuzz_folder().join("fuzz_targets"));
    let expected: BTreeSet<String> = known.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(programs, expected);
    let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).expect("a manifest");
    for name in known {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
