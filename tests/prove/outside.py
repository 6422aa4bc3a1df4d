"""Who stands outside a folder of rounds: a clock that stamps, and a database."""

import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

AUTHORITY = """
[req]
distinguished_name = name
prompt = no
[name]
CN = Prove
[root]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[stamper]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = here
[here]
serial = ./serial
signer_cert = ./stamper.pem
certs = ./root.pem
signer_key = ./stamper.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
"""


class Nobody:
    """A command that asks nobody."""

    def prepare(self, folder: Path) -> None:
        """Before every disturbance."""

    def environment(self, folder: Path) -> dict[str, str]:
        return {}

    def check(self, binary: str, folder: Path) -> str:
        """What does not hold once the command went through; empty when all does."""
        return ""


class Played(Nobody):
    """A demo, whose rounds stand beside those of the folder."""

    def check(self, binary: str, folder: Path) -> str:
        judged = subprocess.run([binary, "verify", "played/rounds"], cwd=folder, capture_output=True, text=True)
        return "" if judged.returncode == 0 else f"verify played/rounds: {judged.stdout[-300:]}"


class Clock(Nobody):
    """A time stamp authority on the loopback, made with openssl."""

    def __init__(self, base: Path):
        self.folder = base / "authority"
        self.folder.mkdir()
        (self.folder / "authority.cnf").write_text(AUTHORITY)
        (self.folder / "serial").write_text("01\n")
        kind = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        self.openssl(f"req -new -x509 {kind} -config authority.cnf -subj /CN=Root -extensions root -days 36500 "
                     "-keyout root.key -out root.pem")
        self.openssl(f"req -new {kind} -config authority.cnf -subj /CN=Stamper -keyout stamper.key -out stamper.csr")
        self.openssl("x509 -req -in stamper.csr -CA root.pem -CAkey root.key -CAcreateserial -days 36500 "
                     "-extfile authority.cnf -extensions stamper -out stamper.pem")
        signing = threading.Lock()
        clock = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                query = self.rfile.read(int(self.headers["content-length"]))
                with signing:
                    reply = clock.stamp(query)
                try:
                    self.send_response(200)
                    self.send_header("content-type", "application/timestamp-reply")
                    self.send_header("content-length", str(len(reply)))
                    self.end_headers()
                    self.wfile.write(reply)
                except OSError:
                    pass  # who asked is gone

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/tsr"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def openssl(self, words: str) -> None:
        subprocess.run(["openssl", *words.split()], cwd=self.folder, capture_output=True, check=True)

    def stamp(self, query: bytes) -> bytes:
        (self.folder / "query.tsq").write_bytes(query)
        self.openssl("ts -reply -config authority.cnf -queryfile query.tsq -out reply.tsr")
        return (self.folder / "reply.tsr").read_bytes()

    def environment(self, folder: Path) -> dict[str, str]:
        return {"CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES": "1"}

    def check(self, binary: str, folder: Path) -> str:
        stamps = list((folder / "rounds/log/anchors").rglob("*.tsr"))
        return "" if stamps else "no stamp was kept"


class Database:
    """A PostgreSQL on the loopback, as an ordinary user, with one database per folder."""

    def __init__(self, base: Path, more: tuple[str, ...] = ()):
        self.programs = programs()
        self.folder = base / "postgres"
        self.folder.mkdir()
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(self.folder, self.user)
            # Only that user's own folder is his; he must be able to reach it.
            base.chmod(0o755)
        self.call("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D", "d")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = ["listen_addresses=127.0.0.1", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
                    "autovacuum=off", *more]
        words = [word for setting in settings for word in ("-c", setting)]
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", "d", "-k", self.folder, "-p", str(self.port), *words],
                cwd=self.folder, user=self.user, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        for _ in range(500):
            if b"ready to accept connections" in (self.folder / "log").read_bytes():
                break
            time.sleep(0.02)
        else:
            raise AssertionError((self.folder / "log").read_text())

    def call(self, program: str, *words) -> None:
        done = subprocess.run([self.programs / program, *words], cwd=self.folder, user=self.user,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def ask(self, *statements: str) -> None:
        words = [word for statement in statements for word in ("-c", statement)]
        self.call("psql", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", *words)

    def url(self, name: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}?sslmode=disable"

    def fresh(self, name: str, template: str) -> None:
        self.ask(f'drop database if exists "{name}" with (force)', f'create database "{name}" template "{template}"')

    def cpu(self) -> float:
        """CPU seconds of the connections that have ended."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[13]) + int(words[14])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


class Empty(Nobody):
    """A database without tables: what `db migrate` starts from."""

    template = "template0"

    def __init__(self, database: Database):
        self.database = database

    def prepare(self, folder: Path) -> None:
        self.database.fresh(folder.name, self.template)

    def environment(self, folder: Path) -> dict[str, str]:
        return {"DATABASE_URL": self.database.url(folder.name)}

    def check(self, binary: str, folder: Path) -> str:
        return self.told(binary, folder, "db", "check")

    def told(self, binary: str, folder: Path, *words: str) -> str:
        done = subprocess.run([binary, *words], cwd=folder, env={**os.environ, **self.environment(folder)},
                              capture_output=True, text=True)
        return "" if done.returncode == 0 else f"{' '.join(words)}: {done.stdout[-200:]}{done.stderr[-200:]}"


class Migrated(Empty):
    """A database with the tables of this program and nothing in them: what `sync-web` starts from."""

    template = "ready"

    def __init__(self, database: Database, binary: str):
        super().__init__(database)
        database.fresh("ready", "template0")
        place = database.folder.parent / "ready"
        place.mkdir()
        migrated = self.told(binary, place, "db", "migrate")
        assert not migrated, migrated

    def check(self, binary: str, folder: Path) -> str:
        """The database equals the folder: another sync finds nothing to write."""
        words = [binary, "sync-web", "--rounds-dir", "rounds", "--include-cumulative", "--as-of", "2026-10-28", "--json"]
        done = subprocess.run(words, cwd=folder, env={**os.environ, **self.environment(folder)}, capture_output=True,
                              text=True)
        if done.returncode != 0:
            return f"sync-web again: {done.stderr[-200:]}"
        written = json.loads(done.stdout)["rows_written"]
        return f"{written} rows differed from the folder" if written else super().check(binary, folder)


class Working(Empty):
    """The tables of this program for a worker, who puts the jobs of the folder there."""

    template = Migrated.template

    def check(self, binary: str, folder: Path) -> str:
        """Every round is resolved, and the boards count it though the worker that resolved it was killed."""
        words = [binary, "automation-status", "--rounds-dir", "rounds", "--json"]
        jobs = json.loads(subprocess.run(words, cwd=folder, capture_output=True, text=True).stdout)["jobs"]
        boards = b"".join(path.read_bytes() for path in (folder / "boards").rglob("*") if path.is_file())
        for job in jobs:
            if job["status"] != "succeeded":
                return f"{job['round_id']}: {job['status']}"
            if job["round_id"].encode() not in boards:
                return f"{job['round_id']} is on no board"
        return super().check(binary, folder)


def programs() -> Path:
    """Where PostgreSQL lies: on the path, else in Debian's folder of the newest version."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    assert versions, "PostgreSQL is missing; install the package postgresql"
    return versions[-1].parent
