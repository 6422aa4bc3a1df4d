"""The null of one round in plain NumPy: prints the nanoseconds of CPU per random portfolio."""

import math
import time

import numpy as np

OPTIONS, WHOLE, SIZES, DRAWS, REPEATS = 70, 20, range(1, 6), 10_000, 15


def null(random, values):
    """Sorted returns of portfolios drawn uniformly from 1 to 5 holdings in steps of 5 %."""
    ways = [math.comb(OPTIONS, size) * math.comb(WHOLE - 1, size - 1) for size in SIZES]
    sizes = random.choice(list(SIZES), size=DRAWS, p=np.array(ways) / sum(ways))
    returns = []
    for size in SIZES:
        count = int((sizes == size).sum())
        held = random.random((count, OPTIONS)).argpartition(size - 1, axis=1)[:, :size]
        bars = random.random((count, WHOLE - 1)).argsort(axis=1)[:, : size - 1] + 1
        bars.sort(axis=1)
        steps = np.diff(bars, axis=1, prepend=0, append=WHOLE)
        returns.append((values[held] * steps / WHOLE).sum(axis=1))
    return np.sort(np.concatenate(returns))


def main():
    random = np.random.default_rng(1)
    values = 0.03 * random.standard_normal(OPTIONS)
    fastest = math.inf
    for _ in range(REPEATS):
        before = time.process_time()
        null(random, values)
        fastest = min(fastest, time.process_time() - before)
    print(f"{1e9 * fastest / DRAWS:.1f}")


main()
