"""Files changed, added or deleted by hand and signed by nobody, at every moment; and forms that nobody expects."""

import os
import shutil

from tampering.attack import LAST, Attack
from tampering.registry import nobody, tampering
from tampering.stage import NAME, RUN


def plain(name: str, moment: str, path: str, old: str, new: str, **more):
    @tampering(f"{name}, signed by nobody", moment, "", **more)
    def do(a: Attack) -> None:
        a.swap(path, old, new)


plain("the prompt is changed", "freeze", "prompt.md", "portfolio", "basket")
plain("the briefing is changed", "freeze", "briefing.md", "e", "a")
plain("an option is renamed", "freeze", "options.yaml", "name: Gold", "name: Gould")
plain("the roster of the manifest is changed", "freeze", "manifest.yaml", "- gamma-large", "- delta-large")
plain("a research report is changed", "freeze", "research/market_fact_report.md", "e", "a")
plain("an answer is changed", "asking", f"runs/{RUN}/attempts/{LAST}__001.answer", "FAR_SHARES", "GOLD")
plain("a cost is changed", "asking", f"runs/{RUN}/attempts/{LAST}__001.ended.json", "0.0046", "0.0001")
plain("a cost is changed", "acceptance", f"runs/{RUN}/attempts/{LAST}__001.ended.json", "0.0046", "0.0001")
plain("a raw submission is changed", "acceptance", f"runs/{RUN}/submissions/raw/{LAST}.json", "FAR_SHARES", "GOLD", bundled=True)
plain("a parsed submission is changed", "entry", f"runs/{RUN}/submissions/parsed/{LAST}.json", "FAR_SHARES", "GOLD")
plain("interim results are changed", "entry", f"runs/{RUN}/results/weekly_performance.csv", "-0.0", "0.0")
plain("an exit price is changed", "exit", "prices/exit_prices.csv", "58.6826", "78.6826")
plain("a result is changed", "scoring", f"runs/{RUN}/results/leaderboard.csv", "-0.03100066050198158", "0.04455", bundled=True)
plain("the job of the resolution is changed", "scoring", "automation/resolution_job.yaml", "attempts: 0", "attempts: 1")
plain("the report is changed", "report", f"runs/{RUN}/results/report.md", "beta-large", "delta-large")


@tampering("a private head is changed, signed by nobody", "scoring", paged=False,
           hidden=nobody("it is private: a folder for readers does not hold it, and its seal stays as it was"))
def private_head(a: Attack) -> None:
    a.swap(f"runs/{RUN}/attempts/{LAST}__001.head.json", "req_", "rex_")


@tampering("a file is added to the round", "scoring")
def added(a: Attack) -> None:
    (a.round / "research/more.md").write_text("Rates were cut.\n")


@tampering("a file is added to the round and signed into the log", "scoring",
           hidden=nobody("a new file is signed as new, with its instant; it changes nothing that was there"))
def added_signed(a: Attack) -> None:
    (a.round / "notes.md").write_text("Rates were cut.\n")
    a.sign()


@tampering("research that models never saw is added after the result and signed into the log", "scoring", "1")
def research_added(a: Attack) -> None:
    (a.round / "research/more.md").write_text("We knew that rates would be cut.\n")
    a.sign()


@tampering("a whole run is deleted", "scoring")
def run_deleted(a: Attack) -> None:
    a.remove(f"runs/{RUN}")


@tampering("the whole round is deleted, the log stays", "scoring")
def round_deleted(a: Attack) -> None:
    shutil.rmtree(a.round)


@tampering("the round is renamed in its folder, its manifest and everywhere", "scoring")
def round_renamed(a: Attack) -> None:
    other = "LEAGUE-2026-12-07-2W"
    for file in a.round.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes().replace(NAME.encode(), other.encode()))
    a.round.rename(a.rounds / other)


@tampering("the round's folder is a link to another place", "scoring", "10", paged=False)
def linked_round(a: Attack) -> None:
    a.round.rename(a.folder / "elsewhere")
    os.symlink(a.folder / "elsewhere", a.round)


@tampering("the log's folder is a link to another place", "scoring", "10", paged=False)
def linked_log(a: Attack) -> None:
    (a.rounds / "log").rename(a.folder / "log-elsewhere")
    os.symlink(a.folder / "log-elsewhere", a.rounds / "log")


@tampering("a file of the round is a link to another file", "scoring", "10", paged=False)
def linked_file(a: Attack) -> None:
    (a.round / "briefing.md").rename(a.folder / "briefing-elsewhere.md")
    os.symlink(a.folder / "briefing-elsewhere.md", a.round / "briefing.md")


@tampering("the manifest is a pipe", "scoring", "10", paged=False)
def piped_manifest(a: Attack) -> None:
    (a.round / "manifest.yaml").unlink()
    os.mkfifo(a.round / "manifest.yaml")


@tampering("an attempt's record has a word for its status that nobody knows, signed again", "scoring", "10")
def unknown_word(a: Attack) -> None:
    a.json(f"runs/{RUN}/attempts/{LAST}__001.ended.json", lambda own: own.update(status="perhaps"))
    a.sign()


def unknown_field(name: str, path: str, change, moment: str = "scoring"):
    @tampering(f"{name} has a field that nobody knows, signed again", moment, "10")
    def do(a: Attack) -> None:
        a.json(path, change)
        a.sign()


unknown_field("the acceptance", f"runs/{RUN}/acceptance.json", lambda own: own.update(note="x"))
unknown_field("the record of an attempt", f"runs/{RUN}/attempts/{LAST}__001.ended.json", lambda own: own.update(note="x"))
unknown_field("the record of the fetch", "prices/provenance.json", lambda own: own.update(note="x"))
unknown_field("the plan of the run", f"runs/{RUN}/slots.json", lambda own: own.update(note="x"))
