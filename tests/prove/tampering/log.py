"""The log as its owner can write it: leaves, tiles, checkpoints, salts and stamps, without the program."""

import base64
import hashlib
import hmac
import json
import shutil
import subprocess
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from tampering.world import Authority


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def leaf_hash(leaf: bytes) -> bytes:
    return sha(b"\0" + leaf)


def root_of(hashes: list[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    half = 1 << (len(hashes) - 1).bit_length() - 1
    return sha(b"\1" + root_of(hashes[:half]) + root_of(hashes[half:]))


def canonical(event: dict) -> bytes:
    """RFC 8785; names and texts of a log are ASCII or come as they are."""
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


class Key:
    """A private key of a log in its text form."""

    def __init__(self, text: str):
        rest = text.strip().removeprefix("PRIVATE+KEY+")
        self.name, self.hash, key = rest.split("+", 2)
        self.seed = base64.b64decode(key)[1:]

    @classmethod
    def other(cls, name: str, seed: bytes) -> "Key":
        """A key of the attacker's own."""
        key = cls(f"{name}+00000000+{base64.b64encode(bytes([1]) + seed).decode()}")
        key.hash = sha(name.encode() + b"\n\1" + key.public())[:4].hex()
        return key

    def text(self) -> str:
        return f"PRIVATE+KEY+{self.name}+{self.hash}+{base64.b64encode(bytes([1]) + self.seed).decode()}\n"

    def der(self) -> bytes:
        return bytes.fromhex("302e020100300506032b657004220420") + self.seed

    def public(self) -> bytes:
        words = ["openssl", "pkey", "-inform", "DER", "-pubout", "-outform", "DER"]
        return subprocess.run(words, input=self.der(), capture_output=True, check=True).stdout[-32:]

    def vkey(self) -> str:
        return f"{self.name}+{self.hash}+{base64.b64encode(bytes([1]) + self.public()).decode()}\n"

    def sign(self, text: str) -> str:
        """A signed note."""
        with tempfile.TemporaryDirectory() as place:
            key, said, signature = (Path(place) / name for name in ("key", "said", "signature"))
            key.write_bytes(self.der())
            said.write_text(text)
            subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-keyform", "DER", "-inkey", key, "-in", said,
                            "-out", signature], check=True, capture_output=True)
            line = base64.b64encode(bytes.fromhex(self.hash) + signature.read_bytes()).decode()
        return f"{text}\n— {self.name} {line}\n"

    def salt(self, round_id: str, path: str) -> bytes:
        inner = sha(b"capitalbench salts v1\n" + self.seed)
        return hmac.new(inner, f"{round_id}\n{path}".encode(), hashlib.sha256).digest()

    def seal(self, round_id: str, path: str, body: bytes) -> str:
        return sha(self.salt(round_id, path) + body).hex()


class Log:
    """The log of a folder of rounds, as a list of leaves that can be written again."""

    def __init__(self, rounds: Path):
        self.rounds, self.folder = rounds, rounds / "log"
        self.key = Key((rounds / ".capitalbench/keys/log.key").read_text())

    def size(self) -> int:
        return int((self.folder / "checkpoint").read_text().split("\n")[1])

    def sizes(self) -> list[int]:
        return sorted(int(file.name) for file in (self.folder / "checkpoints").iterdir())

    def leaves(self) -> list[bytes]:
        found, size = [], self.size()
        assert size < 256, "one tile is enough here"
        bundle = (self.folder / f"tile/entries/000.p/{size}").read_bytes()
        while bundle:
            length = int.from_bytes(bundle[:2], "big")
            found.append(bundle[2:2 + length])
            bundle = bundle[2 + length:]
        return found

    def events(self) -> list[dict]:
        return [json.loads(leaf) for leaf in self.leaves()]

    def write(self, leaves: list[bytes], sizes: list[int] | None = None, previous: bool = True) -> None:
        """The whole log anew with these leaves and checkpoints of these sizes, or of all; stamps stay where they are."""
        sizes = sorted({size for size in sizes or range(1, len(leaves)) if size <= len(leaves)} | {len(leaves)})
        for name in ("tile", "checkpoints"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        last = 0
        for size in sizes:
            self.tiles(leaves, size)
            last = self.checkpoint(leaves, size, last if previous else 0)
        (self.rounds / ".capitalbench/log/intended").unlink(missing_ok=True)
        for known in (self.rounds / ".capitalbench/log").glob("index*"):
            known.unlink()

    def append(self, leaves: list[bytes]) -> None:
        """Leaves behind those that are there, under one more checkpoint."""
        if leaves:
            before = self.leaves()
            self.tiles(before + leaves, len(before + leaves))
            self.checkpoint(before + leaves, len(before + leaves), len(before))

    def tiles(self, leaves: list[bytes], size: int) -> None:
        own = leaves[:size]
        for kind, content in [("entries", b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in own)),
                              ("0", b"".join(map(leaf_hash, own)))]:
            file = self.folder / f"tile/{kind}/000.p/{size}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def checkpoint(self, leaves: list[bytes], size: int, last: int) -> int:
        root = base64.b64encode(root_of([leaf_hash(leaf) for leaf in leaves[:size]])).decode()
        note = self.key.sign(f"{self.key.name}\n{size}\n{root}\nprevious {last}\n")
        (self.folder / "checkpoints").mkdir(exist_ok=True)
        (self.folder / "checkpoints" / str(size)).write_text(note)
        (self.folder / "checkpoint").write_text(note)
        return size

    def drop_stamps(self) -> None:
        shutil.rmtree(self.folder / "anchors", ignore_errors=True)

    def stamp(self, size: int, authority: Authority, at: str, name: str = "", answer=None) -> None:
        """A stamp of one kept checkpoint by an authority, at whatever its clock is told."""
        note = (self.folder / f"checkpoints/{size}").read_bytes()
        imprint = bytes.fromhex("3031300d060960864801650304020105000420") + sha(note)
        body = bytes.fromhex("020101") + imprint + bytes.fromhex("020811") + sha(note)[:7] + bytes.fromhex("0101ff")
        query = bytes([0x30, len(body)]) + body
        place = self.folder / f"anchors/{size}"
        place.mkdir(parents=True, exist_ok=True)
        name = name or f"127.0.0.1_{authority.url.rsplit(':')[-1].split('/')[0]}"
        authority.moved.set(at)
        (place / f"{name}.tsq").write_bytes(query)
        (place / f"{name}.tsr").write_bytes((answer or authority.stamp)(query))

    def trust(self, authority: Authority, name: str = "root") -> None:
        """Whose clocks the operator proposes."""
        (self.folder / "roots").mkdir(exist_ok=True)
        (self.folder / f"roots/{name}.pem").write_bytes(authority.root.read_bytes())

    def instants(self) -> dict[int, str]:
        """For every kept checkpoint an instant after everything below it, a minute later."""
        told = [event["at"][:19] for event in self.events()]
        return {size: later(max(told[:size])) for size in self.sizes()}

    def replace(self, changed: dict[str, str], leaves: list[bytes] | None = None) -> list[bytes]:
        """The leaves with other digests in the place of theirs."""
        made = []
        for leaf in leaves or self.leaves():
            text = leaf.decode()
            for old, new in changed.items():
                text = text.replace(old, new)
            made.append(canonical(json.loads(text)))
        return made


def later(instant: str, by: int = 1) -> str:
    """An instant some minutes later, to the second."""
    whole = datetime.fromisoformat(instant[:19])
    return (whole + timedelta(minutes=by)).strftime("%Y-%m-%dT%H:%M:%SZ")
