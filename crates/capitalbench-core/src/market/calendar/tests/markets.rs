//! Every shipped market, and markets of the operator's own; dates worked out by hand.

use super::*;
use crate::encoding::yaml::from_yaml;

fn close(id: &str, text: &str) -> String {
    let close = market(id).close_at(day(text));
    close.map_or_else(|| "none".to_owned(), |at| at.to_string())
}

fn own(text: &str) -> Result<Market, MarketError> {
    Market::own(from_yaml::<MarketFile>(text).unwrap())
}

const OSLO: &str = "market: XOSL
name: Oslo Exchange
city: Oslo
zone: Europe/Oslo
currency: NOK
granularity: daily
rows_final: \"20:00\"
known_from: 2026-01-01
known_to: 2026-12-31
weekend: [Saturday, Sunday]
hours:
- 2026-01-01 09:00-16:20
closed:
- 2026-05-14 Ascension Day
- 2026-12-24..2026-12-25 Christmas
early_closes:
- 2026-04-01 13:00 the day before Maundy Thursday
";

#[test]
fn every_shipped_market_can_be_read_and_has_its_own_name() {
    for id in market_ids() {
        let market = market(id);
        assert_eq!(market.id(), id);
        assert!(
            market.knows(day("2015-01-01")) && market.knows(day("2026-12-31")),
            "{id}"
        );
        assert!(!market.is_own());
        let stored = serde_json::to_string(&market).unwrap();
        assert_eq!(serde_json::from_str::<Market>(&stored).unwrap(), market);
    }
}

#[test]
fn closes_follow_the_clocks_of_both_hemispheres() {
    // New York changed on 2026-03-08 and 2026-11-01.
    assert_eq!(close("XNYS", "2026-03-06"), "2026-03-06T21:00:00Z");
    assert_eq!(close("XNYS", "2026-03-09"), "2026-03-09T20:00:00Z");
    assert_eq!(close("XNYS", "2026-10-30"), "2026-10-30T20:00:00Z");
    assert_eq!(close("XNYS", "2026-11-02"), "2026-11-02T21:00:00Z");
    // Europe changed on 2026-03-29 and 2026-10-25, so for three weeks Frankfurt is nearer.
    assert_eq!(close("XETR", "2026-03-27"), "2026-03-27T16:30:00Z");
    assert_eq!(close("XETR", "2026-03-30"), "2026-03-30T15:30:00Z");
    assert_eq!(close("XETR", "2026-10-23"), "2026-10-23T15:30:00Z");
    assert_eq!(close("XETR", "2026-10-26"), "2026-10-26T16:30:00Z");
    assert_eq!(close("XLON", "2026-10-23"), "2026-10-23T15:30:00Z");
    assert_eq!(close("XLON", "2026-10-26"), "2026-10-26T16:30:00Z");
    // Sydney changed on 2026-04-05 and 2026-10-04, the other way round.
    assert_eq!(close("XASX", "2026-04-02"), "2026-04-02T05:00:00Z");
    assert_eq!(close("XASX", "2026-04-07"), "2026-04-07T06:00:00Z");
    assert_eq!(close("XASX", "2026-10-02"), "2026-10-02T06:00:00Z");
    assert_eq!(close("XASX", "2026-10-05"), "2026-10-05T05:00:00Z");
    // Tokyo, Mumbai and Shanghai never change.
    for day in ["2026-01-15", "2026-07-15"] {
        assert_eq!(close("XTKS", day), format!("{day}T06:30:00Z"));
        assert_eq!(close("XSHG", day), format!("{day}T07:00:00Z"));
    }
    assert_eq!(close("XNSE", "2026-07-15"), "2026-07-15T10:00:00Z");
}

#[test]
fn tokyo_trades_half_an_hour_longer_since_november_2024() {
    assert_eq!(close("XTKS", "2024-11-01"), "2024-11-01T06:00:00Z");
    assert_eq!(close("XTKS", "2024-11-05"), "2024-11-05T06:30:00Z");
    let lunch = market("XTKS").lunch_at(day("2026-07-15")).unwrap();
    assert_eq!(lunch.0.to_string(), "2026-07-15T02:30:00Z");
    assert_eq!(lunch.1.to_string(), "2026-07-15T03:30:00Z");
}

#[test]
fn hong_kong_closes_at_noon_before_christmas_and_the_lunar_new_year() {
    assert_eq!(close("XHKG", "2026-12-24"), "2026-12-24T04:00:00Z");
    assert_eq!(close("XHKG", "2026-02-16"), "2026-02-16T04:00:00Z");
    assert_eq!(market("XHKG").lunch_at(day("2026-12-24")), None);
    let plan = |deadline: &str| {
        let deadline = deadline.parse().unwrap();
        plan_window(
            market("XHKG"),
            deadline,
            Track::Weekly,
            WindowRule::default(),
        )
        .unwrap()
    };
    // One second before noon the close is still ahead; at noon the next one comes after Christmas.
    assert_eq!(plan("2025-12-24T03:59:59Z").window.entry, day("2025-12-24"));
    assert_eq!(plan("2025-12-24T04:00:00Z").window.entry, day("2025-12-29"));
}

#[test]
fn christmas_is_where_each_market_has_it() {
    for (id, closed, open) in [
        ("XNYS", "2026-12-25", "2026-12-28"),
        // Boxing Day 2026 is a Saturday, so London rests on Monday.
        ("XLON", "2026-12-28", "2026-12-29"),
        // Xetra rests on Christmas Eve and New Year's Eve.
        ("XETR", "2026-12-24", "2026-12-30"),
        ("XETR", "2026-12-31", "2026-12-23"),
        ("XPAR", "2026-12-25", "2026-12-24"),
        ("XTSE", "2026-12-28", "2026-12-29"),
        ("XASX", "2026-12-28", "2026-12-29"),
        ("XNSE", "2026-12-25", "2026-12-24"),
        // Tokyo works at Christmas and rests at the turn of the year.
        ("XTKS", "2026-12-31", "2026-12-25"),
        ("XSHG", "2026-01-02", "2026-12-25"),
    ] {
        assert!(!market(id).is_session(day(closed)), "{id} {closed}");
        assert!(market(id).is_session(day(open)), "{id} {open}");
    }
    assert!(market("24/7").is_session(day("2026-12-25")));
    assert_eq!(close("XETR", "2026-12-30"), "2026-12-30T13:00:00Z");
    assert_eq!(close("XLON", "2026-12-24"), "2026-12-24T12:30:00Z");
    assert_eq!(close("XPAR", "2026-12-24"), "2026-12-24T13:05:00Z");
    assert_eq!(close("XASX", "2026-12-24"), "2026-12-24T03:10:00Z");
}

#[test]
fn the_lunar_new_year_of_2026_closes_shanghai_for_six_sessions_and_hong_kong_for_three() {
    // The year of the horse began on Tuesday, 2026-02-17.
    let next = |id: &str, text: &str| market(id).next_session(day(text)).unwrap().to_string();
    assert_eq!(next("XSHG", "2026-02-13"), "2026-02-24");
    assert_eq!(next("XHKG", "2026-02-16"), "2026-02-20");
    assert_eq!(
        market("XSHG").closure_reason(day("2026-02-23")),
        Some("Spring Festival")
    );
}

#[test]
fn a_window_into_a_closure_of_more_than_a_week_ends_after_it() {
    // Shanghai was closed from 2020-01-24 to 2020-01-31, so one week after the 23rd and every session
    // before it but the entry are missing.
    let deadline = "2020-01-23T01:00:00Z".parse().unwrap();
    let rule = WindowRule::default();
    let plan = plan_window(market("XSHG"), deadline, Track::Weekly, rule).unwrap();
    assert_eq!(
        (plan.window.entry, plan.window.exit),
        (day("2020-01-23"), day("2020-02-03"))
    );
    assert!(
        plan.exit_reason
            .ends_with("; 2020-01-30 is closed (Spring Festival), so the next session")
    );
}

#[test]
fn mumbai_trades_for_an_hour_on_diwali() {
    // 2025: a Tuesday that would be closed, in the afternoon for once.
    assert_eq!(close("XNSE", "2025-10-21"), "2025-10-21T09:15:00Z");
    // 2023: a Sunday, 18:15 to 19:15.
    assert_eq!(close("XNSE", "2023-11-12"), "2023-11-12T13:45:00Z");
    let opens = market("XNSE").open_at(day("2023-11-12")).unwrap();
    assert_eq!(opens.to_string(), "2023-11-12T12:45:00Z");
    assert_eq!(
        market("XNSE").unusual(day("2023-11-12")),
        Some((SessionKind::Special, "Diwali Muhurat"))
    );
    assert_eq!(close("XNSE", "2025-10-22"), "none");
    let rule = WindowRule::default();
    let deadline = "2025-10-21T03:30:00Z".parse().unwrap();
    let plan = plan_window(market("XNSE"), deadline, Track::Weekly, rule).unwrap();
    assert_eq!(plan.window.entry, day("2025-10-21"));
    assert!(plan.entry_reason.starts_with(
        "the close of the special session of 2025-10-21 (2025-10-21T09:15:00Z, Diwali Muhurat)"
    ));
}

#[test]
fn a_deadline_after_the_close_of_frankfurt_enters_on_the_next_day() {
    let deadline = "2026-11-18T18:00:00Z".parse().unwrap();
    let enter = |id: &str| {
        let rule = WindowRule::default();
        plan_window(market(id), deadline, Track::Weekly, rule).unwrap()
    };
    // New York still trades at 18:00 UTC; Frankfurt printed its close at 16:30.
    assert_eq!(enter("XNYS").window.entry, day("2026-11-18"));
    let frankfurt = enter("XETR");
    assert_eq!(frankfurt.window.entry, day("2026-11-19"));
    assert_eq!(frankfurt.entry_close.to_string(), "2026-11-19T16:30:00Z");
    assert!(frankfurt.entry_close > deadline);
}

#[test]
fn a_market_without_closes_ends_its_days_at_midnight_utc() {
    let crypto = market("24/7");
    assert!(crypto.never_closes() && !market("XNYS").never_closes());
    assert_eq!(close("24/7", "2026-11-22"), "2026-11-23T00:00:00Z");
    let rows = crypto.rows_final_at(day("2026-11-22")).unwrap();
    assert_eq!(rows.to_string(), "2026-11-23T00:30:00Z");
    let rule = WindowRule::default();
    let deadline = "2026-11-22T23:55:00Z".parse().unwrap();
    let plan = plan_window(crypto, deadline, Track::Weekly, rule).unwrap();
    assert_eq!(plan.entry_close.to_string(), "2026-11-23T00:00:00Z");
    assert_eq!(plan.exit_close.to_string(), "2026-11-30T00:00:00Z");
    assert!(plan.cautions.is_empty());
}

#[test]
fn a_window_beyond_the_known_days_is_refused() {
    let plan = |id: &str, deadline: &str| {
        let deadline = deadline.parse().unwrap();
        plan_window(market(id), deadline, Track::Monthly, WindowRule::default())
    };
    assert!(plan("XHKG", "2026-11-25T01:00:00Z").is_ok());
    let error = plan("XHKG", "2026-12-15T01:00:00Z").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the calendar of Stock Exchange of Hong Kong (XHKG) is known from 2015-01-01 to 2026-12-31, \
         and 2027-01-15 is not between them"
    );
    assert!(plan("XNYS", "2028-12-15T01:00:00Z").is_err());
    assert!(plan("XNYS", "2014-06-02T01:00:00Z").is_err());
}

#[test]
fn a_market_of_ones_own_is_read_once_and_kept_in_full() {
    let oslo = own(OSLO).unwrap();
    assert!(oslo.is_own());
    assert_eq!(own(OSLO).unwrap(), oslo);
    let at = |text| oslo.close_at(day(text)).map(|at| at.to_string());
    assert_eq!(at("2026-05-13").as_deref(), Some("2026-05-13T14:20:00Z"));
    assert_eq!(at("2026-04-01").as_deref(), Some("2026-04-01T11:00:00Z"));
    assert_eq!(
        oslo.next_session(day("2026-12-23")),
        Some(day("2026-12-28"))
    );
    let stored = serde_json::to_string(&oslo).unwrap();
    assert_eq!(serde_json::from_str::<Market>(&stored).unwrap(), oslo);
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let again = oslo.file().yaml_lines(quoted).join("\n");
    assert_eq!(own(&again).unwrap(), oslo);
}

#[test]
fn a_market_file_that_cannot_be_is_refused_with_its_key() {
    for (from, to, says) in [
        ("XOSL", "XNYS", "market: XNYS is a shipped market"),
        ("XOSL", "oslo", "market: \"oslo\" is not an ISO 10383 code"),
        ("NOK", "kr", "currency:"),
        ("Europe/Oslo", "Norway/Oslo", "zone: \"Norway/Oslo\""),
        ("granularity: daily", "granularity: hourly", "granularity:"),
        ("\"20:00\"", "\"16:00\"", "rows_final: 16:00 is not after"),
        ("known_to: 2026-12-31", "known_to: 2025-12-31", "known_to:"),
        (
            "known_to: 2026-12-31",
            "known_to: soon",
            "known_to: \"soon\"",
        ),
        ("09:00-16:20", "16:20-09:00", "hours:"),
        ("09:00-16:20", "09:00-16:20 lunch 08:00-09:30", "hours:"),
        ("Saturday", "Caturday", "weekend:"),
        (
            "2026-05-14 Ascension Day",
            "2026-05-16 Saturday",
            "closed: 2026-05-16 has no session",
        ),
        ("2026-05-14 Ascension Day", "2027-05-14 Later", "closed:"),
        ("2026-05-14 Ascension Day", "2026-05-14", "closed:"),
        (
            "2026-12-24..2026-12-25",
            "2026-12-26..2026-12-27",
            "closed:",
        ),
        ("2026-04-01 13:00", "2026-04-01 17:00", "early_closes:"),
        ("2026-04-01 13:00", "2026-05-14 13:00", "early_closes:"),
    ] {
        let text = OSLO.replace(from, to);
        assert_ne!(text, OSLO, "{from}");
        let error = own(&text).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    }
    let closed = "- 2026-05-14 Ascension Day\n";
    let twice = OSLO.replace(closed, &closed.repeat(2));
    assert!(
        own(&twice)
            .unwrap_err()
            .to_string()
            .starts_with("closed: 2026-05-14")
    );
}
