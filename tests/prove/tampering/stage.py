"""A round that promises `proof: anchored`, played to its end, with a copy of the folder at every moment of its life."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tampering.world import KEY, Authority, Models, Moved, Vendors

NAME = "LEAGUE-2026-12-07-1W"
AT = f"rounds/{NAME}"
RUN = "official-1"
FIXTURES = Path(__file__).resolve().parents[3] / "fixtures/operate"
# The moments of a round's life, each with the instant at which a reader looks.
MOMENTS = {"freeze": "2026-12-06T10:15:00Z", "asking": "2026-12-06T10:35:00Z", "acceptance": "2026-12-06T10:55:00Z",
           "entry": "2026-12-09T03:00:00Z", "exit": "2026-12-15T02:05:00Z", "scoring": "2026-12-15T02:15:00Z",
           "report": "2026-12-15T02:30:00Z"}
AFTER = "2026-12-20T12:00:00Z"  # when the attacker has time


@dataclass
class World:
    """Everybody around the operator, and the program."""

    binary: str
    base: Path
    moved: Moved
    models: Models
    vendors: Vendors
    authority: Authority
    refused: list[str] = field(default_factory=list)

    @classmethod
    def made(cls, binary: str, base: Path, layer: Path) -> "World":
        moved = Moved(base, layer, "2026-12-01T00:00:00Z")
        return cls(binary, base, moved, Models(moved), Vendors(FIXTURES / "histories", moved),
                   Authority(base / "clock-of-all", moved))

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CAPITALBENCH_", "TIINGO_"))}
        return {**kept, "CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES": "1", "CAPITALBENCH_NO_CACHE": "1", "PROVE_KEY": KEY,
                "TIINGO_API_KEY": KEY, "TIINGO_BASE_URL": self.vendors.url, "YAHOO_BASE_URL": self.vendors.url,
                "TIINGO_PLAN": "-/-/-", "CAPITALBENCH_TSA_URLS": self.authority.url, **more}

    def run(self, folder: Path, words: str | list[str], at: str | None = None, **more: str) -> subprocess.CompletedProcess:
        """The program in a folder, at an instant of the moved clock or by the clock of this machine."""
        typed = words.split() if isinstance(words, str) else words
        env = self.environment(**more)
        if at:
            self.moved.set(at)
            env.update(self.moved.environment())
        return subprocess.run([self.binary, *typed], cwd=folder, capture_output=True, text=True, errors="replace",
                              env=env, stdin=subprocess.DEVNULL, timeout=60)

    def markets(self) -> Path:
        """The module of the verify page that holds the closes of all markets, from a site of the fixtures."""
        site, rounds = self.base / "site-of-fixtures", Path("fixtures/rounds")
        if not site.exists():
            words = ["build-site", "--rounds-dir", rounds, "--no-cache", "--images", "none", "--output", site]
            subprocess.run([self.binary, *words], check=True, capture_output=True)
        return site / "verify/markets.js"

    def must(self, folder: Path, words: str | list[str], at: str | None = None, **more: str) -> str:
        done = self.run(folder, words, at, **more)
        assert done.returncode == 0, f"{words}: {done.returncode} {done.stdout[-800:]}{done.stderr[-800:]}"
        return done.stdout

    def stamp(self, folder: Path, at: str, authority: Authority | None = None) -> None:
        clock = authority or self.authority
        self.must(folder, f"anchor --rounds-dir rounds --tsa {clock.url} --tsa-root {clock.root}", at)


def started(world: World, folder: Path, proof: str = "anchored") -> None:
    """A folder with a key and a round that is ready to be frozen."""
    shutil.copytree(FIXTURES, folder, dirs_exist_ok=True)
    shutil.rmtree(folder / "histories")
    (folder / "models.yaml").write_text(world.models.roster())
    (folder / "prices.yaml").write_text(world.models.card())
    (folder / "rounds").mkdir()
    if proof == "none":
        return drafted(world, folder, NAME, proof)
    world.must(folder, "keys init --rounds-dir rounds --name prove.example/log", "2026-12-06T09:00:00Z")
    drafted(world, folder, NAME, proof)


def drafted(world: World, folder: Path, name: str, proof: str = "anchored") -> None:
    world.must(folder, ["init-round", "--round-id", name, "--horizon", "one week", "--universe", "options.yaml",
                        "--models", "models.yaml", "--proof", proof, "--decision-deadline", "2026-12-07T14:25:00Z"],
               "2026-12-06T09:05:00Z")
    world.must(folder, f"import-research --round rounds/{name} --market-fact-report facts.md --audit-report audit.md "
                       "--final-briefing briefing.md --research-cutoff-utc 2026-12-06T09:00:00Z", "2026-12-06T09:10:00Z")
    world.must(folder, f"fetch-universe-performance --round rounds/{name} --as-of-date 2026-12-04",
               "2026-12-06T09:15:00Z")


def asking(name: str = NAME, run: str = RUN) -> str:
    return (f"run-round --round rounds/{name} --models models.yaml --pricing prices.yaml --run-type official --run-id {run} "
            "--allow-real-api-calls --yes --quiet --retry-pause 0")


def step(world: World, folder: Path, moment: str, authority: Authority | None = None, name: str = NAME) -> None:
    """One step of the round, by the stock commands and honest."""
    at = f"rounds/{name}"
    clock = authority or world.authority
    more = {"CAPITALBENCH_TSA_URLS": clock.url}
    if moment == "freeze":
        world.must(folder, f"hash-round --round {at}", "2026-12-06T10:10:00Z", CAPITALBENCH_TSA_URLS="")
        world.stamp(folder, "2026-12-06T10:11:00Z", clock)
    elif moment == "asking":
        world.models.stumbles = {"gamma-large": 1}
        world.must(folder, asking(name), "2026-12-06T10:20:00Z", **more)
        world.stamp(folder, "2026-12-06T10:30:00Z", clock)
    elif moment == "acceptance":
        world.must(folder, f"accept-run --round {at} --run-id {RUN}", "2026-12-06T10:40:00Z", **more)
        world.stamp(folder, "2026-12-06T10:50:00Z", clock)
    elif moment == "entry":
        world.must(folder, f"fetch-prices --round {at} --side entry --full-universe", "2026-12-08T02:00:00Z", **more)
        world.must(folder, "update-interim-performance --rounds-dir rounds --snapshot-date 2026-12-08 --track all",
                   "2026-12-09T02:00:00Z", **more)
        world.stamp(folder, "2026-12-09T02:30:00Z", clock)
    elif moment == "exit":
        world.must(folder, f"fetch-prices --round {at} --full-universe --cross-check yahoo", "2026-12-15T02:00:00Z", **more)
        world.stamp(folder, "2026-12-15T02:01:00Z", clock)
    elif moment == "scoring":
        world.must(folder, f"score-round --round {at}", "2026-12-15T02:10:00Z", **more)
        world.stamp(folder, "2026-12-15T02:11:00Z", clock)
    elif moment == "report":
        world.must(folder, f"publish-report --round {at}", "2026-12-15T02:20:00Z", **more)
        world.stamp(folder, "2026-12-15T02:21:00Z", clock)


def overwrite(world: World, folder: Path, reason: str, at: str) -> None:
    """Final prices are fetched once more, with a reason where the program asks for one."""
    words = f"fetch-prices --round {AT} --full-universe --cross-check yahoo --overwrite-prices".split()
    if "--correct" in world.run(folder, "fetch-prices --help").stdout:
        words += ["--correct", reason]
    world.must(folder, words, at)


def played(world: World, folder: Path, source: dict[str, Path] | None = None, after: str = "") -> dict[str, Path]:
    """All steps from the start, or from a moment of another one on; the folder as it was at each moment."""
    kept, order = {}, list(MOMENTS)
    if source:
        kept = {moment: source[moment] for moment in order[:order.index(after) + 1]}
        shutil.copytree(source[after], folder)
    else:
        started(world, folder)
    for moment in order[len(kept):]:
        step(world, folder, moment)
        kept[moment] = folder.parent / f"{folder.name}-{moment}"
        shutil.copytree(folder, kept[moment])
    return kept
