//! The website in a real Chromium: what readers see, click and are protected from.
//!
//! The browser and its driver come from `scripts/test`. Where they are missing the tests say so and
//! pass, except in continuous integration.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests prepare folders, ask the environment and have nobody else to tell"
)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

mod driver;
mod entering;
#[path = "../it/entrant_house.rs"]
#[expect(dead_code, reason = "other ways to enter are for other tests")]
mod entrant_house;
#[path = "../it/fake_clock.rs"]
#[expect(dead_code, reason = "clocks that err are for other tests")]
mod fake_clock;
#[path = "../it/faulty_layer.rs"]
#[expect(dead_code, reason = "only its clock is used here")]
mod faulty_layer;
#[path = "../it/harness.rs"]
#[expect(dead_code, reason = "what commands say is for other tests")]
mod harness;
mod pages;
mod paper;
mod proofs;
#[path = "../it/signed_round.rs"]
#[expect(dead_code, reason = "other moments of the round are for other tests")]
mod signed_round;
mod uses;

use driver::Browser;

/// A running `capitalbench serve`; it ends with the value.
struct Site {
    serving: Child,
    address: String,
}

impl Site {
    /// Serves a folder of rounds as it was at an instant.
    fn of(rounds: &Path, as_of: &str) -> Self {
        let mut serving = Command::new(env!("CARGO_BIN_EXE_capitalbench"))
            .args(["serve", "--listen", "127.0.0.1:0", "--as-of", as_of])
            .arg("--rounds-dir")
            .arg(rounds)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program");
        let said = BufReader::new(serving.stdout.take().expect("its output"));
        let mut words = said.lines().map_while(Result::ok).flat_map(|line| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            words
        });
        let address = words.find(|word| word.starts_with("http://"));
        Self {
            serving,
            address: address.expect("an address"),
        }
    }

    fn page(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.serving.kill();
        let _ = self.serving.wait();
    }
}

/// Says that a tool is missing; continuous integration must have it.
fn skip(tool: &str) {
    let strict = std::env::var("CI").as_deref() == Ok("true");
    assert!(!strict, "{tool} is missing; scripts/test installs it");
    eprintln!("skipped: no {tool}; scripts/test installs it");
}

/// A browser, unless this machine has none.
fn browser() -> Option<Browser> {
    let there = Command::new("chromedriver")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if there.is_ok_and(|status| status.success()) {
        return Some(Browser::start());
    }
    skip("chromedriver");
    None
}

/// The public archive at the day of its last rounds, where it is there; else the fixtures.
fn record() -> (PathBuf, &'static str) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var("CAPITALBENCH_ARCHIVE").map(PathBuf::from);
    let archive = named.unwrap_or_else(|_| here.join("../../../shared/archive"));
    if archive.join("rounds").is_dir() {
        (archive.join("rounds"), "2026-08-21T22:00:00Z")
    } else {
        (here.join("../../fixtures/rounds"), "2026-06-30T00:00:00Z")
    }
}
