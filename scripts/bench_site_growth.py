"""How `build-site` grows with the rounds, and what a second build costs after one new round."""

import os
import shutil
import sys
import tempfile
import time

from bench_growth import AS_OF, SEED, cost, maker, slope

MODELS = 4
SMALL, FULL = (125, 500), (500, 2_000, 10_000)
# The bound that `leaderboard` has; facts and data files are held, pages are not.
MOST_MEGABYTES = 1_500


def size(folder):
    found = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    sizes = [os.path.getsize(path) for path in found]
    return len(sizes), sum(sizes) / 1e6


def growth(binary, full):
    """Prints rows of the table of `scripts/bench`."""
    sizes = FULL if full else SMALL
    first, second = [], []
    place = os.environ.get("CAPITALBENCH_BENCH_FOLDER")
    for rounds in sizes:
        with tempfile.TemporaryDirectory(dir=place) as folder:
            archive, site = os.path.join(folder, "rounds"), os.path.join(folder, "site")
            make = [maker(binary), "--models", str(MODELS), "--seed", str(SEED), "--output", archive, "--rounds"]
            build = [binary, "build-site", "--rounds-dir", archive, "--as-of", AS_OF, "--output", site]
            cost([*make, str(rounds)])
            time.sleep(3)  # files that changed just now are not kept
            seconds, memory = cost(build)
            files, megabytes = size(site)
            cost([*make, str(rounds + 1)])
            again, memory_again = cost(build)
            first.append((rounds, seconds))
            second.append((rounds, again))
            print(f"| build-site, {rounds:,} rounds × {MODELS} models, {files:,} files, {megabytes:,.0f} MB, CPU "
                  f"| {seconds:.2f} s, peak {memory:.0f} MB | |", flush=True)
            print(f"| the same after one new round | {again:.2f} s, peak {memory_again:.0f} MB | |", flush=True)
            shutil.rmtree(site)
    checks = [
        ("log-log slope of build-site", slope(first), 1.10, "{:.2f}"),
        ("log-log slope after one new round", slope(second), 1.10, "{:.2f}"),
        (f"peak megabytes at {sizes[-1]:,} rounds", max(memory, memory_again), MOST_MEGABYTES, "{:.0f}"),
    ]
    for what, found, most, form in checks:
        verdict = "holds" if found <= most else "FAILS"
        print(f"| {what} | {form.format(found)} | {form.format(most)}, {verdict} |")


if __name__ == "__main__":
    print("| what | measured | at most |\n| --- | --- | --- |")
    growth(os.path.join(sys.argv[1], "capitalbench"), "--full" in sys.argv)
