"""A PostgreSQL of its own, as an ordinary user, gone with its folder."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

SETTINGS = ["listen_addresses=127.0.0.1", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
            "autovacuum=off", "shared_buffers=512MB", "max_wal_size=2GB"]


def programs() -> Path | None:
    """On the path, else in Debian's folder of the newest version."""
    places = [Path(place) for place in os.environ.get("PATH", "").split(":")]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = (place for place in places if (place / "postgres").is_file() and (place / "initdb").is_file())
    return next(found, None)


class Server:
    def __init__(self, place: Path | None):
        tools = programs()
        if tools is None:
            raise FileNotFoundError("PostgreSQL is not installed")
        self.folder = Path(tempfile.mkdtemp(prefix="prove-pg-", dir=place))
        self.process = None
        self.user: dict = {}
        try:
            if os.geteuid() == 0:  # PostgreSQL refuses to run as root
                owner = pwd.getpwnam("postgres")
                os.chown(self.folder, owner.pw_uid, owner.pw_gid)
                self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
            subprocess.run([tools / "initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
                            "-D", "d"], cwd=self.folder, stdout=subprocess.DEVNULL, check=True, **self.user)
            self.start(tools)
        except BaseException:
            self.stop()
            raise

    def start(self, tools: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        self.process = subprocess.Popen([tools / "postgres", "-D", "d", "-k", self.folder, "-p", str(self.port), *settings],
                                        cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.user)
        for _ in range(500):
            time.sleep(0.02)
            if subprocess.run([tools / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode == 0:
                return
        raise TimeoutError("PostgreSQL does not answer")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres?sslmode=disable"

    def cpu(self) -> float:
        """CPU seconds of the connections that have ended."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[13]) + int(words[14])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(3)  # at once
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
