"""Time and memory of every reader over archives of growing size, and where they grow faster."""

import math
import os
import shutil
import subprocess
import time
from pathlib import Path

from report import Row

MODELS = 3


def measured(command: list[str], folder: Path, limit: float) -> tuple[float, float, float] | None:
    """Wall seconds, CPU seconds and peak megabytes; none when it fails or takes too long."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.perf_counter() - start > limit:
            process.kill()
            os.wait4(process.pid, 0)
            process.returncode = -9
            return None
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        return None
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def commands(binary: str) -> list[tuple[str, list[str]]]:
    at = ["--rounds-dir", "rounds", "--as-of", "2036-12-31"]
    return [
        ("verify", [binary, "verify", "rounds", "--json"]),
        ("score", [binary, "score-round", "--rounds-dir", "rounds", "--dry-run", "--json"]),
        ("boards and statistics", [binary, "leaderboard", *at, "--no-cache", "--json"]),
        ("the same again, cached", [binary, "leaderboard", *at, "--json"]),
        ("export", [binary, "export", *at, "--no-cache", "--output", "export"]),
        ("site", [binary, "build-site", *at, "--no-cache", "--output", "site"]),
    ]


def scale(binary: str, base: Path, sizes: list[int], minutes: float) -> tuple[list[Row], str]:
    end = time.monotonic() + minutes * 60
    figures: dict[str, dict[int, tuple[float, float, float]]] = {}
    for size in sizes:
        folder = base / f"scale-{size}"
        folder.mkdir()
        left = end - time.monotonic()
        made = measured([binary, "bench-archive", "--rounds", str(size), "--models", str(MODELS), "--seed", "1",
                         "--output", "rounds"], folder, max(left, 1))
        if made is None:
            shutil.rmtree(folder)
            break
        figures.setdefault("make (bench-archive)", {})[size] = made
        for name, command in commands(binary):
            left = end - time.monotonic()
            if left < 1:
                break
            if name == "the same again, cached":
                measured(command, folder, left)  # fills the cache
            if found := measured(command, folder, left):
                figures.setdefault(name, {})[size] = found
            for output in ["export", "site"]:
                shutil.rmtree(folder / output, ignore_errors=True)
        shutil.rmtree(folder)
    rows = []
    for name, found in figures.items():
        points = sorted(found.items())
        told = "; ".join(f"{size:,}: {cpu:.1f} s CPU, {wall:.1f} s, {peak:.0f} MB" for size, (wall, cpu, peak) in points)
        grown = slope(points)
        if grown is None:
            rows.append(Row(name, told, "slope at most 1.15", None, []))
        else:
            rows.append(Row(name, f"{told}; slope {grown:.2f}", "slope at most 1.15", grown <= 1.15, []))
    return rows, plot(figures)


def slope(points) -> float | None:
    """Of CPU time over the largest two sizes that were measured, on logarithmic scales."""
    if len(points) < 2:
        return None
    (small, (_, low, _)), (large, (_, high, _)) = points[-2:]
    return math.log(high / low) / math.log(large / small)


def plot(figures) -> str:
    """CPU seconds over rounds, both logarithmic."""
    width, height, left, bottom = 760, 420, 70, 50
    sizes = sorted({size for found in figures.values() for size in found})
    values = [cpu for found in figures.values() for _, cpu, _ in found.values()]
    if len(sizes) < 2 or not values:
        return ""
    low, high = math.floor(math.log10(max(min(values), 0.01))), math.ceil(math.log10(max(values)))
    def x(size): return left + (math.log(size / sizes[0]) / math.log(sizes[-1] / sizes[0])) * (width - left - 210)
    def y(cpu): return (height - bottom) - (math.log10(max(cpu, 0.01)) - low) / max(high - low, 1) * (height - bottom - 20)
    colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for power in range(low, high + 1):
        parts.append(f'<path d="M{left} {y(10.0 ** power):.1f}H{width - 210}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y(10.0 ** power) + 4:.1f}" text-anchor="end">{10.0 ** power:g} s</text>')
    for size in sizes:
        parts.append(f'<text x="{x(size):.1f}" y="{height - 28}" text-anchor="middle">{size:,}</text>')
    parts.append(f'<text x="{(left + width - 210) / 2:.0f}" y="{height - 8}" text-anchor="middle">rounds</text>')
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
