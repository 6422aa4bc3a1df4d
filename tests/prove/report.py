"""Rows of the evidence, and the page they make."""

import os
import platform
import re
import subprocess
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path


@dataclass
class Row:
    what: str
    figure: str
    line: str
    holds: bool | None  # None: not run here, or only told
    places: list[str]

    @property
    def verdict(self) -> str:
        other = "told" if self.line.startswith("told") else "not run"
        return {True: "holds", False: "**FAILS**", None: other}[self.holds]


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}, {platform.machine()}"


def revision() -> str:
    name = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    changed = subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True).stdout
    others = [line for line in changed.splitlines() if "docs/evidence" not in line]
    return name + (" with changes" if others else "")


def section(title: str, rows: list[Row], extra: str, minutes: float) -> str:
    """One part of the page, with when and of what it was made."""
    text = [f"## {title}", "", f"{datetime.now(timezone.utc):%Y-%m-%d}, revision `{revision()}`, {minutes:.0f} minutes.", "",
            "| what | seen | must | |", "| --- | --- | --- | --- |"]
    text += [f"| {row.what} | {row.figure} | {row.line} | {row.verdict} |" for row in rows]
    text.append("")
    for row in rows:
        if row.holds is False:
            text += [f"{row.what}:", ""] + [f"- `{place}`".replace("\n", " ") for place in row.places[:10]] + [""]
    return "\n".join(text + ([extra, ""] if extra else []))


def again(page: str, rows: list[Row]) -> str:
    """The page with rows that were measured once more, each with what was seen the time before."""
    for row in rows:
        before = next(line for line in page.splitlines() if line.startswith(f"| {row.what} |"))
        seen = before.split("|")[2].strip()
        page = page.replace(before, f"| {row.what} | {row.figure} | {row.line} | {row.verdict} |")
        page = re.sub(rf"{re.escape(row.what)}:\n\n(- `.*`\n)+\n", "", page)
        told = f"{row.what}: measured again, {datetime.now(timezone.utc):%Y-%m-%d}, revision `{revision()}`; before: {seen}.\n"
        page = page.replace("![CPU seconds", f"{told}\n![CPU seconds")
    return page


def put(folder: Path, titles: list[str], made: dict[str, str]) -> None:
    """Writes the page anew; parts that were not made stay as they are."""
    file = folder / "evidence.md"
    before = file.read_text() if file.exists() else ""
    found = dict((part.split("\n", 1)[0], f"## {part}") for part in before.split("\n## ")[1:])
    found.update(made)
    head = ("# Evidence\n\nThis page is for reviewers who want to see what was measured, and how to measure it again.\n"
            f"`scripts/prove` made it on {machine()}. Run the script again and compare; `scripts/prove scale` and the like "
            "make one part again.\n")
    spare = folder / "evidence.md.new"
    spare.write_text("\n".join([head, *(found[title].rstrip("\n") + "\n" for title in titles if title in found)]))
    os.replace(spare, file)
