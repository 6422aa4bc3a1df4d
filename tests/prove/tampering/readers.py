"""What three readers and a browser say about a folder."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tampering.stage import AFTER, NAME, World

NOTHING, KEY, CHECKPOINT = "nothing", "key and root", "key, root and checkpoints"
READERS = [NOTHING, KEY, CHECKPOINT]
BROWSER = Path(__file__).resolve().parents[1] / "browser.mjs"


@dataclass
class Look:
    """A verdict of `verify`."""

    exit: int
    level: str = ""
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def beyond(self, honest: "Look") -> list[str]:
        """The codes of what an honest folder has not; a warning says so."""
        errors = [code for code in dict.fromkeys(self.errors) if code not in honest.errors]
        warnings = [f"{code} (warning)" for code in dict.fromkeys(self.warnings) if code not in honest.warnings]
        refused = ["refused"] if self.exit == 2 else []
        return refused + errors + warnings


@dataclass
class Kept:
    """What readers took away before: the key, the root, a checkpoint of every moment."""

    key: Path
    root: Path
    checkpoints: dict[str, Path]

    def words(self, reader: str, moments: list[str]) -> list[str]:
        if reader == NOTHING:
            return []
        told = ["--key", str(self.key), "--tsa-root", str(self.root)]
        if reader == CHECKPOINT:
            told += [word for moment in moments for word in ("--since", str(self.checkpoints[moment]))]
        return told


def keep(world: World, honest: dict[str, Path], base: Path) -> Kept:
    base.mkdir()
    first = next(iter(honest.values()))
    shutil.copyfile(first / "rounds/log/vkey", base / "vkey")
    shutil.copyfile(world.authority.root, base / "root.pem")
    seen = {}
    for moment, folder in honest.items():
        seen[moment] = base / f"checkpoint-{moment}"
        shutil.copyfile(folder / "rounds/log/checkpoint", seen[moment])
    return Kept(base / "vkey", base / "root.pem", seen)


def verified(world: World, path: Path, words: list[str], now: str = AFTER) -> Look:
    """`verify --strict --json`; a reader has no private folder of the operator."""
    place = path.parent if path.is_file() else path
    done = world.run(place, ["verify", str(path), "--json", "--strict", "--now", now, *words])
    try:
        told = json.loads(done.stdout)
    except ValueError:
        return Look(done.returncode, words=[(done.stderr or done.stdout).strip()[:300]])
    found = [finding for part in told["rounds"] for finding in part["findings"]]
    found += (told.get("log") or {}).get("findings", [])
    codes = {severity: [own["code"] for own in found if own["severity"] == severity] for severity in ("error", "warning")}
    own = next((part for part in told["rounds"] if part["round_id"] == NAME), {})
    words = [f"{own['code']} {own['where']}: {own['detail']}" for own in found if own["severity"] != "note"]
    level = (own.get("proof") or {}).get("level", "unsigned") if own else "unsigned"
    return Look(done.returncode, level, codes["error"], codes["warning"], words)


def browsed(rounds: Path, now: str, markets: Path) -> dict:
    """The verdict of the page's own script under node."""
    words = ["node", str(BROWSER), str(rounds), now, str(markets)]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "NODE_NO_WARNINGS": "1"})
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"verdict": "failed", "findings": [done.stderr.strip()[-200:]]}
