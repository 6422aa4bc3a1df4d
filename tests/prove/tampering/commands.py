"""What the other commands make of a tampered folder: publishing, caches, allowances."""

import json
import shutil
import struct
import time
from pathlib import Path

from tampering.attack import Attack
from tampering.registry import Told, tampering
from tampering.stage import AFTER, NAME, RUN

AT = f"rounds/{NAME}"
RESULTS = f"runs/{RUN}/results"


def refuses(name: str, words: str, spoil, moment: str = "report", point: str = "6"):
    """A command that publishes must not publish what does not follow from the answers."""
    @tampering(name, moment, point)
    def do(a: Attack) -> Told:
        spoil(a)
        done = a.world.run(a.folder, words, AFTER)
        said = (done.stderr or done.stdout).strip().splitlines()
        shown = published(a)
        told = f"exit {done.returncode}: {said[0][:120] if said else ''}"
        return Told(done.returncode != 0 or not shown, told.strip() if shown or done.returncode else "published without it")


def published(a: Attack) -> bool:
    """Whether the invented figure came out anywhere."""
    for place in ("out", "boards"):
        for file in (a.folder / place).rglob("*"):
            if file.is_file() and any(mark in file.read_bytes() for mark in (b"0.04455", b"4.455", b"4.46 %", b"4.46%")):
                return True
    return False


def edited_leaderboard(a: Attack) -> None:
    a.swap(f"{RESULTS}/leaderboard.csv", "-0.03100066050198158", "0.04455")
    a.own_sign()


def edited_parsed(a: Attack) -> None:
    """A parsed file that does not follow, scored, signed: 4.455 % in place of -3.1 %."""
    a.swap(f"runs/{RUN}/submissions/parsed/beta-large.json", '"option_id": "FAR_SHARES"', '"option_id": "GOLD"')
    for path in ("leaderboard.csv", "outcomes.json", "allocations.csv"):
        file = a.round / RESULTS / path
        file.write_text(file.read_text().replace("-0.03100066050198158", "0.04455"))
    a.own_sign()


SITE = "build-site --rounds-dir rounds --output out --base-url https://x.example --as-of 2026-12-20T12:00:00Z"
for _what, _spoil in [("an edited leaderboard.csv", edited_leaderboard), ("a parsed file that was edited", edited_parsed)]:
    refuses(f"publish-latest of {_what}", "publish-latest --rounds-dir rounds --output out --as-of 2026-12-20", _spoil)
    refuses(f"publish-cumulative of {_what}", "publish-cumulative --rounds-dir rounds --output out --as-of 2026-12-20", _spoil)
    refuses(f"build-site of {_what}", SITE, _spoil)
    refuses(f"export of {_what}", "export --rounds-dir rounds --output out --as-of 2026-12-20", _spoil)


@tampering("score-round with a parsed file that does not follow from the answer", "exit", "6")
def scores_edited(a: Attack) -> Told:
    a.swap(f"runs/{RUN}/submissions/parsed/beta-large.json", "FAR_SHARES", "GOLD")
    done = a.stock(f"score-round --round {AT}", "2026-12-15T02:10:00Z")
    scored = (a.round / RESULTS / "leaderboard.csv").is_file()
    return Told(not done and not scored, a.refused[0][:140] if a.refused else "scored")


@tampering("resolve-due with a parsed file that does not follow from the answer", "entry", "6")
def resolves_edited(a: Attack) -> Told:
    a.swap(f"runs/{RUN}/submissions/parsed/beta-large.json", "FAR_SHARES", "GOLD")
    a.stock("resolve-due --rounds-dir rounds", "2026-12-15T02:10:00Z")
    scored = (a.round / RESULTS / "leaderboard.csv").is_file()
    return Told(not scored, "scored" if scored else a.refused[0][:140] if a.refused else "not scored")


def checksum(content: bytes) -> bytes:
    """The unkeyed sum that kept figures once had; anybody can compute it."""
    factor, most = 0x9E3779B97F4A7C15, (1 << 64) - 1
    state = len(content) * factor & most
    whole = len(content) // 8 * 8
    for word in [*struct.unpack(f"<{whole // 8}Q", content[:whole]), *content[whole:]]:
        mixed = (state ^ word) * factor & most
        state = mixed ^ (mixed >> 29)
    return struct.pack("<Q", state)


def settled(folder: Path) -> None:
    """Files that are too young are not kept; the copy is a few seconds old."""
    time.sleep(max(0.0, 2.3 - (time.time() - folder.stat().st_ctime)))


def poisoned(name: str, words: str):
    @tampering(name, "report", "7")
    def do(a: Attack) -> Told:
        more = {"CAPITALBENCH_NO_CACHE": ""}
        look = lambda: outcome(a, a.world.run(a.folder, words, AFTER, **more))  # noqa: E731
        settled(a.folder)
        look()
        shutil.rmtree(a.folder / "out", ignore_errors=True)
        honest = look()
        spoiled = 0
        for file in (a.rounds / ".capitalbench/cache").rglob("*"):
            content = file.read_bytes() if file.is_file() else b""
            changed = content[:-8].replace(struct.pack("<d", -0.03100066050198158), struct.pack("<d", 0.04455))
            if content and changed != content[:-8]:
                file.write_bytes(changed + checksum(changed))
                spoiled += 1
        shutil.rmtree(a.folder / "out", ignore_errors=True)
        told = look()
        return Told(told == honest, f"{spoiled} kept files poisoned, the answer stays" if told == honest
                    else f"{spoiled} kept files poisoned, another answer")


def outcome(a: Attack, done) -> list:
    files = sorted((str(file.relative_to(a.folder)), file.read_bytes()) for file in (a.folder / "out").rglob("*") if file.is_file())
    return [done.returncode, done.stdout, files]


poisoned("kept figures in the received folder are poisoned: leaderboard", "leaderboard --rounds-dir rounds --as-of 2026-12-20 --json")
poisoned("kept figures in the received folder are poisoned: export", "export --rounds-dir rounds --output out --as-of 2026-12-20")
poisoned("kept figures in the received folder are poisoned: build-site", SITE)


@tampering("an allowance for hand-made prices stays although the scoring it allowed failed", "exit", "10")
def failed_allowance(a: Attack) -> Told:
    a.remove("prices/provenance.json", "prices/window.csv", "prices/cross_check.json")
    a.swap("prices/exit_prices.csv", "FAR_SHARES,FXFAR", "FAR_AWAY,FXFAR")
    a.stock(["score-round", "--round", AT, "--accept-unproved-prices", "in haste"], "2026-12-15T02:10:00Z")
    left = (a.round / "prices/unproved_acceptance.json").is_file()
    scored = (a.round / RESULTS / "leaderboard.csv").is_file()
    return Told(scored or not left, "left behind" if left and not scored else "written only with its result")


@tampering("an allowance for differing sources stays although the scoring it allowed failed", "exit", "10")
def failed_cross_check(a: Attack) -> Told:
    a.swap("prices/exit_prices.csv", "FAR_SHARES,FXFAR", "FAR_AWAY,FXFAR")
    a.json("prices/cross_check.json", lambda own: own["beyond_tolerance"].append("GOLD"))
    a.json("prices/provenance.json", lambda own: own["files"].clear())
    a.stock(["score-round", "--round", AT, "--accept-cross-check", "in haste"], "2026-12-15T02:10:00Z")
    left = (a.round / "prices/cross_check_acceptance.json").is_file()
    scored = (a.round / RESULTS / "leaderboard.csv").is_file()
    return Told(scored or not left, "left behind" if left and not scored else "written only with its result")


@tampering("a word in the ledger that nobody knows lets a model be asked again (run-round --resume)", "asking", "10")
def asked_again(a: Attack) -> Told:
    a.json(f"runs/{RUN}/attempts/beta-large__001.ended.json", lambda own: own.update(status="failed", reason="perhaps"))
    a.remove(f"runs/{RUN}/run_manifest.yaml")  # so that the run is not finished
    before = len(list((a.run / "attempts").glob("beta-large__*.begun.json")))
    a.stock(f"run-round --round {AT} --models models.yaml --pricing prices.yaml --run-type official --run-id {RUN} --resume "
            "--allow-real-api-calls --yes --quiet --retry-pause 0", "2026-12-06T10:33:00Z")
    after = len(list((a.run / "attempts").glob("beta-large__*.begun.json")))
    return Told(after == before and bool(a.refused), a.refused[0][:140] if a.refused and after == before else f"asked {after} times")


@tampering("another host answers for a provider than was asked when the roster was frozen", "freeze", "9")
def other_host(a: Attack) -> None:
    text = (a.folder / "models.yaml").read_text()
    (a.folder / "models.yaml").write_text(text.replace("127.0.0.1", "localhost"))
    a.go_on()


@tampering("the address that was asked is told by no record of the attempt", "asking", "9")
def no_address(a: Attack) -> Told:
    records = [json.loads(file.read_text()) for file in (a.run / "attempts").glob("*.begun.json")]
    told = all(any("127.0.0.1" in str(value) for value in record.values()) for record in records)
    return Told(told, "every record names the address" if told else "no record names the address")
