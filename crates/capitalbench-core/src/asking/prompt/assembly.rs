//! The frozen parts of a round, joined into the one text that models are sent.
//!
//! Only rounds under our own labels are assembled. The input of an older round is read from its
//! folder; it was made by code that changed under an unchanged label and cannot be made again.

use std::fmt::Display;

use crate::asking::option_order::{ORDER_LABEL, OptionOrder};
use crate::decision::submission::MODE;
use crate::market::universe::{Listing, MarketOption, Universe};
use crate::round::manifest::{Manifest, SubmissionFormat, Window};
use crate::values::ids::ModelId;
use crate::values::time::WrittenInstant;

/// Titles under which a market table was shown; a briefing that holds one brings its own table.
pub const CONTEXT_TITLES: [&str; 3] = [
    CONTEXT_TITLE,
    "Full-Universe Trailing Returns",
    "Full-Universe Horizon-Specific Decision Context",
];

const CONTEXT_TITLE: &str = "Full-Universe Price, Risk, And Benchmark Context";

/// What stands for a value that is not set yet.
const UNSET: &str = "TBD";

/// Everything a model input is made of.
#[derive(Debug, Clone, Copy)]
pub struct ModelInputParts<'a> {
    /// Text of `prompt.md`.
    pub prompt: &'a str,
    /// The round's rules.
    pub manifest: &'a Manifest,
    /// Moment after which no fact was collected.
    pub research_cutoff: Option<&'a WrittenInstant>,
    /// Text of `briefing.md`.
    pub briefing: &'a str,
    /// The market table as Markdown, where there is one.
    pub context_table: Option<&'a str>,
    /// The options.
    pub universe: &'a Universe,
    /// The drawn order of list and table; none before v1.2, which keeps that of the universe.
    pub order: Option<&'a OptionOrder>,
}

/// The exact text sent to every model, before the few lines that name the model itself.
pub fn assemble(parts: &ModelInputParts<'_>) -> String {
    let mut sections = vec![
        parts.prompt.trim().to_owned(),
        metadata(parts),
        format!("## Briefing\n\n{}", parts.briefing.trim()),
    ];
    sections.extend(context(parts));
    sections.push(format!("## Options\n\n{}", options(parts)));
    format!("{}\n", sections.join("\n\n").trim())
}

/// The lines that name the model being asked; they follow the input and are the only difference.
pub fn call_suffix(manifest: &Manifest, model_id: &ModelId, provider: &str) -> String {
    let round_id = &manifest.round_id;
    format!(
        "## Identifiers\n\n- round_id: {round_id}\n- model_id: {model_id}\n\
         - provider: {provider}\n- mode: {MODE}\n"
    )
}

fn metadata(parts: &ModelInputParts<'_>) -> String {
    let manifest = parts.manifest;
    let window = manifest.window;
    let (entry, exit) = (window.map(|w| w.entry), window.map(|w| w.exit));
    let mut lines = vec![
        line("Round ID", &manifest.round_id),
        line("Decision date", or_unset(manifest.decision_date.as_ref())),
        line("Research cutoff UTC", or_unset(parts.research_cutoff)),
        line(
            "Decision deadline UTC",
            or_unset(manifest.decision_deadline.as_ref()),
        ),
        line("Horizon", &manifest.horizon),
        line("Entry date", or_unset(entry.as_ref())),
        line("Exit date", or_unset(exit.as_ref())),
        line(
            "Methodology version",
            or_unset(manifest.methodology.label().as_ref()),
        ),
        line("Scoring window", scoring_window(parts)),
    ];
    lines.extend(ADVICE.iter().map(|(label, text)| line(label, text)));
    let rule = |text: &str| or_unset(Some(text.trim()).filter(|text| !text.is_empty()).as_ref());
    let reference = parts.universe.reference();
    lines.extend([
        line("Entry rule", rule(&manifest.entry_rule)),
        line("Exit rule", rule(&manifest.exit_rule)),
        line("Submission format", manifest.format.as_str()),
        line(
            "Scoring benchmark",
            format!(
                "{} ({}), option ID {}",
                reference.name,
                reference.display_symbol(),
                reference.id
            ),
        ),
        line(
            "Return calculation",
            "adjusted exit close / adjusted entry close - 1",
        ),
    ]);
    lines.extend(parts.order.map(order_line));
    if manifest.format == SubmissionFormat::Portfolio {
        let limits = &manifest.constraints;
        let holdings = format!("{}-{}", limits.min_holdings, limits.max_holdings);
        lines.extend([
            line("Portfolio holdings allowed", holdings),
            line(
                "Portfolio allocation increment",
                format!("{}%", limits.increment_pct),
            ),
            line(
                "Portfolio minimum allocation",
                format!("{}%", limits.min_allocation_pct),
            ),
            line("Portfolio total allocation", "100%"),
        ]);
    }
    format!("## Round Metadata\n\n{}", lines.join("\n"))
}

fn order_line(order: &OptionOrder) -> String {
    let seed = order.seed();
    let text = format!("drawn by lot, the same for every model ({ORDER_LABEL}, seed {seed})");
    line("Order of the options", text)
}

/// Fixed remarks on what the figures are, the same in every round.
const ADVICE: [(&str, &str); 5] = [
    (
        "Close-to-close scoring",
        "only the adjusted closes of the entry date and of the exit date count; prices between them do not",
    ),
    (
        "Timeline focus",
        "weigh each fact by its bearing on this window, not on a shorter or a longer one",
    ),
    (
        "Input-bias control",
        "the order of the options, the length of a passage and the number of mentions carry no meaning",
    ),
    (
        "Price-history discipline",
        "past returns describe the past; the table is given for every option alike and implies no choice",
    ),
    (
        "Continuation evidence",
        "neither the continuation nor the reversal of a past move is presumed; either needs a reason",
    ),
];

fn scoring_window(parts: &ModelInputParts<'_>) -> String {
    let text = parts.manifest.window.map(|Window { entry, exit, .. }| {
        format!("close of {entry} to close of {exit}; decide for this window only")
    });
    or_unset(text.as_ref())
}

fn line(label: &str, value: impl Display) -> String {
    format!("- {label}: {value}")
}

fn or_unset(value: Option<&impl Display>) -> String {
    value.map_or_else(|| UNSET.to_owned(), ToString::to_string)
}

/// The market table under our heading, unless there is none or the briefing holds one already.
fn context(parts: &ModelInputParts<'_>) -> Option<String> {
    let table = parts.context_table?.trim();
    if CONTEXT_TITLES
        .iter()
        .any(|title| parts.briefing.contains(title))
    {
        return None;
    }
    let body = if table.starts_with("# ") {
        table.split_once('\n').map_or("", |(_, body)| body).trim()
    } else {
        table
    };
    let body = match parts.order {
        Some(order) => order.rows(body),
        None => body.to_owned(),
    };
    Some(format!("## {CONTEXT_TITLE}\n\n{body}"))
}

fn options(parts: &ModelInputParts<'_>) -> String {
    let all = parts.universe.options().iter();
    let shown: Vec<&MarketOption> = match parts.order {
        Some(order) => order.options(parts.universe),
        None => all.filter(|o| o.listing == Listing::Shown).collect(),
    };
    let blocks: Vec<String> = shown.into_iter().map(option_block).collect();
    blocks.join("\n\n")
}

fn option_block(option: &MarketOption) -> String {
    let symbol = option.symbol.as_deref().unwrap_or("N/A");
    [
        "Allowed option:".to_owned(),
        format!("ID: {}", option.id),
        format!("Name: {}", option.name),
        format!("Symbol: {symbol}"),
        format!("Asset class: {}", option.asset_class),
        format!("Category: {}", option.category),
        format!("Group: {}", option.group),
        format!("Risk bucket: {}", option.risk_bucket.as_str()),
        format!("Description: {}", option.exposure_description),
    ]
    .join("\n")
}

#[cfg(test)]
mod tests;
