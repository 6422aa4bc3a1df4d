//! What people and machines read: styled lines, tables and JSON on standard output.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::cli::Global;
use crate::config::columns;

mod table;
mod trace;

use table::visible_width;
pub(crate) use table::{NONE, Table, in_header, or_none};

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

/// Whether only errors and documents are printed, as `--quiet` asks.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether results are printed as documents, as `--json` asks.
static JSON: AtomicBool = AtomicBool::new(false);

/// Whether what commands print is left out, because another command runs them.
static MUTED: AtomicBool = AtomicBool::new(false);

/// Does as the flags of every verb say.
pub(crate) fn set_up(flags: &Global, json: bool) {
    QUIET.store(flags.quiet, Ordering::SeqCst);
    JSON.store(json, Ordering::SeqCst);
    let choice = match flags.color {
        clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
        clap::ColorChoice::Always => anstream::ColorChoice::Always,
        clap::ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    if flags.verbose {
        trace::start();
    }
}

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

/// Whether only errors are wanted.
pub(crate) fn is_quiet() -> bool {
    is_muted() || QUIET.load(Ordering::SeqCst)
}

/// Whether a document is wanted instead of text.
pub(crate) fn is_json() -> bool {
    JSON.load(Ordering::SeqCst)
}

/// Prints a result: the document where one is wanted, else the text.
pub(crate) fn show(value: impl FnOnce() -> Value, text: impl FnOnce()) {
    if is_json() {
        document(&value());
    } else {
        text();
    }
}

/// Prints one line; a closed pipe ends the program's output, not the program.
pub(crate) fn line(text: impl Display) {
    if !is_quiet() {
        note(writeln!(anstream::stdout().lock(), "{text}"));
    }
}

/// Prints a line to standard error.
pub(crate) fn remark(text: impl Display) {
    if !is_quiet() {
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    }
}

/// Prints what to do next.
pub(crate) fn next_step(step: impl Display) {
    line(format!("{} {step}", paint(DIM, "next:")));
}

/// Prints a doubt to standard error.
pub(crate) fn warn(text: impl Display) {
    remark(format!("{} {text}", paint(WARNING, "warning:")));
}

/// Prints what could not be read or done, a line each, to standard error.
pub(crate) fn complain(errors: &[impl Display]) {
    for error in errors {
        remark(format!("{} {error}", paint(ERROR, "error:")));
    }
}

/// Prints a JSON document.
pub(crate) fn document(value: &Value) {
    if is_muted() {
        return;
    }
    bytes(capitalbench_archive::format::text::json::to_pretty(value).as_bytes());
}

/// Prints what was asked for byte by byte, also when only errors are wanted.
pub(crate) fn bytes(bytes: &[u8]) {
    note(io::stdout().lock().write_all(bytes));
}

/// Prints one JSON object on a line of standard error.
pub(crate) fn event_line(value: &Value) {
    let _ = writeln!(io::stderr().lock(), "{value}");
}

/// Whether somebody watches standard error.
pub(crate) fn shows_progress() -> bool {
    io::stderr().is_terminal() && !is_quiet()
}

/// A table with a header, as [`Table`] reads it.
pub(crate) fn table(header: &str, rows: Vec<Vec<String>>) -> String {
    let layout = Table {
        header,
        ..Table::default()
    };
    layout.render(rows)
}

/// Columns of the terminal, or what COLUMNS says; none where lines may be as long as they are.
pub(crate) fn width() -> Option<usize> {
    let terminal = terminal_size::terminal_size_of(io::stdout());
    let seen = terminal.map(|(width, _)| usize::from(width.0));
    seen.or_else(columns).filter(|width| *width > 0)
}

/// A text for reading, broken where the terminal ends.
pub(crate) fn prose(text: &str) -> String {
    wrapped(text, 0, width().unwrap_or(usize::MAX))
}

/// Gives negative numbers the minus sign (U+2212); hyphens in days and names stay.
fn with_minus(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(sign) = rest.next() {
        let starts = !before.is_alphanumeric() && before != '-';
        let number = rest.peek().is_some_and(char::is_ascii_digit);
        let minus = sign == '-' && starts && number;
        shown.push(if minus { '−' } else { sign });
        before = sign;
    }
    shown
}

/// A text in lines of at most this width, each indented; no number is parted from its percent sign.
pub(crate) fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let joined = with_minus(text).replace(" %", "\u{a0}%");
    for word in joined.split(' ') {
        match lines.last_mut() {
            Some(line) if visible_width(line) + 1 + visible_width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{}{word}", " ".repeat(indent))),
        }
    }
    lines.join("\n").replace('\u{a0}', " ")
}

/// A progress bar on standard error; silent where that is not a terminal.
pub(crate) fn progress(total: usize, what: &'static str) -> ProgressBar {
    if is_quiet() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total as u64).with_message(what);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

#[cfg(test)]
mod tests;
