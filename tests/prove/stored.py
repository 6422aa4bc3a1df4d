"""What rounds in an object store cost beside the same rounds in a folder: CPU, requests, bytes."""

import json
import math
import os
import subprocess
import time
from pathlib import Path

from report import Row
from scale import ARCHIVE, MODELS, STEEPEST, in_memory, maker, measured, scratch

SIZES = [1_000, 10_000]
TIMES = 7
MOST_CPU, MOST_REQUESTS = 1.2, 20


def cpu(command: list[str], folder: Path, env: dict) -> float:
    found = measured(command, folder, 900, env)
    if isinstance(found, str):
        raise AssertionError(f"{' '.join(command)}: {found}")
    return found[1]


def asked(command: list[str], folder: Path, env: dict) -> dict:
    """What a command asked of the store."""
    done = subprocess.run([*command, "--json"], cwd=folder, env=env, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["cost"]


def told(cost: dict) -> str:
    return f"{cost['requests']} requests, {cost['bytes_read']:,} bytes read, {cost['bytes_written']:,} written"


class Stored:
    """So many rounds in a folder, in a store, and in the checkout of a reader."""

    def __init__(self, binary: str, folder: Path, size: int) -> None:
        self.binary, self.folder, self.size = binary, folder, size
        self.env = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        self.address = f"file://{folder}/store"
        self.make(size)
        show = [binary, "leaderboard", "--as-of", "2036-12-31", "--json"]
        self.own = [*show, "--rounds-dir", "rounds"]
        self.stored = [*show, "--store", self.address]

    def make(self, count: int) -> None:
        subprocess.run([maker(self.binary), "--rounds", str(count), "--models", str(MODELS), "--seed", "1", "--output", "rounds"],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def verb(self, name: str, rounds: str) -> dict:
        words = [self.binary, "store", name, "--store", self.address, "--rounds-dir", rounds]
        return asked(words, self.folder, self.env)

    def rows(self) -> tuple[dict[str, float], dict[str, str]]:
        figures, words = {}, {"push": told(self.verb("push", "rounds"))}
        figures["cold"] = cpu(self.stored, self.folder, self.env)
        words["pull"] = told(self.verb("pull", "again"))
        for command in (self.own, self.stored):
            time.sleep(3)  # files that changed just now are not kept
            cpu(command, self.folder, self.env)
        # The folder that the store was pulled into, without a look at the store: the same files, written the same way.
        kept = next(self.folder.glob("cache/capitalbench/stores/*/checkout-1/rounds"))
        same = [*self.own[:-1], str(kept)]
        # In turn, and the least of several: others work on this machine too.
        found = [[cpu(words, self.folder, self.env) for words in (self.own, same, self.stored)] for _ in range(TIMES)]
        figures["folder"], figures["same"], figures["store"] = (min(column) for column in zip(*found))
        words["nothing"] = told(nothing := self.verb("pull", "again"))
        figures["nothing"] = nothing["requests"]
        self.make(self.size + 1)
        words["push one"] = told(push := self.verb("push", "rounds"))
        figures["after one"] = cpu(self.stored, self.folder, self.env)
        words["pull one"] = told(pull := self.verb("pull", "again"))
        figures["one"] = max(push["requests"], pull["requests"] - nothing["requests"])
        return figures, words


def place(size: int) -> Path | None:
    """In memory, where it fits; PROVE_STORE_FOLDER names another place, such as one on a disk."""
    given = os.environ.get("PROVE_STORE_FOLDER")
    return Path(given) if given else in_memory(4 * size * ARCHIVE)


def stored(binary: str) -> list[Row]:
    found: dict[int, tuple[dict[str, float], dict[str, str]]] = {}
    for size in SIZES:
        with scratch(f"prove-store-{size}-", place(size)) as folder:
            found[size] = Stored(binary, folder, size).rows()

    def points(name: str) -> list[tuple[int, float]]:
        return [(size, figures[name]) for size, (figures, _) in found.items()]

    def seconds(name: str) -> str:
        return "; ".join(f"{size:,}: {value:.2f} s CPU" for size, value in points(name))

    def words(name: str) -> str:
        return "; ".join(f"{size:,}: {told[name]}" for size, (_, told) in found.items())

    (small, low), (large, high) = points("store")[0], points("store")[-1]
    steep, dear = math.log(high / low) / math.log(large / small), found[SIZES[-1]][0]
    ratio, one = dear["store"] / dear["same"], max(figures["one"] for figures, _ in found.values())
    return [
        Row("leaderboard of a folder in the present one, figures kept", seconds("folder"), "told", None, []),
        Row("leaderboard --store, warm", f"{seconds('store')}; slope {steep:.2f}", f"slope at most {STEEPEST}", steep <= STEEPEST, []),
        Row("leaderboard of the folder that the store was pulled into", seconds("same"), "told", None, []),
        Row(f"leaderboard --store, warm ÷ that of the same folder at {SIZES[-1]:,}", f"{ratio:.2f}", f"at most {MOST_CPU}",
            ratio <= MOST_CPU, []),
        Row("the same ÷ that of a folder in the present one, whose paths are shorter", f"{dear['store'] / dear['folder']:.2f}", "told", None, []),
        Row("leaderboard --store, cold: everything fetched", seconds("cold"), "told", None, []),
        Row("leaderboard --store after one new round", seconds("after one"), "told", None, []),
        Row("seeing that nothing is new", words("nothing"), "told", None, []),
        Row("pushing one new round", words("push one"), f"at most {MOST_REQUESTS} requests", one <= MOST_REQUESTS, []),
        Row("pulling it", words("pull one"), f"at most {MOST_REQUESTS} requests more than nothing new", one <= MOST_REQUESTS, []),
        Row("pushing all", words("push"), "told", None, []),
        Row("pulling all", words("pull"), "told", None, []),
    ]
