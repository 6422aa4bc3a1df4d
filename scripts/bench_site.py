"""Times build-site over the archive, and `serve` beside nginx on the same files and cores."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

binary, archive = os.path.join(sys.argv[1], "capitalbench"), sys.argv[2]
rounds = os.path.join(archive, "rounds")
AS_OF = ["--as-of", "2026-08-21"]
SECONDS = os.environ.get("BENCH_SECONDS", "10")
PATHS = ["index.html", "verify/index.html", "verify/check.js", "data/rounds.csv", "feed.atom"]
LARGEST = ["data/publication.json"]
SERVE, NGINX = "127.0.0.1:8471", "127.0.0.1:8472"

LUA = """
local paths = {%s}
local at = 0
request = function()
  at = at %% #paths + 1
  return wrk.format("GET", paths[at], {["accept-encoding"] = "gzip"})
end
"""

# The same files, the same encoding, two workers as the server has two threads.
CONFIG = """
worker_processes 2;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 1024; }}
http {{
  include /etc/nginx/mime.types;
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 10000000;
  gzip_static on;
  open_file_cache max=4000;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen {address}; root {site}; }}
}}
"""


def build(output, source=rounds, more=(), cache=True):
    """Seconds, seconds of the processor, the most memory in MB, and seconds of the processor without the kernel's.

    The kernel of a virtual machine takes up to four seconds for memory that it did not have before, so only the last
    compares builds."""
    start = time.perf_counter()
    command = [binary, "build-site", "--rounds-dir", source, *AS_OF, "--output", output, *more]
    environment = {**os.environ, **({} if cache else {"CAPITALBENCH_NO_CACHE": "1"})}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, "build-site failed"
    took = time.perf_counter() - start
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, usage.ru_utime


def best(make, times=5):
    """The fastest of some builds, each into a new folder: what else the machine does only adds."""
    return min((make() for _ in range(times)), key=lambda made: made[0])


def fresh(folder, *given, **options):
    output = os.path.join(folder, "fresh")
    shutil.rmtree(output, ignore_errors=True)
    return build(output, *given, **options)


def tree(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).digest()
    return found


def budgets(folder):
    """What a build costs without and with images, and after one new round, in a copy of the rounds."""
    source = os.path.join(folder, "rounds")
    shutil.copytree(rounds, source)
    # Nothing is kept in a folder that nobody may write to.
    for at, _, _ in os.walk(source):
        os.chmod(at, 0o755)
    os.makedirs(os.path.join(source, ".capitalbench"), exist_ok=True)
    newest = sorted(name for name in os.listdir(source) if name.startswith("CB-") and name < "CB-2026-08")[-1]
    aside = os.path.join(folder, "aside")
    # Files that were written a moment ago may change once more without a trace, so they are not kept.
    time.sleep(3)
    build(os.path.join(folder, "warm"), source)
    without = best(lambda: fresh(folder, source, ["--images", "none"]))
    full = best(lambda: fresh(folder, source))
    cold = best(lambda: fresh(folder, source, cache=False), 3)
    kept = os.path.join(folder, "kept")

    def after_one_round():
        shutil.rmtree(kept, ignore_errors=True)
        os.rename(os.path.join(source, newest), aside)
        build(kept, source)
        os.rename(aside, os.path.join(source, newest))
        return build(kept, source)

    again = best(after_one_round, 3)
    unchanged = build(kept, source)
    same = tree(kept) == tree(os.path.join(folder, "fresh"))
    for name, made, limit in [
        ("without images", without, 1.0), ("with all images", full, 6.0), ("without any cache", cold, None),
        ("after one new round", again, 0.2 * 6.0), ("with nothing new", unchanged, None)]:
        bound = f", at most {limit:.2f} s: {'holds' if made[0] <= limit else 'DOES NOT HOLD'}" if limit else ""
        print(f"build-site {name}: {made[0]:.2f} s ({made[1]:.2f} s CPU, {made[1] - made[3]:.2f} s of it the kernel), "
              f"peak {made[2]:.0f} MB{bound}")
    print(f"after one new round a build takes {again[0] / full[0]:.0%} of the time of a whole one, {again[3] / full[3]:.0%} of its CPU")
    most = max(made[2] for made in [without, full, cold, again])
    print(f"most memory {most:.0f} MB, at most 250 MB: {'holds' if most <= 250 else 'DOES NOT HOLD'}; "
          f"a site that grew and a new one: {'the same bytes' if same else 'DIFFERENT BYTES'}")


def memory(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


def reached(address):
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://{address}/index.html") as answer:
                answer.read()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nobody answers at {address}")


def load(address, script, seconds=SECONDS):
    command = ["wrk", "-t2", "-c64", f"-d{seconds}s", "--latency", "-s", script, f"http://{address}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    p99, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    p99 = float(p99) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
    bad = re.search(r"Socket errors: (.*)", text), re.search(r"Non-2xx.*?(\d+)", text)
    return rate, p99, "; ".join(found.group(0) for found in bad if found) or "none"


with tempfile.TemporaryDirectory() as folder:
    site = os.path.join(folder, "site")
    wall, cpu, peak, _ = build(site)
    again = build(site)[0]
    count = sum(len(names) for _, _, names in os.walk(site))
    size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(site) for name in names)
    print(f"build-site: {count} files, {size / 1e6:.1f} MB in {wall:.2f} s ({cpu:.2f} s CPU, "
          f"disk included), again {again:.2f} s, peak {peak:.0f} MB")
    budgets(folder)
    missing = [tool for tool in ["nginx", "wrk"] if not shutil.which(tool)]
    if missing:
        print(f"serve beside nginx: not measured, {' and '.join(missing)} not installed")
        sys.exit()
    os.chmod(folder, 0o755)
    for path in PATHS + LARGEST:
        subprocess.run(["gzip", "-k6", os.path.join(site, path)], check=True)
    scripts = []
    for name, paths in [("pages and tables", PATHS), ("largest file", LARGEST)]:
        script = os.path.join(folder, f"{len(scripts)}.lua")
        with open(script, "w") as file:
            file.write(LUA % ", ".join(f'"/{path}"' for path in paths))
        scripts.append((name, script))
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w") as file:
        user = "user root;\n" if os.geteuid() == 0 else ""
        file.write(user + CONFIG.format(folder=folder, site=site, address=NGINX))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    ours = subprocess.Popen([binary, "serve", "--rounds-dir", rounds, *AS_OF, "--listen", SERVE], **quiet)
    theirs = subprocess.Popen(["nginx", "-c", config, "-p", folder], **quiet)
    try:
        reached(SERVE), reached(NGINX)
        for _, script in scripts:
            load(SERVE, script, 2), load(NGINX, script, 2)
        before = memory(ours.pid)
        for name, script in scripts:
            results = [(load(NGINX, script), load(SERVE, script)) for _ in range(3)]
            results.sort(key=lambda pair: pair[1][0] / pair[0][0])
            (their_rate, their_p99, _), (rate, p99, errors) = results[1]
            print(f"{name}: serve {rate:.0f} requests/s, p99 {p99:.2f} ms, errors {errors}; nginx "
                  f"{their_rate:.0f} requests/s, p99 {their_p99:.2f} ms; ratio {rate / their_rate:.2f}")
        print(f"serve memory: {before:.0f} MB before, {memory(ours.pid):.0f} MB after")
    finally:
        for process in [ours, theirs]:
            process.send_signal(signal.SIGTERM)
            process.wait()
