//! `--verbose`: what is read, asked and written, each with the seconds since the start.

use std::io::{self, Write as _};
use std::sync::OnceLock;
use std::time::Instant;

use log::{LevelFilter, Log, Metadata, Record};

/// When the program started to tell.
static STARTED: OnceLock<Instant> = OnceLock::new();

struct Trace;

/// From now on the crates of this project say what they read, ask and write. Other crates stay
/// silent: their lines could hold addresses with keys.
pub(super) fn start() {
    STARTED.get_or_init(Instant::now);
    if log::set_logger(&Trace).is_ok() {
        log::set_max_level(LevelFilter::Debug);
    }
}

impl Log for Trace {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("capitalbench")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let seconds = STARTED.get_or_init(Instant::now).elapsed().as_secs_f64();
            // Nobody is left to tell when standard error is closed.
            let _ = writeln!(io::stderr().lock(), "{seconds:9.3}s  {}", record.args());
        }
    }

    fn flush(&self) {}
}
