"""The promise of the manifest, and who vouches for a clock."""

import shutil

from tampering.attack import Attack
from tampering.events import digest
from tampering.log import Key, Log
from tampering.readers import CHECKPOINT, KEY, NOTHING
from tampering.registry import NEVER_SEEN, OWN_CLOCK, nobody, tampering, without_root
from tampering.stage import AFTER, MOMENTS, NAME, RUN, asking, started, step
from tampering.world import Authority

for _moment in MOMENTS:
    _level = "proved" if _moment not in ("freeze", "asking") else ""

    @tampering(f"nothing: the folder as it was after the {_moment}", _moment, "", honest=True, level=_level, bundled=True)
    def untouched(a: Attack) -> None:
        pass


def without_log(moment: str, **more):
    @tampering("the whole log is deleted", moment, "3", **more)
    def do(a: Attack) -> None:
        shutil.rmtree(a.rounds / "log")


without_log("freeze", hidden={NOTHING: "nobody was asked yet, so that nothing was promised by then"})
without_log("asking")
without_log("acceptance")
without_log("entry")
without_log("exit")
without_log("scoring")


@tampering("the whole log is deleted and an empty one put in its place", "scoring", "3")
def empty_log(a: Attack) -> None:
    vkey = (a.rounds / "log/vkey").read_text()
    shutil.rmtree(a.rounds / "log")
    (a.rounds / "log").mkdir()
    (a.rounds / "log/vkey").write_text(vkey)


@tampering("the log of another folder stands beside the round", "scoring", "3")
def foreign_log(a: Attack) -> None:
    other = a.folder / "other"
    started(a.world, other)
    step(a.world, other, "freeze")
    shutil.rmtree(a.rounds / "log")
    shutil.copytree(other / "rounds/log", a.rounds / "log")
    shutil.rmtree(other)


@tampering("the round's own leaves are left out of the log, which is signed anew", "scoring", "3")
def own_leaves_gone(a: Attack) -> None:
    log = a.log
    log.write([leaf.replace(NAME.encode(), b"LEAGUE-2026-11-30-1W") for leaf in log.leaves()])
    a.restamp("none")


def without_stamps(name: str, moment: str, gone, point: str = "3", **more):
    @tampering(name, moment, point, **more)
    def do(a: Attack) -> None:
        for place in (a.rounds / "log/anchors").iterdir():
            if gone(int(place.name)):
                shutil.rmtree(place)


without_stamps("the stamp of the freeze is deleted", "scoring", lambda size: size < 14, bundled=True)
without_stamps("the stamp of the freeze is deleted after asking", "asking", lambda size: size < 14)
without_stamps("the stamps of the picks are deleted", "scoring", lambda size: 14 < size < 25)
without_stamps("every stamp is deleted", "scoring", lambda size: True, bundled=True)
without_stamps("every stamp is deleted right after the acceptance", "acceptance", lambda size: True)
without_stamps("the stamp of the result is deleted", "report", lambda size: size > 25,
               hidden=nobody("a stamp of the result is not promised; its instant is the operator's word, and the verdict says so"))


@tampering("the promise is taken out of the manifest after asking, digests renewed, signed again", "asking", "3")
def no_promise(a: Attack) -> None:
    a.swap("manifest.yaml", "proof: anchored\n", "")
    a.json("hashes.json", lambda own: own["files"].update({"manifest.yaml": digest(a.round / "manifest.yaml")}))
    a.sign()


@tampering("the round is played anew without a promise, a key and a log", "scoring", "3",
           hidden={NOTHING: "without a promise and without a log nothing speaks of either; the verdict is unsigned"})
def no_promise_no_log(a: Attack) -> None:
    shutil.rmtree(a.folder)
    started(a.world, a.folder, "none")
    at = f"rounds/{NAME}"
    for words, instant in [(f"hash-round --round {at}", "2026-12-06T10:10:00Z"), (asking(), "2026-12-06T10:20:00Z"),
                           (f"accept-run --round {at} --run-id {RUN}", "2026-12-06T10:40:00Z"),
                           (f"fetch-prices --round {at} --full-universe --cross-check yahoo", "2026-12-15T02:00:00Z"),
                           (f"score-round --round {at}", "2026-12-15T02:10:00Z")]:
        a.world.must(a.folder, words, instant)


@tampering("the salts are deleted", "scoring", "3")
def no_salts(a: Attack) -> None:
    shutil.rmtree(a.rounds / "log/salts")


@tampering("the salt of one file is taken out of the list", "scoring", "3")
def one_salt(a: Attack) -> None:
    file = a.rounds / f"log/salts/{NAME}.json"
    lines = [line for line in file.read_text().splitlines(True) if f"runs/{RUN}/attempts/beta-large__001.answer" not in line]
    file.write_text("".join(lines))


@tampering("a whole round is made up in seconds with an own key and an own authority", "report", "4", bundled=True,
           hidden={NOTHING: "a new key and clock for a reader who kept neither; the verdict names the authority and is one step "
                            "below PROVED"})
def fabricated(a: Attack) -> None:
    shutil.rmtree(a.folder)
    world = a.world
    world.models.picks["beta-large"] = [("GOLD", 100)]
    started(world, a.folder)
    for moment in MOMENTS:
        step(world, a.folder, moment, a.scene.own)
    world.models.picks = dict(world.models.PICKS)


@tampering("a whole round is made up in seconds with the true key and an own authority", "report", "4", hidden=without_root())
def fabricated_same_key(a: Attack) -> None:
    key, vkey = ((a.rounds / name).read_bytes() for name in (".capitalbench/keys/log.key", "log/vkey"))
    shutil.rmtree(a.folder)
    world = a.world
    world.models.picks["beta-large"] = [("GOLD", 100)]
    started(world, a.folder)
    (a.rounds / ".capitalbench/keys/log.key").write_bytes(key)
    (a.rounds / "log/vkey").write_bytes(vkey)
    for moment in MOMENTS:
        step(world, a.folder, moment, a.scene.own)
    world.models.picks = dict(world.models.PICKS)


@tampering("all stamps are replaced by those of an own authority, whose root is shipped", "scoring", "4", hidden=without_root(),
           bundled=True)
def own_stamps(a: Attack) -> None:
    a.restamp("own")


@tampering("a stamp of an own authority is added beside the others, with its root", "scoring", "4",
           hidden=nobody("it counts for nobody who did not vouch for it, and the stamps of the others stay"))
def added_stamp(a: Attack) -> None:
    log = a.log
    log.trust(a.scene.own, "clock")
    log.stamp(3, a.scene.own, "2026-12-06T10:10:30Z", "clock.example")


def by_certificate(name: str, extensions: str, **more):
    @tampering(name, "scoring", "4", **more)
    def do(a: Attack) -> None:
        clock = Authority(a.folder / "clock", a.world.moved)
        # The reader vouches for the root; its key signs a certificate that is for something else.
        for part in ("root.key", "root.pem"):
            shutil.copyfile(a.world.authority.folder / part, clock.folder / part)
        clock.certify(extensions)
        log = a.log
        log.drop_stamps()
        for size, at in log.instants().items():
            log.stamp(size, clock, at, "clock.example", clock.stamp_otherwise)


by_certificate("stamps are signed with a TLS certificate below a root that readers vouch for",
               "basicConstraints = critical,CA:false\nkeyUsage = critical,digitalSignature\nextendedKeyUsage = serverAuth",
               bundled=True)
by_certificate("stamps are signed with a certificate below that root whose usage is not marked critical",
               "basicConstraints = critical,CA:false\nkeyUsage = critical,digitalSignature\nextendedKeyUsage = timeStamping")
by_certificate("stamps are signed with a certificate below that root for time stamping and TLS alike",
               "basicConstraints = critical,CA:false\nkeyUsage = critical,digitalSignature\n"
               "extendedKeyUsage = critical,timeStamping,serverAuth")


@tampering("the stamp of a later checkpoint is put in the place of an earlier one's", "scoring", "4")
def moved_stamp(a: Attack) -> None:
    anchors = a.rounds / "log/anchors"
    for ending in ("tsq", "tsr"):
        source, target = (next((anchors / size).glob(f"*.{ending}")) for size in ("19", "3"))
        shutil.copyfile(source, target)


@tampering("a byte of a stamp's instant is changed", "scoring", "4")
def edited_stamp(a: Attack) -> None:
    file = next((a.rounds / "log/anchors/19").glob("*.tsr"))
    file.write_bytes(file.read_bytes().replace(b"20261206", b"20261205"))


@tampering("a stamp's question asks about something else than its answer", "scoring", "4")
def other_question(a: Attack) -> None:
    file = next((a.rounds / "log/anchors/19").glob("*.tsq"))
    bytes_ = bytearray(file.read_bytes())
    bytes_[-12] ^= 1
    file.write_bytes(bytes_)


@tampering("a stamp's answer is deleted, its question stays", "scoring", "4")
def no_answer(a: Attack) -> None:
    next((a.rounds / "log/anchors/19").glob("*.tsr")).unlink()


@tampering("the roots beside the log are deleted", "scoring", "4", hidden={
    KEY: "who brings the root needs none beside the log", CHECKPOINT: "who brings the root needs none beside the log"})
def no_roots(a: Attack) -> None:
    shutil.rmtree(a.rounds / "log/roots")


@tampering("another key signs the whole log anew, leaves and stamps as they are", "scoring", "4")
def other_key(a: Attack) -> None:
    log = a.log
    log.key = Key.other(log.key.name, b"\3" * 32)
    (a.rounds / "log/vkey").write_text(log.key.vkey())
    log.write(log.leaves())


@tampering("another key signs the whole log anew, stamped by an own authority, seals of the old key", "scoring", "4",
           hidden={NOTHING: OWN_CLOCK})
def other_key_stamped(a: Attack) -> None:
    log = a.log
    other = Key.other(log.key.name, b"\3" * 32)
    leaves = log.leaves()
    (a.rounds / "log/vkey").write_text(other.vkey())
    file = a.rounds / ".capitalbench/keys/log.key"
    file.write_text(other.text())
    Log(a.rounds).write(leaves)
    a.restamp("own")


@tampering("the true authority is asked for the stamps only after the result, for a history made anew", "report", "4")
def late_stamps(a: Attack) -> None:
    a.give()
    a.derived()
    a.take(a.scene.better, f"runs/{RUN}/results")
    a.rewrite("today")


@tampering("history is made anew with other answers and stamped by an own authority", "report", "4", hidden=without_root(),
           bundled=True)
def rewritten_own_stamps(a: Attack) -> None:
    a.give()
    a.derived()
    a.take(a.scene.better, f"runs/{RUN}/results")
    a.rewrite("own")


@tampering("history is made anew with other answers, without stamps", "report", "4")
def rewritten_no_stamps(a: Attack) -> None:
    a.give()
    a.derived()
    a.take(a.scene.better, f"runs/{RUN}/results")
    a.rewrite("none")


@tampering("history is made anew with other answers, with the stamps of then", "report", "4")
def rewritten_old_stamps(a: Attack) -> None:
    a.give()
    a.derived()
    a.take(a.scene.better, f"runs/{RUN}/results")
    a.rewrite("keep")


@tampering("folder and key are copied after the freeze, both copies play on with true stamps, the better one is shown",
           "freeze", "12", hidden=nobody(NEVER_SEEN))
def two_copies(a: Attack) -> None:
    shutil.rmtree(a.folder)
    shutil.copytree(a.scene.better["report"], a.folder)
    a.moment, a.at = "report", AFTER


@tampering("folder and key are copied, the better copy is shown, and a checkpoint of the other one was seen", "asking", "12",
           hidden={NOTHING: NEVER_SEEN, KEY: NEVER_SEEN})
def two_copies_seen(a: Attack) -> None:
    two_copies(a)
