"""What an operator who holds the key can try, and who finds it."""

import importlib
import subprocess
from pathlib import Path

# In the order in which they are tried.
CLASSES = ["promise", "honest", "answers", "prices", "order", "history", "files", "bundles", "commands", "database", "limits"]


def tried(binary: str, base: Path, wanted: str = ""):
    """Every class, or those whose name holds a text; and what came of each."""
    layer = base / "faults.so"
    source = Path(__file__).resolve().parents[1] / "faults.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", layer, source, "-ldl"], check=True)
    for name in CLASSES:
        importlib.import_module(f"tampering.{name}")
    part = importlib.import_module("tampering.part")
    return part.all_outcomes(binary, base, layer, wanted)
