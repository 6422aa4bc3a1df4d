use super::*;
use crate::asking::briefing;
use crate::asking::prompt::{foreign_horizon, steers_to_reference};
use crate::round::methodology::Enforcement;

const FORMATS: [SubmissionFormat; 2] = [SubmissionFormat::SinglePick, SubmissionFormat::Portfolio];
const TRACKS: [Track; 2] = [Track::Weekly, Track::Monthly];

fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

#[test]
fn every_prompt_states_every_rule() {
    for format in FORMATS {
        for track in TRACKS {
            let text = prompt_text(format, track, &Constraints::default());
            holds(
                &text,
                &[
                    "was frozen before any model was asked",
                    "You answer once",
                    "no tools",
                    "no retrieval",
                    "no fact that became known after the research cutoff",
                    "The objective is the highest return",
                    "CapitalBench Score is 100 times",
                    "highest return that any single listed option",
                    "one JSON object and nothing else",
                    "(CASH in our own universes), is allowed",
                    "not investment advice",
                    track.horizon(),
                ],
            );
            assert!(text.ends_with(".\n") && !text.ends_with("\n\n"));
            assert!(!text.contains("  -") && !text.contains("\n\n\n"));
            assert_eq!(foreign_horizon(&text, track), None);
            assert!(!steers_to_reference(&text));
            assert_eq!(briefing::check(&text, Enforcement::Refuse), []);
        }
    }
}

#[test]
fn the_fields_are_the_ones_that_are_read() {
    let fields = |format| {
        let text = prompt_text(format, Track::Weekly, &Constraints::default());
        let (start, end) = (text.find("\n{").unwrap(), text.find("\n}").unwrap());
        let object: serde_json::Value = serde_json::from_str(&text[start..end + 2]).unwrap();
        object
    };
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let single = fields(SubmissionFormat::SinglePick);
    let expected = [
        "round_id",
        "model_id",
        "provider",
        "mode",
        "selected_option_id",
        "confidence",
        "rationale_summary",
        "key_risks",
    ];
    assert_eq!(keys(&single), expected);
    let portfolio = fields(SubmissionFormat::Portfolio);
    let expected = [
        "round_id",
        "model_id",
        "provider",
        "mode",
        "portfolio",
        "confidence",
        "rationale_summary",
        "portfolio_rationale",
        "key_risks",
    ];
    assert_eq!(keys(&portfolio), expected);
    let holding = ["option_id", "allocation_pct", "rationale"];
    assert_eq!(keys(&portfolio["portfolio"][0]), holding);
}

#[test]
fn portfolios_state_their_limits_and_picks_do_not() {
    let portfolio =
        |limits: &Constraints| prompt_text(SubmissionFormat::Portfolio, Track::Monthly, limits);
    let default = portfolio(&Constraints::default());
    let limits = [
        "Hold 1 to 5 options",
        "multiple of 5%",
        "at least 5%",
        "exactly 100%",
    ];
    holds(&default, &limits);
    let strict = Constraints {
        min_holdings: 3,
        max_holdings: 3,
        increment_pct: 10,
        min_allocation_pct: 20,
        allow_cash: false,
        allow_reference: false,
        max_exposure_pct: None,
    };
    let refused = [
        "Hold exactly 3 options",
        "multiple of 10%",
        "at least 20%",
        "may not be held in this round",
        "The scoring benchmark may not",
    ];
    holds(&portfolio(&strict), &refused);
    let single = prompt_text(SubmissionFormat::SinglePick, Track::Monthly, &strict);
    holds(&single, &["exactly one option", "is allowed"]);
    assert!(!single.contains("allocation"));
}
