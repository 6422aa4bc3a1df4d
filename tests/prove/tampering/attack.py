"""One attack on a copy of the folder: the operator's hands, with his key, his clock and his commands."""

import hashlib
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from outside import Database
from tampering import events
from tampering.log import Log
from tampering.stage import AFTER, MOMENTS, NAME, RUN, World, step
from tampering.world import Authority

LAST, BEST = "beta-large", [("GOLD", 100)]  # who is last, and what would have been best
ORDER = list(MOMENTS)


@dataclass
class Scene:
    """What the attacks start from: the folder at every moment, and how it would look had things been otherwise."""

    world: World
    honest: dict[str, Path]
    better: dict[str, Path]  # the last one had picked the best option
    dearer: dict[str, Path]  # the vendor had told other prices
    own: Authority  # a time stamp authority of the attacker's own
    database: Callable[[], Database]  # started when it is first asked for


@dataclass
class Attack:
    scene: Scene
    folder: Path
    moment: str
    refused: list[str] = field(default_factory=list)  # commands that would not
    at: str = ""

    def __post_init__(self):
        self.world = self.scene.world
        self.at = AFTER if ORDER.index(self.moment) >= ORDER.index("scoring") else MOMENTS[self.moment]
        self.rounds = self.folder / "rounds"
        self.round, self.run = self.rounds / NAME, self.rounds / NAME / "runs" / RUN

    @property
    def log(self) -> Log:
        return Log(self.rounds)

    def stock(self, words: str | list[str], at: str | None = None, **more: str) -> bool:
        """A command of the program; whether it did what it was told."""
        done = self.world.run(self.folder, words, at or self.at, **more)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            name = words.split()[0] if isinstance(words, str) else words[0]
            self.refused.append(f"{name}: {said[0] if said else done.returncode}")
        return done.returncode == 0

    def text(self, path: str, change: Callable[[str], str]) -> None:
        file = self.round / path
        before = file.read_text()
        after = change(before)
        assert after != before, f"{path}: nothing was changed"
        file.write_text(after)

    def swap(self, path: str, old: str, new: str) -> None:
        self.text(path, lambda text: text.replace(old, new))

    def json(self, path: str, change: Callable[[dict], None]) -> None:
        file = self.round / path
        value = json.loads(file.read_text())
        change(value)
        write_json(file, value)

    def remove(self, *paths: str) -> None:
        for path in paths:
            place = self.round / path
            shutil.rmtree(place) if place.is_dir() else place.unlink()

    def take(self, other: dict[str, Path], *paths: str, moment: str = "") -> None:
        """Files as they would be had things been otherwise."""
        for path in paths:
            source, target = other[moment or self.moment] / "rounds" / NAME / path, self.round / path
            if source.is_dir():
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(source, target)
            elif source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)

    def sign(self, at: str | None = None) -> None:
        """What is new is signed: by the program, or by a changed one where it refuses."""
        if not self.stock(f"hash-round --round rounds/{NAME}", at, CAPITALBENCH_TSA_URLS="") or self.unsigned():
            self.own_sign(at)

    def unsigned(self) -> bool:
        log = self.log
        known = [event for event in log.events() if event["round"] == NAME]
        return bool(events.Teller(log, self.round, self.at).inventory(known))

    def own_sign(self, at: str | None = None) -> None:
        events.sign(self.log, self.round, at or self.at)

    def stamp(self, at: str | None = None) -> None:
        clock = self.world.authority
        self.stock(f"anchor --rounds-dir rounds --tsa {clock.url} --tsa-root {clock.root}", at)

    def reached(self, moment: str) -> None:
        """The folder is compared with an honest one of this moment."""
        self.moment = moment

    def go_on(self, until: str = "report") -> None:
        """The rest of the round as if nothing had been done; the program may refuse."""
        for moment in ORDER[ORDER.index(self.moment) + 1:ORDER.index(until) + 1]:
            try:
                step(self.world, self.folder, moment)
            except AssertionError as error:
                self.refused.append(str(error)[:300])
                break
            self.moment = moment
        self.at = AFTER

    def give(self, model: str = LAST, picks: list[tuple[str, int]] | None = None) -> None:
        """Other picks in every file of the run, each following from the one before."""
        picks = picks or BEST
        other = [{"option_id": option, "allocation_pct": share, "rationale": "by the table"} for option, share in picks]
        run = f"runs/{RUN}"
        stem = sorted((self.run / "attempts").glob(f"{model}__*.answer"))[-1].name.removesuffix(".answer")
        ended = json.loads((self.run / f"attempts/{stem}.ended.json").read_text())
        said = {**json.loads(ended["text"]), "portfolio": other}
        self.text(f"{run}/attempts/{stem}.answer",
                  lambda text: text.replace(json.dumps(ended["text"])[1:-1], json.dumps(json.dumps(said))[1:-1]))
        self.json(f"{run}/attempts/{stem}.head.json",
                  lambda head: head.update(sha256=events.digest(self.run / f"attempts/{stem}.answer")))
        self.json(f"{run}/attempts/{stem}.ended.json", lambda own: own.update(text=json.dumps(said), object=said))
        (self.run / f"raw_responses/{model}.txt").write_text(json.dumps(said))
        for place in ("raw", "parsed"):
            self.json(f"{run}/submissions/{place}/{model}.json", lambda own: own.update(portfolio=other))
        self.swap(f"{run}/run_log.jsonl", hashlib.sha256(ended["text"].encode()).hexdigest(),
                  hashlib.sha256(json.dumps(said).encode()).hexdigest())
        self.accept_again()

    def accept_again(self) -> None:
        """The acceptance names the files that are there."""
        if (self.run / "acceptance.json").is_file():
            def renew(own: dict) -> None:
                own["submissions"] = {path: events.digest(self.run / path) for path in own["submissions"]
                                      if (self.run / path).is_file()}
                own["run_log_sha256"] = events.digest(self.run / "run_log.jsonl")
                own["hashes_json_sha256"] = events.digest(self.round / "hashes.json")
            self.json(f"runs/{RUN}/acceptance.json", renew)

    def derived(self) -> None:
        """What follows from the last one having picked the best."""
        self.take(self.scene.better, f"runs/{RUN}/controls/control-consensus.json")

    def score(self, other: dict[str, Path]) -> None:
        """Results are made again: by the program, or as it would have made them."""
        shutil.rmtree(self.run / "results")
        if not self.stock(f"score-round --round rounds/{NAME}", CAPITALBENCH_TSA_URLS=""):
            self.take(other, f"runs/{RUN}/results", moment="scoring")
        if self.moment == "report" and not self.stock(f"publish-report --round rounds/{NAME}"):
            self.take(other, f"runs/{RUN}/results", moment="report")
        interim = self.scene.better if other is self.scene.better else self.scene.honest
        self.take(interim, f"runs/{RUN}/results/weekly_performance.csv")

    def changed(self, honest: Path | None = None) -> dict[str, str]:
        """Digests and seals of files that are others now, old to new."""
        before = (honest or self.scene.honest[self.moment]) / "rounds" / NAME
        log, found = self.log, {}
        for path in events.files_of(self.round):
            if not (before / path).is_file() or (before / path).read_bytes() == (self.round / path).read_bytes():
                continue
            old, new = (before / path).read_bytes(), (self.round / path).read_bytes()
            found[hashlib.sha256(old).hexdigest()] = hashlib.sha256(new).hexdigest()
            found[log.key.seal(NAME, path, old)] = log.key.seal(NAME, path, new)
        return found

    def rewrite(self, stamps: str = "keep", leaves: list[bytes] | None = None) -> None:
        """History anew, as if the files had always been these; stamps of then, none, own ones or of today."""
        log = self.log
        log.write(log.replace(self.changed(), leaves))
        self.restamp(stamps)

    def restamp(self, stamps: str, instants: dict[int, str] | None = None) -> None:
        log = self.log
        if stamps != "keep":
            log.drop_stamps()
        if stamps == "own":
            shutil.rmtree(log.folder / "roots")
            log.trust(self.scene.own, "clock")
            for size, at in (instants or log.instants()).items():
                log.stamp(size, self.scene.own, at, "clock.example")
        elif stamps == "today":
            for size in log.sizes():
                log.stamp(size, self.world.authority, self.at)


def write_json(file: Path, value) -> None:
    file.write_text(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
