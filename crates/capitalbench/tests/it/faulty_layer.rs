//! The layer of `tests/prove/faults.c` below the program: calls that fail, kill, or tell another time.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::harness::{Ran, Test};

/// The built layer.
pub(crate) struct FaultyLayer {
    folder: TempDir,
}

impl FaultyLayer {
    pub(crate) fn build() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/prove/faults.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(folder.path().join("faults.so"))
            .args([source.as_os_str(), "-ldl".as_ref()])
            .output()
            .expect("the C compiler that also links this test");
        assert!(built.status.success(), "{built:?}");
        Self { folder }
    }

    /// The library to load below a program.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("faults.so")
    }

    /// Runs the program above it, with what the layer is told.
    pub(crate) fn run(&self, test: &Test, told: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let layer = self.path().display().to_string();
        test.run_with(
            &[&[("LD_PRELOAD", layer.as_str())], told].concat(),
            arguments,
        )
    }
}
