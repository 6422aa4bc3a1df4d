//! What people and machines read: styled lines, tables and JSON on standard output.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

/// Something is broken.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Something needs an explanation.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
/// All is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Less important.
pub(crate) const DIM: Style = Style::new().dimmed();
/// A heading.
pub(crate) const BOLD: Style = Style::new().bold();

/// A text in a style; styles vanish where the output is not a terminal.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Why output was lost, if it was.
static LOST: OnceLock<String> = OnceLock::new();

/// Remembers a failed write; a closed pipe is no failure, its reader has seen enough.
fn note(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // The first reason is the one to tell.
        let _ = LOST.set(error.to_string());
    }
}

/// Why some of what was printed never arrived; none when all of it did.
pub(crate) fn lost_output() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// A count with its word.
pub(crate) fn plural(count: usize, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}

/// Whether what commands print is left out, because another command runs them.
static MUTED: AtomicBool = AtomicBool::new(false);

/// Runs something whose output nobody is to see; errors are returned as always.
pub(crate) fn muted<T>(work: impl FnOnce() -> T) -> T {
    MUTED.store(true, Ordering::SeqCst);
    let done = work();
    MUTED.store(false, Ordering::SeqCst);
    done
}

fn is_muted() -> bool {
    MUTED.load(Ordering::SeqCst)
}

/// Prints one line; a closed pipe ends the program's output, not the program.
pub(crate) fn line(text: impl Display) {
    if !is_muted() {
        note(writeln!(anstream::stdout().lock(), "{text}"));
    }
}

/// Prints a line to standard error.
pub(crate) fn remark(text: impl Display) {
    if !is_muted() {
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    }
}

/// Prints a JSON document.
pub(crate) fn document(value: &Value) {
    if is_muted() {
        return;
    }
    let text = capitalbench_archive::format::text::json::to_pretty(value);
    note(io::stdout().lock().write_all(text.as_bytes()));
}

/// Prints one JSON object on a line of standard error.
pub(crate) fn event_line(value: &Value) {
    let _ = writeln!(io::stderr().lock(), "{value}");
}

/// Whether somebody watches standard error.
pub(crate) fn shows_progress() -> bool {
    io::stderr().is_terminal() && !is_muted()
}

/// A table with a header; columns named here are aligned to the right.
pub(crate) fn table(header: &[&str], right: &[usize], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    lines.join("\n")
}

/// A progress bar on standard error; silent where that is not a terminal.
pub(crate) fn progress(total: usize, what: &'static str) -> ProgressBar {
    if is_muted() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total as u64).with_message(what);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
