"""Rows of the evidence, and the page they make."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path


@dataclass
class Row:
    what: str
    figure: str
    line: str
    holds: bool | None  # None: not run here
    places: list[str]

    @property
    def verdict(self) -> str:
        return {True: "holds", False: "**FAILS**", None: "not run"}[self.holds]


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}, {platform.machine()}"


def revision() -> str:
    name = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    changed = subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True).stdout
    others = [line for line in changed.splitlines() if "docs/evidence" not in line]
    return name + (" with changes" if others else "")


def page(parts: list[tuple[str, list[Row]]], extra: str, minutes: float) -> str:
    text = ["# Evidence", "",
            f"Made by `scripts/prove` on {datetime.now(timezone.utc):%Y-%m-%d} at revision `{revision()}`: "
            f"{machine()}, {minutes:.0f} minutes. Run it again and compare.", ""]
    for title, rows in parts:
        text += [f"## {title}", "", "| what | seen | must | |", "| --- | --- | --- | --- |"]
        text += [f"| {row.what} | {row.figure} | {row.line} | {row.verdict} |" for row in rows]
        text.append("")
        for row in rows:
            if row.holds is False:
                text += [f"{row.what}:", ""] + [f"- `{place}`".replace("\n", " ") for place in row.places[:10]] + [""]
    return "\n".join(text) + extra


def write(folder: Path, text: str) -> None:
    spare = folder / "evidence.md.new"
    spare.write_text(text)
    os.replace(spare, folder / "evidence.md")
