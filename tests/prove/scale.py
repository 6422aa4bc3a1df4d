"""Time and memory of every reader over archives of growing size, and where they grow faster."""

import math
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from outside import Database
from report import Row

MODELS = 3
STEEPEST = 1.15
MOST_MEGABYTES = 4_096
# What a round takes on a disk, measured, in bytes: in the archive, as pages, as rows.
ARCHIVE, SITE, ROWS = 140_000, 300_000, 170_000
# What is left to everything else when files lie in memory.
SPARE = 5 << 30

removing: list[subprocess.Popen] = []

Figures = tuple[float, float, float]  # wall seconds, CPU seconds, peak megabytes


def maker(binary: str) -> str:
    """The tool that makes rounds; it is built beside the program."""
    return str(Path(binary).with_name("bench-archive"))


@dataclass
class Command:
    name: str
    words: list[str]
    output: int = 0  # bytes it writes for a round


def measured(command: list[str], folder: Path, limit: float, env: dict | None = None) -> Figures | str:
    """What a command took, or why there is no figure."""
    tidy()
    words = tempfile.TemporaryFile("w+")
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=words, env=env)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.perf_counter() - start > limit:
            process.kill()
            os.wait4(process.pid, 0)
            process.returncode = -9
            return f"not done after {limit:.0f} s, when the time was up"
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        words.seek(0)
        return f"ended with {process.returncode}: {words.read().strip()[-300:]}"
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


@contextmanager
def scratch(prefix: str, place: Path | None) -> Iterator[Path]:
    """A folder there, else where temporary files lie, that is removed afterwards, beside what is not timed: it may hold a million files."""
    folder = tempfile.mkdtemp(prefix=prefix, dir=place)
    try:
        yield Path(folder)
    finally:
        removing.append(subprocess.Popen(["rm", "-rf", folder]))


def tidy() -> None:
    while removing:
        removing.pop().wait()


def commands(binary: str) -> list[Command]:
    """The cheap ones first; the second `leaderboard` finds what the first has kept."""
    at = ["--rounds-dir", "rounds", "--as-of", "2036-12-31"]
    return [
        Command("verify", [binary, "verify", "rounds", "--json"]),
        Command("score", [binary, "score-round", "--rounds-dir", "rounds", "--dry-run", "--json"]),
        Command("sets and their statistics (leaderboard, keeping figures)", [binary, "leaderboard", *at, "--json"]),
        Command("statistics (leaderboard from kept figures)", [binary, "leaderboard", *at, "--json"]),
        Command("boards (publish-cumulative)", [binary, "publish-cumulative", *at, "--no-cache", "--output", "out"]),
        Command("export", [binary, "export", *at, "--no-cache", "--output", "out"], ARCHIVE // 3),
        Command("sync (program and server)", [binary, "sync-web", *at, "--no-cache", "--include-cumulative"], ROWS),
        Command("site", [binary, "build-site", *at, "--no-cache", "--output", "out"], SITE),
    ]


def in_memory(needed: int) -> Path | None:
    """A folder in memory where that much fits beside everything else, else none."""
    place = Path("/dev/shm")
    try:
        words = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        available = int(words["MemAvailable"].split()[0]) * 1024
        free = os.statvfs(place)
        return place if needed + SPARE < min(available, free.f_bavail * free.f_frsize) else None
    except (OSError, KeyError):
        return None


def synced(command: Command, folder: Path, limit: float, size: int) -> Figures | str:
    """A whole archive into an empty database."""
    binary = command.words[0]
    place = in_memory(size * ROWS)
    with tempfile.TemporaryDirectory(prefix="prove-pg-", dir=place, ignore_cleanup_errors=True) as home:
        try:
            database = Database(Path(home), ("shared_buffers=512MB", "max_wal_size=2GB"))
        except (OSError, AssertionError) as error:
            return f"no database: {error}"
        try:
            env = {**os.environ, "DATABASE_URL": database.url("postgres")}
            env.pop("SUPABASE_URL", None)
            subprocess.run([binary, "db", "migrate"], env=env, cwd=folder, stdout=subprocess.DEVNULL, check=True)
            before = database.cpu()
            found = measured(command.words, folder, limit, env)
            if isinstance(found, str):
                return found
            time.sleep(0.3)  # the server notices that the connection has ended
            wall, cpu, peak = found
            return wall, cpu + database.cpu() - before, peak
        finally:
            database.end()


def one(command: Command, folder: Path, limit: float, size: int) -> Figures | str:
    if "sync-web" in command.words:
        return synced(command, folder, limit, size)
    place = in_memory(size * command.output)
    with scratch("prove-out-", place) as output:
        words = [str(output / "out") if word == "out" else word for word in command.words]
        return measured(words, folder, limit)


def scale(binary: str, sizes: list[int], minutes: float, only: str = "") -> tuple[list[Row], str]:
    """Every command, or those whose names begin so."""
    end = time.monotonic() + minutes * 60
    figures: dict[str, dict[int, Figures]] = {}
    missing: dict[str, list[str]] = {}
    for size in sizes:
        place = in_memory(size * ARCHIVE)
        with scratch(f"prove-{size}-", place) as folder:
            make = Command("make (bench-archive)", [maker(binary), "--rounds", str(size), "--models", str(MODELS),
                                                    "--seed", "1", "--output", "rounds"])
            wanted = [command for command in commands(binary) if command.name.startswith(only)]
            for command in [make, *wanted]:
                left = end - time.monotonic()
                found = one(command, folder, left, size) if left > 1 else "the time was up"
                if isinstance(found, str):
                    missing.setdefault(command.name, []).append(f"{size:,}: {found}")
                    if command is make:
                        break
                else:
                    figures.setdefault(command.name, {})[size] = found
                    wall, cpu, peak = found
                    print(f"           {size:,} {command.name}: {cpu:.1f} s CPU, {wall:.1f} s, {peak:.0f} MB", flush=True)
    return [row(name, figures.get(name, {}), missing.get(name, [])) for name in {**figures, **missing}], plot(figures)


def told_figures(table: str) -> dict[str, dict[int, Figures]]:
    """The figures that a table of rows tells."""
    figures = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        found = re.findall(r"([\d,]+): ([\d.]+) s CPU, ([\d.]+) s, (\d+) MB", cells[2]) if len(cells) > 4 else []
        if found:
            figures[cells[1]] = {int(size.replace(",", "")): (float(wall), float(cpu), float(peak))
                                 for size, cpu, wall, peak in found}
    return figures


def row(name: str, found: dict[int, Figures], missing: list[str]) -> Row:
    points = sorted(found.items())
    told = [f"{size:,}: {cpu:.1f} s CPU, {wall:.1f} s, {peak:.0f} MB" for size, (wall, cpu, peak) in points]
    line = f"slope at most {STEEPEST}, at most {MOST_MEGABYTES:,} MB"
    grown = slope(points)
    if grown is None:
        return Row(name, "; ".join(told + missing), line, None, [])
    peak = points[-1][1][2]
    told = "; ".join([*told, *missing, f"slope {grown:.2f}"])
    within = grown <= STEEPEST and peak <= MOST_MEGABYTES
    return Row(name, told, line, None if missing and within else within, [told])


def slope(points) -> float | None:
    """Of CPU time over the largest two sizes that were measured, on logarithmic scales."""
    if len(points) < 2:
        return None
    (small, (_, low, _)), (large, (_, high, _)) = points[-2:]
    return math.log(high / low) / math.log(large / small)


def plot(figures) -> str:
    """CPU seconds over rounds, both logarithmic."""
    width, height, left, bottom = 980, 460, 70, 50
    sizes = sorted({size for found in figures.values() for size in found})
    values = [cpu for found in figures.values() for _, cpu, _ in found.values()]
    if len(sizes) < 2 or not values:
        return ""
    low, high = math.floor(math.log10(max(min(values), 0.01))), math.ceil(math.log10(max(values)))
    def x(size): return left + (math.log(size / sizes[0]) / math.log(sizes[-1] / sizes[0])) * (width - left - 430)
    def y(cpu): return (height - bottom) - (math.log10(max(cpu, 0.01)) - low) / max(high - low, 1) * (height - bottom - 20)
    colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999", "#7a5195"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for power in range(low, high + 1):
        parts.append(f'<path d="M{left} {y(10.0 ** power):.1f}H{width - 430}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y(10.0 ** power) + 4:.1f}" text-anchor="end">{10.0 ** power:g} s</text>')
    for size in sizes:
        parts.append(f'<text x="{x(size):.1f}" y="{height - 28}" text-anchor="middle">{size:,}</text>')
    parts.append(f'<text x="{(left + width - 430) / 2:.0f}" y="{height - 8}" text-anchor="middle">rounds</text>')
    ends = sorted((y(max(found.items())[1][1]), name) for name, found in figures.items())
    heights, last = {}, -99.0
    for at, name in ends:
        last = max(at, last + 15)
        heights[name] = last
    for colour, (name, found) in zip(colours, figures.items()):
        points = [(x(size), y(cpu)) for size, (_, cpu, _) in sorted(found.items())]
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in points]
        grown = slope(sorted(found.items()))
        told = f", slope {grown:.2f}" if grown is not None else ""
        parts.append(f'<text x="{points[-1][0] + 10:.1f}" y="{heights[name] + 4:.1f}" fill="{colour}">{name}{told}</text>')
    return "\n".join([*parts, "</svg>", ""])
