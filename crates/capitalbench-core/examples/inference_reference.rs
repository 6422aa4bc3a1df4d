//! Prints figures of every method with their inputs, for `tests/reference/statistics.py` to compute
//! again by other people's code.

use std::io::Write as _;

use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::evidence::claims::{Increment, Process, Rules, Side, symmetric_evidence};
use capitalbench_core::evidence::inference::admissible::Admissible;
use capitalbench_core::evidence::inference::distribution::{
    normal_cdf, normal_quantile, student_quantile, student_two_sided,
};
use capitalbench_core::evidence::inference::hac::{
    MeanEstimate, lag, long_run_variance, mean_estimate,
};
use capitalbench_core::evidence::inference::null::{DRAWS, LABEL, stouffer};
use capitalbench_core::evidence::inference::overlap::{Overlap, score_estimate};
use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::evidence::inference::reliability::wilson;
use capitalbench_core::evidence::inference::sharpe::{deflated, moments};
use capitalbench_core::evidence::inference::synthetic::synthetic;
use capitalbench_core::evidence::inference::ties::{detectable, holm, years_to_detect};
use capitalbench_core::round::manifest::SubmissionFormat;
use capitalbench_core::values::ids::Digest;
use serde_json::{Value, json};

#[path = "shared/universe.rs"]
mod universe;

fn random(label: &str) -> Random {
    Random::of(Digest::of(b"reference"), label)
}

/// Noise that remembers the day before.
fn series(days: usize, memory: f64) -> Vec<f64> {
    let mut random = random(&format!("series {days} {memory}"));
    let mut before = 0.0;
    let next = |_| {
        before = memory * before + 0.01 * random.normal() + 0.001;
        before
    };
    (0..days).map(next).collect()
}

fn hac() -> Vec<Value> {
    let mut cases = Vec::new();
    for days in [20, 35, 60, 250] {
        for memory in [0.0, 0.4, -0.3] {
            let values = series(days, memory);
            let found = mean_estimate(&values).expect("enough days");
            let (low, high) = found.interval(0.95);
            cases.push(json!({
                "values": values, "lag": lag(days),
                "long_run_variance": long_run_variance(&values, lag(days)),
                "mean": found.mean, "standard_error": found.standard_error,
                "degrees": found.degrees, "t": found.t(), "p": found.p_value(),
                "low": low, "high": high,
            }));
        }
    }
    cases
}

fn quantiles() -> Value {
    let chances = [1e-9, 0.001, 0.025, 0.3, 0.5, 0.8, 0.95, 0.975, 0.999_9];
    let normal: Vec<Value> = chances
        .iter()
        .map(|p| json!({"p": p, "x": normal_quantile(*p)}))
        .collect();
    let cdf: Vec<Value> = [-8.0, -1.5, 0.0, 0.3, 4.0]
        .iter()
        .map(|x| json!({"x": x, "p": normal_cdf(*x)}))
        .collect();
    let mut student = Vec::new();
    for df in [0.5, 1.0, 2.7, 11.3, 47.0, 1_000.0] {
        for p in [0.001, 0.025, 0.4, 0.9, 0.975, 0.999] {
            let x = student_quantile(p, df);
            student.push(json!({"p": p, "df": df, "x": x, "two": student_two_sided(x, df)}));
        }
    }
    json!({"normal": normal, "cdf": cdf, "student": student})
}

fn corrections() -> Vec<Value> {
    let mut random = random("holm");
    let sizes = [1_usize, 2, 6, 14, 45];
    let cases = sizes.map(|size| {
        let p: Vec<f64> = (0..size).map(|_| random.unit().powi(3)).collect();
        json!({"p": p, "adjusted": holm(&p)})
    });
    cases.to_vec()
}

fn sharpes() -> Vec<Value> {
    let mut cases = Vec::new();
    for (days, variance, tries) in [(35, 0.004, 8.0), (60, 0.01, 40.0), (250, 0.002, 1.0)] {
        let values = series(days, 0.1);
        let found = moments(&values).expect("moments");
        cases.push(json!({
            "values": values, "variance": variance, "tries": tries,
            "sharpe": found.sharpe, "skewness": found.skewness, "kurtosis": found.kurtosis,
            "deflated": deflated(&found, variance, tries),
        }));
    }
    cases
}

fn overlaps() -> Vec<Value> {
    let mut cases = Vec::new();
    let (daily, monthly) = (
        (0..30).map(|i| (i, i + 5)),
        (0..30).map(|i| (2 * i, 2 * i + 21)),
    );
    let separate = (0..12).map(|i| (5 * i, 5 * i + 5));
    let uneven = (0..40).map(|i| (3 * i, 3 * i + 4 + i % 3));
    let all: [Vec<(usize, usize)>; 4] = [
        daily.collect(),
        monthly.collect(),
        separate.collect(),
        uneven.collect(),
    ];
    for (number, spans) in all.into_iter().enumerate() {
        let mut random = random(&format!("overlap {number}"));
        let values: Vec<f64> = spans.iter().map(|_| 0.02 * random.normal()).collect();
        let oracles: Vec<f64> = spans.iter().map(|_| 0.05 + 0.02 * random.unit()).collect();
        let percentiles: Vec<f64> = spans.iter().map(|_| random.unit()).collect();
        let overlap = Overlap::of_spans(&spans);
        let mean = overlap.mean(&values).expect("windows");
        let score = score_estimate(&overlap, &values, &oracles).ok();
        let luck = stouffer(&percentiles, DRAWS, &overlap).expect("percentiles");
        cases.push(json!({
            "spans": spans, "values": values, "oracles": oracles, "percentiles": percentiles,
            "effective": overlap.effective(), "kappa": overlap.kappa(), "informative": mean.informative,
            "standard_error": mean.estimate.standard_error, "degrees": mean.estimate.degrees,
            "score": score.map(|own| own.mean),
            "score_standard_error": score.map(|own| own.standard_error),
            "z": luck.z, "z_p": luck.p_value,
        }));
    }
    cases
}

fn shares() -> Vec<Value> {
    let cases = [(0.0, 5.0), (0.5, 6.8), (1.0, 1.0), (0.83, 3.6)];
    cases
        .map(|(share, trials)| {
            let (low, high) = wilson(share, trials);
            json!({"share": share, "trials": trials, "low": low, "high": high})
        })
        .to_vec()
}

fn synthetics() -> Vec<Value> {
    let cases = [30, 60, 250].map(|days| {
        let (gains, reference) = (series(days, 0.2), series(days, -0.1));
        let gains: Vec<f64> = gains
            .iter()
            .zip(&reference)
            .map(|(a, b)| a - 0.4 * b)
            .collect();
        let found = synthetic(&gains, &reference).expect("figures");
        json!({
            "gains": gains, "reference": reference, "beta": found.beta.value,
            "beta_high": found.beta.high, "capm_alpha": found.capm_alpha.value,
            "capm_alpha_low": found.capm_alpha.low, "tracking_error": found.tracking_error,
            "information_ratio": found.information_ratio.value, "drawdown": found.drawdown,
        })
    });
    cases.to_vec()
}

fn plans() -> Vec<Value> {
    let cases = [(1, 8.5, 0.01), (15, 21.3, 0.004)].map(|(tests, degrees, standard_error)| {
        let estimate = MeanEstimate {
            mean: 0.0,
            standard_error,
            degrees,
        };
        json!({
            "tests": tests, "degrees": degrees, "standard_error": standard_error, "gap": 0.001,
            "live_sessions": 68, "detectable": detectable(&estimate, tests),
            "years": years_to_detect(standard_error, 68, 0.001),
        })
    });
    cases.to_vec()
}

fn claims() -> Vec<Value> {
    let cases = [(0.005, 0.1), (0.02, 0.3)].map(|(scale, memory)| {
        let rules = |side| Rules {
            side,
            alpha: 0.05,
            scale,
            spread: 0.2,
        };
        let mut random = random(&format!("claim {scale}"));
        let days = series(120, memory).into_iter().map(|difference| Increment {
            day: jiff::civil::date(2026, 1, 5),
            difference,
            distance: 0.5 + 0.4 * random.unit(),
        });
        let days: Vec<Increment> = days.collect();
        let evidence = |side| Process::over(rules(side), &days).evidence();
        let pairs: Vec<(f64, f64)> = days.iter().map(|d| (d.difference, d.distance)).collect();
        json!({
            "rules": {"scale": scale, "spread": 0.2}, "days": pairs,
            "either": evidence(Side::Either), "above": evidence(Side::Above),
            "symmetric": symmetric_evidence(&rules(Side::Either), &days),
        })
    });
    cases.to_vec()
}

/// The first portfolios of a null, so that somebody else's generator can draw the same.
fn draws() -> Value {
    let universe = universe::seventy_options();
    let limits = Constraints::default();
    let rules = Admissible::new(&universe, SubmissionFormat::Portfolio, &limits);
    let rules = rules.expect("portfolios");
    let freeze = Digest::of(b"freeze");
    let mut random = Random::of(freeze, LABEL);
    let mut held = Vec::new();
    let mut portfolios = Vec::new();
    for _ in 0..500 {
        rules.draw(&mut random, &mut held);
        portfolios.push(held.clone());
    }
    json!({
        "freeze": freeze.to_hex(), "label": LABEL, "options": universe.options().len(),
        "whole": 20, "least": 1, "sizes": [1, 2, 3, 4, 5], "portfolios": portfolios,
    })
}

fn main() -> std::io::Result<()> {
    let all = json!({
        "hac": hac(), "quantiles": quantiles(), "holm": corrections(), "sharpe": sharpes(),
        "overlap": overlaps(), "wilson": shares(), "draws": draws(),
        "synthetic": synthetics(), "planning": plans(), "claim": claims(),
    });
    writeln!(std::io::stdout(), "{all}")
}
