"""Times the program beside sha256sum over the same files and prints a table."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from bench_growth import growth
from bench_models import MODELS, SECONDS, eight_slow_models

target, archive = sys.argv[1], sys.argv[2]
full = "--full" in sys.argv[3:]
binary = os.path.join(target, "capitalbench")
score_all = os.path.join(target, "examples", "score_all")
rounds = os.path.join(archive, "rounds")
REPEATS = 15


def run(command):
    """Wall seconds, CPU seconds and peak kilobytes of one command, whatever it answers."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    wall = time.perf_counter() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def median(command, index):
    return statistics.median(run(command)[index] for _ in range(REPEATS))


files = [os.path.join(folder, name) for folder, _, names in os.walk(rounds) for name in names]
size = sum(os.path.getsize(path) for path in files)
hashing = ["sha256sum", *files]
verify = [binary, "verify", rounds]
run(hashing), run(verify)  # warm the cache

hash_wall, verify_wall = median(hashing, 0), median(verify, 0)
verify_memory = max(run(verify)[2] for _ in range(3)) / 1024

with tempfile.TemporaryDirectory() as copy:
    folder = os.path.join(copy, "rounds")
    shutil.copytree(rounds, folder)
    subprocess.run(["chmod", "-R", "u+w", folder], check=True)
    dry = [binary, "score-round", "--rounds-dir", folder, "--dry-run"]
    write = [binary, "score-round", "--rounds-dir", folder]
    done = subprocess.run([score_all, folder], capture_output=True, text=True, check=True)
    scoring, runs = float(done.stdout.split()[0]), int(done.stdout.split()[1])
    dry_cpu, write_cpu = median(dry, 1), median(write, 1)

print(f"{len(files)} files, {size / 1e6:.1f} MB, {runs} scored runs, median of {REPEATS}")
print()
print("| what | measured | limit |")
print("| --- | --- | --- |")
print(f"| sha256sum over the same files | {hash_wall * 1e3:.0f} ms | |")
print(f"| verify, wall | {verify_wall * 1e3:.0f} ms | |")
print(f"| verify ÷ sha256sum | {verify_wall / hash_wall:.2f} | 2.50 |")
print(f"| verify, peak memory | {verify_memory:.0f} MB | 120 MB |")
print(f"| scoring all runs, CPU per 100 runs | {scoring:.0f} ms | 60 ms |")
print(f"| the command `score-round --dry-run` as a whole, the same | {dry_cpu / runs * 1e5:.0f} ms | |")
print(f"| with the files written and flushed, the same | {write_cpu / runs * 1e5:.0f} ms | |")
asking = eight_slow_models(binary)
print(f"| run-round, {MODELS} models that answer after {SECONDS:.0f} s, wall | {asking:.2f} s | 3.00 s |")
print(f"| the same ÷ one answer | {asking / SECONDS:.2f} | 1.50 |")

speed = os.path.join(target, "examples", "inference_speed")
measured = subprocess.run([speed], capture_output=True, text=True, check=True).stdout.split()
whole, null = float(measured[0]), float(measured[1])
print(f"| inference, 10 models, 113 rounds, 10,000 portfolios each, 5,000 histories, CPU | {whole:.2f} s | 2.00 s |")
print(f"| a random portfolio of the null, CPU | {null:.0f} ns | |")
season = os.path.join(target, "examples", "claims_speed")
figures, planned = map(float, subprocess.run([season], capture_output=True, text=True, check=True).stdout.split())
print(f"| ten claims, 50 weekly rounds, a year of days, CPU | {figures:.0f} ms | 50 ms |")
print(f"| the same with what each would take, simulated, CPU | {planned:.0f} ms | |")
numpy_python = os.environ.get("NUMPY_PYTHON")
if numpy_python:
    script = os.path.join(os.path.dirname(__file__), "bench_null.py")
    plain = float(subprocess.check_output([numpy_python, script], text=True))
    print(f"| plain NumPy, the same | {plain:.0f} ns | |")
    print(f"| ours ÷ NumPy | {null / plain:.3f} | |")
else:
    print("| plain NumPy, the same | not measured: NumPy could not be installed | |")
growth(binary, full)
