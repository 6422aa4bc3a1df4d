"""Computes the figures of `inference_reference` again with scipy, statsmodels and NumPy.

Reads the example's JSON from standard input and ends with 1 when a figure differs by more than
1e-9 of its size.
"""

import hashlib
import itertools
import json
import math
import sys

import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

TOLERANCE = 1e-9
compared = {}
failures = []


def compare(what, ours, theirs):
    compared[what] = compared.get(what, 0) + 1
    if not abs(ours - theirs) <= TOLERANCE * max(1e-3, abs(theirs)):
        failures.append(f"{what}: ours {ours!r}, theirs {theirs!r}")


def hac(case):
    values, lag = np.array(case["values"]), case["lag"]
    days = len(values)
    assert lag == math.floor(4 * (days / 100) ** (2 / 9))
    options = {"maxlags": lag, "use_correction": False}
    fit = sm.OLS(values, np.ones(days)).fit(cov_type="HAC", cov_kwds=options)
    plain = fit.bse[0]
    compare("HAC variance", case["long_run_variance"], days * plain**2)
    weights = 1 - np.arange(1, lag + 1) / (lag + 1)
    corrected = plain / math.sqrt(1 - (1 + 2 * weights.sum()) / days)
    degrees = max(1.0, days / (1 + 2 * (weights**2).sum()) - 1)
    compare("HAC mean", case["mean"], fit.params[0])
    compare("HAC standard error", case["standard_error"], corrected)
    compare("HAC degrees", case["degrees"], degrees)
    t = fit.params[0] / corrected
    compare("HAC t", case["t"], t)
    compare("HAC p", case["p"], 2 * stats.t.sf(abs(t), degrees))
    low, high = stats.t.interval(0.95, degrees, loc=fit.params[0], scale=corrected)
    compare("HAC interval", case["low"], low)
    compare("HAC interval", case["high"], high)


def quantiles(case):
    for row in case["normal"]:
        compare("normal quantile", row["x"], stats.norm.ppf(row["p"]))
    for row in case["cdf"]:
        compare("normal chance", row["p"], stats.norm.cdf(row["x"]))
    for row in case["student"]:
        compare("t quantile", row["x"], stats.t.ppf(row["p"], row["df"]))
        compare("t chance", row["two"], 2 * stats.t.sf(abs(row["x"]), row["df"]))


def holm(case):
    theirs = multipletests(case["p"], method="holm")[1]
    for ours, adjusted in zip(case["adjusted"], theirs, strict=True):
        compare("Holm", ours, adjusted)


def sharpe(case):
    values = np.array(case["values"])
    ratio = values.mean() / values.std()
    skewness = stats.skew(values)
    kurtosis = stats.kurtosis(values, fisher=False)
    compare("Sharpe", case["sharpe"], ratio)
    compare("skewness", case["skewness"], skewness)
    compare("kurtosis", case["kurtosis"], kurtosis)
    tries = case["tries"]
    expected = 0.0
    if tries > 1:
        inner = (1 - np.euler_gamma) * stats.norm.ppf(1 - 1 / tries)
        inner += np.euler_gamma * stats.norm.ppf(1 - 1 / (tries * math.e))
        expected = math.sqrt(case["variance"]) * inner
    spread = 1 - skewness * ratio + (kurtosis - 1) / 4 * ratio**2
    excess = (ratio - expected) * math.sqrt(len(values) - 1) / math.sqrt(spread)
    compare("deflated Sharpe", case["deflated"], stats.norm.cdf(excess))


def overlap(case):
    spans, values = case["spans"], np.array(case["values"])
    live = np.zeros((len(spans), max(end for _, end in spans)))
    for row, (begin, end) in enumerate(spans):
        live[row, begin:end] = 1 / math.sqrt(end - begin)
    kernel = live @ live.T
    count = len(spans)
    effective = count**2 / kernel.sum()
    compare("effective windows", case["effective"], effective)
    kappa = (kernel**2).sum() / kernel.sum()
    compare("kappa", case["kappa"], kappa)
    assert case["informative"] == (effective >= 4)
    errors = values - values.mean()
    spared = 1 - 1 / effective
    if effective >= 4:
        variance = errors @ kernel @ errors / count**2 / kappa / spared
    else:
        variance = values.var(ddof=1) / spared / effective
    compare("kernel variance", case["standard_error"], math.sqrt(variance))
    compare("kernel degrees", case["degrees"], effective - 1)
    oracles = np.array(case["oracles"])
    ratio = values.sum() / oracles.sum()
    left = values - ratio * oracles
    error = 100 * math.sqrt(left @ kernel @ left / kappa / spared) / abs(oracles.sum())
    assert (case["score"] is None) == (effective < 4)
    if case["score"] is not None:
        compare("score", case["score"], 100 * ratio)
        compare("score standard error", case["score_standard_error"], error)
    z = stats.norm.ppf(case["percentiles"]).sum() / math.sqrt(kernel.sum())
    compare("Stouffer", case["z"], z)
    compare("Stouffer", case["z_p"], stats.norm.sf(z))


def synthetic(case):
    gains, reference = np.array(case["gains"]), np.array(case["reference"])
    days, lag = len(gains), math.floor(4 * (len(gains) / 100) ** (2 / 9))
    design = sm.add_constant(reference)
    fit = sm.OLS(gains, design).fit(cov_type="HAC", cov_kwds={"maxlags": lag, "use_correction": False})
    weights = 1 - np.arange(1, lag + 1) / (lag + 1)
    wider = math.sqrt((1 - (1 + 2 * weights.sum()) / days) * (1 - 1 / days))
    degrees = max(1.0, max(1.0, days / (1 + 2 * (weights**2).sum()) - 1) - 1)
    width = stats.t.ppf(0.975, degrees) * fit.bse / wider
    compare("beta", case["beta"], 1 + fit.params[1])
    compare("beta interval", case["beta_high"], 1 + fit.params[1] + width[1])
    compare("CAPM alpha", case["capm_alpha"], fit.params[0])
    compare("CAPM alpha interval", case["capm_alpha_low"], fit.params[0] - width[0])
    deviation = gains.std(ddof=1)
    compare("tracking error", case["tracking_error"], deviation * math.sqrt(252))
    compare("information ratio", case["information_ratio"], gains.mean() / deviation * math.sqrt(252))
    value = np.concatenate([[1.0], np.cumprod(1 + gains + reference)])
    compare("drawdown", case["drawdown"], (1 - value / np.maximum.accumulate(value)).max())


def planning(case):
    found = stats.t.ppf(1 - 0.025 / case["tests"], case["degrees"]) + stats.t.ppf(0.8, case["degrees"])
    compare("detectable gap", case["detectable"], found * case["standard_error"])
    times = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * case["standard_error"] / case["gap"]
    compare("years to detect", case["years"], times**2 * case["live_sessions"] / 252)


def claim(case):
    rules, days = case["rules"], np.array(case["days"])
    bound = rules["spread"] * days[:, 1]
    bets = np.minimum(0.5, 0.9 * rules["scale"] / bound)[:, None] * 2.0 ** (-np.arange(8) / 2)
    stakes = [
        np.exp(np.log1p(bets * np.minimum(sign * days[:, :1] / rules["scale"], 5)).sum(axis=0)).mean()
        for sign in (1, -1)
    ]
    compare("evidence, two-sided", case["either"], sum(stakes) / 2)
    compare("evidence, one-sided", case["above"], stakes[0])
    prior, total, squares = 63.5 * rules["scale"] ** 2, days[:, 0].sum(), (days[:, 0] ** 2).sum()
    theirs = math.sqrt(prior / (prior + squares)) * math.exp(total**2 / (2 * (prior + squares)))
    compare("symmetric evidence", case["symmetric"], theirs)


def wilson(case):
    hits = case["share"] * case["trials"]
    low, high = proportion_confint(hits, case["trials"], method="wilson")
    compare("Wilson", case["low"], max(low, 0.0))
    compare("Wilson", case["high"], min(high, 1.0))


WORD = 2**64


class Random:
    """xoshiro256++ seeded by a digest, from the description in docs/statistics.md alone."""

    def __init__(self, freeze, label):
        seed = hashlib.sha256(f"{freeze}\n{label}\n".encode()).digest()
        self.s = [int.from_bytes(seed[i : i + 8], "little") for i in range(0, 32, 8)]

    def next(self):
        turn = lambda x, k: ((x << k) | (x >> (64 - k))) % WORD
        s = self.s
        result = (turn((s[0] + s[3]) % WORD, 23) + s[0]) % WORD
        shifted = (s[1] << 17) % WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = turn(s[3], 45)
        return result

    def below(self, end):
        while True:
            high, low = divmod(self.next() * end, WORD)
            if low >= (WORD - end) % end:
                return high

    def unit(self):
        return (self.next() >> 11) / 2**53

    def subset(self, count, size):
        chosen = []
        for last in range(count - size, count):
            wanted = self.below(last + 1)
            chosen.append(last if wanted in chosen else wanted)
        return chosen


def draws(case):
    random = Random(case["freeze"], case["label"])
    count, whole, least = case["options"], case["whole"], case["least"]
    ways = []
    for size in case["sizes"]:
        free = whole - size * least
        ways.append(math.comb(count, size) * math.comb(free + size - 1, size - 1))
    shares = [total / sum(ways) for total in itertools.accumulate(ways)]
    for ours in case["portfolios"]:
        chance = random.unit()
        size = next(n for n, share in zip(case["sizes"], shares, strict=True) if chance < share)
        options = random.subset(count, size)
        places = whole - size * least + size - 1
        bars = sorted(random.subset(places, size - 1))
        begin, theirs = 0, []
        for option, end in zip(options, [*bars, places], strict=True):
            theirs.append([option, (least + end - begin) / whole])
            begin = end + 1
        compare("random portfolios", float(ours == theirs), 1.0)


def main():
    cases = json.load(sys.stdin)
    for case in cases["hac"]:
        hac(case)
    quantiles(cases["quantiles"])
    for name, check in [("holm", holm), ("sharpe", sharpe), ("overlap", overlap), ("wilson", wilson),
                        ("synthetic", synthetic), ("planning", planning), ("claim", claim)]:
        for case in cases[name]:
            check(case)
    draws(cases["draws"])
    for what, count in compared.items():
        print(f"{what}: {count} compared")
    for failure in failures:
        print(f"differs: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
