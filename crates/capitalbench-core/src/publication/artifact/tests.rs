use super::*;

#[test]
fn every_place_of_a_round_has_its_audience() {
    use Audience::{AfterRecord, AfterResult, Private, Public};
    for (path, expected) in [
        ("manifest.yaml", Public),
        ("tombstone.json", Public),
        ("exceptions/001.json", Public),
        ("exceptions/x/001.json", Private),
        ("research/final_briefing.md", Public),
        ("market_data/universe_trailing_returns.csv", Public),
        ("market_data/daily_returns.csv", Public),
        ("market_data/treasury_month_0.xml", Public),
        ("market_data/source_histories.csv", Private),
        ("prices/entry_prices.csv", Public),
        ("prices/weekly_prices.csv", Public),
        ("prices/exit_prices.csv", AfterResult),
        ("prices/window.csv", AfterResult),
        ("prices/provenance.json", AfterResult),
        ("prices/replaced/0001/exit_prices.csv", AfterResult),
        ("prices/vendor/window.csv", Private),
        ("prices/replaced/0001/vendor/window.csv", Private),
        ("round_summary.md", AfterResult),
        ("automation/resolution_job.yaml", Public),
        ("automation/lease.json", Private),
        ("runs/a/run_manifest.yaml", AfterRecord),
        ("runs/a/submissions/parsed/m.json", AfterRecord),
        ("runs/a/attempts/m__001.answer", AfterRecord),
        ("runs/a/attempts/m__001.head.json", Private),
        ("runs/a/.lock", Private),
        ("runs/a/results/weekly_performance.csv", AfterRecord),
        ("runs/a/results/leaderboard.csv", AfterResult),
        ("runs/a/results/report.md", AfterResult),
        ("runs/a/corrections.jsonl", AfterResult),
        (
            "runs/a/results/superseded/0001/leaderboard.csv",
            AfterResult,
        ),
        ("provider-smoke-tests/x/raw_response.txt", Private),
        ("somewhere/else.txt", Private),
        ("notes.txt", Private),
        ("exit_prices.csv", Private),
        ("options.yaml~", Private),
        ("runs/a/notes.txt", Private),
        ("runs/a/acceptance.json", AfterRecord),
    ] {
        assert_eq!(audience(path), expected, "{path}");
    }
}

#[test]
fn a_draft_shows_no_answers() {
    assert!(is_visible("manifest.yaml", &RoundState::Draft));
    assert!(!is_visible(
        "runs/a/submissions/raw/m.json",
        &RoundState::Draft
    ));
    assert!(!is_visible("prices/exit_prices.csv", &RoundState::Draft));
}
