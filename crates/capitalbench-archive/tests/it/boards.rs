//! Boards of the public record, against the tables that its own implementation printed.

use capitalbench_archive::public::public_record::publication;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::{Publication, RoundState};
use capitalbench_core::result::score::Score;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use crate::archive::archive_root;

/// The day the published tables were made on.
pub(crate) const TABLES_DAY: &str = "2026-08-21T22:00:00Z";

/// Model, rounds, took part in all, score, rounds it stood first in.
const WEEKLY: &str = "
xai-grok-4-3               22  yes   -0.047980827607619625  5
openai-gpt-5-5             22  yes   -6.2742641106270005    5
google-gemini-3-1-pro      22  yes  -13.535645867387572     2
anthropic-claude-fable-5    9  no    13.070693375043815     2
openai-gpt-5-6-sol          6  no     9.840717588783537     1
xai-grok-4-5                6  no     6.766535159378137     0
anthropic-claude-opus-5     2  no     4.795233620531455     0
anthropic-claude-opus-4-7  19  no    -4.188548774397527     2
anthropic-claude-opus-4-8  20  no    -7.606646841316896     5";

/// The same for the other track.
const MONTHLY: &str = "
xai-grok-4-3               18  yes   -4.8384259418750935  7
anthropic-claude-opus-4-7  18  yes   -9.814580541140549   2
google-gemini-3-1-pro      18  yes  -15.035441457807366   3
openai-gpt-5-5             18  yes  -25.173595667515304   0
xai-grok-4-5                1  no    20.40975164170263    1
openai-gpt-5-6-sol          1  no    15.777367645786391   0
anthropic-claude-fable-5    3  no     1.6406784033383444  0
anthropic-claude-opus-4-8  15  no    -8.532001196320394   5";

/// Set, models, included, excluded, status, leader, score.
const SETS: &str = "
weekly-set-2026-07-08   7   3  19  forming    xai-grok-4-3        34.877503376465214
weekly-set-2026-05-24   4  19   3  qualified  xai-grok-4-3        -0.3080353438161621
weekly-set-2026-05-28   5  17   3  qualified  xai-grok-4-3        -6.88299886035228
weekly-set-2026-06-09   6   6   7  current    openai-gpt-5-5      25.59445430160034
weekly-set-2026-07-13   8   3   3  forming    xai-grok-4-3        34.877503376465214
weekly-set-2026-07-21   7   3   0  forming    openai-gpt-5-6-sol   9.302242488247906
weekly-set-2026-07-28   8   2   0  forming    openai-gpt-5-5      11.294379014968554
weekly-set-2026-08-15   8   0   0  waiting    -  -
weekly-set-2026-08-21   7   0   0  waiting    -  -
monthly-set-2026-07-08  7   1  17  forming    xai-grok-4-5        20.40975164170263
monthly-set-2026-05-10  4  18   0  qualified  xai-grok-4-3        -4.83842594187509
monthly-set-2026-05-28  5  15   0  qualified  xai-grok-4-3        -7.274889932081957
monthly-set-2026-06-09  6   3   5  current    xai-grok-4-3        16.223944502395124
monthly-set-2026-07-17  8   1   0  forming    xai-grok-4-5        20.40975164170263
monthly-set-2026-07-21  7   0   0  waiting    -  -
monthly-set-2026-08-11  8   0   0  waiting    -  -
monthly-set-2026-08-15  8   0   0  waiting    -  -";

/// Model, sum of returns in percent, score, rounds with the highest return.
const CURRENT_WEEKLY: &str = "
openai-gpt-5-5             14.566268186551152  25.59445430160034   1
xai-grok-4-3               11.60778200247758   20.39608513316095   2
google-gemini-3-1-pro       9.725330354295519  17.088421010317717  1
anthropic-claude-fable-5    9.69195551549408   17.02977793334105   2
anthropic-claude-opus-4-7   5.497529920542141   9.659734155719352  0
anthropic-claude-opus-4-8   5.301183054382142   9.314732208148842  0";

/// Rounds that the current weekly set leaves out, and who is missing.
const LEFT_OUT: &str = "
CB-2026-06-15-1W  anthropic-claude-fable-5
CB-2026-06-16-1W  anthropic-claude-fable-5
CB-2026-06-17-1W  anthropic-claude-fable-5
CB-2026-06-18-1W  anthropic-claude-fable-5
CB-2026-07-21-1W  anthropic-claude-opus-4-7
CB-2026-07-28-1W  anthropic-claude-opus-4-7
CB-2026-08-04-1W  anthropic-claude-opus-4-7";

pub(crate) fn published() -> Option<Publication> {
    let rounds = archive_root()?.join("rounds");
    let as_of = TABLES_DAY.parse().expect("an instant");
    Some(publication(&rounds, as_of, &|| ()).expect("a readable archive"))
}

fn lines(table: &'static str) -> Vec<Vec<&'static str>> {
    let lines = table.trim().lines();
    lines
        .map(|line| line.split_whitespace().collect())
        .collect()
}

#[track_caller]
fn assert_close(found: f64, expected: &str) {
    let expected: f64 = expected.parse().expect("a number");
    let tolerance = 1e-12 * expected.abs().max(1.0);
    assert!((found - expected).abs() <= tolerance, "{found} {expected}");
}

fn points(score: Score) -> f64 {
    match score {
        Score::Points(points) => points,
        Score::Undefined(reason) => panic!("no score: {reason:?}"),
    }
}

fn set<'a>(published: &'a Publication, id: &str) -> &'a ComparisonSet {
    let mut sets = published.comparison_sets.iter();
    sets.find(|set| set.definition.set_id == id)
        .expect("the set")
}

#[test]
fn rounds_stand_where_the_public_record_put_them() {
    let Some(published) = published() else { return };
    let which = |is: fn(&RoundState) -> bool| {
        let rounds = published.rounds.iter().filter(|round| is(&round.state));
        rounds.map(|r| r.id().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(which(|s| matches!(s, RoundState::Resolved(_))).len(), 40);
    let drafts = which(|s| matches!(s, RoundState::Draft));
    assert_eq!(drafts, ["CB-2026-07-16-1W"]);
    let open = [
        "CB-2026-07-21-1M",
        "CB-2026-08-15-1W",
        "CB-2026-08-21-1W",
        "CB-2026-08-11-1M",
        "CB-2026-08-15-1M",
    ];
    assert_eq!(which(|s| matches!(s, RoundState::Open(_))), open);
    let latest = |track| published.boards[&track].latest.as_ref().unwrap();
    assert_eq!(latest(Track::Weekly).as_str(), "CB-2026-08-04-1W");
    assert_eq!(latest(Track::Monthly).as_str(), "CB-2026-07-17-1M");
}

#[test]
fn cumulative_scores_are_the_published_ones() {
    let Some(published) = published() else { return };
    for (track, table) in [(Track::Weekly, WEEKLY), (Track::Monthly, MONTHLY)] {
        let rows = &published.boards[&track].cumulative;
        let table = lines(table);
        assert_eq!(rows.len(), table.len());
        for (row, line) in rows.iter().zip(table) {
            let complete = if row.complete { "yes" } else { "no" };
            let counts = [&row.rounds.len().to_string(), complete];
            assert_eq!(row.model_id.as_str(), line[0]);
            assert_eq!(counts, line[1..3], "{}", line[0]);
            assert_close(points(row.score), line[3]);
            assert_eq!(row.firsts.to_string(), line[4], "{}", line[0]);
        }
    }
}

#[test]
fn comparison_sets_are_the_published_ones() {
    let Some(published) = published() else { return };
    let table = lines(SETS);
    assert_eq!(published.comparison_sets.len(), table.len());
    for (set, line) in published.comparison_sets.iter().zip(table) {
        let counts = [
            set.definition.model_ids.len(),
            set.included.len(),
            set.excluded.len(),
        ];
        assert_eq!(set.definition.set_id, line[0]);
        assert_eq!(
            counts.map(|count| count.to_string()),
            line[1..4],
            "{}",
            line[0]
        );
        assert_eq!(set.status.as_str(), line[4], "{}", line[0]);
        let leader = set.rows.first();
        assert_eq!(leader.map_or("-", |row| row.model_id.as_str()), line[5]);
        if let Some(leader) = leader {
            assert_close(points(leader.score), line[6]);
        }
    }
}

#[test]
fn the_current_weekly_set_is_the_published_one_in_full() {
    let Some(published) = published() else { return };
    let set = set(&published, "weekly-set-2026-06-09");
    let days = ["06-09", "06-12", "06-13", "07-13", "07-17", "07-20"];
    let included: Vec<&str> = set.included.iter().map(|id| &id.as_str()[8..13]).collect();
    assert_eq!(included, days);
    for (excluded, line) in set.excluded.iter().zip(lines(LEFT_OUT)) {
        let missing: Vec<&str> = excluded.missing.iter().map(ModelId::as_str).collect();
        assert_eq!(excluded.round_id.as_str(), line[0]);
        assert_eq!(missing, line[1..]);
    }
    for (row, line) in set.rows.iter().zip(lines(CURRENT_WEEKLY)) {
        assert_eq!(row.model_id.as_str(), line[0]);
        assert_close(100.0 * row.total_return, line[1]);
        assert_close(points(row.score), line[2]);
        assert_eq!(row.firsts.to_string(), line[3], "{}", line[0]);
    }
    let market = set.market.as_ref().unwrap();
    assert_close(points(market.reference.score), "3.0851590046993818");
    assert_close(100.0 * market.oracle_total.unwrap(), "56.91181384414346");
    assert_eq!(set.separate_windows, 3);
}

/// Model, difference from the others and turnover since the round before, in percent.
const HABITS: &str = "
anthropic-claude-fable-5   57.1429   85
anthropic-claude-opus-5    59.2857   45
anthropic-claude-opus-4-8  60.7143    -
google-gemini-3-1-pro      64.2857    -
xai-grok-4-3               71.4286   60
xai-grok-4-5               75.0       -
openai-gpt-5-5             89.2857  100
openai-gpt-5-6-sol         97.8571    -";

#[test]
fn habits_are_the_published_ones() {
    let Some(published) = published() else { return };
    let habits = &published.boards[&Track::Weekly].behaviour;
    for line in lines(HABITS) {
        let mut models = habits.iter().filter(|h| h.model_id.as_str() == line[0]);
        let mut decisions = models.next().unwrap().decisions.iter();
        let found = decisions.find(|d| d.round_id.as_str() == "CB-2026-08-04-1W");
        let found = found.unwrap();
        let percent = |value: Option<f64>| 100.0 * value.unwrap();
        let stated: f64 = line[1].parse().unwrap();
        assert!(
            (percent(found.difference) - stated).abs() < 1e-4,
            "{line:?}"
        );
        if line[2] != "-" {
            assert_close(percent(found.turnover), line[2]);
        }
    }
}
