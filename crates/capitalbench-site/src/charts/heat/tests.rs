use super::*;

#[test]
fn cells_lie_on_their_side_and_say_who_was_where() {
    let round = |name: &str| HeatColumn {
        name: name.to_owned(),
        day: Some(Date::constant(2026, 3, 9)),
    };
    let heat = Heat {
        title: "Gaps".to_owned(),
        rounds: vec![round("one"), round("two")],
        models: vec![
            ("A".to_owned(), vec![Some(0.03), None]),
            ("B".to_owned(), vec![Some(-0.001), Some(0.012)]),
        ],
    };
    let drawn = heat.draw().to_string();
    let of = |class: &str| drawn.matches(&format!("class=\"{class}\"")).count();
    // One of each kind is the legend's.
    assert_eq!(
        (of("heat up"), of("heat down h0"), of("heat up h2")),
        (2, 2, 2)
    );
    assert_eq!(of("heat down"), 1);
    assert!(
        drawn.contains("one, ended 2026-03-09; most A +3.00; least B −0.10"),
        "{drawn}"
    );
    assert!(drawn.contains("two, ended 2026-03-09; most B"), "{drawn}");
}
