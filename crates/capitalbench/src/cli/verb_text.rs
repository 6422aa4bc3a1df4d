//! The help of a verb out of the comment on its flags: text, examples (`$ …`) and exit codes.

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use unicode_width::UnicodeWidthStr as _;

use super::Arguments;

/// No line of an example is longer.
const EXAMPLE_WIDTH: usize = 80;

/// What help, completions and manual pages are made from.
pub(crate) fn definitions() -> Command {
    Arguments::command().mut_subcommands(|verb| with_json(with_parted_text(verb)))
}

/// The verbs that print no result: a service, a play, and files or texts for other programs.
const WITHOUT_JSON: [&str; 6] = ["demo", "serve", "bundle", "mcp", "completions", "man"];

/// Gives a verb, or those below it, the flag that asks for a document.
fn with_json(verb: Command) -> Command {
    if verb.has_subcommands() {
        return verb.mut_subcommands(with_json);
    }
    if WITHOUT_JSON.contains(&verb.get_name()) {
        return verb;
    }
    let help = "Print JSON for machines; errors too, on standard error";
    let flag = Arg::new("json").long("json").help(help);
    verb.arg(flag.action(ArgAction::SetTrue))
}

/// Leaves the text above the flags and puts examples and exit codes below them, also for the verbs
/// below it.
fn with_parted_text(verb: Command) -> Command {
    let verb = verb.mut_subcommands(with_parted_text);
    let Some(whole) = verb.get_long_about().map(ToString::to_string) else {
        return verb;
    };
    let below = |part: &&str| part.starts_with("$ ") || part.starts_with("Exit codes: ");
    let (below, text): (Vec<&str>, Vec<&str>) = whole.split("\n\n").partition(below);
    let examples = below.iter().filter_map(|part| part.strip_prefix("$ "));
    let examples: Vec<String> = examples.map(example).collect();
    let heading = match examples.len() {
        0 => String::new(),
        1 => "Example:\n".to_owned(),
        _ => "Examples:\n".to_owned(),
    };
    let exits = below.iter().find(|part| part.starts_with("Exit codes: "));
    let exits = exits.copied().unwrap_or_default();
    let below = format!("{heading}{}\n\n{exits}", examples.join("\n"));
    let below = below.trim().to_owned();
    verb.long_about(text.join("\n\n")).after_help(below)
}

/// A command on as many lines as it needs, broken before flags as a shell takes it.
fn example(command: &str) -> String {
    let whole = format!("  {command}");
    if whole.width() <= EXAMPLE_WIDTH {
        return whole;
    }
    let mut parts = whole.split(" -");
    let mut line = parts.next().unwrap_or_default().to_owned();
    let mut lines = Vec::new();
    for flag in parts {
        if line.width() + flag.width() + " - \\".len() > EXAMPLE_WIDTH {
            lines.push(line + " \\");
            line = " ".repeat(5);
        }
        line = line + " -" + flag;
    }
    lines.push(line);
    lines.join("\n")
}
