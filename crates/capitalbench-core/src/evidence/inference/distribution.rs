//! The normal and Student's t distribution, to about twelve digits.

/// Chance of a standard normal below `x`.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// The standard normal value with chance `p` below it; infinite at the ends.
pub fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    // A start that is right to nine digits, then Halley's step on the exact function, which triples
    // them. Working with the smaller tail keeps digits, and further steps would change only the last one.
    let tail = p.min(1.0 - p);
    let mut x = rough_quantile(tail);
    for _ in 0..8 {
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let error = (normal_cdf(x) - tail) / density;
        let step = error / (1.0 + 0.5 * x * error);
        x -= step;
        if step.abs() <= 1e-6 * x.abs().max(1.0) {
            break;
        }
    }
    if p <= 0.5 { x } else { -x }
}

/// Peter Acklam's rational approximation of the quantile of a chance of at most a half, with a
/// relative error below 1.2e-9.
fn rough_quantile(tail: f64) -> f64 {
    const MIDDLE: f64 = 0.024_25;
    let ratio = |above: &[f64], below: &[f64], at: f64| {
        let value = |of: &[f64]| of.iter().fold(0.0, |sum, own| sum * at + own);
        value(above) / value(below)
    };
    if tail < MIDDLE {
        let above = [
            -7.784_894_002_430_293e-3,
            -3.223_964_580_411_365e-1,
            -2.400_758_277_161_838,
            -2.549_732_539_343_734,
            4.374_664_141_464_968,
            2.938_163_982_698_783,
        ];
        let below = [
            7.784_695_709_041_462e-3,
            3.224_671_290_700_398e-1,
            2.445_134_137_142_996,
            3.754_408_661_907_416,
            1.0,
        ];
        return ratio(&above, &below, (-2.0 * tail.ln()).sqrt());
    }
    let above = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    let below = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    let distance = tail - 0.5;
    distance * ratio(&above, &below, distance * distance)
}

/// Chance of a t at least this far from zero, on either side.
pub fn student_two_sided(x: f64, df: f64) -> f64 {
    incomplete_beta(df / 2.0, 0.5, df / (df + x * x))
}

/// The t value with chance `p` below it.
pub fn student_quantile(p: f64, df: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return normal_quantile(p);
    }
    let tail = p.min(1.0 - p);
    // Beyond zero the chance of a value falls ever more slowly. So Newton's steps from the left never pass the
    // quantile, and that of the normal distribution, whose tails are lighter, lies to its left.
    let mut value = -normal_quantile(tail);
    let front = libm::lgamma(f64::midpoint(df, 1.0)) - libm::lgamma(df / 2.0);
    for _ in 0..2_000 {
        let density = front
            - 0.5 * (df * std::f64::consts::PI).ln()
            - f64::midpoint(df, 1.0) * libm::log1p(value * value / df);
        let step = (student_two_sided(value, df) / 2.0 - tail) / density.exp();
        value += step;
        if !(step > 1e-15 * value && value < 1e300) {
            break;
        }
    }
    if p < 0.5 { -value } else { value }
}

/// The regularised incomplete beta function, by Lentz's continued fraction.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front =
        libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * libm::log1p(-x);
    if x < (a + 1.0) / (a + b + 2.0) {
        front.exp() * fraction(a, b, x) / a
    } else {
        1.0 - front.exp() * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut above = 1.0;
    let mut below = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut result = below;
    for step in 1..10_000_u32 {
        let step = f64::from(step);
        let twice = a + 2.0 * step;
        let even = step * (b - step) * x / ((twice - 1.0) * twice);
        let odd = -(a + step) * (a + b + step) * x / (twice * (twice + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            below = 1.0 / away(1.0 + term * below);
            above = away(1.0 + term / above);
            change = below * above;
            result *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests;
