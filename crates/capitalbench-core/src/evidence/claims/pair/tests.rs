use jiff::civil::date;

use super::*;

fn day(number: i8) -> jiff::civil::Date {
    date(2026, 1, number)
}

#[test]
fn equal_rounds_are_worth_one_and_unlike_ones_average_out() {
    let one: ActiveDays = (1..=24)
        .map(|n| (day(n), if n % 2 == 0 { 0.01 } else { -0.01 }))
        .collect();
    let other: ActiveDays = (1..=24)
        .map(|n| (day(n), if n % 4 < 2 { 0.01 } else { -0.01 }))
        .collect();
    let of =
        |rounds: &[ActiveDays]| between_rounds(rounds, &by_day(rounds.iter().flatten().copied()));
    assert!((of(&[one.clone(), one.clone()]) - 1.0).abs() < 1e-12);
    assert!(of(&[one.clone(), other]) < 1e-12);
    assert!((of(std::slice::from_ref(&one)) - 0.5).abs() < 1e-12);
    let record = PairRecord {
        rounds: 2,
        days: 24,
        deviation: 0.01,
        live: 1.0,
        between_rounds: 0.0,
        distance: 0.5,
        series: one,
    };
    assert!((record.correlation(&record).unwrap() - 1.0).abs() < 1e-12);
}
