"""Runs the long checks, or one part of them, and writes docs/evidence.md; ends with 1 when a line does not hold.

Every part is a process of its own: what one needs is no part of another's figures.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import disturb
import report
import tampering
from load import load
from outside import Database
from scale import plot, scale, tidy, told_figures
from serve import serving
from stage import scenes
from stored import stored

binary, archive = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
part = sys.argv[3] if len(sys.argv) > 3 else None
minutes = float(os.environ.get("PROVE_MINUTES", "40"))
share = minutes / 40
start = time.monotonic()


def said(text: str) -> None:
    print(f"{(time.monotonic() - start) / 60:5.1f} min  {text}", flush=True)


def fuzz_meanwhile(seconds: int) -> Future:
    """Hostile input is tried while faults are played: neither is timed, load and scale are."""
    return ThreadPoolExecutor(1).submit(fuzz, seconds)


def fuzz(seconds: int) -> list[report.Row]:
    done = subprocess.run(["scripts/fuzz", str(seconds)], capture_output=True, text=True)
    if done.returncode == 2:
        return [report.Row("fuzzing", f"not run: {done.stderr.strip()[-120:]}", "no crash", None, [])]
    lines = [line.split() for line in done.stdout.splitlines()]
    counted = [line for line in lines if len(line) >= 3 and line[1].replace(",", "").isdigit()]
    runs = sum(int(line[1].replace(",", "")) for line in counted)
    figure = f"{len(counted)} targets, {seconds} s each, {runs:,} runs"
    return [report.Row("fuzzing every reader of outside bytes", figure, "no crash", done.returncode == 0 and bool(counted),
                       done.stdout.splitlines()[-5:])]


def disturbed(base: Path) -> list[report.Row]:
    layer = base / "faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", layer, "tests/prove/faults.c", "-ldl"], check=True)
    database = Database(base)
    try:
        played = scenes(binary, base, database)
        said(f"{len(played)} commands that write, played once")
        writers = [scene for scene in played if not scene.step.only_killed]
        rows = []
        for name, check in [
            ("kills", lambda: disturb.kills(binary, played, base, 1000)),
            ("kill and resume", lambda: disturb.answered_once(binary, played, base, 200)),
            ("full disk", lambda: disturb.full_disk(binary, writers, base)),
            ("read-only disk", lambda: disturb.read_only_disk(binary, writers, base)),
            ("EIO", lambda: disturb.broken_calls(binary, writers, base, layer, 12)),
            ("clock jumps", lambda: disturb.clock_jumps(binary, writers, base, layer)),
            ("two processes", lambda: disturb.company(binary, played, base, 3)),
        ]:
            rows += check()
            said(f"{name}: {rows[-1].verdict}")
        return rows
    finally:
        database.end()


def in_memory() -> str | None:
    """A folder in memory where there is room: what a kill leaves does not hang on the disk."""
    place = "/dev/shm"
    return place if os.path.isdir(place) and shutil.disk_usage(place).free > 4 << 30 else None


SIZES = [1_000, 10_000, 50_000]
STORE = "A store in a folder, synthetic rounds of 3 models"
STATISTICS = "Statistics where the truth is known"
FAULTS, HOSTILE, TAMPER, LOAD, SCALE = "Faults", "Hostile input", "Tampering", "Load", "Scale, synthetic rounds of 3 models"


def faults() -> list[tuple[str, list[report.Row], str]]:
    fuzzing = fuzz_meanwhile(max(2, int(16 * share)))
    with tempfile.TemporaryDirectory(prefix="prove-", dir=in_memory()) as folder:
        rows = disturbed(Path(folder))
    fuzzed = fuzzing.result()
    said(f"fuzzing: {fuzzed[0].verdict}")
    return [(FAULTS, rows, ""), (HOSTILE, fuzzed, "")]


def tampered(wanted: str = "") -> list[tuple[str, list[report.Row], str]]:
    from tampering import table
    with tempfile.TemporaryDirectory(prefix="prove-", dir=in_memory()) as folder:
        made = tampering.tried(binary, Path(folder), wanted)
    rows = table.rows(made)
    said("tampering: " + ", ".join(row.verdict for row in rows))
    return [(TAMPER, rows, table.table(made))]


def loaded() -> list[tuple[str, list[report.Row], str]]:
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        try:
            rows = load(binary, os.path.join(archive, "rounds"), Path(folder), max(30, int(300 * min(share, 1))))
            rows += serving(binary, os.path.join(archive, "rounds"))
        except (OSError, AssertionError, subprocess.SubprocessError) as error:
            rows = [report.Row("load", f"broke off: {error}", "figures", False, [str(error)])]
    said("load: " + ", ".join(row.verdict for row in rows))
    return [(LOAD, rows, "")]


def grown() -> list[tuple[str, list[report.Row], str]]:
    rows, drawing = scale(binary, SIZES, max(2.0, minutes - 0.3))
    said("scale: " + ", ".join(row.verdict for row in rows))
    if drawing:
        Path("docs/evidence-scale.svg").write_text(drawing)
    return [(SCALE, rows, "![CPU seconds over rounds](evidence-scale.svg)" if drawing else "")]


def in_store() -> list[tuple[str, list[report.Row], str]]:
    rows = stored(binary)
    said("store: " + ", ".join(row.verdict for row in rows))
    return [(STORE, rows, "")]


def measured_again(name: str) -> bool:
    """Makes the row of one command again and says so; the others stay, and the plot follows. Whether it holds."""
    rows = [row for row in scale(binary, SIZES, minutes, name)[0] if row.what.startswith(name)]
    if not rows:
        sys.exit(f"{name}: no command of scale begins so")
    file = Path("docs/evidence.md")
    text = report.again(file.read_text(), rows)
    Path("docs/evidence-scale.svg").write_text(plot(told_figures(text)))
    file.write_text(text)
    return all(row.holds for row in rows)


def simulated() -> list[tuple[str, list[report.Row], str]]:
    """How often each statistical method errs where the truth is known; every seed is in the program."""
    example = os.path.join(os.path.dirname(binary), "examples", "prove_statistics")
    histories = max(100, int(1000 * min(share, 1)))
    done = subprocess.run([example, str(histories)], capture_output=True, text=True, check=True)
    rows = []
    for line in done.stdout.splitlines():
        what, figure, limit, verdict = line.split("\t")
        rows.append(report.Row(what, figure, limit, {"holds": True, "fails": False}.get(verdict), [figure]))
    said("statistics: " + ", ".join(sorted({row.verdict for row in rows})))
    return [(STATISTICS, rows, "")]


PARTS = {"faults": faults, "tamper": tampered, "load": loaded, "scale": grown, "stored": in_store, "statistics": simulated}

if part is None:
    codes = []
    for name in PARTS:
        left = minutes - (time.monotonic() - start) / 60
        env = {**os.environ, "PROVE_MINUTES": str(left if name == "scale" else minutes)}
        codes.append(subprocess.run([sys.executable, *sys.argv, name], env=env).returncode)
    sys.exit(max(codes))
if part not in PARTS:
    sys.exit(f"{part}: no such part; there are {', '.join(PARTS)}")
if part == "scale" and len(sys.argv) > 4:
    held = measured_again(sys.argv[4])
    tidy()
    sys.exit(0 if held else 1)
if part == "tamper" and len(sys.argv) > 4:
    # A look at some classes, for who changes a rule; nothing is written.
    for _, rows, text in tampered(sys.argv[4]):
        print(text, *(f"{row.what}: {place}" for row in rows for place in row.places), sep="\n")
    sys.exit(0)
made = PARTS[part]()
spent = (time.monotonic() - start) / 60
report.put(Path("docs"), [FAULTS, HOSTILE, TAMPER, LOAD, SCALE, STORE, STATISTICS],
           {title: report.section(title, rows, extra, spent) for title, rows, extra in made})
failed = [row.what for _, rows, _ in made for row in rows if row.holds is False]
tidy()
print("\n".join([f"docs/evidence.md: {part} written", *(f"FAILS: {what}" for what in failed)]))
sys.exit(1 if failed else 0)
