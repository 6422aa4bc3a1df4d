"""What can go wrong while a command writes: kills, full and read-only disks, EIO, clocks, company."""

import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from report import Row
from stage import ROUND, Scene, files, finish, holds, is_transient, ready, run, torn


def kills(binary: str, scenes: list[Scene], base: Path, total: int) -> list[Row]:
    """SIGKILL at random moments of every command that writes; as many at a time as there are cores."""
    slow = [scene for scene in scenes if scene.seconds > 0.5]
    fast = [scene for scene in scenes if scene.seconds <= 0.5] or slow
    few = total // len(scenes) // 3
    many = -(-(total - few * len(slow)) // len(fast))
    turns = [(scene, turn) for scene in scenes for turn in range(many if scene in fast else few)]
    # Commands of all kinds side by side, in an order that is the same each time.
    random.Random(20261115).shuffle(turns)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(lambda turn: kill(binary, *turn, base), turns))
    hit = sum(ran for ran, _ in results)
    bad = [told for _, found in results for told in found]
    return [Row("kill -9 at random moments", f"{len(results)} kills of {len(scenes)} commands, {hit} while they ran; "
                f"{len(bad)} torn, lost or stuck", "at least 1,000 kills, every file old or new, the next run completes",
                len(results) >= total and not bad, bad)]


def kill(binary: str, scene: Scene, turn: int, base: Path) -> tuple[bool, list[str]]:
    """Whether the command still ran when it was killed, and what that spoiled."""
    folder = base / f"killed-{threading.get_ident()}"
    ready(scene, folder)
    moment = random.Random(f"{scene.step.name} {turn}").uniform(0, max(scene.seconds, 0.004))
    process = subprocess.Popen(scene.step.command(binary), cwd=folder, env=scene.step.environment(folder),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(moment)
    ran = process.poll() is None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    bad = [f"{scene.step.name}: {path}" for path in torn(scene, folder)]
    if told := finish(scene, binary, folder):
        bad.append(f"{scene.step.name}: {told}")
    return ran, bad


def answered_once(binary: str, scenes: list[Scene], base: Path, total: int) -> list[Row]:
    """A run that is killed and resumed until it ends asks nobody twice who has answered."""
    scene = next(scene for scene in scenes if scene.step.name == "run-round")
    draw = random.Random(7)
    bad, count = [], 0
    while count < total:
        folder = base / "asked"
        ready(scene, folder)
        ended: dict[str, bytes] = {}
        for turn in range(60):
            process = subprocess.Popen(scene.step.command(binary, again=turn > 0), cwd=folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0, scene.seconds))
            process.kill()
            code = process.wait()
            count += 1
            found = {path: content for path, content in files(folder).items() if "/attempts/" in path
                     and not is_transient(path)}
            for path, content in ended.items():
                if found.get(path) != content:
                    bad.append(f"{path} changed")
            ended = found
            if code == 0:
                break
        finish(scene, binary, folder)
        valid = Counter(path.split("/attempts/")[1].rsplit("__", 1)[0] for path, content in files(folder).items()
                        if ROUND in path and path.endswith(".ended.json") and b'"valid"' in content)
        bad += [f"{slot} answered {times} times" for slot, times in valid.items() if times > 1]
    return [Row("a run killed and resumed until it ends", f"{count} kills; {len(bad)} answers asked for again or changed",
                "nothing answered is asked again", not bad, bad)]


def full_disk(binary: str, scenes: list[Scene], base: Path) -> list[Row]:
    """Every command on a tmpfs that is too small, then on the same with room."""
    if os.geteuid() != 0:
        return [Row("full disk", "not run: mounting needs root", "no torn file, clear error", None, [])]
    place = base / "small"
    place.mkdir()
    bad, tried, refused = [], 0, 0
    for scene in scenes:
        size = sum(len(content) for content in scene.old.values()) // 1024 + 4 * len(scene.old) + 256
        grown = sum(len(content) for path, content in scene.after.items() if scene.old.get(path) != content) // 1024 + 8
        for room in sorted({4, max(8, grown // 3), max(12, grown * 2 // 3)}):
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size + 65536}k", "tmpfs", place], check=True)
            try:
                folder = place / "work"
                ready(scene, folder)
                free = os.statvfs(place)
                filler = place / "filler"
                left = free.f_bavail * free.f_frsize // 1024
                with open(filler, "wb") as file:
                    file.write(b"\0" * (max(0, left - room) * 1024))
                done = run(scene.step.command(binary), folder, timeout=120, env=scene.step.environment(folder))
                tried += 1
                if done.returncode != 0:
                    refused += 1
                    if "panicked" in done.stderr or not (done.stderr + done.stdout).strip():
                        bad.append(f"{scene.step.name}, {room} kB: {done.stderr[-200:] or 'no word'}")
                bad += [f"{scene.step.name}, {room} kB: {path}" for path in torn(scene, folder)]
                filler.unlink()
                if told := finish(scene, binary, folder):
                    bad.append(f"{scene.step.name}, {room} kB, with room: {told}")
            finally:
                subprocess.run(["umount", "-l", place], check=True)
    return [Row("full disk (tmpfs)", f"{tried} runs, {refused} refused with a sentence; {len(bad)} torn or stuck",
                "old or new, never torn; completes with room", not bad and refused > 0, bad)]


def read_only_disk(binary: str, scenes: list[Scene], base: Path) -> list[Row]:
    if os.geteuid() != 0:
        return [Row("read-only disk", "not run: mounting needs root", "refused, nothing changed", None, [])]
    place = base / "locked"
    place.mkdir()
    bad = []
    for scene in scenes:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512m", "tmpfs", place], check=True)
        try:
            folder = place / "work"
            ready(scene, folder)
            subprocess.run(["mount", "-o", "remount,ro", place], check=True)
            done = run(scene.step.command(binary), folder, timeout=120, env=scene.step.environment(folder))
            if done.returncode == 0 or "panicked" in done.stderr or not (done.stderr + done.stdout).strip():
                bad.append(f"{scene.step.name}: exit {done.returncode} {done.stderr[-200:]}")
        finally:
            subprocess.run(["umount", "-l", place], check=True)
    return [Row("read-only disk", f"{len(scenes)} commands; {len(bad)} without a clear refusal",
                "each refuses with a sentence", not bad, bad)]


def broken_calls(binary: str, scenes: list[Scene], base: Path, layer: Path, most: int) -> list[Row]:
    """EIO from one write, fsync, rename, link, mkdir, unlink or creation at a time."""
    bad, tried, ignored = [], 0, 0
    count = base / "count"
    for scene in scenes:
        folder = base / "eio"
        ready(scene, folder)
        surrounded = scene.step.environment(folder, LD_PRELOAD=str(layer), FAULT_COUNT=str(count))
        run(scene.step.command(binary), folder, env=surrounded)
        calls = int(count.read_text())
        stride = max(1, calls // most)
        for at in range(1, calls + 1, stride):
            ready(scene, folder)
            done = run(scene.step.command(binary), folder, timeout=120,
                       env=scene.step.environment(folder, LD_PRELOAD=str(layer), FAULT_AT=str(at)))
            tried += 1
            ignored += done.returncode == 0
            if "panicked" in done.stderr or (done.returncode != 0 and not (done.stderr + done.stdout).strip()):
                bad.append(f"{scene.step.name}, call {at}: {done.stderr[-200:] or 'no word'}")
            bad += [f"{scene.step.name}, call {at}: {path}" for path in torn(scene, folder)]
            if told := finish(scene, binary, folder):
                bad.append(f"{scene.step.name}, call {at}, again: {told}")
    return [Row("EIO from one call at a time", f"{tried} faults in {len(scenes)} commands, {ignored} outlived; "
                f"{len(bad)} torn, silent or stuck", "old or new, a sentence, completes later", not bad, bad)]


def clock_jumps(binary: str, scenes: list[Scene], base: Path, layer: Path) -> list[Row]:
    """The wall clock leaps by hours and years, both ways, while a command runs."""
    draw = random.Random(5)
    bad, jumps, tried = [], 0, 0
    clock = base / "clock"
    leaps = [0, 3600, -3600, 86400, -86400, 10 * 365 * 86400, -10 * 365 * 86400]
    for scene in scenes:
        for _ in range(5):
            folder = base / "leaping"
            ready(scene, folder)
            clock.write_text("0")
            process = subprocess.Popen(scene.step.command(binary), cwd=folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True,
                                       env=scene.step.environment(folder, LD_PRELOAD=str(layer),
                                                                  CLOCK_FILE=str(clock)))
            end = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < end:
                spare = clock.with_suffix(".new")
                spare.write_text(str(draw.choice(leaps)))
                os.replace(spare, clock)
                jumps += 1
                time.sleep(0.001)
            if process.poll() is None:
                process.kill()
                bad.append(f"{scene.step.name}: hangs")
            words = process.communicate()[1]
            tried += 1
            if "panicked" in words:
                bad.append(f"{scene.step.name}: {words[-200:]}")
            # What is due or past by such a clock may rightly come out otherwise; it must hold together.
            if told := holds(scene, binary, folder):
                bad.append(f"{scene.step.name}: {told}")
            again = run(scene.step.command(binary, again=True), folder, timeout=120, env=scene.step.environment(folder))
            if "panicked" in again.stderr:
                bad.append(f"{scene.step.name}, again: {again.stderr[-200:]}")
            if told := holds(scene, binary, folder):
                bad.append(f"{scene.step.name}, again: {told}")
    return [Row("clock jumps", f"{jumps} jumps of up to ten years in {tried} runs; {len(bad)} hanging or not verified",
                "no hang, and verify holds afterwards", not bad, bad)]


def company(binary: str, scenes: list[Scene], base: Path, turns: int) -> list[Row]:
    """The same command twice at once on one folder."""
    bad, tried = [], 0
    for scene in scenes:
        for _ in range(turns):
            folder = base / "shared"
            ready(scene, folder)
            pair = [subprocess.Popen(scene.step.command(binary), cwd=folder, env=scene.step.environment(folder),
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
            words = [process.communicate(timeout=120)[0] for process in pair]
            tried += 1
            for word, process in zip(words, pair):
                if "panicked" in word or (process.returncode != 0 and not word.strip()):
                    bad.append(f"{scene.step.name}: {word[-200:] or 'no word'}")
            bad += [f"{scene.step.name}: {path}" for path in torn(scene, folder)]
            if told := finish(scene, binary, folder):
                bad.append(f"{scene.step.name}, again: {told}")
    return [Row("two processes on one folder", f"{tried} pairs; {len(bad)} torn, silent or stuck",
                "one result, as if alone", not bad, bad)]
