use jiff::civil::date;
use proptest::prelude::*;

use super::*;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\" ?>\n\
    <feed xml:base=\"http://data.treasury.gov/Feed.svc/\" \
    xmlns:d=\"http://schemas.microsoft.com/ado/2007/08/dataservices\" \
    xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\" \
    xmlns=\"http://www.w3.org/2005/Atom\">\n\
    <title type=\"text\">DailyTreasuryYieldCurveRateData</title>\n";

fn entry(day: &str, fields: &str) -> String {
    format!(
        "<entry><id>x</id><title type=\"text\"></title><author><name /></author>\
         <category term=\"t\" scheme=\"s\" />\n<content type=\"application/xml\">\n<m:properties>\n\
         <d:NEW_DATE m:type=\"Edm.DateTime\">{day}T00:00:00</d:NEW_DATE>\n{fields}\
         </m:properties>\n</content>\n</entry>\n"
    )
}

fn fields(short: &str, long: &str) -> String {
    format!(
        "<d:BC_1MONTH m:type=\"Edm.Double\">3.72</d:BC_1MONTH>\n\
         <d:BC_3MONTH m:type=\"Edm.Double\">{short}</d:BC_3MONTH>\n\
         <d:BC_2YEAR m:type=\"Edm.Double\">3.47</d:BC_2YEAR>\n\
         <d:BC_10YEAR m:type=\"Edm.Double\">{long}</d:BC_10YEAR>\n\
         <d:BC_30YEAR m:type=\"Edm.Double\">4.86</d:BC_30YEAR>\n\
         <d:BC_30YEARDISPLAY m:type=\"Edm.Double\">4.86</d:BC_30YEARDISPLAY>\n"
    )
}

fn feed(entries: &[String]) -> String {
    format!("{HEAD}{}</feed>\n", entries.concat())
}

#[test]
fn days_come_in_order_with_their_yields() {
    let text = feed(&[
        entry("2026-01-05", &fields("3.60", "4.20")),
        entry("2026-01-02", &fields("3.65", "4.19")),
    ]);
    let days = parse_feed(&text).unwrap();
    let first = CurveDay::new(
        date(2026, 1, 2),
        [Some(3.65), Some(3.47), Some(4.19), Some(4.86)],
    );
    assert_eq!(days[0], first);
    assert_eq!(days[1].percent(Maturity::Years10), Some(4.20));
    assert_eq!(days[1].percent(Maturity::Months3), Some(3.60));
}

#[test]
fn a_month_that_has_just_begun_has_no_day() {
    assert_eq!(parse_feed(&feed(&[])).unwrap(), []);
    assert_eq!(parse_feed("<feed/>").unwrap(), []);
}

#[test]
fn missing_points_have_no_yield() {
    let some = "<d:BC_2YEAR m:type=\"Edm.Double\" m:null=\"true\" />\
                <d:BC_10YEAR></d:BC_10YEAR><d:BC_30YEAR>4.9</d:BC_30YEAR>";
    let days = parse_feed(&feed(&[entry("2026-01-02", some)])).unwrap();
    let expected = CurveDay::new(date(2026, 1, 2), [None, None, None, Some(4.9)]);
    assert_eq!(days, [expected]);
}

#[test]
fn a_day_of_zeros_or_of_nothing_was_not_published() {
    let zeros = fields("0", "0")
        .replace("3.47", "0")
        .replace("4.86", "0.00");
    let text = feed(&[entry("2017-04-14", &zeros), entry("2017-04-17", "")]);
    assert_eq!(parse_feed(&text).unwrap(), []);
}

#[test]
fn what_is_not_the_feed_is_refused_with_a_reason() {
    let good = entry("2026-01-02", &fields("3.65", "4.19"));
    let whole = feed(std::slice::from_ref(&good));
    let check = |text: String, expected: &str| {
        let said = parse_feed(&text).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    };
    check(String::new(), "breaks off");
    check("Service unavailable".into(), "text outside");
    check("<html><body>Busy</body></html>".into(), "an element html");
    check(
        "<!DOCTYPE feed [<!ENTITY a \"b\">]><feed/>".into(),
        "document type",
    );
    check("<feed><![CDATA[x]]></feed>".into(), "raw text");
    check(whole[..whole.len() - 20].into(), "breaks off");
    check(whole.replace("</m:properties>", ""), "is not open");
    check(format!("{whole}<feed/>"), "an element feed");
    check(feed(&[good.clone(), good.clone()]), "2026-01-02 twice");
    check(
        whole.replace("2026-01-02T00", "2026-13-02T00"),
        "is not a day",
    );
    check(whole.replace("NEW_DATE", "OLD_DATE"), "no NEW_DATE");
    check(whole.replace("4.19", "NaN"), "is not a yield");
    check(whole.replace("4.19", "419"), "BC_10YEAR of 2026-01-02");
    check(whole.replace("BC_1MONTH", "BC_3MONTH"), "BC_3MONTH twice");
    check("<feed>".repeat(40), "too deep");
    check(" ".repeat(LARGEST_FEED + 1), "bytes long");
}

#[test]
fn changes_count_published_days() {
    let day = |number: i8, percent: Option<f64>| {
        CurveDay::new(date(2026, 1, number), [percent, None, None, None])
    };
    let months = [
        vec![day(6, Some(4.5))],
        vec![day(2, Some(4.0)), day(5, None)],
    ];
    let curve = Curve::of(months.clone()).unwrap();
    assert_eq!(curve.latest().map(|own| own.day), Some(date(2026, 1, 6)));
    assert_eq!(curve.change(Maturity::Months3, 2), Some(50.0));
    assert_eq!(curve.change(Maturity::Months3, 1), None);
    assert_eq!(curve.change(Maturity::Months3, 3), None);
    assert_eq!(curve.change(Maturity::Years2, 2), None);
    let twice = [months[0].clone(), months[0].clone()];
    assert_eq!(Curve::of(twice), Err(date(2026, 1, 6)));
    let known = curve.latest().and_then(CurveDay::known_at).unwrap();
    assert_eq!(known.to_string(), "2026-01-06T20:30:00Z");
}

proptest! {
    #[test]
    fn any_text_is_answered_without_a_panic(text in "(?s)[<>/!?a-z:\\- =\"é]{0,80}") {
        let _ = parse_feed(&text);
    }
}
