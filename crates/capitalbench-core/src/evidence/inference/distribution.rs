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
    // A rough start, then Newton's steps on the exact function; the smaller tail keeps digits.
    let tail = p.min(1.0 - p);
    let t = (-2.0 * tail.ln()).sqrt();
    let mut x = -(t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t)));
    for _ in 0..8 {
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let error = (normal_cdf(x) - tail) / density;
        let step = error / (1.0 + 0.5 * x * error);
        x -= step;
        if step.abs() <= 1e-15 * x.abs().max(1.0) {
            break;
        }
    }
    if p <= 0.5 { x } else { -x }
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
    let tail = 2.0 * p.min(1.0 - p);
    // The two-sided chance falls from one to zero as the value grows: double, then halve.
    let (mut low, mut high) = (0.0, 1.0);
    while student_two_sided(high, df) > tail && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if student_two_sided(middle, df) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    let value = f64::midpoint(low, high);
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
