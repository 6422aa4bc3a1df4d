"""A small folder of rounds, and every command that writes into it, each from the state before it."""

import filecmp
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from outside import Clock, Database, Empty, Migrated, Nobody, Played, Working

ROUND = "PROVE-2026-10-15-1W"
KEPT = 2  # rounds of the demo that stand beside it
# Work of a process, not of a round: hidden names, and who holds a round until when.
TRANSIENT = ("automation/lease",)
# What depends on how often something was tried; `verify` judges it, not a comparison of bytes.
JUDGED = ("rounds/log/", "/attempts/", "/prices/replaced/", "/run_manifest.yaml", "/run_log.jsonl")


def parts(text: str) -> list[str]:
    return text.split()


@dataclass
class Step:
    """A command, in the words of a folder that is the current directory."""

    name: str
    words: list[str]
    again: list[str] = field(default_factory=list)  # how an interrupted one goes on, if otherwise
    grows: bool = True  # whether the next step starts from what this one made
    outside: Nobody = field(default_factory=Nobody)  # whom it asks
    only_killed: bool = False  # whether it is left alone by all that is about the disk of the folder
    compared: bool = True  # whether it makes the same bytes each time; what does not is judged by `verify`
    now: str = "2026-10-28T12:00:00Z"  # when the folder is judged
    pause: float = 0.0  # how long what a killed one held stays held, in seconds

    def command(self, binary: str, again: bool = False) -> list[str]:
        return [binary, *(self.again if again and self.again else self.words)]

    def environment(self, folder: Path, **more: str) -> dict[str, str]:
        return {**os.environ, **self.outside.environment(folder), **more}


def steps(binary: str, base: Path, database: Database) -> list[Step]:
    at = f"rounds/{ROUND}"
    offline = "--source csv --histories histories"
    run = (f"run-round --round {at} --models models.yaml --mock --run-type official --run-id official "
           "--seed 3 --retry-pause 0 --quiet --now 2026-10-15T12:25:00Z")
    consistency = (f"run-round --round {at} --models models.yaml --mock --run-type stability --replicates 2 "
                   "--run-id stability --seed 3 --retry-pause 0 --quiet --now 2026-10-15T12:30:00Z")
    side = {"grows": False}
    clock, migrated = Clock(base), Migrated(database, binary)  # whose tables the worker finds as well
    today = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400))
    return [
        Step("keys init", parts("keys init --rounds-dir rounds --name prove.example/log")),
        Step("init-round", [*parts(f"init-round --round-id {ROUND} --universe-version v1.5 --models models.yaml "
                                   "--rounds-dir rounds --synthetic --decision-deadline 2026-10-15T13:25:00Z "
                                   "--now 2026-10-15T11:25:00Z --horizon"), "one week"]),
        Step("validate-universe", parts(f"validate-universe --round {at} {offline} --start-date 2025-10-14 "
                                        "--end-date 2026-10-14"), **side),
        Step("import-research", parts(f"import-research --round {at} --market-fact-report research/facts.md "
                                      "--audit-report research/audit.md --final-briefing research/briefing.md "
                                      "--research-cutoff-utc 2026-10-15T11:35:00Z")),
        Step("fetch-universe-performance", parts(f"fetch-universe-performance --round {at} --as-of-date 2026-10-14 "
                                                 f"{offline} --now 2026-10-15T11:40:00Z")),
        Step("hash-round", parts(f"hash-round --round {at} --now 2026-10-15T12:00:00Z")),
        Step("run-round", parts(run), again=parts(f"{run} --resume")),
        Step("run-round, replicates", parts(consistency), again=parts(f"{consistency} --resume")),
        Step("validate-submissions", parts(f"validate-submissions --round {at} --run-id official"), **side),
        Step("accept-run", parts(f"accept-run --round {at} --run-id official --now 2026-10-15T12:55:00Z")),
        Step("automation-cancel", parts(f"automation-cancel --round {at} --reason tried --now 2026-10-16T12:00:00Z"),
             **side),
        Step("automation-retry", parts(f"automation-retry --round {at} --next-attempt-at-utc 2026-10-25T12:00:00Z "
                                       "--now 2026-10-16T12:00:00Z"), **side),
        Step("update-interim-performance", parts(f"update-interim-performance --rounds-dir rounds --snapshot-date "
                                                 f"2026-10-19 --track all {offline} --now 2026-10-20T12:00:00Z")),
        Step("update-weekly-performance", parts(f"update-weekly-performance --round {at} --run-id official "
                                                "--snapshot-price-file market_data/daily_price_snapshots/2026-10-19.csv "
                                                "--snapshot-date 2026-10-19"), **side),
        Step("fetch-prices", parts(f"fetch-prices --round {at} {offline} --now 2026-10-24T12:00:00Z"), **side),
        # The jobs are due by the clock of the server, so today.
        Step("worker", parts(f"worker --rounds-dir rounds --boards-dir boards --once --lease 1 {offline}"), now=today,
             outside=Working(database), only_killed=True, compared=False, pause=1.2, **side),
        # A failed attempt waits before the next, so it goes on two days later.
        Step("resolve-due", parts(f"resolve-due --rounds-dir rounds {offline} --now 2026-10-24T12:00:00Z"),
             again=parts(f"resolve-due --rounds-dir rounds {offline} --now 2026-10-26T12:00:00Z")),
        Step("score-round", parts(f"score-round --round {at}"), **side),
        Step("publish-report", parts(f"publish-report --round {at} --run-id official"), **side),
        Step("publish-round-summary", parts(f"publish-round-summary --round {at} --official-run-id official "
                                            "--stability-run-id stability --now 2026-10-28T12:00:00Z"), **side),
        Step("publish-latest", parts("publish-latest --rounds-dir rounds --output boards --as-of 2026-10-28"), **side),
        Step("publish-cumulative",
             parts("publish-cumulative --rounds-dir rounds --output boards --as-of 2026-10-28"), **side),
        Step("export", parts("export --rounds-dir rounds --as-of 2026-10-28 --output export"), **side),
        Step("build-site", parts("build-site --rounds-dir rounds --as-of 2026-10-28 --output site"), **side),
        Step("bundle", parts(f"bundle {at} --output bundle.tar.zst"), **side),
        Step("demo", parts("demo --no-serve --output played"), outside=Played(), only_killed=True, compared=False, **side),
        Step("anchor", parts(f"anchor --rounds-dir rounds --tsa {clock.url} --tsa-root {clock.folder}/root.pem"),
             outside=clock, now=today, **side),
        Step("db migrate", parts("db migrate"), outside=Empty(database), only_killed=True, **side),
        Step("sync-web", parts("sync-web --rounds-dir rounds --include-cumulative --as-of 2026-10-28"),
             outside=migrated, only_killed=True, **side),
    ]


def run(command: list[str], folder: Path, **more) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", **more)


def files(folder: Path) -> dict[str, bytes]:
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = Path(at) / name
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def is_transient(path: str) -> bool:
    return any(part in path for part in TRANSIENT) or any(part.startswith(".") for part in Path(path).parts)


def is_compared(path: str) -> bool:
    return not is_transient(path) and not any(part in path for part in JUDGED)


def copy(source: Path, target: Path) -> None:
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)


def same(left: Path, right: Path) -> bool:
    return filecmp.cmp(left, right, shallow=False)


@dataclass
class Scene:
    """A step, the folder before it, and what it makes when nobody disturbs it."""

    step: Step
    before: Path
    after: dict[str, bytes]
    old: dict[str, bytes]
    varying: set[str]  # files that differ from run to run (they hold how long something took)
    seconds: float


def ready(scene: Scene, folder: Path) -> None:
    """The folder as it was before the step, and everybody outside as well."""
    copy(scene.before, folder)
    scene.step.outside.prepare(folder)


def scenes(binary: str, base: Path, database: Database) -> list[Scene]:
    """Plays all steps once; each scene can then be repeated from its state before."""
    demo = base / "demo"
    played = run([binary, "demo", "--no-serve", "--output", str(demo)], base)
    assert played.returncode == 0, played.stderr
    for round_folder in sorted((demo / "rounds").iterdir())[KEPT:]:
        shutil.rmtree(round_folder)
    made, present = [], demo
    for number, step in enumerate(steps(binary, base, database)):
        results, seconds = [], 0.0
        for attempt in range(2):
            folder = base / f"after-{number}-{attempt}"
            copy(present, folder)
            step.outside.prepare(folder)
            start = time.perf_counter()
            done = run(step.command(binary), folder, env=step.environment(folder))
            seconds = time.perf_counter() - start
            assert done.returncode == 0, f"{step.name}: {done.stdout}{done.stderr}"
            results.append(files(folder))
        first, second = results
        varying = {path for path in first.keys() | second.keys() if first.get(path) != second.get(path)}
        made.append(Scene(step, present, second, files(present), varying, seconds))
        if step.grows:
            present = base / f"after-{number}-1"
    return made


def torn(scene: Scene, folder: Path) -> list[str]:
    """Files that are neither as before nor as after."""
    bad = []
    if not scene.step.compared:
        return bad
    for path, content in files(folder).items():
        if not is_compared(path) or path in scene.varying:
            continue
        if content not in (scene.old.get(path), scene.after.get(path)):
            bad.append(path)
    gone = [path for path in scene.old if path in scene.after and not (folder / path).exists()
            and is_compared(path) and path not in scene.varying]
    return bad + [f"{path} is gone" for path in gone]


def finish(scene: Scene, binary: str, folder: Path) -> str:
    """Runs the step again; an empty text when the folder then is as if nothing had happened."""
    words = scene.step.command(binary, again=True)
    surrounded = scene.step.environment(folder)
    time.sleep(scene.step.pause)
    done = run(words, folder, timeout=120, env=surrounded)
    if done.returncode != 0 and scene.step.again:
        done = run(scene.step.command(binary), folder, timeout=120, env=surrounded)
    if "panicked" in done.stderr:
        return f"panicked: {done.stderr[-300:]}"
    found = files(folder)
    wrong = [path for path in scene.after.keys() | found.keys()
             if scene.step.compared and is_compared(path) and path not in scene.varying and found.get(path) != scene.after.get(path)]
    missing = [path for path in scene.varying if path in scene.after and is_compared(path) and path not in found]
    if wrong or missing:
        return f"exit {done.returncode}, differs: {(wrong + missing)[:4]} {done.stderr[-300:]}"
    return holds(scene, binary, folder) or scene.step.outside.check(binary, folder)


def holds(scene: Scene, binary: str, folder: Path) -> str:
    """Empty when the rounds of a folder verify."""
    judged = run([binary, "verify", "rounds", "--now", scene.step.now], folder)
    return "" if judged.returncode == 0 else f"verify: {judged.stdout[-400:]}{judged.stderr[-200:]}"
