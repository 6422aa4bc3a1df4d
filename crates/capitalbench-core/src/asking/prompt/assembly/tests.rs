use super::*;
use crate::asking::briefing;
use crate::asking::prompt::{foreign_horizon, prompt_text};
use crate::decision::portfolio::Constraints;
use crate::market::calendar::Market;
use crate::market::published_prices::PublishedPrices;
use crate::round::manifest::{Proof, Stream, Track, Window};
use crate::round::methodology::{Enforcement, Methodology};
use crate::test_support::option;
use crate::values::ids::RoundId;
use crate::values::time::parse_day;

fn manifest(format: SubmissionFormat) -> Manifest {
    Manifest {
        round_id: RoundId::parse("CB-2026-08-17-1W").unwrap(),
        title: String::new(),
        horizon: "one week".into(),
        decision_date: parse_day("2026-08-17"),
        decision_deadline: WrittenInstant::parse("2026-08-17T13:25:00Z"),
        market: Market::default(),
        window: Some(Window {
            entry: parse_day("2026-08-17").unwrap(),
            exit: parse_day("2026-08-24").unwrap(),
            market: Market::default(),
        }),
        window_rule: None,
        entry_rule: "first close".into(),
        exit_rule: " ".into(),
        created_at: None,
        methodology: Methodology::from_label(Some("portfolio-v1.1")),
        universe_version: None,
        format,
        constraints: Constraints::default(),
        roster: None,
        stream: Stream::Primary,
        proof: Proof::None,
        origins: crate::round::manifest::Origins::default(),
        failure_policy: None,
        controls: Vec::new(),
        lanes: None,
        publish: PublishedPrices::Full,
    }
}

fn universe() -> Universe {
    let mut hidden = option("HIDDEN", "HID");
    hidden.listing = Listing::Hidden;
    let options = vec![option("CASH", "CASH"), option("SP500", "SPY"), hidden];
    Universe::new(options).unwrap()
}

fn parts<'a>(manifest: &'a Manifest, universe: &'a Universe) -> ModelInputParts<'a> {
    ModelInputParts {
        prompt: "\n# The prompt\n\nText.\n\n",
        manifest,
        research_cutoff: None,
        briefing: "\nFacts.\n",
        context_table: Some("# A title of its own\n\n| a |\n| - |\n"),
        universe,
        order: None,
    }
}

#[test]
fn parts_stand_in_order_with_one_blank_line_between() {
    let (manifest, universe) = (manifest(SubmissionFormat::Portfolio), universe());
    let text = assemble(&parts(&manifest, &universe));
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    let expected = [
        "# The prompt",
        "## Round Metadata",
        "## Briefing",
        "## Full-Universe Price, Risk, And Benchmark Context",
        "## Options",
    ];
    assert_eq!(headings, expected);
    assert!(text.starts_with("# The prompt\n\nText.\n\n## Round Metadata\n\n- Round ID: CB-"));
    assert!(text.contains("\n\n## Briefing\n\nFacts.\n\n## Full-Universe"));
    assert!(text.contains("Context\n\n| a |\n| - |\n\n## Options\n\nAllowed option:\nID: CASH\n"));
    assert!(!text.contains("\n\n\n"));
    assert!(text.ends_with("Description: A test exposure.\n"));
}

#[test]
fn metadata_lines_stand_in_the_listed_order() {
    let (manifest, universe) = (manifest(SubmissionFormat::Portfolio), universe());
    let text = assemble(&parts(&manifest, &universe));
    let labels: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("- ")?.split_once(": "))
        .map(|(label, _)| label)
        .collect();
    let expected = [
        "Round ID",
        "Decision date",
        "Research cutoff UTC",
        "Decision deadline UTC",
        "Horizon",
        "Entry date",
        "Exit date",
        "Methodology version",
        "Scoring window",
        "Close-to-close scoring",
        "Timeline focus",
        "Input-bias control",
        "Price-history discipline",
        "Continuation evidence",
        "Entry rule",
        "Exit rule",
        "Submission format",
        "Scoring benchmark",
        "Return calculation",
        "Portfolio holdings allowed",
        "Portfolio allocation increment",
        "Portfolio minimum allocation",
        "Portfolio total allocation",
    ];
    assert_eq!(labels, expected);
    for line in [
        "- Research cutoff UTC: TBD\n",
        "- Decision deadline UTC: 2026-08-17T13:25:00Z\n",
        "- Scoring window: close of 2026-08-17 to close of 2026-08-24; decide for",
        "- Entry rule: first close\n",
        "- Exit rule: TBD\n",
        "- Scoring benchmark: SP500 (SPY), option ID SP500\n",
        "- Portfolio holdings allowed: 1-5\n",
        "- Portfolio allocation increment: 5%\n",
    ] {
        assert!(text.contains(line), "{line}");
    }
}

#[test]
fn a_single_pick_has_no_portfolio_limits() {
    let (manifest, universe) = (manifest(SubmissionFormat::SinglePick), universe());
    let text = assemble(&parts(&manifest, &universe));
    assert!(text.contains("- Submission format: single_pick\n"));
    assert!(!text.contains("Portfolio"));
}

#[test]
fn unset_values_are_shown_as_unset() {
    let mut manifest = manifest(SubmissionFormat::SinglePick);
    manifest.window = None;
    manifest.decision_date = None;
    manifest.decision_deadline = None;
    manifest.methodology = Methodology::from_label(None);
    let universe = universe();
    let text = assemble(&parts(&manifest, &universe));
    assert_eq!(text.matches(": TBD\n").count(), 8);
}

#[test]
fn hidden_options_are_not_offered() {
    let (manifest, universe) = (manifest(SubmissionFormat::Portfolio), universe());
    let text = assemble(&parts(&manifest, &universe));
    assert_eq!(text.matches("Allowed option:").count(), 2);
    assert!(!text.contains("HIDDEN"));
    let cash = "Allowed option:\nID: CASH\nName: CASH\nSymbol: N/A\nAsset class: equity\n\
                Category: test\nGroup: test_group\nRisk bucket: medium\n\
                Description: A test exposure.\n\nAllowed option:\nID: SP500\n";
    assert!(text.contains(cash));
}

#[test]
fn the_table_appears_at_most_once() {
    let (manifest, universe) = (manifest(SubmissionFormat::Portfolio), universe());
    let mut parts = parts(&manifest, &universe);
    let heading = "## Full-Universe Price, Risk, And Benchmark Context";
    parts.context_table = None;
    assert!(!assemble(&parts).contains(heading));
    parts.context_table = Some("| no title |");
    assert!(assemble(&parts).contains(&format!("{heading}\n\n| no title |\n")));
    for title in CONTEXT_TITLES {
        let briefing = format!("Facts.\n\n# {title}\n\n| x |");
        let own_table = ModelInputParts {
            briefing: &briefing,
            ..parts
        };
        assert!(!assemble(&own_table).contains("| no title |"));
        let refused = briefing::check(&briefing, Enforcement::Refuse);
        assert_eq!(refused[0].phrase, title);
    }
}

#[test]
fn our_prompt_and_metadata_keep_to_one_horizon() {
    let (manifest, universe) = (manifest(SubmissionFormat::Portfolio), universe());
    let order = manifest.methodology.reply_order();
    let limits = &manifest.constraints;
    let prompt = prompt_text(order, manifest.format, Track::Weekly, limits);
    let mut parts = parts(&manifest, &universe);
    parts.prompt = &prompt;
    assert_eq!(foreign_horizon(&assemble(&parts), Track::Weekly), None);
}
