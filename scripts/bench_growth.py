"""How `leaderboard` grows with the rounds, and what a second run costs after one new round."""

import math
import os
import subprocess
import tempfile
import time

MODELS, SEED, AS_OF = 30, 1, "2026-11-01"
SMALL, FULL = (125, 500, 2_000), (500, 2_000, 10_000)


def maker(binary):
    """The tool that makes rounds; it is built beside the program."""
    return os.path.join(os.path.dirname(binary), "bench-archive")


def cost(command):
    """CPU seconds and peak megabytes of a command that must hold."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    if status != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def slope(points):
    """Least-squares slope through the logarithms."""
    logs = [(math.log(size), math.log(seconds)) for size, seconds in points]
    mean = [sum(axis) / len(logs) for axis in zip(*logs)]
    across = sum((x - mean[0]) * (y - mean[1]) for x, y in logs)
    return across / sum((x - mean[0]) ** 2 for x, _ in logs)


def growth(binary, full):
    """Prints rows of the table of `scripts/bench`."""
    sizes = FULL if full else SMALL
    place = os.environ.get("CAPITALBENCH_BENCH_FOLDER")
    with tempfile.TemporaryDirectory(dir=place) as folder:
        plain, first, second = [], [], []
        for size in sizes:
            rounds = os.path.join(folder, str(size))
            make = [maker(binary), "--models", str(MODELS), "--seed", str(SEED), "--output", rounds, "--rounds"]
            show = [binary, "leaderboard", "--rounds-dir", rounds, "--as-of", AS_OF, "--json"]
            cost([*make, str(size)])
            time.sleep(3)  # files that changed just now are not kept
            seconds, memory = cost([*show, "--no-cache"])
            plain.append((size, seconds))
            first.append((size, cost(show)[0]))
            cost([*make, str(size + 1)])
            again, cached_memory = cost(show)
            second.append((size, again))
            print(f"| leaderboard, {size:,} rounds × {MODELS} models, CPU | {seconds:.2f} s | |")
            print(f"| the same, filling the cache | {first[-1][1]:.2f} s | |")
            print(f"| the same after one new round | {again:.2f} s | |")
        ratio = second[-1][1] / first[-1][1]
        checks = [
            ("log-log slope without the cache", slope(plain), 1.10, "{:.2f}"),
            ("log-log slope of the second run", slope(second), 1.10, "{:.2f}"),
            (f"peak megabytes at {sizes[-1]:,} rounds", max(memory, cached_memory), 1_500, "{:.0f}"),
            (f"second run ÷ first at {sizes[-1]:,} rounds", ratio, 0.050, "{:.3f}"),
        ]
        for what, found, most, form in checks:
            verdict = "holds" if found <= most else "FAILS"
            print(f"| {what} | {form.format(found)} | {form.format(most)}, {verdict} |")
        print(f"| second run ÷ a run without the cache | {second[-1][1] / plain[-1][1]:.3f} | |")
