"""How the transparency log grows: appends, proofs and a check of the whole log at three sizes."""

import json
import os
import subprocess
import tempfile


def measured(*command):
    """The figures that a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def log_growth(target, sizes=(10_000, 100_000, 1_000_000)):
    speed = os.path.join(target, "examples", "log_speed")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            grown = measured(speed, "grow", folder, str(size))
            checked = measured(speed, "check", folder)
            if not checked["holds"]:
                raise SystemExit("the log does not hold")
            rows.append((grown, checked))
    print()
    print("| leaves | one append | one proof | hashes | tiles read | whole check | peak memory |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for grown, checked in rows:
        print(
            f"| {grown['leaves']:,} | {grown['append_ms']:.2f} ms | {grown['prove_ms']:.2f} ms "
            f"| {grown['hashes']} | {grown['tiles']} | {checked['seconds']:.1f} s "
            f"| {checked['peak_kb'] / 1024:.1f} MB |"
        )
    first, last = rows[0], rows[-1]
    factor = last[0]["leaves"] / first[0]["leaves"]
    ratio = lambda name, part=0: last[part][name] / first[part][name]
    print()
    print(
        f"leaves x {factor:.0f}: append x {ratio('append_ms'):.1f}, proof x {ratio('prove_ms'):.1f}, "
        f"check memory x {ratio('peak_kb', 1):.2f}"
    )


if __name__ == "__main__":
    import sys

    log_growth(sys.argv[1])
