use reqwest::header::HeaderValue;

use super::*;

#[test]
fn seconds_and_dates_are_read_and_other_texts_are_ignored() {
    let noon = "Sun, 15 Nov 2026 12:00:00 GMT";
    for (wanted, date, expected) in [
        ("120", None, Some(120.0)),
        (" 0 ", None, Some(0.0)),
        ("1.5", None, Some(1.5)),
        ("-1", None, None),
        ("NaN", None, None),
        ("inf", None, None),
        ("1e300", None, None),
        ("soon", Some(noon), None),
        ("Sun, 15 Nov 2026 12:01:30 GMT", Some(noon), Some(90.0)),
        ("Sun, 15 Nov 2026 11:00:00 GMT", Some(noon), Some(0.0)),
        ("Sun, 15 Nov 2026 12:01:30 GMT", None, None),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(wanted).unwrap());
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_str(date).unwrap());
        }
        let expected = expected.map(Duration::from_secs_f64);
        assert_eq!(retry_after(&headers), expected, "{wanted} {date:?}");
    }
    assert_eq!(retry_after(&HeaderMap::new()), None);
}
