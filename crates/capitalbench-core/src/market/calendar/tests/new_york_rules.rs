//! The rules of the New York exchange as a program: what its file must say in every year.

use jiff::civil::{Date, Weekday};

/// Whole-day closures that follow from no rule: year, month, day and reason.
const ONE_OFF_CLOSURES: [(i16, i8, i8, &str); 4] = [
    (2012, 10, 29, "Hurricane Sandy"),
    (2012, 10, 30, "Hurricane Sandy"),
    (2018, 12, 5, "National Day of Mourning"),
    (2025, 1, 9, "National Day of Mourning"),
];

/// The first year in which Juneteenth closed the exchange.
const FIRST_JUNETEENTH: i16 = 2022;

/// Why there is no session on this day; none when there is one.
pub(super) fn closure_reason(day: Date) -> Option<&'static str> {
    match day.weekday() {
        Weekday::Saturday => Some("Saturday"),
        Weekday::Sunday => Some("Sunday"),
        _ => fixed_holiday(day)
            .or_else(|| moving_holiday(day))
            .or_else(|| one_off_closure(day)),
    }
}

/// Why the session of this day ends at 13:00; none for full sessions and closed days.
pub(super) fn early_close_reason(day: Date) -> Option<&'static str> {
    use Weekday::{Friday, Monday, Thursday, Tuesday, Wednesday};
    if closure_reason(day).is_some() {
        return None;
    }
    match (day.month(), day.day(), day.weekday()) {
        (7, 3, Monday | Tuesday | Wednesday | Thursday) => Some("the day before Independence Day"),
        (11, 23..=29, Friday) => Some("the day after Thanksgiving"),
        (12, 24, Monday | Tuesday | Wednesday | Thursday) => Some("Christmas Eve"),
        _ => None,
    }
}

/// Holidays of a fixed date: Sunday moves to Monday, Saturday to Friday.
///
/// A New Year's Day on Saturday is the exception: the last day of the old year stays a session.
fn fixed_holiday(day: Date) -> Option<&'static str> {
    use Weekday::{Friday, Monday};
    match (day.month(), day.day(), day.weekday()) {
        (1, 1, _) => Some("New Year's Day"),
        (1, 2, Monday) => Some("New Year's Day (observed)"),
        (6, 19, _) if day.year() >= FIRST_JUNETEENTH => Some("Juneteenth"),
        (6, 18, Friday) | (6, 20, Monday) if day.year() >= FIRST_JUNETEENTH => {
            Some("Juneteenth (observed)")
        }
        (7, 4, _) => Some("Independence Day"),
        (7, 3, Friday) | (7, 5, Monday) => Some("Independence Day (observed)"),
        (12, 25, _) => Some("Christmas Day"),
        (12, 24, Friday) | (12, 26, Monday) => Some("Christmas Day (observed)"),
        _ => None,
    }
}

/// Holidays set by the weekday, and Good Friday, set by Easter.
fn moving_holiday(day: Date) -> Option<&'static str> {
    use Weekday::{Friday, Monday, Thursday};
    match (day.month(), day.weekday(), day.day()) {
        (1, Monday, 15..=21) => Some("Martin Luther King Jr. Day"),
        (2, Monday, 15..=21) => Some("Washington's Birthday"),
        (3 | 4, Friday, _) => is_good_friday(day).then_some("Good Friday"),
        (5, Monday, 25..=31) => Some("Memorial Day"),
        (9, Monday, 1..=7) => Some("Labor Day"),
        (11, Thursday, 22..=28) => Some("Thanksgiving Day"),
        _ => None,
    }
}

fn one_off_closure(day: Date) -> Option<&'static str> {
    ONE_OFF_CLOSURES
        .iter()
        .find(|(year, month, dom, _)| (*year, *month, *dom) == (day.year(), day.month(), day.day()))
        .map(|(.., reason)| *reason)
}

fn is_good_friday(day: Date) -> bool {
    let sunday = day.tomorrow().and_then(Date::tomorrow);
    let (month, dom) = easter(i32::from(day.year()));
    sunday.is_ok_and(|sunday| (i32::from(sunday.month()), i32::from(sunday.day())) == (month, dom))
}

/// Month and day of Easter Sunday by the anonymous Gregorian computus.
fn easter(year: i32) -> (i32, i32) {
    let golden = year.rem_euclid(19);
    let (century, of_century) = (year.div_euclid(100), year.rem_euclid(100));
    let leap_centuries = century / 4;
    let moon_correction = (century - (century + 8) / 25 + 1) / 3;
    let epact = (19 * golden + century - leap_centuries - moon_correction + 15) % 30;
    let to_sunday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - epact - of_century % 4) % 7;
    let shift = (golden + 11 * epact + 22 * to_sunday) / 451;
    let day_count = epact + to_sunday - 7 * shift + 114;
    (day_count / 31, day_count % 31 + 1)
}
