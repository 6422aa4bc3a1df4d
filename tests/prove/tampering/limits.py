"""Where the rules end: the tail of a log, what is in no log, and what a proxy can do."""

import base64
import hashlib
import json
import shutil

from tampering.attack import BEST, LAST, Attack
from tampering.events import sign
from tampering.order import accept, second_run, take_over
from tampering.registry import REWRITTEN, nobody, tampering, without_checkpoint
from tampering.stage import NAME, RUN, asking, started, step

AT = f"rounds/{NAME}"


def back_to(a: Attack, moment: str) -> int:
    """The log as it was at a moment, with the stamps of then; the files stay. Its size."""
    shutil.rmtree(a.rounds / "log")
    shutil.copytree(a.scene.honest[moment] / "rounds/log", a.rounds / "log")
    (a.rounds / ".capitalbench/log/intended").unlink(missing_ok=True)
    return a.log.size()


@tampering("the tail of the log is written anew from the exit prices on, with other prices; earlier stamps stay", "report", "2",
           hidden=without_checkpoint(REWRITTEN))
def other_tail(a: Attack) -> None:
    back_to(a, "entry")
    a.take(a.scene.dearer, "prices", f"runs/{RUN}/results")
    a.remove(f"runs/{RUN}/results/report.md", f"runs/{RUN}/results/report.svg")
    sign(a.log, a.round, "2026-12-15T02:12:00Z")


@tampering("the tail of the log is written anew from the acceptance on, with other answers; earlier stamps stay", "report", "1")
def other_acceptance(a: Attack) -> None:
    back_to(a, "asking")
    a.give()
    a.derived()
    a.take(a.scene.better, f"runs/{RUN}/results")
    a.own_sign()


@tampering("the tail of the log is written anew from the acceptance on, with other submissions for the same answers", "report", "1")
def other_picks(a: Attack) -> None:
    back_to(a, "asking")
    kept = {file: file.read_bytes() for file in (a.run / "attempts").iterdir()}
    a.give()
    a.derived()
    for file, content in kept.items():
        file.write_bytes(content)
    a.take(a.scene.better, f"runs/{RUN}/results")
    a.own_sign()


@tampering("another run is asked and accepted after the entry close, with the clock set back before it", "entry", "5")
def accepted_after_entry(a: Attack) -> None:
    second_run(a, "2026-12-06T10:45:00Z")
    accept(a, "2026-12-06T10:52:00Z")
    a.stamp("2026-12-09T02:50:00Z")


@tampering("in a round that promises only signatures another run is accepted after the entry sheet, clock set back", "entry", "5")
def signed_only(a: Attack) -> None:
    key, vkey = ((a.rounds / name).read_bytes() for name in (".capitalbench/keys/log.key", "log/vkey"))
    shutil.rmtree(a.folder)
    started(a.world, a.folder, "signed")
    (a.rounds / ".capitalbench/keys/log.key").write_bytes(key)
    (a.rounds / "log/vkey").write_bytes(vkey)
    for moment in ("freeze", "asking", "acceptance", "entry"):
        step(a.world, a.folder, moment)
    second_run(a, "2026-12-06T10:45:00Z")
    accept(a, "2026-12-06T10:52:00Z")
    a.at = "2026-12-09T03:00:00Z"


@tampering("in a round that promises only signatures another run is accepted after the score, clock set back", "scoring", "5")
def signed_only_after_score(a: Attack) -> None:
    key, vkey = ((a.rounds / name).read_bytes() for name in (".capitalbench/keys/log.key", "log/vkey"))
    shutil.rmtree(a.folder)
    started(a.world, a.folder, "signed")
    (a.rounds / ".capitalbench/keys/log.key").write_bytes(key)
    (a.rounds / "log/vkey").write_bytes(vkey)
    for moment in ("freeze", "asking", "acceptance", "entry", "exit", "scoring"):
        step(a.world, a.folder, moment)
    second_run(a, "2026-12-06T10:45:00Z")
    accept(a, "2026-12-06T10:52:00Z")
    take_over(a)


@tampering("a correction of another run stands before other prices and results of the record", "scoring", "2")
def foreign_correction(a: Attack) -> None:
    second_run(a, "2026-12-06T10:45:00Z", better=False)
    line = {"corrected_at_utc": "2026-12-16T12:00:00Z", "reason": "a typing error", "kept_in": "results/superseded/0001",
            "prices": {}, "values": [], "files": {}}
    if (a.round / "runs/official-2").is_dir():
        (a.round / "runs/official-2/corrections.jsonl").write_text(json.dumps(line) + "\n")
    a.own_sign()
    a.take(a.scene.dearer, "prices", moment="report")
    a.take(a.scene.dearer, f"runs/{RUN}/results", moment="scoring")
    a.sign()


@tampering("an unaccepted run's answers are changed, signed again", "acceptance", "1")
def unaccepted_run(a: Attack) -> None:
    a.world.models.stumbles = {}
    a.stock(asking(NAME, "official-2"), "2026-12-06T10:52:00Z")
    stem = f"runs/official-2/attempts/{LAST}__001"
    a.swap(f"{stem}.answer", "FAR_SHARES", "GOLD")
    a.swap(f"{stem}.ended.json", "FAR_SHARES", "GOLD")
    a.sign("2026-12-06T10:54:00Z")


@tampering("interim closes of a day are fetched again with other values (--overwrite-snapshot)", "entry", "2",
           hidden=nobody("interim figures are provisional and enter no score; the log shows that they changed"))
def other_interim(a: Attack) -> None:
    a.world.vendors.doctored = {"FXFAR": 0.09}
    a.stock("update-interim-performance --rounds-dir rounds --snapshot-date 2026-12-08 --track all --overwrite-snapshot",
            "2026-12-09T02:40:00Z")
    a.world.vendors.doctored = {}


@tampering("the comparison sets beside the rounds are changed", "report",
           hidden=nobody("they are the operator's choice, stand in no log, and the page of proofs says so"))
def other_sets(a: Attack) -> None:
    (a.rounds / "benchmark_sets.yaml").write_text("benchmark_sets: []\n")


@tampering("a witness's key is added that nobody knows", "report",
           hidden=nobody("a witness who signed nothing vouches for nothing"))
def added_witness(a: Attack) -> None:
    name, key = "w.example", bytes([4]) + bytes.fromhex("8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c")
    digest = hashlib.sha256(f"{name}\n".encode() + key).hexdigest()[:8]
    (a.rounds / "log/witnesses").write_text(f"{name}+{digest}+{base64.b64encode(key).decode()}\n")


@tampering("a proxy of the operator spoils an answer that does not please, so that it is asked for again", "freeze", "12",
           hidden=nobody("how a call failed is the operator's word; retries are counted and shown"))
def spoiled_answer(a: Attack) -> None:
    a.world.models.stumbles = {"gamma-large": 1, LAST: 1}
    a.world.must(a.folder, asking(), "2026-12-06T10:20:00Z")
    a.world.stamp(a.folder, "2026-12-06T10:30:00Z")
    a.reached("asking")
    a.go_on()


@tampering("a proxy of the operator answers in the place of a provider", "freeze", "12",
           hidden=nobody("that an answer came from a provider is proved by no log; hosts are frozen and recorded"))
def proxied(a: Attack) -> None:
    a.world.models.picks[LAST] = BEST
    step(a.world, a.folder, "asking")
    a.world.models.picks = dict(a.world.models.PICKS)
    a.reached("asking")
    a.go_on()
