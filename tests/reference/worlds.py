"""Simulates one world of each table of `prove_statistics` again, by NumPy, scipy and statsmodels alone.

Ends with 1 when an interval covers too seldom or an error is made too often. The formulas are those of
docs/statistics.md; no figure of the program is read.
"""

import itertools
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
    days = rounds = score = brier = 0
    for _ in range(HISTORIES):
        gains = world(random, 40)
        live = (~np.isnan(gains)).astype(float)
        own = np.nansum(gains, axis=1)
        days += covers(*by_days(gains))
        rounds += covers(*by_rounds(own, live))
        # A third of what the best option gains, and the luck of the round.
        best = 0.03 + np.abs(np.nansum(world(random, 40), axis=1))
        returns = best / 3 + own
        ratio = returns.sum() / best.sum()
        _, error, degrees = by_rounds(returns - ratio * best, live)
        score += covers(ratio - 1 / 3, error / best.mean(), degrees)
        # Whoever says 0.6 where either is as likely errs by 0.16 or 0.36.
        squares = np.where(own > 0, 0.16, 0.36)
        mean, error, degrees = by_rounds(squares, live)
        brier += covers(mean - 0.26, error, degrees)
    seen("gap by days covers", days, HISTORIES, 0.93, 0.97)
    seen("gap by rounds covers", rounds, HISTORIES, 0.93, 0.99)
    seen("score covers", score, HISTORIES, 0.93, 0.99)
    seen("Brier score covers", brier, HISTORIES, 0.93, 0.99)


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


def answers(random, leagues, cells, count, lane, shift):
    """Portfolios (league, cell, answer, option): seven holdings by mood, one kept, one that a lane decides."""
    moods, chance = 7, 0.22
    noise = 0.30 * (1 + 0.42 * random.choice([-1, 1], size=(leagues, cells, 1, 1)))
    weights = noise / (2 * chance * (1 - chance)) / moods * np.ones((1, 1, count, moods))
    other = random.random((leagues, cells, count, moods)) < chance
    held = np.zeros((leagues, cells, count, 2 * moods + 3))
    held[..., :moods] = np.where(other, 0, weights)
    held[..., moods : 2 * moods] = np.where(other, weights, 0)
    held[..., 2 * moods] = 1 - shift - weights.sum(axis=-1)
    held[..., 2 * moods + lane] = shift
    return held


def twins():
    """Two and two answers to the frozen question and to a twin that moves five points, in 32 cells, or none."""
    random = np.random.default_rng(20260825)
    leagues, cells, drawn = HISTORIES, 32, 999
    lanes = [set(chosen) for chosen in itertools.combinations(range(4), 2)]
    for what, lane, least, most in [("twins that change nothing flagged", 1, 0.0, 0.05),
                                    ("twins that move five points found", 2, 0.75, 0.85)]:
        # Both lanes of a cell have the moods of its model.
        held = answers(random, leagues, cells, 4, 1, 0.05)
        held[:, :, 2:, 15], held[:, :, 2:, 14 + lane] = 0, 0.05
        far = np.abs(held[:, :, :, None] - held[:, :, None]).sum(axis=-1) / 2
        labelled = []
        for own in lanes:
            rest = set(range(4)) - own
            between = sum(far[:, :, a, b] for a in own for b in rest) / 4
            within = [far[:, :, *pair] for pair in (sorted(own), sorted(rest))]
            labelled.append(between - sum(within) / 2)
        labelled = np.stack(labelled, axis=-1)
        effect = labelled[..., lanes.index({0, 1})].mean(axis=1)
        chosen = random.integers(len(lanes), size=(leagues, cells, drawn))
        drawn_effects = np.take_along_axis(labelled, chosen, axis=-1).mean(axis=1)
        p_values = (1 + (drawn_effects >= effect[:, None] - 1e-12).sum(axis=1)) / (drawn + 1)
        seen(what, int((p_values < 0.05).sum()), leagues, least, most)


coverage()
family()
luck()
claims()
twins()
for failure in failures:
    print(f"differs: {failure}", file=sys.stderr)
sys.exit(1 if failures else 0)
