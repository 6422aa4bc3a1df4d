"""Prices, results, corrections, reports and interim figures."""

import json
import shutil

from tampering.attack import Attack
from tampering.events import digest
from tampering.registry import nobody, tampering
from tampering.stage import NAME, RUN, overwrite

AT = f"rounds/{NAME}"
RESULTS = f"runs/{RUN}/results"
FETCH = f"fetch-prices --round {AT} --full-universe --cross-check yahoo"


def fetch_again(a: Attack, more: str = "", at: str | None = None) -> None:
    """The vendor's history is edited and asked for again."""
    a.world.vendors.doctored = {"FXFAR": 0.09}
    try:
        if not a.stock(f"{FETCH} {more}", at):
            weekly = (a.round / "prices/weekly_prices.csv").read_bytes() if (a.round / "prices/weekly_prices.csv").is_file() else None
            a.take(a.scene.dearer, "prices", moment="report")
            if weekly:
                (a.round / "prices/weekly_prices.csv").write_bytes(weekly)
    finally:
        a.world.vendors.doctored = {}


@tampering("prices and results are removed, another history is fetched and scored with the stock commands", "scoring", "2",
           bundled=True)
def other_history(a: Attack) -> None:
    weekly = (a.round / "prices/weekly_prices.csv").read_bytes()
    a.remove("prices")
    fetch_again(a)
    (a.round / "prices/weekly_prices.csv").write_bytes(weekly)
    a.score(a.scene.dearer)
    a.sign()


@tampering("prices and results are removed, another history is fetched, scored, reported and stamped", "report", "2")
def other_history_reported(a: Attack) -> None:
    other_history(a)
    a.stamp()


@tampering("prices are fetched again with --overwrite-prices, results removed and scored without a correction", "scoring", "2")
def overwritten(a: Attack) -> None:
    fetch_again(a, "--overwrite-prices")
    a.score(a.scene.dearer)
    a.sign()


@tampering("exit prices are fetched again with --overwrite-prices before the first score; then the round goes on", "exit", "2")
def overwritten_before_score(a: Attack) -> None:
    fetch_again(a, "--overwrite-prices", "2026-12-15T02:04:00Z")
    a.own_sign() if a.refused else None
    a.go_on()


@tampering("exit prices are removed and other ones fetched before the first score; then the round goes on", "exit", "2")
def replaced_before_score(a: Attack) -> None:
    weekly = (a.round / "prices/weekly_prices.csv").read_bytes()
    a.remove("prices")
    fetch_again(a, at="2026-12-15T02:04:00Z")
    (a.round / "prices/weekly_prices.csv").write_bytes(weekly)
    a.own_sign() if a.refused else None
    a.go_on()


@tampering("the exit sheet is edited by hand with its digests in the record, results removed and scored again", "scoring", "2",
           bundled=True)
def edited_sheet(a: Attack) -> None:
    edit_sheet(a)
    a.score(a.scene.dearer)
    a.sign()


def edit_sheet(a: Attack) -> None:
    before = (a.round / "prices/exit_prices.csv").read_text()
    row = next(line for line in before.splitlines() if line.startswith("FAR_SHARES"))
    cells = row.split(",")
    raised = str(round(float(cells[3]) * 1.1, 4))
    for path in ("prices/exit_prices.csv", "prices/window.csv"):
        a.swap(path, cells[3], raised)
    renew_record(a)


def renew_record(a: Attack) -> None:
    a.json("prices/provenance.json", lambda own: own.update(
        files={path: digest(a.round / path) for path in own["files"] if (a.round / path).is_file()}))


@tampering("the exit sheet is edited by hand, the record removed, and hand-made prices are accepted", "scoring", "2")
def unproved_sheet(a: Attack) -> None:
    edit_sheet(a)
    a.remove("prices/provenance.json", "prices/cross_check.json", "prices/window.csv")
    a.stock(["score-round", "--round", AT, "--correct", "hand-made", "--accept-unproved-prices", "the vendor erred"],
            CAPITALBENCH_TSA_URLS="")
    a.sign()


@tampering("results alone are removed and made again after the exit sheet was edited, without a correction", "report", "2")
def edited_sheet_reported(a: Attack) -> None:
    edit_sheet(a)
    a.score(a.scene.dearer)
    a.sign()


@tampering("results are removed altogether, signed as gone", "scoring", "2")
def results_gone(a: Attack) -> None:
    a.remove(RESULTS)
    a.sign()


def edited(name: str, path: str, old: str, new: str, point: str = "2", moment: str = "scoring", **more):
    """A file changed, signed again."""
    @tampering(f"{name}, signed again", moment, point, **more)
    def do(a: Attack) -> None:
        a.swap(path, old, new)
        if path.startswith("prices/") and path != "prices/provenance.json" and (a.round / "prices/provenance.json").is_file():
            renew_record(a)
        a.sign()


edited("the leaderboard shows another return", f"{RESULTS}/leaderboard.csv", "-0.03100066050198158", "0.04455")
edited("outcomes.json shows another return", f"{RESULTS}/outcomes.json", "-0.03100066050198158", "0.04455")
edited("the returns of an option are changed", f"{RESULTS}/returns.csv", "-0.03100066050198158", "0.04455")
edited("the allocations are changed", f"{RESULTS}/allocations.csv", "FAR_SHARES", "GOLD")
edited("a control's result is changed", f"{RESULTS}/controls.csv", "0.0", "0.1")
edited("the cross-check is changed", "prices/cross_check.json", '"apart_bps": 0.0', '"apart_bps": 0.1', "9")
edited("the second source is renamed", "prices/cross_check.json", '"yahoo"', '"alphavantage"', "9")
edited("the record of the fetch gets another day", "prices/provenance.json", '_utc": "2026-12-15T', '_utc": "2026-12-17T', "9")
edited("the record of the fetch names another vendor's address", "prices/provenance.json", "/tiingo/daily/", "/yahoo/daily/", "9")
edited("a day within the window is changed", "prices/window.csv", "2026-12-09", "2026-12-05")
edited("interim prices are changed", "prices/weekly_prices.csv", "FAR_SHARES", "FAR_SHARE", moment="entry")
edited("interim results are changed", f"{RESULTS}/weekly_performance.csv", "-0.0", "0.0", moment="entry")
edited("the report is changed", f"{RESULTS}/report.md", "beta-large", "delta-large", moment="report", bundled=True)
edited("the chart of the report is changed", f"{RESULTS}/report.svg", "beta-large", "delta-large", moment="report")
edited("the informational entry sheet that was replaced is changed", "prices/replaced/0001/entry_prices.csv", "FXFAR", "FXFA")


@tampering("the informational entry sheet that was replaced is deleted, signed as gone", "scoring", "2")
def replaced_gone(a: Attack) -> None:
    a.remove("prices/replaced")
    a.sign()


def corrected(a: Attack) -> None:
    """An honest correction of the prices."""
    a.world.vendors.doctored = {"FXFAR": -0.02}
    overwrite(a.world, a.folder, "the vendor erred", "2026-12-16T12:00:00Z")
    a.world.vendors.doctored = {}
    a.world.must(a.folder, ["score-round", "--round", AT, "--correct", "the vendor erred"], "2026-12-16T12:05:00Z")
    a.world.must(a.folder, f"publish-report --round {AT}", "2026-12-16T12:10:00Z")
    a.stamp("2026-12-16T12:11:00Z")


@tampering("nothing: a correction with its reason, by the stock commands", "report", "2", honest=True, bundled=True)
def correction(a: Attack) -> None:
    corrected(a)


@tampering("the results that a correction replaced are deleted, signed as gone", "report", "2")
def superseded_gone(a: Attack) -> None:
    corrected(a)
    a.remove(f"{RESULTS}/superseded")
    a.sign()


@tampering("the prices that a correction replaced are deleted, signed as gone", "report", "2")
def replaced_prices_gone(a: Attack) -> None:
    corrected(a)
    shutil.rmtree(a.round / "prices/replaced/0002")
    a.sign()


@tampering("the reason of a correction is changed, signed again", "report", "2")
def other_reason(a: Attack) -> None:
    corrected(a)
    a.swap(f"runs/{RUN}/corrections.jsonl", "the vendor erred", "a typing error")
    a.sign()


@tampering("the line of a correction is deleted, signed again", "report", "2", bundled=True)
def correction_gone(a: Attack) -> None:
    corrected(a)
    a.remove(f"runs/{RUN}/corrections.jsonl")
    a.sign()


@tampering("a correction is written after other results have taken the place", "scoring", "2")
def late_correction(a: Attack) -> None:
    before = a.run / "results/outcomes.json"
    old = digest(before)
    other_history(a)
    line = {"corrected_at_utc": a.at, "reason": "the vendor erred", "kept_in": "results/superseded/0001", "prices": {},
            "values": [], "files": {"results/outcomes.json": {"old_sha256": old, "new_sha256": digest(before)}}}
    (a.run / "corrections.jsonl").write_text(json.dumps(line) + "\n")
    a.sign()


@tampering("a correction that names none of the files it replaced stands before other results", "scoring", "2")
def empty_correction(a: Attack) -> None:
    line = {"corrected_at_utc": "2026-12-16T12:00:00Z", "reason": "a typing error in a name", "kept_in": "results/superseded/0001",
            "prices": {}, "values": [], "files": {}}
    a.take(a.scene.dearer, "prices", moment="report")
    a.take(a.scene.dearer, RESULTS, moment="scoring")
    (a.run / "corrections.jsonl").write_text(json.dumps(line) + "\n")
    a.sign()


@tampering("prices come from a folder of hand-made histories (--source csv) in a real round", "entry", "9")
def from_csv(a: Attack) -> None:
    place = a.folder / "handmade"
    place.mkdir()
    for symbol in a.world.vendors.known:
        a.world.vendors.doctored = {"FXFAR": 0.09}
        rows = [f"{day},{close},{adjusted},100" for day, close, adjusted in a.world.vendors.rows(symbol)]
        (place / f"{symbol}.csv").write_text("date,close,adj_close,volume\n" + "\n".join(rows) + "\n")
    a.world.vendors.doctored = {}
    a.stock(f"fetch-prices --round {AT} --full-universe --source csv --histories handmade", "2026-12-15T02:00:00Z")
    a.stock(f"score-round --round {AT}", "2026-12-15T02:10:00Z")
    a.stock(f"publish-report --round {AT}", "2026-12-15T02:20:00Z")
    a.stamp("2026-12-15T02:21:00Z")
    a.moment, a.at = "report", "2026-12-20T12:00:00Z"


@tampering("another vendor is asked at the exit than was named before (--source yahoo)", "entry", "9")
def other_vendor(a: Attack) -> None:
    a.stock(f"fetch-prices --round {AT} --full-universe --source yahoo", "2026-12-15T02:00:00Z")
    a.stock(f"score-round --round {AT}", "2026-12-15T02:10:00Z")
    a.stock(f"publish-report --round {AT}", "2026-12-15T02:20:00Z")
    a.stamp("2026-12-15T02:21:00Z")
    a.moment, a.at = "report", "2026-12-20T12:00:00Z"


@tampering("the second source is left out at the exit although it was to be asked", "entry", "9",
           hidden=nobody("the rules of this round name no second source"))
def no_cross_check(a: Attack) -> None:
    a.stock(f"fetch-prices --round {AT} --full-universe", "2026-12-15T02:00:00Z")
    a.stock(f"score-round --round {AT}", "2026-12-15T02:10:00Z")
    a.stock(f"publish-report --round {AT}", "2026-12-15T02:20:00Z")
    a.stamp("2026-12-15T02:21:00Z")
    a.moment, a.at = "report", "2026-12-20T12:00:00Z"


@tampering("results are made before the exit close with a clock set forward, the sheet of another day", "entry", "5")
def too_early(a: Attack) -> None:
    a.take(a.scene.dearer, "prices", moment="exit")
    a.take(a.scene.dearer, RESULTS, moment="scoring")
    a.own_sign("2026-12-09T03:00:00Z")


@tampering("an allowance for hand-made prices is left in the folder without the result it allowed", "scoring", "10")
def stray_allowance(a: Attack) -> None:
    (a.round / "prices/unproved_acceptance.json").write_text(json.dumps(
        {"accepted_at_utc": a.at, "reason": "just in case", "files": {}}, indent=2) + "\n")
    a.sign()
