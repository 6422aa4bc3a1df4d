use super::*;
use crate::asking::briefing;
use crate::asking::prompt::{foreign_horizon, steers_to_reference};
use crate::round::methodology::Enforcement;
use crate::values::ids::Digest;

const FORMATS: [SubmissionFormat; 2] = [SubmissionFormat::SinglePick, SubmissionFormat::Portfolio];
const TRACKS: [Track; 2] = [Track::Weekly, Track::Monthly];
const SETTLED: ReplyOrder = ReplyOrder::ConfidenceBeforeReasons;

fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

#[test]
fn every_prompt_states_every_rule() {
    for format in FORMATS {
        for track in TRACKS {
            let text = prompt_text(SETTLED, format, track, &Constraints::default());
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

/// The object that a prompt shows, and the notes below it.
fn form(order: ReplyOrder, format: SubmissionFormat) -> (serde_json::Value, String) {
    let text = prompt_text(order, format, Track::Weekly, &Constraints::default());
    let (start, end) = (text.find("\n{").unwrap(), text.find("\n}").unwrap());
    let object = serde_json::from_str(&text[start..end + 2]).unwrap();
    (object, text[end + 2..].to_owned())
}

fn keys(value: &serde_json::Value) -> Vec<&str> {
    let keys = value.as_object().unwrap().keys();
    keys.map(String::as_str).collect()
}

#[test]
fn the_fields_are_the_ones_that_are_read_in_the_order_of_the_methodology() {
    use SubmissionFormat::{Portfolio, SinglePick};
    let identifiers = ["round_id", "model_id", "provider", "mode"];
    let check = |order, format, expected: &[&str]| {
        let (object, notes) = form(order, format);
        assert_eq!(keys(&object), [&identifiers[..], expected].concat());
        let places: Vec<usize> = expected
            .iter()
            .map(|name| notes.find(&format!("\n- `{name}`: ")).unwrap())
            .collect();
        assert!(places.is_sorted(), "{notes}");
        assert_eq!(notes.matches("\n- `").count(), expected.len() + 1);
        if format == Portfolio {
            let holding = ["option_id", "allocation_pct", "rationale"];
            assert_eq!(keys(&object["portfolio"][0]), holding);
        }
    };
    let pick = "selected_option_id";
    check(
        SETTLED,
        SinglePick,
        &[pick, "confidence", "rationale_summary", "key_risks"],
    );
    check(
        SETTLED,
        Portfolio,
        &[
            "portfolio",
            "confidence",
            "rationale_summary",
            "portfolio_rationale",
            "key_risks",
        ],
    );
    check(
        ReplyOrder::DecisionFirst,
        SinglePick,
        &[pick, "rationale_summary", "key_risks", "confidence"],
    );
    check(
        ReplyOrder::DecisionFirst,
        Portfolio,
        &[
            "portfolio",
            "portfolio_rationale",
            "rationale_summary",
            "key_risks",
            "confidence",
        ],
    );
}

#[test]
fn the_words_of_v1_1_are_the_bytes_that_its_rounds_froze() {
    let digest = |format, track| {
        let text = prompt_text(SETTLED, format, track, &Constraints::default());
        Digest::of(text.as_bytes()).to_hex()
    };
    for (format, track, expected) in [
        (
            SubmissionFormat::SinglePick,
            Track::Weekly,
            "f1ee479e12801352c9c5b4d03eff70f64fac3c1873614ff4cb2b09f336f0b51d",
        ),
        (
            SubmissionFormat::SinglePick,
            Track::Monthly,
            "fa4e39f051b0c705e26362632b025b1a1498c7a62853036e310ca2b35d2e8a1d",
        ),
        (
            SubmissionFormat::Portfolio,
            Track::Weekly,
            "bb0afe0f52f28c5d477f28bb17cee213536f633c3b29d39e33686722adf3ec93",
        ),
        (
            SubmissionFormat::Portfolio,
            Track::Monthly,
            "b28274ffd2a725089443cdbcbcec9f02871f2fc6a0186587706e4eb8177dc1fa",
        ),
    ] {
        assert_eq!(digest(format, track), expected, "{format:?} {track:?}");
    }
}

#[test]
fn portfolios_state_their_limits_and_picks_do_not() {
    let portfolio = |limits: &Constraints| {
        prompt_text(SETTLED, SubmissionFormat::Portfolio, Track::Monthly, limits)
    };
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
    let single = prompt_text(
        SETTLED,
        SubmissionFormat::SinglePick,
        Track::Monthly,
        &strict,
    );
    holds(&single, &["exactly one option", "is allowed"]);
    assert!(!single.contains("allocation"));
}
