"""What `serve` takes of memory, and what one hostile peer takes from the others."""

import json
import re
import resource
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from report import Row
from scale import maker

PORT = 8483
MOST_ARCHIVE, MOST_LARGE = 120, 500  # megabytes
LARGE = 10_000  # rounds
HEADS = 4_200


def started(binary: str, rounds: str, as_of: str, seconds: float) -> subprocess.Popen:
    server = subprocess.Popen([binary, "serve", "--rounds-dir", rounds, "--as-of", as_of, "--listen", f"127.0.0.1:{PORT}"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/healthz").read()
            return server
        except OSError:
            time.sleep(0.1)
    stopped(server)
    raise AssertionError(f"serve does not answer within {seconds:.0f} s")


def stopped(server: subprocess.Popen) -> None:
    if server.poll() is None:
        server.terminate()
        server.wait()


def megabytes(server: subprocess.Popen) -> tuple[float, float]:
    """Now, and at most so far."""
    text = Path(f"/proc/{server.pid}/status").read_text()
    return tuple(int(re.search(rf"{name}:\s+(\d+)", text).group(1)) / 1024 for name in ["VmRSS", "VmHWM"])


def taken(path: str, packed: bool) -> bytes:
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}/{path}", headers={"accept-encoding": "gzip"} if packed else {})
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def listed(path: str) -> list[str]:
    """Every page of a sitemap, or of those that it lists."""
    pages = [re.sub(r"^https?://[^/]+/", "", page) for page in re.findall(r"<loc>([^<]+)", taken(path, False).decode())]
    return [inner for page in pages for inner in (listed(page) if page.endswith(".xml") else [page])]


def crawled(most: int) -> int:
    """Reads pages of the sitemap, data, tables and files of rounds, plain and packed, up to so many answers."""
    pages = listed("sitemap.xml")
    rounds = [found.group(1) for page in pages if (found := re.fullmatch(r"rounds/([^/]+)/", page))]
    def paths():
        yield from pages[: most // 2]
        yield from (f"data/{name}" for name in ["publication.json", "outcomes.json", "rounds.csv", "capitalbench-data.tar.gz"])
        yield from (f"api/v1/{name}" for name in ["metadata", "outcomes?limit=1000", "option_returns?cursor=5000", "rounds"])
        for name in rounds:
            for file in json.loads(taken(f"rounds/{name}/files.json", False))["files"]:
                yield f"rounds/{name}/files/{file['path']}"
    count = 0
    for path in paths():
        if count >= most:
            break
        try:
            taken(path, False), taken(path, True)
        except urllib.error.HTTPError:
            continue  # a name that has to be escaped in an address
        count += 1
    return count


def memory(binary: str, rounds: str, as_of: str, named: str, most: int) -> Row:
    server = started(binary, rounds, as_of, 600)
    try:
        (first, _), count = megabytes(server), crawled(6_000)
        now, highest = megabytes(server)
    finally:
        stopped(server)
    figure = f"{first:.0f} MB once it stands, {now:.0f} MB after {count:,} pages and files were read twice, {highest:.0f} MB at most"
    return Row(f"memory of serve, {named}", figure, f"at most {most} MB", highest <= most, [figure])


def asked(source: str) -> float:
    """How long one answer takes for a peer at that address."""
    start = time.perf_counter()
    with socket.create_connection(("127.0.0.1", PORT), timeout=60, source_address=(source, 0)) as peer:
        peer.sendall(b"GET /index.html HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        text = b""
        while more := peer.recv(1 << 16):
            text += more
    assert text.startswith(b"HTTP/1.1 200"), text[:80]
    return time.perf_counter() - start


def flood() -> Row:
    """Half-sent heads from one address; how long others wait meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    waits, held, over = [], [], threading.Event()

    def others():
        while not over.is_set():
            waits.append(asked("127.0.0.2"))
            time.sleep(0.01)

    asking = threading.Thread(target=others)
    asking.start()
    try:
        for _ in range(HEADS):
            try:
                peer = socket.create_connection(("127.0.0.1", PORT), timeout=5)
                peer.sendall(b"GET / HTTP/1.1\r\nhost: ")
                held.append(peer)
            except OSError:
                pass  # turned away
        time.sleep(3)
    finally:
        over.set()
        asking.join()
        for peer in held:
            peer.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    longest = max(waits) * 1000
    figure = f"{len(waits)} answers to another address meanwhile, the slowest after {longest:.0f} ms"
    return Row(f"{HEADS:,} half-sent heads from one address", figure, "at most 500 ms", longest <= 500, [figure])


def dripping() -> Row:
    """A peer that takes one byte a second of large files."""
    start = time.monotonic()
    with socket.socket() as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.settimeout(10)
        peer.connect(("127.0.0.1", PORT))
        # So often that no buffer of the system holds all answers.
        peer.sendall(b"GET /data/publication.json HTTP/1.1\r\nhost: x\r\n\r\n" * 40)
        ended = False
        while time.monotonic() - start < 90 and not ended:
            try:
                ended = not peer.recv(1)
                # What the system still holds for us arrives after the server has given up; a reset tells at once.
                peer.send(b"")
            except OSError:
                ended = True
            ended = ended or not alive(peer.getsockname()[1])
            time.sleep(1)
    took = time.monotonic() - start
    figure = f"ended after {took:.0f} s" if ended else f"not ended after {took:.0f} s"
    return Row("a reader of one byte a second", figure, "ended within 60 s", ended and took <= 60, [figure])


def alive(port: int) -> bool:
    """Whether the server still has its end of a connection from that port."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        local, remote, state = line.split()[1:4]
        if int(local.split(":")[1], 16) == PORT and int(remote.split(":")[1], 16) == port and state == "01":
            return True
    return False


def peers(binary: str, rounds: str) -> list[Row]:
    server = started(binary, rounds, "2026-08-21", 60)
    try:
        return [flood(), dripping()]
    finally:
        stopped(server)


def serving(binary: str, rounds: str) -> list[Row]:
    rows = [memory(binary, rounds, "2026-08-21", "the archive", MOST_ARCHIVE), *peers(binary, rounds)]
    with tempfile.TemporaryDirectory(prefix="prove-serve-", ignore_cleanup_errors=True) as folder:
        subprocess.run([maker(binary), "--rounds", str(LARGE), "--models", "3", "--seed", "1", "--output", "rounds"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        large = str(Path(folder) / "rounds")
        rows.append(memory(binary, large, "2036-12-31", f"{LARGE:,} synthetic rounds", MOST_LARGE))
    return rows
