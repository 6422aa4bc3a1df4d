"""The log itself, leaf by leaf, written anew with the key."""

import json
import shutil

from tampering.attack import Attack
from tampering.events import digest, disclose
from tampering.log import canonical
from tampering.readers import NOTHING
from tampering.registry import OWN_CLOCK, tampering, without_checkpoint, without_root
from tampering.stage import NAME, RUN


def anew(name: str, change, moment: str = "report", stamps: str = "own", **more):
    """The leaves are changed, the log signed anew with the true key and stamped by an own clock."""
    @tampering(name, moment, "", **more)
    def do(a: Attack) -> None:
        log = a.log
        log.write([canonical(event) for event in change(log.events())])
        a.restamp(stamps)


def without(wanted):
    return lambda events: [event for event in events if not wanted(event)]


def kind(name: str):
    return lambda event: event["event"] == name


anew("the leaf of the freeze is left out of a log signed anew", without(kind("round.freeze")))
anew("the leaf of the slots is left out of a log signed anew", without(kind("roster.slots")))
anew("the leaf of the acceptance is left out of a log signed anew", without(kind("run.accepted")))
anew("the leaf of one pick is left out of a log signed anew",
     without(lambda event: event.get("file", "").endswith("beta-large.json")))
anew("the leaves of an attempt are left out of a log signed anew", without(lambda event: event.get("model") == "beta-large"))
anew("the leaf of the exit prices is left out of a log signed anew", without(kind("prices.exit")))
anew("the leaf of the score is left out of a log signed anew", without(kind("score")))
anew("the leaf of the report is left out of a log signed anew", without(kind("claim")))
anew("the leaf of the methodology is left out of a log signed anew", without(kind("methodology")))
anew("one inventory is left out of a log signed anew",
     without(lambda event: event["event"] == "round.files" and event["number"] == 2))
anew("a leaf stands twice in a log signed anew", lambda events: events + [events[3]])
anew("an attempt ends twice in a log signed anew",
     lambda events: events + [event for event in events if event.get("model") == "alpha-large" and event["event"] == "attempt.end"])
anew("a leaf is about a round that is not there",
     lambda events: events + [{**events[0], "round": "LEAGUE-2026-11-30-1W"}])
anew("a leaf is of a kind that nobody knows", lambda events: events + [{"at": events[-1]["at"], "event": "round.pardon",
                                                                        "round": NAME, "version": 1}])
anew("a leaf has a member that nobody knows", lambda events: [{**event, "note": "x"} if event["event"] == "score" else event
                                                              for event in events])
anew("a model that was never planned is in the roster of the slots",
     lambda events: [{**event, "models": [*event["models"], "delta-large"]} if event["event"] == "roster.slots" else event
                     for event in events])
anew("the status of a failed attempt is another one in its leaf",
     lambda events: [{**event, "reason": "timeout"} if event.get("status") not in (None, "valid") else event for event in events])
anew("the roster of the freeze lacks a model in its leaf",
     lambda events: [{**event, "roster": event["roster"][:2]} if event["event"] == "round.freeze" else event for event in events])
anew("the deadline of the freeze is later in its leaf",
     lambda events: [{**event, "deadline": "2026-12-07T20:00:00Z"} if event["event"] == "round.freeze" else event
                     for event in events])
anew("a file is sealed with another digest in its first inventory only",
     lambda events: [{**event, "bodies": {**event["bodies"], "research/market_fact_report.md": "0" * 64}}
                     if event["event"] == "round.files" and event["number"] == 1 else event for event in events])
anew("the seal of an answer is another one in the leaf of its attempt",
     lambda events: [{**event, "sealed_answer": "0" * 64} if event["event"] == "attempt.end" and event["model"] == "beta-large"
                     else event for event in events])
anew("the seal of a pick is another one in its leaf",
     lambda events: [{**event, "sealed_submission": "0" * 64} if event.get("file", "").endswith("beta-large.json") else event
                     for event in events])
anew("the seal of the acceptance is another one in its leaf",
     lambda events: [{**event, "sealed_record": "0" * 64} if event["event"] == "run.accepted" else event for event in events])
anew("the seal of the beginning of an attempt is another one in its leaf",
     lambda events: [{**event, "sealed_record": "0" * 64} if event["event"] == "attempt.begin" and event["model"] == "beta-large"
                     else event for event in events])
anew("the name of the program is another one in the leaf of the methodology",
     lambda events: [{**event, "program": "another 9"} if event["event"] == "methodology" else event for event in events],
     hidden={NOTHING: OWN_CLOCK + "; the name of the program proves nothing"})


@tampering("a leaf is changed in its tile, nothing is signed anew", "scoring")
def tile(a: Attack) -> None:
    log = a.log
    file = log.folder / f"tile/entries/000.p/{log.size()}"
    file.write_bytes(file.read_bytes().replace(b"beta-large", b"bets-large", 1))


@tampering("a hash is changed in its tile, nothing is signed anew", "scoring")
def hashes(a: Attack) -> None:
    log = a.log
    file = log.folder / f"tile/0/000.p/{log.size()}"
    content = bytearray(file.read_bytes())
    content[40] ^= 1
    file.write_bytes(content)


@tampering("the log is rolled back to the acceptance, files of later are removed", "report",
           hidden=without_checkpoint("an older state that was signed and stamped; only who saw a later one can know"))
def rolled_back(a: Attack) -> None:
    shutil.rmtree(a.rounds)
    shutil.copytree(a.scene.honest["acceptance"] / "rounds", a.rounds)
    a.reached("acceptance")


@tampering("the checkpoint is rolled back to the acceptance, files stay", "report")
def checkpoint_back(a: Attack) -> None:
    log = a.log
    size = int((a.scene.honest["acceptance"] / "rounds/log/checkpoint").read_text().split("\n")[1])
    (log.folder / "checkpoint").write_text((log.folder / f"checkpoints/{size}").read_text())


@tampering("a kept checkpoint between two others is deleted", "report")
def kept_gone(a: Attack) -> None:
    log = a.log
    (log.folder / f"checkpoints/{log.sizes()[4]}").unlink()


@tampering("a kept checkpoint is signed anew with another root", "report")
def kept_changed(a: Attack) -> None:
    log = a.log
    size = log.sizes()[4]
    text = (log.folder / f"checkpoints/{size}").read_text().split("\n\n")[0].split("\n")
    text[2] = "A" * 43 + "="
    (log.folder / f"checkpoints/{size}").write_text(log.key.sign("\n".join(text) + "\n"))


@tampering("a second log forks off at the acceptance and goes another way", "acceptance", hidden=without_root())
def forked(a: Attack) -> None:
    a.give()
    a.derived()
    a.rewrite("own")


@tampering("the log forks off before the exit prices, which are others; stamps of an own clock", "scoring", hidden=without_root())
def forked_at_exit(a: Attack) -> None:
    a.take(a.scene.dearer, "prices", f"runs/{RUN}/results")
    a.rewrite("own")


@tampering("research is exchanged before the freeze in a history made anew, stamps of an own clock", "report", hidden=without_root())
def other_research(a: Attack) -> None:
    a.text("research/market_fact_report.md", lambda text: text + "\nRates were cut.\n")
    a.json("research/research_hashes.json", lambda own: own["files"].update(
        {"research/market_fact_report.md": digest(a.round / "research/market_fact_report.md")}))
    a.rewrite("own")


@tampering("token counts and cost are others in a history made anew, stamps of an own clock", "report", hidden=without_root())
def other_tokens(a: Attack) -> None:
    a.json(f"runs/{RUN}/attempts/beta-large__001.ended.json", lambda own: own.update(request_id="req_9"))
    a.rewrite("own")


@tampering("the failed first attempt is left out of files and leaves in a history made anew, stamps of an own clock", "report",
           hidden=without_root())
def attempt_never(a: Attack) -> None:
    drop_first_attempt(a)
    log = a.log
    changed = a.changed()
    leaves = []
    for event in log.events():
        if event.get("model") == "gamma-large" and event.get("attempt") == 1:
            continue
        if event.get("model") == "gamma-large":
            event["attempt"] = 1
        if event["event"] == "round.files":
            renamed = {}
            for path, seal in event["bodies"].items():
                if "gamma-large__001" in path:
                    continue
                renamed[path.replace("gamma-large__002", "gamma-large__001")] = seal
            event["bodies"] = renamed
        leaves.append(canonical(event))
    leaves = log.replace(changed, leaves)
    events = [json.loads(leaf) for leaf in leaves]
    for event in events:
        reseal(a, event)
    log.write([canonical(event) for event in events])
    (a.rounds / f"log/salts/{NAME}.json").unlink()
    disclose(a.log, a.round)
    a.restamp("own")


def drop_first_attempt(a: Attack) -> None:
    for end in ("begun.json", "head.json", "answer", "ended.json"):
        first, second = (a.run / f"attempts/gamma-large__00{number}.{end}" for number in (1, 2))
        second.replace(first)
    a.json(f"runs/{RUN}/attempts/gamma-large__001.begun.json", lambda own: own.update(attempt=1))
    lines = [line for line in (a.run / "run_log.jsonl").read_text().splitlines(True)
             if not ('"model_id": "gamma-large"' in line and '"attempt": 1' in line)]
    (a.run / "run_log.jsonl").write_text("".join(lines).replace('"attempt": 2', '"attempt": 1'))
    a.accept_again()


def reseal(a: Attack, event: dict) -> None:
    """Seals of the files that moved."""
    key, stem = a.log.key, f"runs/{RUN}/attempts/gamma-large__001"
    seal = lambda path: key.seal(NAME, path, (a.round / path).read_bytes())  # noqa: E731
    if event["event"] == "round.files":
        event["bodies"] = {path: seal(path) if "gamma-large__001" in path else own for path, own in event["bodies"].items()}
    if event.get("model") == "gamma-large":
        event["sealed_record"] = seal(f"{stem}.{'begun' if event['event'] == 'attempt.begin' else 'ended'}.json")
        if "sealed_answer" in event:
            event["sealed_answer"] = seal(f"{stem}.answer")
