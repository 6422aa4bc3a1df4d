"""Simulates one world of each table of `prove_statistics` again, by NumPy, scipy and statsmodels alone.

Ends with 1 when an interval covers too seldom or an error is made too often. The formulas are those of
docs/statistics.md; no figure of the program is read.
"""

import math
import sys

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

HISTORIES = 300
failures = []


def seen(what, hits, of, least, most):
    low, high = proportion_confint(hits, of, alpha=0.01, method="wilson")
    print(f"{what}: {100 * hits / of:.1f} % of {of}")
    if high < least or low > most:
        failures.append(what)


def kernel(x, centred=True):
    """Long-run variance by Bartlett's kernel, what its mean costs, and its degrees."""
    days = len(x)
    lag = math.floor(4 * (days / 100) ** (2 / 9))
    e = x - x.mean() if centred else x
    weights = 1 - np.arange(1, lag + 1) / (lag + 1)
    variance = e @ e / days + 2 * sum(w * (e[k:] @ e[:-k]) / days for k, w in enumerate(weights, 1))
    return variance / (1 - (1 + 2 * weights.sum()) / days), days / (1 + 2 * (weights**2).sum()) - 1


def world(random, rounds, every=2, sessions=5, alike=0.85):
    """Daily gains of overlapping rounds (round, day) with nan where a round is not live."""
    days = (rounds - 1) * every + sessions
    gains = np.full((rounds, days), np.nan)
    own = random.normal(size=days)
    for number in range(rounds):
        if random.random() > alike:
            own = random.normal(size=days)
        begin = number * every
        gains[number, begin : begin + sessions] = own[begin : begin + sessions]
    return 0.01 * gains


def by_days(gains):
    """Mean gap per round, its error and degrees."""
    rounds, _ = gains.shape
    live = (~np.isnan(gains)).sum(axis=0)
    added = live / rounds * np.nanmean(gains, axis=0)
    variance, degrees = kernel(added)
    return np.nansum(gains) / rounds, math.sqrt(len(added) * variance), degrees


def by_rounds(values, live):
    count = len(values)
    scaled = live / np.sqrt(live.sum(axis=1, keepdims=True))
    overlap = scaled @ scaled.T
    worth = count**2 / overlap.sum()
    kappa = (overlap**2).sum() / overlap.sum()
    errors = values - values.mean()
    variance = errors @ overlap @ errors / count**2 / kappa / (1 - 1 / worth)
    return values.mean(), math.sqrt(variance), worth - 1


def covers(mean, error, degrees):
    return abs(mean) <= stats.t.ppf(0.975, degrees) * error


def coverage():
    random = np.random.default_rng(20260821)
    days = rounds = 0
    for _ in range(HISTORIES):
        gains = world(random, 40)
        days += covers(*by_days(gains))
        rounds += covers(*by_rounds(np.nansum(gains, axis=1), (~np.isnan(gains)).astype(float)))
    seen("gap by days covers", days, HISTORIES, 0.93, 0.97)
    seen("gap by rounds covers", rounds, HISTORIES, 0.93, 0.99)


def family():
    random = np.random.default_rng(20260822)
    wrong = 0
    for _ in range(HISTORIES):
        models = [world(random, 40) for _ in range(6)]
        tests = []
        for a in range(6):
            for b in range(a + 1, 6):
                mean, error, degrees = by_days(models[a] - models[b])
                tests.append(2 * stats.t.sf(abs(mean / error), degrees))
        wrong += multipletests(tests, method="holm")[1].min() < 0.05
    seen("six equal models told apart", wrong, HISTORIES, 0.0, 0.05)


def luck():
    """One sector against random portfolios of one to five holdings, measured by frozen returns."""
    random = np.random.default_rng(20260823)
    options, every, sessions, rounds, wrong = 40, 2, 5, 20, 0
    for _ in range(HISTORIES):
        days = 60 + (rounds - 1) * every + sessions
        sector = np.repeat(np.arange(5), 8)
        market = 0.006 * random.normal(size=(days, 5))[:, sector] + 0.01 * random.normal(size=(days, options))
        held = np.zeros(options)
        held[random.choice(8, 4, replace=False)] = 0.25
        active = held - 1 / options
        scores, series, live = [], [], np.zeros((rounds, days))
        for number in range(rounds):
            begin = 60 + number * every
            frozen = market[begin - 60 : begin] @ active
            window = market[begin : begin + sessions]
            scores.append((window @ active).sum() / (frozen.std(ddof=1) * math.sqrt(sessions)))
            series.append((begin, frozen))
            live[number, begin : begin + sessions] = 1 / math.sqrt(sessions)
        overlap = live @ live.T
        total = 0.0
        for i in range(rounds):
            for j in range(rounds):
                if overlap[i, j] > 0:
                    shift = abs(series[i][0] - series[j][0])
                    early, late = (i, j) if series[i][0] <= series[j][0] else (j, i)
                    a, b = series[early][1][shift:], series[late][1][: 60 - shift]
                    total += overlap[i, j] * np.corrcoef(a, b)[0, 1]
        wrong += abs(sum(scores) / math.sqrt(total)) > stats.norm.ppf(0.975)
    seen("one sector without skill taken for more than luck", wrong, HISTORIES, 0.0, 0.07)


def claims():
    """Daily looks at claims for a year, where one day in a hundred loses 7.9 %."""
    random = np.random.default_rng(20260824)
    scale, bound, histories = 0.005, 0.08, 4_000
    bets = min(0.5, 0.9 * scale / bound) * 2.0 ** (-np.arange(8) / 2)
    jumps = random.random((histories, 252)) < 0.01
    plain = scale * random.normal(size=(histories, 252)) + 0.079 / 99
    days = np.where(jumps, -0.079, plain)
    directions = []
    for sign in (1, -1):
        gains = np.minimum(sign * days / scale, 5)
        stakes = np.cumsum(np.log1p(bets[:, None, None] * gains), axis=2)
        directions.append(np.exp(stakes).mean(axis=0))
    crossed = ((directions[0] + directions[1]) / 2 >= 20).any(axis=1)
    seen("claims established where nothing differs", int(crossed.sum()), histories, 0.0, 0.05)


coverage()
family()
luck()
claims()
for failure in failures:
    print(f"differs: {failure}", file=sys.stderr)
sys.exit(1 if failures else 0)
