//! One number for the state of source files: shared by the build scripts whose crates keep what they
//! computed and must not take over what another program computed.

use std::fs;
use std::path::{Path, PathBuf};

/// Hands the crate the stamp of all files below these folders, and of the lock file, as a variable.
pub(crate) fn stamp(variable: &str, folders: &[&str]) {
    let mut files = Vec::new();
    for folder in folders {
        println!("cargo::rerun-if-changed={folder}");
        collect(Path::new(folder), &mut files);
    }
    // Other versions of what is used may compute something else.
    let lock = Path::new("../../Cargo.lock");
    if lock.exists() {
        println!("cargo::rerun-if-changed={}", lock.display());
        files.push(lock.to_owned());
    }
    files.sort();
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let name = file.to_string_lossy().into_owned().into_bytes();
        let text = fs::read(&file).unwrap_or_default();
        for byte in name.iter().chain(&text) {
            state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env={variable}={state:016x}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
