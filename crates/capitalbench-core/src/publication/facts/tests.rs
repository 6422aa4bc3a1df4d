use super::*;
use jiff::civil::date;

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Days(#[serde(with = "day_numbers")] Vec<Option<ActiveDays>>);

#[test]
fn series_come_back_from_their_shared_calendar() {
    let (first, second, third) = (date(2026, 6, 1), date(2026, 6, 2), date(2026, 6, 4));
    let days = Days(vec![
        Some(vec![(first, 0.1), (second, -0.0), (third, 0.3)]),
        None,
        Some(vec![(second, 1e-300)]),
        Some(Vec::new()),
    ]);
    let text = serde_json::to_string(&days).unwrap();
    assert_eq!(serde_json::from_str::<Days>(&text).unwrap(), days);
    let none = Days(Vec::new());
    let text = serde_json::to_string(&none).unwrap();
    assert_eq!(serde_json::from_str::<Days>(&text).unwrap(), none);
}

#[test]
fn a_series_that_does_not_fit_its_calendar_is_refused() {
    for wrong in [
        r#"{"calendar":[[2026,6,1]],"series":[{"Whole":[0.1,0.2]}]}"#,
        r#"{"calendar":[[2026,6,1]],"series":[{"Part":[[1,0.2]]}]}"#,
        r#"{"calendar":[[2026,6,31]],"series":[]}"#,
    ] {
        assert!(serde_json::from_str::<Days>(wrong).is_err(), "{wrong}");
    }
}
