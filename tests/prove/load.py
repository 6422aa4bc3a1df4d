"""`serve` for minutes under a mixed load with slow readers, beside nginx; and its end by SIGTERM."""

import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from report import Row

SERVE, NGINX = ("127.0.0.1", 8481), ("127.0.0.1", 8482)
PATHS = ["/index.html", "/verify/index.html", "/rounds/index.html", "/data/rounds.csv", "/data/outcomes.json",
         "/feed.atom", "/sitemap.xml"]
LUA = """
local paths = {%s}
local at = 0
request = function()
  at = at %% #paths + 1
  return wrk.format("GET", paths[at], {["accept-encoding"] = "gzip"})
end
done = function(summary, latency, requests)
  io.write(string.format("PROVE %%d %%d %%.3f %%.3f %%.3f %%d\\n", summary.requests, summary.duration,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency:percentile(99.9) / 1000,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status
    + summary.errors.timeout))
end
"""
CONFIG = """
{user}worker_processes 2;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 1024; }}
http {{
  include /etc/nginx/mime.types;
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; gzip_static on;
  open_file_cache max=4000;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen {host}:{port}; root {site}; }}
}}
"""


def memory(pid: int) -> float:
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def reached(address) -> None:
    for _ in range(400):
        try:
            urllib.request.urlopen(f"http://{address[0]}:{address[1]}/index.html").read()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"nobody answers at {address}")


def wrk(address, script: Path, seconds: int) -> tuple[float, float, float, float, int]:
    """Requests a second, then milliseconds at 50, 99 and 99.9 %, and errors."""
    text = subprocess.run(["wrk", "-t2", "-c64", f"-d{seconds}s", "-s", str(script),
                           f"http://{address[0]}:{address[1]}"], capture_output=True, text=True, check=True).stdout
    count, micros, p50, p99, p999, errors = re.search(r"PROVE (.*)", text).group(1).split()
    return int(count) / int(micros) * 1e6, float(p50), float(p99), float(p999), int(errors)


class SlowReaders:
    """Peers that take a few bytes now and then, or say nothing at all."""

    def __init__(self, address, count: int):
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.read, args=(address, n), daemon=True) for n in range(count)]
        for thread in self.threads:
            thread.start()

    def read(self, address, number: int) -> None:
        while not self.stop.is_set():
            try:
                with socket.create_connection(address, timeout=30) as peer:
                    if number % 3:
                        peer.sendall(b"GET /data/publication.json HTTP/1.1\r\nhost: x\r\n\r\n")
                    while not self.stop.wait(0.5) and (number % 3 == 0 or peer.recv(100)):
                        pass
            except OSError:
                self.stop.wait(0.5)

    def end(self) -> None:
        self.stop.set()


def load(binary: str, rounds: str, base: Path, seconds: int) -> list[Row]:
    missing = [tool for tool in ["nginx", "wrk"] if not shutil.which(tool)]
    if missing:
        return [Row("serve under load", f"not run: {' and '.join(missing)} not installed", "60 % of nginx", None, [])]
    site = base / "site"
    subprocess.run([binary, "build-site", "--rounds-dir", rounds, "--as-of", "2026-08-21", "--output", str(site)],
                   check=True, capture_output=True)
    os.chmod(base, 0o755)
    for path in PATHS:
        subprocess.run(["gzip", "-kf6", str(site) + path], check=True)
    script = base / "mixed.lua"
    script.write_text(LUA % ", ".join(f'"{path}"' for path in PATHS))
    config = base / "nginx.conf"
    user = "user root;\n" if os.geteuid() == 0 else ""
    config.write_text(CONFIG.format(user=user, folder=base, site=site, host=NGINX[0], port=NGINX[1]))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    ours = subprocess.Popen([binary, "serve", "--rounds-dir", rounds, "--as-of", "2026-08-21", "--listen",
                             f"{SERVE[0]}:{SERVE[1]}"], **quiet)
    theirs = subprocess.Popen(["nginx", "-c", str(config), "-p", str(base)], **quiet)
    try:
        reached(SERVE), reached(NGINX)
        wrk(SERVE, script, 3), wrk(NGINX, script, 3)
        first, _, their_p99, _, _ = wrk(NGINX, script, 20)
        alone, *_ = wrk(SERVE, script, 20)
        before = memory(ours.pid)
        slow = SlowReaders(SERVE, 40)
        rate, p50, p99, p999, errors = wrk(SERVE, script, seconds)
        slow.end()
        after = memory(ours.pid)
        second, *_ = wrk(NGINX, script, 20)
        nginx = (first + second) / 2
        ended = ending(ours)
    finally:
        for process in [ours, theirs]:
            if process.poll() is None:
                process.terminate()
                process.wait()
    return [
        Row("serve, mixed workload, 64 connections and 40 slow readers",
            f"{seconds} s: {rate:.0f} requests/s, p50 {p50:.2f} ms, p99 {p99:.2f} ms, p99.9 {p999:.2f} ms, {errors} errors",
            "p99 under 20 ms, no error", p99 < 20 and errors == 0, []),
        Row("the same without slow readers ÷ nginx on the same files",
            f"{alone:.0f} ÷ {nginx:.0f} requests/s = {alone / nginx:.2f} (nginx p99 {their_p99:.2f} ms)", "at least 0.6",
            alone / nginx >= 0.6, []),
        Row("memory of serve", f"{before:.0f} MB before, {after:.0f} MB after", "flat (within 10 %)",
            after < before * 1.1 + 5, []),
        ended,
    ]


def ending(server: subprocess.Popen) -> Row:
    """SIGTERM while answers are under way: they are finished, and the program ends with 0."""
    asked = b"GET /data/publication.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    peers = [socket.create_connection(SERVE, timeout=30) for _ in range(16)]
    for peer in peers:
        peer.sendall(asked)
    starts = [peer.recv(4096) for peer in peers]
    server.send_signal(signal.SIGTERM)
    whole = 0
    for peer, text in zip(peers, starts):
        while more := peer.recv(1 << 16):
            text += more
        head, _, body = text.partition(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head.lower()).group(1))
        whole += len(body) == length
        peer.close()
    code = server.wait(timeout=30)
    return Row("SIGTERM during serve", f"{whole} of {len(peers)} answers finished, exit code {code}",
               "all finished, exit code 0", whole == len(peers) and code == 0, [])
