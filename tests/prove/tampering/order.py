"""The order over the whole round: several runs, late acceptances, instants that run backwards."""

import json
import shutil

from tampering.attack import BEST, LAST, Attack
from tampering.events import digest
from tampering.log import canonical
from tampering.readers import NOTHING
from tampering.registry import OWN_CLOCK, Told, nobody, tampering
from tampering.stage import NAME, RUN, asking

AT = f"rounds/{NAME}"


def second_run(a: Attack, at: str, name: str = "official-2", better: bool = True) -> bool:
    """The models are asked once more, and one of them answers better; on a copy of the frozen folder where the program
    refuses."""
    if better:
        a.world.models.picks[LAST] = BEST
    a.world.models.stumbles = {}
    try:
        if a.stock(asking(NAME, name), at):
            return True
        copy = a.folder.parent / f"{a.folder.name}-{name}"
        shutil.copytree(a.scene.honest["freeze"], copy, symlinks=True)
        a.world.must(copy, asking(NAME, name), at)
        shutil.copytree(copy / "rounds" / NAME / "runs" / name, a.round / "runs" / name)
        shutil.rmtree(copy)
        return True
    finally:
        a.world.models.picks = dict(a.world.models.PICKS)


def accept(a: Attack, at: str, run: str = "official-2", more: str = "--supersede --reason late", recorded: str = "",
           stamps: str = "") -> None:
    """Another run is accepted: by the program, or by a changed one that writes the same file."""
    place = a.round / "runs" / run
    a.stock(f"accept-run --round {AT} --run-id {run} {more} {f'--now {recorded}' if recorded else ''}", at,
            CAPITALBENCH_TSA_URLS=stamps)
    if not (place / "run_log.jsonl").is_file() or (place / "acceptance.json").is_file():
        return
    own = json.loads((a.run / "acceptance.json").read_text())
    raw = sorted(file.name for file in (place / "submissions/raw").glob("*.json") if not file.name.startswith("_"))
    own.update(run_id=run, accepted_at_utc=recorded or at, run_log_sha256=digest(place / "run_log.jsonl"), supersedes=RUN,
               submissions={f"submissions/raw/{file}": digest(place / f"submissions/raw/{file}") for file in raw})
    (place / "acceptance.json").write_text(json.dumps(own, indent=2, sort_keys=True) + "\n")
    a.own_sign(at)


def take_over(a: Attack, run: str = "official-2") -> None:
    """The results of the other run are the ones that are shown."""
    if not (a.round / "runs" / run).is_dir():
        return  # the program would not even ask
    if not a.stock(f"score-round --round {AT} --run-id {run}", CAPITALBENCH_TSA_URLS=""):
        source = a.scene.better["scoring"] / "rounds" / NAME / f"runs/{RUN}/results"
        shutil.copytree(source, a.round / f"runs/{run}/results", dirs_exist_ok=True)
    job = a.round / "automation/resolution_job.yaml"
    job.write_text(job.read_text().replace(f"run_id: {RUN}", f"run_id: {run}"))
    a.sign()


@tampering("another run is asked and accepted after scoring, with the clock set back before the entry", "scoring", "5")
def accepted_after_score(a: Attack) -> None:
    second_run(a, "2026-12-06T10:45:00Z")
    accept(a, "2026-12-06T10:52:00Z")
    take_over(a)


@tampering("four official runs after scoring; the best one is accepted with --now in the past", "scoring", "5")
def four_runs(a: Attack) -> None:
    for number in (2, 3, 4):
        second_run(a, f"2026-12-06T10:4{number}:00Z", f"official-{number}", better=number == 4)
    accept(a, a.at, "official-4", recorded="2026-12-06T10:50:00Z")
    take_over(a, "official-4")


@tampering("another run is accepted after the exit prices and before the score, clock set back; then the round goes on", "exit", "5")
def accepted_after_exit(a: Attack) -> None:
    second_run(a, "2026-12-06T10:45:00Z")
    accept(a, "2026-12-06T10:52:00Z")
    a.go_on()


@tampering("another run is accepted after the entry close, with its true instant", "entry", "5")
def accepted_after_entry(a: Attack) -> None:
    second_run(a, "2026-12-06T10:45:00Z")
    accept(a, "2026-12-08T12:00:00Z")


@tampering("another run takes the place of the accepted one before the entry, and no reason is given", "acceptance", "5")
def superseded_silently(a: Attack) -> None:
    second_run(a, "2026-12-06T11:00:00Z")
    accept(a, "2026-12-06T11:10:00Z", more="--supersede", stamps=a.world.authority.url)
    a.at = "2026-12-06T11:30:00Z"
    a.stamp("2026-12-06T11:11:00Z")


@tampering("a run that was never accepted is scored after scoring, beside the record", "scoring", "5")
def scored_beside(a: Attack) -> None:
    second_run(a, "2026-12-06T10:45:00Z")
    source = a.scene.better["scoring"] / "rounds" / NAME / f"runs/{RUN}/results"
    shutil.copytree(source, a.round / "runs/official-2/results", dirs_exist_ok=True)
    a.sign()


@tampering("a run is asked after the record was accepted and left aside", "acceptance", "5")
def asked_beside(a: Attack) -> None:
    second_run(a, "2026-12-06T11:00:00Z")
    a.sign("2026-12-06T11:10:00Z")
    a.at = "2026-12-06T11:30:00Z"


@tampering("a run that was asked and did not please is deleted and signed as gone; another one is accepted", "asking", "5")
def run_gone(a: Attack) -> None:
    second_run(a, "2026-12-06T10:33:00Z")
    a.remove(f"runs/{RUN}")
    a.stock(f"accept-run --round {AT} --run-id official-2", "2026-12-06T10:40:00Z")
    a.sign("2026-12-06T10:41:00Z")
    a.stamp("2026-12-06T10:42:00Z")
    a.at = "2026-12-06T10:50:00Z"


@tampering("a second run is asked and kept out of the folder and of the log", "asking", "12",
           hidden=nobody("nobody saw the question; a log proves what is in it, not what is not"))
def never_logged(a: Attack) -> None:
    a.go_on()


@tampering("the inputs are frozen again after asking, with another deadline", "asking", "5")
def frozen_again(a: Attack) -> None:
    a.swap("manifest.yaml", "2026-12-07T14:25:00Z", "2026-12-07T14:20:00Z")
    a.json("hashes.json", lambda own: own["files"].update({"manifest.yaml": digest(a.round / "manifest.yaml")}))
    a.sign()
    a.go_on()


@tampering("the roster is frozen again without the model that failed", "asking", "5")
def roster_again(a: Attack) -> None:
    a.swap("manifest.yaml", "- gamma-large\n", "")
    a.json("hashes.json", lambda own: own["files"].update({"manifest.yaml": digest(a.round / "manifest.yaml")}))
    a.sign()
    a.go_on()


def dated(name: str, moment: str, wanted, instant: str, **more):
    """Instants of some leaves are others; the log is signed anew and stamped by an own clock."""
    @tampering(name, moment, "5", **more)
    def do(a: Attack) -> None:
        log = a.log
        leaves = []
        for event in log.events():
            if wanted(event):
                event["at"] = instant
            leaves.append(canonical(event))
        log.write(leaves)
        a.restamp("own")


def is_kind(*kinds: str):
    return lambda event: event["event"] in kinds


dated("the log says that the freeze came after the first question", "report", is_kind("round.freeze", "methodology"),
      "2026-12-06T10:25:00Z")
dated("the log says that the score came before the exit prices", "report", is_kind("score"), "2026-12-15T01:30:00Z")
dated("the log says that the picks were accepted before the last answer", "report", is_kind("run.accepted", "pick.accepted"),
      "2026-12-06T10:15:00Z")
dated("the log says that the picks were accepted after the entry close", "report", is_kind("run.accepted", "pick.accepted"),
      "2026-12-07T22:00:00Z")
dated("the log says that the exit prices came before the exit close", "report", is_kind("prices.exit"), "2026-12-10T02:00:00Z")
dated("the log says that a report came before the score", "report", is_kind("claim"), "2026-12-10T02:00:00Z",
      hidden={NOTHING: OWN_CLOCK + "; a report's instant proves nothing"})
dated("the log says that an attempt ended before it began", "report",
      lambda event: event["event"] == "attempt.end" and event["model"] == LAST, "2026-12-06T10:19:00Z")
dated("the log says that an inventory was made a day before the files", "report", is_kind("round.files"), "2026-12-05T02:00:00Z",
      hidden={NOTHING: OWN_CLOCK})


@tampering("a leaf claims an instant after a stamp that covers it", "report", "5")
def after_stamp(a: Attack) -> None:
    log = a.log
    instants, leaves = log.instants(), []
    for event in log.events():
        if event["event"] == "prices.entry":
            event["at"] = "2026-12-16T00:00:00Z"
        leaves.append(canonical(event))
    log.write(leaves)
    a.restamp("own", instants)


def placed(name: str, wanted, before, moment: str = "report", **more):
    """Leaves stand elsewhere in the log, which is signed anew and stamped by an own clock."""
    @tampering(name, moment, "5", **more)
    def do(a: Attack) -> None:
        log = a.log
        known = log.events()
        moved = [event for event in known if wanted(event)]
        rest = [event for event in known if not wanted(event)]
        place = next((at for at, event in enumerate(rest) if before(event)), len(rest))
        log.write([canonical(event) for event in rest[:place] + moved + rest[place:]])
        a.restamp("own")


placed("the freeze stands behind the answers", is_kind("round.freeze"), is_kind("run.accepted"))
placed("the acceptance stands before the last answer", is_kind("run.accepted", "pick.accepted"),
       lambda event: event["event"] == "attempt.end" and event.get("model") == "gamma-large")
placed("the score stands before the acceptance", is_kind("score"), is_kind("run.accepted"))
placed("the score stands before the exit prices", is_kind("score"), is_kind("prices.exit"))
placed("the second attempt stands before the first", lambda event: event.get("attempt") == 2,
       lambda event: event.get("model") == "gamma-large" and event.get("attempt") == 1)
placed("the acceptance stands behind the exit prices", is_kind("run.accepted", "pick.accepted"), is_kind("score"))
placed("the plan of the slots stands behind the answers", is_kind("roster.slots"), is_kind("run.accepted"))


@tampering("commands that write a record are given an instant of the past with --now", "asking", "5")
def told_instant(a: Attack) -> Told:
    a.stock(f"accept-run --round {AT} --run-id {RUN} --now 2026-12-06T10:31:00Z", "2026-12-06T18:00:00Z")
    written = (a.run / "acceptance.json").is_file()
    return Told(not written, "the instant is recorded as if it were true" if written else "accept-run refuses --now")


@tampering("resolve-due with --now far ahead takes a round that another worker holds", "entry", "5")
def live_lease(a: Attack) -> Told:
    place = a.round / "automation"
    number = max([int(file.stem.split("-")[1]) for file in place.glob("lease-*.json")] + [0]) + 1
    lease = {"acquired_at_utc": "2026-12-15T02:00:00Z", "expires_at_utc": "2026-12-15T02:10:00Z", "host": "elsewhere",
             "heartbeat_at_utc": "2026-12-15T02:00:00Z", "owner": "another", "pid": 1, "released_at_utc": None}
    (place / f"lease-{number:06d}.json").write_text(json.dumps(lease, indent=2) + "\n")
    before = {file.name for file in place.iterdir()}
    done = a.world.run(a.folder, "resolve-due --rounds-dir rounds --now 2026-12-15T03:00:00Z", "2026-12-15T02:01:00Z")
    new = {file.name for file in place.iterdir()} - before
    took = any(name.startswith("lease-") for name in new)
    return Told(not took, "the lease stays with its worker" if not took else f"taken, exit {done.returncode}")
