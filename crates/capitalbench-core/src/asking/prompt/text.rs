//! Our own prompts: single pick and portfolio, weekly and monthly.
//!
//! The words are part of our methodologies, `single_pick-v1.1` and `portfolio-v1.1` and those that
//! follow; v1.2 lists the fields of a reply in another order. A change to the words of a settled
//! label is a change of the methodology and needs a new label.

use crate::decision::portfolio::Constraints;
use crate::round::manifest::{SubmissionFormat, Track};
use crate::round::methodology::ReplyOrder;

const TERMS: &str = "\
## Terms

- This message was frozen before any model was asked. Every model in the round receives the same text; only the identifiers at its end differ.
- You answer once. There is no second turn and no later correction.
- You have no tools: no web access, no search, no retrieval, no code and no files. Work from this message and from what you know in general.
- Use no fact that became known after the research cutoff given under Round Metadata, even if you believe that you know it.
- The briefing states facts. The market table is mechanical and covers every listed option alike. Neither is a recommendation.
- This is research into how language models decide. It is not investment advice, and no money is moved by your answer.";

const REPLY: &str = "\
## Reply

Reply with one JSON object and nothing else: no text before or after it, no code fence, no comments. Use exactly the fields shown, each of them once, and no others.";

/// The prompt of a round: its rules in words, for `prompt.md`.
///
/// The limits concern portfolios; a single pick may name any listed option.
pub fn prompt_text(
    order: ReplyOrder,
    format: SubmissionFormat,
    track: Track,
    limits: &Constraints,
) -> String {
    let parts = match format {
        SubmissionFormat::SinglePick => [
            task(
                track,
                "one option",
                "Choose the one option from the list under Options",
            ),
            TERMS.to_owned(),
            score_section(
                "Your return is the return of the option you choose.",
                "your return",
            ),
            single_pick_rules(),
            reply_section(order, &SINGLE_PICK, "the ID of your option."),
        ],
        SubmissionFormat::Portfolio => [
            task(
                track,
                "a portfolio",
                "Build from the options listed under Options the portfolio",
            ),
            TERMS.to_owned(),
            score_section(
                "The portfolio return is the sum of weight times return over your holdings. Weights \
                 are set at the entry close and not changed before the exit close.",
                "the portfolio return",
            ),
            portfolio_rules(limits),
            reply_section(order, &PORTFOLIO, &holdings_note(limits)),
        ],
    };
    format!("{}\n", parts.join("\n\n"))
}

fn task(track: Track, what: &str, choose: &str) -> String {
    let horizon = track.horizon();
    format!(
        "# CapitalBench decision: {what} for {horizon}\n\n\
         {choose} that you expect to have the highest return over the scoring window of {horizon}, \
         from the entry close to the exit close given under Round Metadata."
    )
}

fn score_section(own_return: &str, name: &str) -> String {
    format!(
        "## Objective and score\n\n\
         - The objective is the highest return over this window. Results before the entry close \
         or after the exit close do not count.\n\
         - The return of an option is its adjusted close on the exit date divided by its adjusted \
         close on the entry date, minus one. Cash returns zero.\n\
         - {own_return}\n\
         - The CapitalBench Score is 100 times {name} divided by the highest return that any \
         single listed option turns out to have in the same window. It is at most 100 and can be \
         negative.\n\
         - Also reported: {name} minus the return of the scoring benchmark named under Round \
         Metadata."
    )
}

fn single_pick_rules() -> String {
    format!(
        "## Rules\n\n\
         - Choose exactly one option, by its ID. A list, a split or a second choice is invalid.\n\
         - {CASH_ALLOWED}\n\
         - {REFERENCE_ALLOWED}"
    )
}

const CASH_ALLOWED: &str =
    "The cash option, marked with risk bucket `cash` (CASH in our own universes), is allowed.";
const REFERENCE_ALLOWED: &str = "The scoring benchmark is allowed like any other option.";

fn portfolio_rules(limits: &Constraints) -> String {
    let cash = if limits.allow_cash {
        CASH_ALLOWED
    } else {
        "The cash option, marked with risk bucket `cash`, may not be held in this round."
    };
    let reference = if limits.allow_reference {
        REFERENCE_ALLOWED
    } else {
        "The scoring benchmark may not be held in this round."
    };
    let (step, least) = (limits.increment_pct, limits.min_allocation_pct);
    format!(
        "## Rules\n\n\
         - Hold {}, each option at most once, by its ID.\n\
         - Every allocation is a whole percentage, a multiple of {step}% and at least {least}%.\n\
         - The allocations add up to exactly 100%. There is no borrowing and no short selling.\n\
         - {cash}\n\
         - {reference}",
        holdings_in_words(limits)
    )
}

fn holdings_in_words(limits: &Constraints) -> String {
    match (limits.min_holdings, limits.max_holdings) {
        (1, 1) => "exactly 1 option".to_owned(),
        (low, high) if low == high => format!("exactly {low} options"),
        (low, high) => format!("{low} to {high} options"),
    }
}

/// The part of a reply that depends on the format.
struct ReplyForm {
    /// The word for what was decided.
    decision: &'static str,
    /// The field of the decision.
    choice: &'static str,
    /// That field as it is shown.
    shown_choice: &'static str,
    /// Whether the reasons of the whole have a field of their own.
    has_portfolio_rationale: bool,
}

const SINGLE_PICK: ReplyForm = ReplyForm {
    decision: "choice",
    choice: "selected_option_id",
    shown_choice: r#""...""#,
    has_portfolio_rationale: false,
};

const PORTFOLIO: ReplyForm = ReplyForm {
    decision: "portfolio",
    choice: "portfolio",
    shown_choice: r#"[
    {"option_id": "...", "allocation_pct": 0, "rationale": "..."}
  ]"#,
    has_portfolio_rationale: true,
};

/// One field of a reply: its name, how it is shown, and what it holds.
struct ReplyField {
    name: &'static str,
    shown: &'static str,
    note: String,
}

/// The form of a reply and what each field holds, both in the order of the methodology.
fn reply_section(order: ReplyOrder, form: &ReplyForm, choice_note: &str) -> String {
    let fields = reply_fields(order, form, choice_note);
    let shown: Vec<String> = fields
        .iter()
        .map(|field| format!("  \"{}\": {}", field.name, field.shown))
        .collect();
    let notes: Vec<String> = fields
        .iter()
        .map(|field| format!("- `{}`: {}", field.name, field.note))
        .collect();
    format!(
        "{REPLY}\n\n{{\n{IDENTIFIERS},\n{}\n}}\n\n{IDENTIFIERS_NOTE}\n{}",
        shown.join(",\n"),
        notes.join("\n")
    )
}

const IDENTIFIERS: &str = r#"  "round_id": "...",
  "model_id": "...",
  "provider": "...",
  "mode": "closed_capability""#;

const IDENTIFIERS_NOTE: &str = "- `round_id`, `model_id`, `provider`, `mode`: copied exactly as \
                                they are given at the end of this message.";

fn reply_fields(order: ReplyOrder, form: &ReplyForm, choice_note: &str) -> Vec<ReplyField> {
    let decision = form.decision;
    let field = |name, shown, note| ReplyField { name, shown, note };
    let choice = field(form.choice, form.shown_choice, choice_note.to_owned());
    let confidence = field(
        "confidence",
        "0.0",
        format!(
            "a number from 0 to 1, the probability that your {decision} returns more than the \
             scoring benchmark over the window."
        ),
    );
    let summary = field(
        "rationale_summary",
        r#""...""#,
        "why, in a few sentences.".to_owned(),
    );
    let whole = form.has_portfolio_rationale.then(|| {
        let note = "why these holdings and weights belong together.".to_owned();
        field("portfolio_rationale", r#""...""#, note)
    });
    let risks = field(
        "key_risks",
        r#"["...", "..."]"#,
        format!("2 to 5 short texts, each a way in which the {decision} could go wrong."),
    );
    let mut fields = vec![choice];
    match order {
        ReplyOrder::ConfidenceBeforeReasons => {
            fields.extend([confidence, summary]);
            fields.extend(whole);
            fields.push(risks);
        }
        ReplyOrder::DecisionFirst => {
            fields.extend(whole);
            fields.extend([summary, risks, confidence]);
        }
    }
    fields
}

fn holdings_note(limits: &Constraints) -> String {
    format!(
        "one entry for each holding, {} in all; `allocation_pct` is a whole number of percent, \
         `rationale` says why the option is held.",
        holdings_in_words(limits)
    )
}

#[cfg(test)]
mod tests;
