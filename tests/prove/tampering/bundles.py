"""Bundles taken apart and put together again."""

import io
import json
import os
import subprocess
import tarfile
from pathlib import Path
from typing import Callable

from tampering.attack import Attack
from tampering.readers import KEY, NOTHING, verified
from tampering.registry import Told, tampering
from tampering.stage import NAME, RUN


def opened(file: Path) -> dict[str, bytes]:
    plain = subprocess.run(["zstd", "-d", "-c", str(file)], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(plain)) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive.getmembers() if member.isfile()}


def closed(files: dict[str, bytes], file: Path) -> None:
    space = io.BytesIO()
    with tarfile.open(fileobj=space, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(files[name]), 0o644
            archive.addfile(member, io.BytesIO(files[name]))
        end = archive.offset
    # Two empty blocks end an archive; Python would fill up a tape.
    subprocess.run(["zstd", "-q", "-f", "-", "-o", str(file)], input=space.getvalue()[:end] + bytes(1024), check=True)


def rebundled(name: str, change: Callable[[dict[str, bytes]], None], moment: str = "scoring", point: str = "3"):
    """A bundle with other files in it, for a reader who brought key and root and one who brought nothing."""
    @tampering(f"{name} (bundle)", moment, point)
    def do(a: Attack) -> Told:
        file = a.folder / "round.tar.zst"
        a.world.must(a.folder, f"bundle rounds/{NAME} --output {file}")
        files = opened(file)
        closed(files, file)
        honest = verified(a.world, file, [], a.at)
        assert honest.exit == 0, honest
        change(files)
        closed(files, file)
        looks = {reader: verified(a.world, file, words, a.at) for reader, words in
                 [(NOTHING, []), (KEY, ["--key", str(a.rounds / "log/vkey"), "--tsa-root", str(a.world.authority.root)])]}
        codes = {reader: look.beyond(honest) for reader, look in looks.items()}
        words = {reader: ", ".join(f"`{code}`" for code in codes[reader][:2]).replace("`refused`", "cannot be read (exit 2)")
                 or looks[reader].level for reader in codes}
        same = len(set(words.values())) == 1
        return Told(all(codes.values()), words[NOTHING] if same else f"{words[NOTHING]}; with key and root {words[KEY]}")


def without(start: str) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        gone = [name for name in files if name.startswith(start)]
        assert gone
        for name in gone:
            del files[name]
    return change


def withheld(path: str) -> Callable[[dict[str, bytes]], None]:
    """A file is left out, and the bundle says that it is not public."""
    def change(files: dict[str, bytes]) -> None:
        del files[f"{NAME}/{path}"]
        told = json.loads(files["bundle.json"])
        told["withheld"].append(path)
        files["bundle.json"] = json.dumps(told).encode()
    return change


def edited(path: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        assert old in files[path], path
        files[path] = files[path].replace(old, new)
    return change


rebundled("the log is left out", without("log/"))
rebundled("the stamps are left out", without("log/anchors/"))
rebundled("the stamp of the freeze is left out", without("log/anchors/3/"))
rebundled("the salts are left out", without("log/salts/"))
rebundled("an answer that everybody may read is said to be withheld",
          withheld(f"runs/{RUN}/attempts/beta-large__001.answer"), point="1")
rebundled("the results are said to be withheld", withheld(f"runs/{RUN}/results/leaderboard.csv"), point="2")
rebundled("a submission is said to be withheld", withheld(f"runs/{RUN}/submissions/raw/beta-large.json"), moment="acceptance",
          point="1")
rebundled("a result is changed", edited(f"{NAME}/runs/{RUN}/results/leaderboard.csv", b"-0.031", b"0.0445"), point="2")
rebundled("a file of a round that nobody knows is added", lambda files: files.update({f"{NAME}/research/more.md": b"x"}), point="1")
rebundled("a file outside of round and log is added", lambda files: files.update({"elsewhere/x": b"x"}), point="10")


@tampering("a bundle of less than 100 kB that unpacks to a gigabyte", "scoring", "10")
def bomb(a: Attack) -> Told:
    file = a.folder / "bomb.tar.zst"
    with subprocess.Popen(["zstd", "-q", "-f", "-", "-o", str(file)], stdin=subprocess.PIPE) as packing:
        block = bytes(1 << 20)
        for _ in range(1100):
            packing.stdin.write(block)
    with subprocess.Popen([a.world.binary, "verify", str(file), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=a.world.environment(), cwd=a.folder) as looking:
        _, status, used = os.wait4(looking.pid, 0)
        looking.returncode = os.waitstatus_to_exitcode(status)
    told = f"{file.stat().st_size // 1024} kB, exit {looking.returncode}, {used.ru_maxrss // 1024} MB of memory"
    return Told(looking.returncode == 2 and used.ru_maxrss < 300 * 1024, told)
