//! Twin lanes and the order of the options: how often honest models are flagged, and how often a
//! planted shift is found.

use std::collections::BTreeMap;

use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::evidence::inference::ties::holm;
use capitalbench_core::evidence::order_bias::{Placed, order_bias};
use capitalbench_core::evidence::twins::{Cell, Sensitivity, sensitivity};
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::sums::real;

use crate::Row;

type Weights = BTreeMap<OptionId, f64>;

/// Holdings whose choice is a mood.
const HOLDINGS: usize = 7;
/// The chance that such a holding is the other one of its two options. Two answers then differ in a
/// holding with the chance 0.34, and hardly more where one of them is an unusual one: noise is mostly
/// between pairs of answers, as in the published table.
const MOOD: f64 = 0.22;
/// The mean distance of two answers: so much of a portfolio is held by mood.
const NOISE: f64 = 0.30;
/// Some models are moodier than others: by this part of the mean, half of the cells more and half less.
const SPREAD: f64 = 0.42;
/// Weights vary by this part of themselves, so that two labellings are hardly ever equally far apart.
const JITTER: f64 = 0.01;

/// Answers of each lane, cells, and the share of the portfolio that the twin moves.
type Design = (usize, usize, usize, f64);

/// The designs of the published table, each with a power of 80 %.
const DESIGNS: [Design; 6] = [
    (2, 2, 32, 0.05),
    (2, 2, 8, 0.10),
    (2, 1, 90, 0.05),
    (2, 1, 20, 0.10),
    (3, 3, 10, 0.05),
    (3, 3, 4, 0.10),
];

fn id(name: &str) -> OptionId {
    OptionId::parse(name).expect("an id")
}

/// A share stays where the lane puts it; most of the rest is held by mood, what is left by everybody.
fn answer(random: &mut Random, noise: f64, (shift, lane): (f64, &str)) -> Weights {
    let by_mood = noise / (2.0 * MOOD * (1.0 - MOOD));
    let mut held = Weights::new();
    let mut left = 1.0 - shift;
    for place in 0..HOLDINGS {
        let other = random.unit() < MOOD;
        let name = format!("H{place}{}", if other { "B" } else { "A" });
        let weight = by_mood / real(HOLDINGS) * (1.0 + JITTER * (random.unit() - 0.5));
        held.insert(id(&name), weight);
        left -= weight;
    }
    held.insert(id("KEPT"), left);
    if shift > 0.0 {
        held.insert(id(lane), shift);
    }
    held
}

/// Which option the twin's answers move to: with that of the base, nothing moves.
const MOVED: &str = "TWIN";
const UNMOVED: &str = "BASE";

fn league(number: usize, design: Design, moves_to: &str) -> Sensitivity {
    let (base, twin, cells, shift) = design;
    let moved = moves_to == MOVED;
    let subject = format!("twins {number} {base}+{twin} {cells} {shift} {moved}");
    let mut random = Random::of(Digest::of(subject.as_bytes()), "world");
    let cell = |round: usize| {
        let sign = if random.unit() < 0.5 { -1.0 } else { 1.0 };
        let noise = NOISE * (1.0 + sign * SPREAD);
        let mut lane = |count: usize, name: &str| -> Vec<Weights> {
            (0..count)
                .map(|_| answer(&mut random, noise, (shift, name)))
                .collect()
        };
        let base = lane(base, UNMOVED);
        let twin = lane(twin, moves_to);
        Cell::new(round, &base, &twin).expect("a cell")
    };
    let cells: Vec<Cell> = (0..cells).map(cell).collect();
    sensitivity(&subject, &cells).expect("cells")
}

/// Largest gap between the p-values and an even spread, times √n: above 1.63 in one of a hundred cases.
fn kolmogorov(mut p_values: Vec<f64>) -> f64 {
    p_values.sort_by(f64::total_cmp);
    let total = real(p_values.len());
    let gaps = p_values.iter().enumerate().map(|(rank, p)| {
        let (below, upto) = (real(rank) / total, real(rank + 1) / total);
        (upto - p).max(p - below)
    });
    gaps.fold(0.0, f64::max) * total.sqrt()
}

fn percent(count: usize, all: usize) -> f64 {
    100.0 * real(count) / real(all)
}

/// The most flagged of some honest ones that a rate of 5 % allows with 99 %.
fn allowed(all: usize) -> f64 {
    5.0 + 100.0 * 2.576 * (0.05 * 0.95 / real(all)).sqrt()
}

pub(crate) fn rows(histories: usize) -> Vec<Row> {
    let mut rows = honest(histories);
    rows.extend(DESIGNS.map(|design| planted(design, histories * 4)));
    rows.extend(order(histories));
    rows
}

/// In how many of some leagues the shift is found.
fn power(design: Design, leagues: usize) -> f64 {
    let found = (0..leagues).filter(|own| league(*own, design, MOVED).p_value < 0.05);
    percent(found.count(), leagues)
}

/// The published table tells whole cells. Where one cell more or less is worth over five points, its number is
/// right if it is the fewest that find 80 %.
fn planted(design: Design, leagues: usize) -> Row {
    let (base, twin, cells, shift) = design;
    let found = power(design, leagues);
    let what = format!("twins: {base}+{twin} answers, {cells} cells, {shift} moved: found in");
    if found <= 85.0 {
        return Row {
            what,
            figure: format!("{found:.1} %"),
            limit: "75 to 85 %".to_owned(),
            holds: Some(found >= 75.0),
        };
    }
    let fewer = power((base, twin, cells - 1, shift), leagues);
    Row {
        what,
        figure: format!("{found:.1} %, with one cell fewer {fewer:.1} %"),
        limit: "75 to 85 %, or 80 % and more with these cells and less with fewer".to_owned(),
        holds: Some(fewer < 80.0),
    }
}

fn honest(histories: usize) -> Vec<Row> {
    let design = (2, 2, 32, 0.0);
    let p_values: Vec<f64> = (0..histories)
        .map(|own| league(own, design, UNMOVED).p_value)
        .collect();
    let flagged = percent(p_values.iter().filter(|p| **p < 0.05).count(), histories);
    let spread = kolmogorov(p_values);
    let most = allowed(histories);
    let (models, leagues) = flagged_on_pages(histories);
    vec![
        Row {
            what: "honest models that a page flags, 8 models, 2 twins and 12 rounds each"
                .to_owned(),
            figure: format!("{models:.1} %"),
            limit: "at most 5 %".to_owned(),
            holds: Some(models <= 5.0),
        },
        Row {
            what: "leagues of honest models in which a page flags any".to_owned(),
            figure: format!("{leagues:.1} %"),
            limit: format!("5 %, by chance up to {most:.1} %"),
            holds: Some(leagues <= most),
        },
        Row {
            what: "one twin that changes nothing: below 5 %, uncorrected".to_owned(),
            figure: format!("{flagged:.1} %"),
            limit: format!("5 %, by chance up to {most:.1} %"),
            holds: Some(flagged <= most),
        },
        Row {
            what: "one twin that changes nothing: Kolmogorov's distance of p".to_owned(),
            figure: format!("{spread:.2}"),
            limit: "1.63".to_owned(),
            holds: Some(spread <= 1.63),
        },
    ]
}

/// How many of all models, and of all leagues, pages flag by chance: they correct for models and twins.
fn flagged_on_pages(leagues: usize) -> (f64, f64) {
    const MODELS: usize = 8;
    const TWINS: usize = 2;
    let design = (2, 2, 12, 0.0);
    let (mut flagged_models, mut flagged_leagues) = (0, 0);
    for own in 0..leagues {
        let first = own * MODELS * TWINS;
        let tested = first..first + MODELS * TWINS;
        let p_values: Vec<f64> = tested
            .map(|number| league(number, design, UNMOVED).p_value)
            .collect();
        let by_model = holm(&p_values);
        let is_flagged = |model: &&[f64]| model.iter().any(|p| *p < 0.05);
        let flagged = by_model.chunks(TWINS).filter(is_flagged).count();
        flagged_models += flagged;
        flagged_leagues += usize::from(flagged > 0);
    }
    (
        percent(flagged_models, leagues * MODELS),
        percent(flagged_leagues, leagues),
    )
}

/// Five options alike among sixty, of which an early one is preferred with this chance.
fn placed(random: &mut Random, early: f64) -> Placed {
    let mut held: Vec<(usize, f64)> = Vec::new();
    while held.len() < 5 {
        let is_early = random.unit() < early;
        let place = if is_early {
            random.index(30)
        } else {
            random.index(60)
        } + 1;
        if held.iter().all(|(other, _)| *other != place) {
            held.push((place, 0.2));
        }
    }
    Placed::new(60, held).expect("places")
}

fn order(histories: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    // An early place with chance c leans by about c/4: 0.32 gives 0.08.
    for (early, what, least, most) in [
        (
            0.0,
            "no habit of place, 40 rounds: flagged",
            0.0,
            allowed(histories),
        ),
        (
            0.32,
            "a lean of 0.08 to the beginning, 40 rounds: found in",
            75.0,
            100.0,
        ),
    ] {
        let flagged = |own: &usize| {
            let subject = format!("order {own} {early}");
            let mut random = Random::of(Digest::of(subject.as_bytes()), "world");
            let rounds: Vec<Placed> = (0..40).map(|_| placed(&mut random, early)).collect();
            order_bias(&subject, &rounds).is_some_and(|found| found.p_value < 0.05)
        };
        let rate = percent((0..histories).filter(flagged).count(), histories);
        rows.push(Row {
            what: what.to_owned(),
            figure: format!("{rate:.1} %"),
            limit: format!("{least:.0} to {most:.1} %"),
            holds: Some((least..=most).contains(&rate)),
        });
    }
    rows
}
