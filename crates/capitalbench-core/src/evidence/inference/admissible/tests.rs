use std::collections::BTreeMap;

use super::*;
use crate::market::universe::Listing;
use crate::test_support::{holding, universe, universe_of};
use crate::values::ids::Digest;

/// Every portfolio the rules allow, found by trying all weights of all options.
fn every(universe: &Universe, limits: &Constraints) -> Vec<Vec<(u32, u32)>> {
    let step = limits.increment_pct;
    let mut found: Vec<Vec<(u32, u32)>> = vec![Vec::new()];
    for (place, option) in (0..).zip(universe.options()) {
        let allowed = option.listing == Listing::Shown
            && (limits.allow_cash || !option.is_cash())
            && (limits.allow_reference || !option.counts_as_reference());
        let mut next = Vec::new();
        for held in &found {
            let used: u32 = held.iter().map(|(_, pct)| pct).sum();
            next.push(held.clone());
            let weights = (1..=100 / step).map(|steps| steps * step);
            for pct in weights.filter(|pct| allowed && used + pct <= 100) {
                let mut more = held.clone();
                more.push((place, pct));
                next.push(more);
            }
        }
        found = next;
    }
    found.retain(|held| {
        let count = u32::try_from(held.len()).unwrap();
        let whole = held.iter().map(|(_, pct)| pct).sum::<u32>() == 100;
        let sized = (limits.min_holdings..=limits.max_holdings).contains(&count);
        let least = held
            .iter()
            .all(|(_, pct)| *pct >= limits.min_allocation_pct);
        let option = |place: u32| universe.options()[place as usize].id.as_str();
        let holdings = held
            .iter()
            .map(|(place, pct)| holding(option(*place), *pct));
        let holdings: Vec<_> = holdings.collect();
        let cap = limits.max_exposure_pct;
        let capped = cap.is_none_or(|cap| universe.beyond_cap(&holdings, cap).is_empty());
        whole && sized && least && capped
    });
    found
}

/// Chi-square of the draws against equal chances, in standard deviations from its mean.
fn unevenness(universe: &Universe, limits: &Constraints) -> f64 {
    let expected = every(universe, limits);
    let rules = Admissible::new(universe, SubmissionFormat::Portfolio, limits).unwrap();
    let mut random = Random::of(Digest::of(b"uniform"), "test");
    let mut counts: BTreeMap<Vec<(u32, u32)>, f64> =
        expected.iter().map(|held| (held.clone(), 0.0)).collect();
    let draws = 200 * u32::try_from(expected.len()).unwrap();
    let mut held = Vec::new();
    for _ in 0..draws {
        rules.draw(&mut random, &mut held);
        let mut key: Vec<(u32, u32)> = Vec::new();
        for (place, share) in &held {
            let percent = (1..=100).find(|pct| (share - f64::from(*pct) / 100.0).abs() < 1e-9);
            key.push((*place, percent.unwrap()));
        }
        key.sort_unstable();
        *counts
            .get_mut(&key)
            .unwrap_or_else(|| panic!("{key:?} is not allowed")) += 1.0;
    }
    let chi: f64 = counts
        .values()
        .map(|count| (count - 200.0_f64).powi(2) / 200.0)
        .sum();
    let free = f64::from(u32::try_from(expected.len()).unwrap()) - 1.0;
    (chi - free) / (2.0 * free).sqrt()
}

/// Steps of a fifth and up to three holdings, so that everything can be listed.
fn wide() -> Constraints {
    Constraints {
        increment_pct: 20,
        min_allocation_pct: 20,
        max_holdings: 3,
        ..Constraints::default()
    }
}

/// Six options of which two and two share an exposure, and one that is hidden.
fn clustered() -> Universe {
    let mut options = universe_of(&["AAA", "BBB", "CCC", "DDD", "SP500", "CASH", "HID"])
        .options()
        .to_vec();
    for (place, exposure) in [(0, "x"), (1, "x"), (2, "y"), (3, "y")] {
        options[place].group = exposure.to_owned();
    }
    options[6].listing = Listing::Hidden;
    Universe::new(options).unwrap()
}

#[test]
fn every_admissible_portfolio_has_the_same_chance() {
    let changes: [fn(&mut Constraints); 13] = [
        |_| (),
        |c| c.increment_pct = 10,
        |c| (c.increment_pct, c.min_allocation_pct) = (25, 25),
        |c| c.min_allocation_pct = 40,
        |c| c.min_holdings = 2,
        |c| (c.min_holdings, c.max_holdings) = (2, 4),
        |c| c.max_holdings = 1,
        |c| c.allow_cash = false,
        |c| c.allow_reference = false,
        |c| (c.allow_cash, c.allow_reference) = (false, false),
        |c| c.max_exposure_pct = Some(60),
        |c| (c.max_exposure_pct, c.max_holdings) = (Some(40), 4),
        |c| (c.max_exposure_pct, c.allow_cash, c.min_holdings) = (Some(80), false, 2),
    ];
    for universe in [universe(), clustered()] {
        for change in changes {
            let mut limits = wide();
            change(&mut limits);
            let uneven = unevenness(&universe, &limits);
            assert!(uneven.abs() < 4.0, "{limits:?}: {uneven}");
        }
    }
}

#[test]
fn a_tight_cap_is_counted_and_an_impossible_one_refused() {
    let rules = |free: bool, cap: u32, most: u32| {
        let limits = Constraints {
            max_exposure_pct: Some(cap),
            max_holdings: most,
            allow_cash: free,
            allow_reference: free,
            ..wide()
        };
        let every = every(&clustered(), &limits).len();
        (
            Admissible::new(&clustered(), SubmissionFormat::Portfolio, &limits),
            every,
        )
    };
    for (cap, most) in [(20, 3), (20, 5), (40, 4), (0, 5)] {
        let found = rules(false, cap, most);
        assert_eq!(found, (Err(NoPortfolio), 0), "{cap} {most}");
    }
    // Cash and reference hold what no exposure may.
    for (cap, most, some) in [(20, 2, 2 + 4 + 8), (20, 3, 14 + 12 + 8)] {
        let (found, every) = rules(true, cap, most);
        let count = found.unwrap().capped.expect("a walk").count();
        assert_eq!(every, some, "{cap} {most}");
        assert!((count - f64::from(u32::try_from(every).unwrap())).abs() < 1e-9);
    }
    let (loose, _) = rules(true, 80, 5);
    assert_eq!(loose.unwrap().capped, None);
}

#[test]
fn the_reference_alone_is_drawn_under_a_cap() {
    let limits = Constraints {
        max_exposure_pct: Some(50),
        ..Constraints::default()
    };
    let universe = universe_of(&["AAA", "BBB", "SP500", "CASH"]);
    let rules = Admissible::new(&universe, SubmissionFormat::Portfolio, &limits).unwrap();
    let mut random = Random::of(Digest::of(b"reference"), "test");
    let mut held = Vec::new();
    let whole = (0..100_000).any(|_| {
        rules.draw(&mut random, &mut held);
        held.len() == 1 && held[0].0 == 2
    });
    assert!(whole);
}

#[test]
fn a_single_pick_is_any_option_and_impossible_limits_are_refused() {
    let limits = Constraints::default();
    let rules = Admissible::new(&universe(), SubmissionFormat::SinglePick, &limits).unwrap();
    let mut random = Random::of(Digest::of(b"x"), "pick");
    let mut held = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        rules.draw(&mut random, &mut held);
        assert_eq!(held.len(), 1);
        assert!((held[0].1 - 1.0).abs() < 1e-15);
        seen.insert(held[0].0);
    }
    assert_eq!(seen.len(), 5);
    let many = Constraints {
        min_holdings: 6,
        max_holdings: 6,
        ..Constraints::default()
    };
    let refused = Admissible::new(&universe(), SubmissionFormat::Portfolio, &many);
    assert_eq!(refused, Err(NoPortfolio));
}
