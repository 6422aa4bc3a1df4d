//! The claims of a season, and the CPU time they take.
//!
//! Used by `scripts/bench`: ten claims of one family, fifty weekly rounds that overlap, a year of
//! days. Prints the milliseconds of the figures, then of the whole with what it would take.
#![expect(
    clippy::disallowed_methods,
    reason = "a measuring program reads the kernel's clock of itself"
)]

use std::collections::BTreeMap;
use std::io::Write as _;

use capitalbench_core::decision::portfolio::{Holding, HoldingForecast};
use capitalbench_core::evidence::claims::daily::{ClaimRound, increments};
use capitalbench_core::evidence::claims::record::{Candidate, Case, records};
use capitalbench_core::evidence::claims::terms::{ClaimName, Second, Terms};
use capitalbench_core::evidence::claims::{Process, Rules, Side, confidence_sequence};
use capitalbench_core::evidence::inference::daily::{Closes, sessions_of};
use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::market::calendar::Market;
use capitalbench_core::round::manifest::{Track, Window};
use capitalbench_core::values::ids::{Digest, ModelId, OptionId, RoundId};
use capitalbench_core::values::units::{BasisPoints, Price};
use jiff::civil::{Date, date};

const CLAIMS: usize = 10;
const ROUNDS: usize = 50;
const OPTIONS: usize = 10;
const HELD: usize = 5;

fn option(number: usize) -> OptionId {
    OptionId::parse(&format!("option-{number}")).expect("an id")
}

/// Five options at a fifth each.
fn held(random: &mut Random) -> Vec<Holding> {
    let first = random.index(OPTIONS);
    let one = |step| Holding {
        option_id: option((first + step) % OPTIONS),
        weight: BasisPoints::from_percent(20),
        rationale: String::new(),
        forecast: HoldingForecast::default(),
    };
    (0..HELD).map(one).collect()
}

fn closes(random: &mut Random, days: &[Date]) -> Closes {
    let mut values = [100.0; OPTIONS];
    let day = |day: &Date| {
        let price = |(number, value): (usize, &mut f64)| {
            *value *= 1.0 + 0.01 * random.normal();
            (option(number), Price::new(*value).expect("a price"))
        };
        let known: BTreeMap<_, _> = values.iter_mut().enumerate().map(price).collect();
        (*day, known)
    };
    days.iter().map(day).collect()
}

fn terms(number: usize) -> Terms {
    Terms {
        claim: ClaimName::parse(&format!("claim-{number}")).expect("a name"),
        first: ModelId::parse(&format!("model-{number}")).expect("an id"),
        second: Second::Reference,
        track: Track::Weekly,
        rules: Rules {
            side: Side::Either,
            alpha: 0.05,
            scale: 0.005,
            spread: 0.2,
        },
        first_day: date(2025, 1, 2),
        last_day: None,
        season: 2025,
        family: CLAIMS,
        registered_at: "2025-01-01T00:00:00Z".parse().expect("an instant"),
    }
}

/// Milliseconds this thread spent on a core, user and system.
fn cpu_milliseconds() -> Result<f64, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = text.split_whitespace().next().ok_or("an empty schedstat")?;
    Ok(first.parse::<f64>()? / 1e6)
}

/// What both sides hold, claim by claim and round by round.
type Sides = [Vec<[Vec<Holding>; 2]>];

fn cases<'a>(sides: &'a Sides, windows: &[Window], closes: &'a Closes) -> Vec<Case<'a>> {
    let candidate = |place: usize, window: &Window, held: &'a [Vec<Holding>; 2]| Candidate {
        round_id: RoundId::parse(&format!("round-{place}")).expect("an id"),
        resolved: true,
        live: ClaimRound {
            window: *window,
            first: &held[0],
            second: &held[1],
            closes,
        },
    };
    let case = |number: usize, sides: &'a Vec<[Vec<Holding>; 2]>| {
        let rounds = windows.iter().zip(sides).enumerate();
        Case {
            terms: terms(number),
            leaf: number as u64,
            rounds: rounds
                .map(|(place, (window, held))| candidate(place, window, held))
                .collect(),
            left_out: Vec::new(),
        }
    };
    let all = sides.iter().enumerate();
    all.map(|(number, sides)| case(number, sides)).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut random = Random::of(Digest::of(b"speed"), "claims");
    let market = Market::default();
    let year = Window {
        entry: date(2025, 1, 2),
        exit: date(2026, 1, 30),
        market,
    };
    let days: Vec<Date> = std::iter::once(year.entry)
        .chain(sessions_of(year))
        .collect();
    let closes = closes(&mut random, &days);
    let windows: Vec<Window> = (0..ROUNDS)
        .map(|round| Window {
            entry: days[5 * round],
            exit: days[5 * round + 6],
            market,
        })
        .collect();
    let sides: Vec<Vec<[Vec<Holding>; 2]>> = (0..CLAIMS)
        .map(|_| {
            windows
                .iter()
                .map(|_| [held(&mut random), held(&mut random)])
                .collect()
        })
        .collect();
    let given = cases(&sides, &windows, &closes);
    let begun = cpu_milliseconds()?;
    let mut sum = 0.0;
    for case in &given {
        let rounds: Vec<ClaimRound<'_>> = case.rounds.iter().map(|own| own.live).collect();
        let days = increments(&rounds, year.exit);
        sum += Process::over(case.terms.rules, &days).evidence();
        sum += confidence_sequence(&case.terms.rules, &days).0;
    }
    let figures = cpu_milliseconds()? - begun;
    let begun = cpu_milliseconds()?;
    let found = records(given, year.exit);
    sum += found.iter().map(|own| own.figures.evidence).sum::<f64>();
    let whole = cpu_milliseconds()? - begun;
    let out = &mut std::io::stdout();
    writeln!(out, "{figures:.2}\n{whole:.2}")?;
    assert!(sum.is_finite());
    Ok(())
}
