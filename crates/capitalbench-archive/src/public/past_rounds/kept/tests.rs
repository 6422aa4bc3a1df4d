use super::*;

#[test]
fn boards_need_what_figures_are_made_from() {
    for (path, expected) in [
        ("manifest.yaml", Need::Needed),
        ("round_summary.md", Need::Not),
        ("prices/exit_prices.csv", Need::Needed),
        ("prices/weekly_prices.csv", Need::Wanted),
        ("prices/replaced/0001/exit_prices.csv", Need::Not),
        ("runs/a/acceptance.json", Need::Needed),
        ("runs/a/submissions/parsed/m.json", Need::Needed),
        ("runs/a/results/leaderboard.csv", Need::Needed),
        ("runs/a/results/superseded/0001/leaderboard.csv", Need::Not),
        ("runs/a/results/report.md", Need::Not),
        ("runs/a/corrections.jsonl", Need::Wanted),
        ("runs/a/raw_responses/m.txt", Need::Not),
        ("market_data/../../../elsewhere", Need::Not),
        ("/manifest.yaml", Need::Not),
    ] {
        assert_eq!(need(path), expected, "{path}");
    }
}

#[test]
fn replaced_files_lie_under_numbers() {
    for (path, expected) in [
        ("prices/exit_prices.csv", Some("prices/replaced")),
        (
            "runs/a/results/returns.csv",
            Some("runs/a/results/superseded"),
        ),
        ("runs/a/acceptance.json", None),
        ("manifest.yaml", None),
    ] {
        let place = replaced(path).map(|(place, _)| place);
        assert_eq!(place.as_deref(), expected, "{path}");
    }
}
