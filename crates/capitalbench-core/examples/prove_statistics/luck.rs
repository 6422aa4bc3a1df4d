//! How often entrants without skill are taken for more or less than luck, by `null-v2`.

use std::collections::BTreeSet;

use capitalbench_core::decision::portfolio::{Constraints, Holding, HoldingForecast};
use capitalbench_core::evidence::inference::admissible::Admissible;
use capitalbench_core::evidence::inference::excess::{Excess, luck_test};
use capitalbench_core::evidence::inference::null::{Null, Volatility};
use capitalbench_core::evidence::inference::overlap::Overlap;
use capitalbench_core::market::daily_returns::DailyReturns;
use capitalbench_core::market::prices::{PriceSheet, Quote};
use capitalbench_core::market::universe::{Listing, MarketOption, RiskBucket, RoleFlags, Universe};
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::round::manifest::SubmissionFormat;
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::units::{BasisPoints, Price};

use super::Row;
use super::coverage::{calendar, likely, told, weekly};
use super::world::{Days, Noise, OPTIONS, SECTOR, market, reference};

/// Sessions that a round freezes.
const FROZEN: usize = 60;
/// Options of the universe before those of the world: the reference and cash.
const ROLES: usize = 2;

fn option(id: &str) -> MarketOption {
    let symbol = match id {
        "SP500" => Some("SPY".to_owned()),
        "CASH" => None,
        other => Some(other.to_owned()),
    };
    MarketOption {
        id: OptionId::parse(id).expect("an id"),
        name: id.to_owned(),
        symbol: symbol.clone(),
        data_symbol: symbol,
        asset_class: "equity".into(),
        category: "made up".into(),
        group: "made_up".into(),
        risk_bucket: RiskBucket::Medium,
        exposure_description: "Nothing real.".into(),
        currency: "USD".into(),
        flags: RoleFlags::default(),
        listing: Listing::Shown,
        change: None,
    }
}

fn universe() -> Universe {
    let mut options = vec![option("SP500"), option("CASH")];
    options.extend((0..OPTIONS).map(|place| option(&format!("OPTION{place}"))));
    Universe::new(options).expect("a universe")
}

/// The return of an option, by its place in the universe, on a day.
fn moved(place: usize, day: &[f64; OPTIONS]) -> f64 {
    match place {
        0 => reference(day),
        1 => 0.0,
        other => day[other - ROLES],
    }
}

fn returns(universe: &Universe, days: &[[f64; OPTIONS]]) -> RoundReturns {
    let sheet = |price: &dyn Fn(usize) -> f64| {
        let quotes = universe.options().iter().enumerate();
        let quotes = quotes.map(|(place, option)| Quote {
            key: option.id.to_string(),
            date: None,
            close: None,
            adjusted: Price::new(price(place)),
            price: None,
            index: None,
            source: None,
        });
        PriceSheet::new(quotes.collect()).expect("a sheet")
    };
    let grown = |place: usize| -> f64 { days.iter().map(|day| 1.0 + moved(place, day)).product() };
    let (entry, exit) = (sheet(&|_| 1.0), sheet(&grown));
    RoundReturns::new(universe, &entry, &exit, &BTreeSet::new()).expect("returns")
}

/// What an entrant holds without skill.
#[derive(Debug, Clone, Copy)]
enum Entrant {
    Spread,
    OneSector,
    ThreeHoldings,
}

const ENTRANTS: [(Entrant, &str); 3] = [
    (Entrant::Spread, "ten options"),
    (Entrant::OneSector, "four options of one sector"),
    (Entrant::ThreeHoldings, "three options"),
];

impl Entrant {
    fn holds(self, sector: usize, noise: &mut Noise) -> Vec<usize> {
        let (count, from) = match self {
            Self::Spread => (10, 0..OPTIONS),
            Self::OneSector => (4, sector * SECTOR..(sector + 1) * SECTOR),
            Self::ThreeHoldings => (3, 0..OPTIONS),
        };
        let mut held = Vec::new();
        while held.len() < count {
            let drawn = from.start + noise.below(from.len());
            if !held.contains(&drawn) {
                held.push(drawn);
            }
        }
        held
    }
}

/// Equal weights; what divides unevenly goes to the first.
fn holdings(universe: &Universe, held: &[usize]) -> Vec<Holding> {
    let count = u32::try_from(held.len()).expect("few");
    let each = 10_000 / count;
    let place = |(number, place): (usize, &usize)| Holding {
        option_id: universe.options()[place + ROLES].id.clone(),
        weight: BasisPoints::new(if number == 0 {
            10_000 - each * (count - 1)
        } else {
            each
        }),
        rationale: String::new(),
        forecast: HoldingForecast::default(),
    };
    held.iter().enumerate().map(place).collect()
}

/// What all histories share.
struct World {
    universe: Universe,
    allowed: Admissible,
    spans: Vec<(usize, usize)>,
    sessions: usize,
}

impl World {
    /// Whether each entrant is told apart from luck in one history.
    fn told(&self, noise: &mut Noise) -> [bool; 3] {
        let last = self.spans[self.spans.len() - 1].1;
        let days = market(FROZEN + last, Days::Garch, noise);
        let sector = noise.below(OPTIONS / SECTOR);
        let mut excesses: [Vec<Excess>; 3] = Default::default();
        let mut held = ENTRANTS.map(|(entrant, _)| entrant.holds(sector, noise));
        for (begin, end) in &self.spans {
            let (null, frozen, returns) = self.round(&days, (*begin, *end), noise);
            for (place, (entrant, _)) in ENTRANTS.iter().enumerate() {
                if noise.unit() < 0.25 {
                    held[place] = entrant.holds(sector, noise);
                }
                let holdings = holdings(&self.universe, &held[place]);
                let value = holdings.iter().map(|own| {
                    let option = returns.get(&own.option_id).expect("a return");
                    own.weight.weight() * option.value.get()
                });
                let decision = (holdings.as_slice(), value.sum());
                let found = Excess::of(&null, decision, &self.universe, &frozen, self.sessions);
                excesses[place].extend(found);
            }
        }
        let overlap = Overlap::of_spans(&self.spans);
        excesses.map(|own| {
            let own: Vec<&Excess> = own.iter().collect();
            luck_test(&own, &overlap).is_some_and(|test| test.p_apart() < 0.05)
        })
    }

    fn round(
        &self,
        days: &[[f64; OPTIONS]],
        (begin, end): (usize, usize),
        noise: &mut Noise,
    ) -> (Null, DailyReturns, RoundReturns) {
        let dates = calendar(begin + FROZEN);
        let before = &days[begin..begin + FROZEN];
        let table = self.universe.options().iter().enumerate();
        let table = table.map(|(place, option)| {
            let own = before.iter().map(|day| moved(place, day));
            (option.id.clone(), own.collect())
        });
        let known = dates[begin..begin + FROZEN].to_vec();
        let frozen = DailyReturns::new(known, table.collect()).expect("a table");
        let returns = returns(&self.universe, &days[begin + FROZEN..end + FROZEN]);
        let seed = Digest::of(&noise.unit().to_le_bytes());
        let none = Volatility::new();
        let null = Null::draw(&self.universe, &self.allowed, seed, &returns, &none);
        (null.expect("a null"), frozen, returns)
    }
}

/// Rejections of entrants without skill.
pub(crate) fn rows(histories: usize) -> Vec<Row> {
    let universe = universe();
    let limits = Constraints::default();
    let allowed = Admissible::new(&universe, SubmissionFormat::Portfolio, &limits);
    let cell = weekly(20);
    let world = World {
        allowed: allowed.expect("a portfolio"),
        universe,
        spans: cell.spans(),
        sessions: cell.sessions,
    };
    let mut noise = Noise::new("luck");
    let mut rejected = [0; 3];
    for _ in 0..histories {
        for (count, told) in rejected.iter_mut().zip(world.told(&mut noise)) {
            *count += usize::from(told);
        }
    }
    let row = |((_, name), count): ((Entrant, &str), usize)| Row {
        what: format!("taken for more or less than luck: {name}, no skill, 20 weekly rounds"),
        figure: told(count, histories),
        limit: "99 % interval reaches 7 %".to_owned(),
        holds: Some(likely(count, histories).0 <= 0.07),
    };
    ENTRANTS.into_iter().zip(rejected).map(row).collect()
}
