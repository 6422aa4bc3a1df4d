use super::*;

fn entry(of: (&str, &str), state: EntryState, figures: (f64, f64, f64)) -> PublicEntry {
    let (value, reference, oracle) = figures;
    let (value, oracle) = (Return::from_fraction(value), Return::from_fraction(oracle));
    PublicEntry {
        round_id: RoundId::parse("R-1W").unwrap(),
        track: Track::Weekly,
        entrant: EntrantName::parse(of.0).unwrap(),
        name: of.0.to_owned(),
        kind: EntrantKind::Person,
        lane: EntryLane::Sealed,
        key: of.1.to_owned(),
        keys: 2,
        sealed: Place {
            leaf: 0,
            at: "2026-12-04T10:00:00Z".parse().unwrap(),
        },
        state,
        figures: Some(EntryFigures {
            value,
            alpha: value - Return::from_fraction(reference),
            oracle: Some(oracle),
            score: score(value, Some(oracle)).unwrap(),
        }),
    }
}

#[test]
fn an_entrant_is_ranked_by_all_entries_of_all_its_keys() {
    let opened = || EntryState::Opened(Vec::new());
    let entries = [
        entry(("ada", "one"), opened(), (0.05, 0.01, 0.05)),
        entry(("ada", "two"), opened(), (-0.03, 0.01, 0.05)),
        entry(("bob", "one"), opened(), (0.02, 0.01, 0.05)),
        entry(("eve", "one"), EntryState::Unopened, (0.0, 0.01, 0.05)),
    ];
    let board = entrant_board(&entries, Track::Weekly, EntrantLane::Sealed).unwrap();
    let order: Vec<&str> = board.iter().map(|row| row.entrant.as_str()).collect();
    assert_eq!(order, ["bob", "ada", "eve"]);
    assert_eq!(
        (board[1].entries, board[1].keys, board[1].as_cash),
        (2, 2, 0)
    );
    assert!((board[1].average_return - 0.01).abs() < 1e-12);
    assert_eq!((board[2].as_cash, board[2].score), (1, Score::Points(0.0)));
    let monthly = entrant_board(&entries, Track::Monthly, EntrantLane::Sealed);
    assert!(monthly.unwrap().is_empty());
}

#[test]
fn agents_stand_on_a_board_of_their_own() {
    let opened = || EntryState::Opened(Vec::new());
    let mut asked = entry(("bot", ""), opened(), (0.04, 0.01, 0.05));
    asked.lane = EntryLane::Asked(None);
    let entries = [entry(("ada", "one"), opened(), (0.05, 0.01, 0.05)), asked];
    let names = |lane| -> Vec<String> {
        let board = entrant_board(&entries, Track::Weekly, lane).unwrap();
        board.iter().map(|row| row.entrant.to_string()).collect()
    };
    assert_eq!(names(EntrantLane::Sealed), ["ada"]);
    assert_eq!(names(EntrantLane::Open), ["bot"]);
}
