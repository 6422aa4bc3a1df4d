"""What an honest operator may do, and nobody may object to; and what no log can show."""

import shutil

from tampering.attack import Attack
from tampering.registry import nobody, tampering
from tampering.stage import AFTER, NAME, RUN, asking, overwrite

AT = f"rounds/{NAME}"


def must(a: Attack, words: str | list[str], at: str, **more: str) -> None:
    a.world.must(a.folder, words, at, **more)


@tampering("nothing: research is changed and the inputs are frozen again before anybody was asked", "freeze", honest=True)
def frozen_again(a: Attack) -> None:
    (a.folder / "facts.md").write_text((a.folder / "facts.md").read_text() + "\nRates were left as they are.\n")
    a.remove("hashes.json")
    for name in ("research", "briefing.md", "model_input.md"):
        if (a.round / name).exists():
            a.remove(name)
    must(a, f"import-research --round {AT} --market-fact-report facts.md --audit-report audit.md --final-briefing briefing.md "
            "--research-cutoff-utc 2026-12-06T09:00:00Z", "2026-12-06T10:11:20Z")
    must(a, f"hash-round --round {AT}", "2026-12-06T10:12:00Z")
    a.world.stamp(a.folder, "2026-12-06T10:13:00Z")
    a.go_on()


@tampering("nothing: interim results of one more day", "entry", honest=True, level="proved")
def another_day(a: Attack) -> None:
    must(a, "update-interim-performance --rounds-dir rounds --snapshot-date 2026-12-09 --track all", "2026-12-10T02:00:00Z")
    a.at = "2026-12-10T03:00:00Z"
    a.world.stamp(a.folder, "2026-12-10T02:30:00Z")


@tampering("nothing: the report is published once more a day later", "report", honest=True, level="proved", bundled=True)
def reported_again(a: Attack) -> None:
    must(a, f"publish-report --round {AT}", "2026-12-16T02:20:00Z")
    a.world.stamp(a.folder, "2026-12-16T02:21:00Z")


@tampering("nothing: score-round, hash-round and anchor once more", "report", honest=True, level="proved")
def everything_again(a: Attack) -> None:
    must(a, f"score-round --round {AT}", "2026-12-16T02:20:00Z")
    must(a, f"hash-round --round {AT}", "2026-12-16T02:21:00Z")
    a.world.stamp(a.folder, "2026-12-17T02:21:00Z")


@tampering("nothing: a run of replicates beside the record", "acceptance", honest=True)
def replicates(a: Attack) -> None:
    a.world.models.stumbles = {}
    must(a, asking(NAME, "stability-1").replace("official --run-id", "stability --replicates 2 --run-id"), "2026-12-06T10:52:00Z")
    a.world.stamp(a.folder, "2026-12-06T10:54:00Z")
    a.go_on()


@tampering("nothing: results are corrected and return to what they were", "report", honest=True, bundled=True)
def returned(a: Attack) -> None:
    for day, gain, why in [("16", {"FXFAR": -0.02}, "the vendor erred"), ("17", {}, "the vendor had been right")]:
        a.world.vendors.doctored = gain
        overwrite(a.world, a.folder, why, f"2026-12-{day}T12:00:00Z")
        a.world.vendors.doctored = {}
        must(a, ["score-round", "--round", AT, "--correct", why], f"2026-12-{day}T12:05:00Z")
    must(a, f"publish-report --round {AT}", "2026-12-17T12:10:00Z")
    a.world.stamp(a.folder, "2026-12-17T12:11:00Z")


@tampering("nothing: the round is resolved by resolve-due", "acceptance", honest=True)
def resolved(a: Attack) -> None:
    must(a, "resolve-due --rounds-dir rounds --cross-check yahoo", "2026-12-15T02:00:00Z")
    a.world.stamp(a.folder, "2026-12-15T02:21:00Z")
    a.reached("report")
    a.at = AFTER


@tampering("nothing: a second round begins in the same folder and log", "report", honest=True, level="proved")
def second_round(a: Attack) -> None:
    other = "LEAGUE-2026-12-28-1W"
    must(a, ["init-round", "--round-id", other, "--horizon", "one week", "--universe", "options.yaml", "--models", "models.yaml",
             "--proof", "anchored", "--decision-deadline", "2026-12-28T14:25:00Z"], "2026-12-16T09:05:00Z")
    must(a, f"import-research --round rounds/{other} --market-fact-report facts.md --audit-report audit.md "
            "--final-briefing briefing.md --research-cutoff-utc 2026-12-16T09:00:00Z", "2026-12-16T09:10:00Z")
    must(a, f"fetch-universe-performance --round rounds/{other} --as-of-date 2026-12-14", "2026-12-16T09:15:00Z")
    must(a, f"hash-round --round rounds/{other}", "2026-12-16T10:10:00Z")


@tampering("a provider answers with another model than it names", "freeze", "12",
           hidden=nobody("only the name that the provider gives is recorded; no log can look behind it"))
def other_model(a: Attack) -> None:
    a.go_on()


@tampering("vendors are asked several times, and only the most pleasing answer is stored and signed", "entry", "12",
           hidden=nobody("what was asked and thrown away before the first exit prices were signed is told by nothing"))
def asked_until_pleased(a: Attack) -> None:
    place = a.folder / "thrown-away"
    shutil.copytree(a.rounds, place / "rounds")
    a.world.vendors.doctored = {"FXFAR": 0.09}
    a.world.must(place, f"fetch-prices --round {AT} --full-universe --cross-check yahoo", "2026-12-15T01:50:00Z")
    a.world.vendors.doctored = {}
    shutil.rmtree(place)
    a.go_on()


@tampering("universe, roster and prompt are chosen after trying many in private, then frozen", "freeze", "12",
           hidden=nobody("nothing is public before the freeze; what was tried before it is told by nothing"))
def chosen_before(a: Attack) -> None:
    a.go_on()


@tampering("the operator's own clock is an hour slow while the models are asked", "freeze", "12",
           hidden=nobody("instants between two stamps are the operator's word; stamps bound them from both sides"))
def slow_clock(a: Attack) -> None:
    a.world.models.stumbles = {"gamma-large": 1}
    a.world.must(a.folder, asking(), "2026-12-06T10:20:00Z")
    a.world.stamp(a.folder, "2026-12-06T11:20:00Z")
    a.moment = "asking"
    a.world.must(a.folder, f"accept-run --round {AT} --run-id {RUN}", "2026-12-06T11:40:00Z")
    a.world.stamp(a.folder, "2026-12-06T11:50:00Z")
    a.moment, a.at = "acceptance", "2026-12-06T12:00:00Z"


