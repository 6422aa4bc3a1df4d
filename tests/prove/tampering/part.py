"""Carries every tampering out, lets everybody look, and compares with what must come of it."""

import functools
import shutil
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from outside import Database
from tampering.attack import BEST, LAST, ORDER, Attack, Scene
from tampering.readers import NOTHING, READERS, Kept, Look, browsed, keep, verified
from tampering.registry import ALL, Tampering, Told
from tampering.stage import NAME, World, played
from tampering.world import Authority


@dataclass
class Outcome:
    """What came of one tampering."""

    of: Tampering
    reached: str = ""
    looks: dict[str, Look] = field(default_factory=dict)
    codes: dict[str, list[str]] = field(default_factory=dict)
    bundle: dict[str, list[str]] = field(default_factory=dict)
    browser: dict | None = None
    told: Told | None = None
    refused: list[str] = field(default_factory=list)
    broke: str = ""

    def found(self, reader: str) -> bool:
        return self.told.found if self.told else bool(self.codes.get(reader))

    def wrong(self) -> list[str]:
        """Where reality is not what must be."""
        if self.broke:
            return [f"broke off: {self.broke}"]
        bad = []
        for reader in READERS:
            found, must = self.found(reader), not self.of.honest and reader not in self.of.hidden
            if found != must:
                bad.append(f"{reader}: {'found ' + ', '.join(self.codes.get(reader, [])) if found else 'not found'}")
            level = "" if self.told else self.looks[reader].level
            if level == "proved" and reader == NOTHING:
                bad.append(f"{reader}: called PROVED, and nobody vouched for the clock")
            elif level == "proved" and must and not found:
                bad.append(f"{reader}: called PROVED")
            if self.of.honest and reader != NOTHING and not self.told and self.of.level and level != self.of.level:
                bad.append(f"{reader}: called {level}, not {self.of.level}")
        for reader, codes in self.bundle.items():
            if bool(codes) != (not self.of.honest and reader not in self.of.hidden):
                bad.append(f"bundle, {reader}: {', '.join(codes) or 'not found'}")
        if self.browser and not self.equal():
            bad.append(f"browser: {self.browser['verdict']}")
        return bad

    def equal(self) -> bool:
        """The browser says of the folder what the program says to who kept nothing: the verdict, and how far it is proved."""
        errors = self.looks[NOTHING].exit == 2 or any("(warning)" not in code for code in self.codes[NOTHING])
        level = self.looks[NOTHING].level
        proved = self.browser.get("level", "").lower().replace(" ", "-")
        return (self.browser["verdict"] == "holds") != errors and (errors or proved == level)


def scene(world: World, base: Path) -> Scene:
    honest = played(world, base / "honest")
    world.models.picks[LAST] = BEST
    better = played(world, base / "better", honest, "freeze")
    world.models.picks = dict(world.models.PICKS)
    world.vendors.doctored = {"FXFAR": 0.09}
    dearer = played(world, base / "dearer", honest, "entry")
    world.vendors.doctored = {}
    world.moved.set("2026-12-01T00:00:00Z")
    database = functools.cache(lambda: Database(base))
    return Scene(world, honest, better, dearer, Authority(base / "clock-of-his-own", world.moved), database)


def carried_out(of: Tampering, stage: Scene, kept: Kept, base: Path, baseline) -> Outcome:
    made = Outcome(of)
    folder = base / f"try-{ALL.index(of) if of in ALL else 0}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(stage.honest[of.moment], folder, symlinks=True)
    attack = Attack(stage, folder, of.moment)
    try:
        made.told = of.do(attack)
    except Exception:
        made.broke = traceback.format_exc()[-700:]
        return made
    made.refused, made.reached = attack.refused, attack.moment
    if made.told:
        return made
    seen = ORDER[:ORDER.index(of.moment) + 1]
    if of.bundled:
        made.bundle = bundled(stage, folder, kept, seen, attack, baseline)
    private = attack.rounds / ".capitalbench"
    if private.exists():
        private.rename(folder / "private")
    for reader in READERS:
        look = verified(stage.world, attack.rounds, kept.words(reader, seen), attack.at)
        made.looks[reader] = look
        made.codes[reader] = look.beyond(baseline(attack.moment, reader, attack.at))
    if of.paged:
        made.browser = browsed(attack.rounds, attack.at, stage.world.markets())
    return made


def bundled(stage: Scene, folder: Path, kept: Kept, seen: list[str], attack: Attack, baseline) -> dict[str, list[str]]:
    """The same for who gets one file; that no bundle can be made is a refusal."""
    done = stage.world.run(folder, f"bundle rounds/{NAME} --output {folder}/round.tar.zst")
    if done.returncode != 0:
        return {reader: ["no bundle is made"] for reader in READERS}
    told = {}
    for reader in READERS:
        look = verified(stage.world, folder / "round.tar.zst", kept.words(reader, seen), attack.at)
        told[reader] = look.beyond(baseline(attack.moment, reader, attack.at))
    return told


def all_outcomes(binary: str, base: Path, layer: Path, wanted: str = "") -> list[Outcome]:
    world = World.made(binary, base, layer)
    stage = scene(world, base)
    kept = keep(world, stage.honest, base / "kept")
    known: dict[tuple[str, str, str], Look] = {}

    def baseline(moment: str, reader: str, now: str) -> Look:
        if (moment, reader, now) not in known:
            place = base / f"plain-{moment}"
            if not place.exists():
                shutil.copytree(stage.honest[moment] / "rounds", place / "rounds",
                                ignore=shutil.ignore_patterns(".capitalbench"))
                shutil.copytree(stage.honest[moment] / "market_data", place / "market_data", dirs_exist_ok=True) \
                    if (stage.honest[moment] / "market_data").exists() else None
            seen = ORDER[:ORDER.index(moment) + 1]
            known[moment, reader, now] = verified(world, place / "rounds", kept.words(reader, seen), now)
        return known[moment, reader, now]

    made = []
    try:
        for of in ALL:
            if not wanted or wanted in of.name or wanted == of.point or wanted == of.do.__module__.split(".")[1]:
                made.append(carried_out(of, stage, kept, base, baseline))
                shutil.rmtree(base / f"try-{ALL.index(of)}", ignore_errors=True) if not wanted else None
    finally:
        if stage.database.cache_info().currsize:
            stage.database().end()
    return made
