//! The verbs in groups, as `--help` shows them.

use std::ffi::OsString;
use std::fmt::Write as _;

use capitalbench_core::league::settings::League;
use clap::builder::StyledStr;
use clap::{ArgMatches, ColorChoice, CommandFactory as _, FromArgMatches as _, ValueEnum as _};
use unicode_width::UnicodeWidthStr as _;

use super::{Arguments, definitions};
use crate::config::league_defaults::with_defaults;
use crate::console::{BOLD, paint};

/// Every verb under its heading: what people need first comes first. The verbs of the first group
/// take a league from nothing to its site, and are all that the short help shows.
const GROUPS: [(&str, &str); 7] = [
    (
        "Start here",
        "demo league status init-round run-round accept-run resolve-due leaderboard verify serve",
    ),
    (
        "Run a league",
        "import-research fetch-universe-performance make-briefing hash-round show-prompt \
         check-providers smoke-provider void-round fetch-prices record-listing score-round \
         update-interim-performance worker",
    ),
    (
        "Read results",
        "explain replay compare claim plan-evidence cumulative-status list-runs compare-runs show-controls \
         mcp",
    ),
    ("Take part", "enter"),
    (
        "Check",
        "audit-round validate-submissions validate-universe",
    ),
    (
        "Publish",
        "build-site export sync-web bundle publish-report publish-round-summary publish-latest \
         publish-cumulative",
    ),
    (
        "Maintain",
        "keys anchor automation-status automation-retry automation-cancel db store \
         update-weekly-performance completions man",
    ),
];

const EXITS: &str = "Exit codes: 0 success, 1 what was checked does not hold or is not complete, \
2 could not run, 3 a league waits for its price source. The help of a verb says what this means for it. With --json an error is one JSON \
object on standard error: {\"error\": {\"code\": 2, \"message\": …, \"hint\": …}}.";

/// The top of the help, and what follows the verbs when all of them are shown.
const TOP: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}";
const REST: &str = "Options:\n{options}\n{after-help}";

/// The help of a verb below another, whose whole text is its beginning.
const BELOW: &str = "{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// What the short help ends with.
const MORE: &str = "All verbs: capitalbench --help   One verb: capitalbench VERB --help\n";

/// No line of the usage is longer.
const USAGE_WIDTH: usize = 80;

/// Reads what was typed; in the folder of a league its file gives the defaults.
pub(crate) fn parse(typed: &[OsString], league: Option<&League>) -> Result<Arguments, clap::Error> {
    let mut command = command().color(color(typed));
    if let Some(league) = league {
        command = with_defaults(command, league);
    }
    let matches = command.try_get_matches_from_mut(typed)?;
    let read = Arguments::from_arg_matches(&matches);
    let mut arguments = read.map_err(|error| error.format(&mut command))?;
    arguments.json = asks_for_json(&matches);
    Ok(arguments)
}

/// Whether the verb that was typed, or the one below it, was given `--json`.
fn asks_for_json(matches: &ArgMatches) -> bool {
    let own = matches.try_get_one("json").ok().flatten();
    let below = matches.subcommand();
    own.copied().unwrap_or(false) || below.is_some_and(|(_, below)| asks_for_json(below))
}

/// The definitions as help shows them: verbs in groups, and a verb's text above its flags.
fn command() -> clap::Command {
    let plain = definitions();
    let groups = groups(&plain, &GROUPS);
    with_whole_text(plain)
        .help_template(format!("{TOP}{REST}"))
        .before_help(groups)
        .after_help(EXITS)
        .mut_subcommands(|verb| shown_whole(verb, "capitalbench"))
}

/// What to type first, for whoever typed no verb.
pub(crate) fn short_help() -> StyledStr {
    let plain = Arguments::command();
    let groups = groups(&plain, &GROUPS[..1]);
    let mut command = plain.help_template(format!("{TOP}{MORE}"));
    command = command.before_help(groups);
    command.render_help()
}

/// One line for each verb of these groups.
fn groups(command: &clap::Command, groups: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (heading, verbs) in groups {
        let _ = writeln!(text, "{}", paint(BOLD, format!("{heading}:")));
        for verb in verbs.split_whitespace() {
            let about = command
                .find_subcommand(verb)
                .and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {verb:<26}  {about}");
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// The help of a verb and of the verbs below it.
fn shown_whole(verb: clap::Command, above: &str) -> clap::Command {
    let full_name = format!("{above} {}", verb.get_name());
    let verb = verb.mut_subcommands(|below| with_broken_usage(with_text_on_top(below), &full_name));
    with_broken_usage(with_whole_text(verb), above)
}

/// The same for a verb below another, which is also listed there with its first line.
fn with_text_on_top(below: clap::Command) -> clap::Command {
    match below.get_long_about().cloned() {
        Some(whole) => below.before_help(whole).help_template(BELOW),
        None => below,
    }
}

/// Puts the whole text above the flags, whether `-h` or `--help` was typed.
fn with_whole_text(command: clap::Command) -> clap::Command {
    let whole = command.get_long_about().or(command.get_about()).cloned();
    command.about(whole.unwrap_or_default()).long_about(None)
}

/// Breaks a long usage before a flag, which clap would leave to the terminal.
fn with_broken_usage(verb: clap::Command, above: &str) -> clap::Command {
    let full_name = format!("{above} {}", verb.get_name());
    let usage = verb.clone().bin_name(full_name).render_usage().to_string();
    if usage.width() <= USAGE_WIDTH {
        return verb;
    }
    let mut lines = vec![String::new()];
    for part in usage.split_inclusive('>') {
        if lines.last().map_or(0, |line| line.width()) + part.width() > USAGE_WIDTH {
            lines.push(" ".repeat("Usage: capitalbench".len()));
        }
        lines.last_mut().into_iter().for_each(|line| *line += part);
    }
    let broken = lines.join("\n");
    verb.override_usage(broken.trim_start_matches("Usage: ").to_owned())
}

/// The colours that were asked for, which help must know before anything is parsed.
fn color(typed: &[OsString]) -> ColorChoice {
    let words = typed.iter().filter_map(|word| word.to_str());
    let mut after = words.skip_while(|word| !word.starts_with("--color"));
    let value = match after.next().and_then(|word| word.split_once('=')) {
        Some((_, value)) => Some(value),
        None => after.next(),
    };
    let choice = value.and_then(|value| ColorChoice::from_str(value, false).ok());
    choice.unwrap_or(ColorChoice::Auto)
}
