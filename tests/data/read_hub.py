"""Reads a folder for a hub as its users do: Croissant, Data Package, citation and card."""

import itertools
import json
import sys
from pathlib import Path

import duckdb
import mlcroissant
import pandas
import yaml
from cffconvert import Citation
from frictionless import Package, system

ROOT = Path(__file__).resolve().parents[2]
# Every value of a long table is read by read_export.py; here the head shows that the types are right.
MOST_ROWS = 200


def croissant(folder: Path) -> None:
    # The RAI fields are among what the library knows; an unknown one would be an error or a warning.
    data = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    assert not data.metadata.issues.errors, data.metadata.issues.report()
    assert not data.metadata.issues.warnings, data.metadata.issues.report()
    sets = data.metadata.record_sets
    for one in sets:
        expected = pandas.read_parquet(folder / f"{one.name}.parquet")
        rows = list(itertools.islice(data.records(one.name), 3))
        assert len(rows) == min(3, len(expected)), one.name
        for row, (_, own) in zip(rows, expected.iterrows()):
            for name in expected.columns:
                value = row[f"{one.name}/{name}"]
                value = value.decode() if isinstance(value, bytes) else value
                if isinstance(own[name], (str, bool)):
                    assert value == own[name], (one.name, name, value, own[name])
                elif isinstance(own[name], float) and not pandas.isna(own[name]):
                    assert float(value) == own[name], (one.name, name, value, own[name])
    assert json.loads((folder / "croissant.json").read_text())["rai:dataLimitations"]
    print(f"Croissant: {len(sets)} record sets read by mlcroissant")


def package(folder: Path) -> None:
    with system.use_context(trusted=True):
        found = Package(str(folder / "datapackage.json"))
        for resource in found.resources:
            report = resource.validate(limit_rows=MOST_ROWS)
            # Size and digest are those of the whole file, which the limit leaves unread.
            errors = [error for error in report.flatten(["type", "note"]) if error[0] not in ("byte-count", "hash-count")]
            assert not errors, (resource.name, errors[:3])
    print(f"Data Package: {len(found.resources)} tables read by frictionless")


def citations(folder: Path) -> None:
    for path in (folder / "CITATION.cff", ROOT / "CITATION.cff"):
        citation = Citation(path.read_text())
        citation.validate()
        assert citation.as_bibtex().startswith("@"), path
    print("both citation files pass cffconvert")


def card(folder: Path) -> None:
    head = (folder / "README.md").read_text().split("---\n")[1]
    configs = yaml.safe_load(head)["configs"]
    named = {config["data_files"] for config in configs}
    there = {path.name for path in folder.glob("*.parquet")}
    assert named == there and len(configs) == len(named), named ^ there
    assert sum(config.get("default", False) for config in configs) == 1
    for name in named:
        duckdb.sql(f"select * from '{folder / name}' limit 1").fetchall()
    print(f"card: {len(configs)} configurations, each a file that DuckDB reads")


if __name__ == "__main__":
    hub = Path(sys.argv[1]).resolve()
    croissant(hub)
    package(hub)
    citations(hub)
    card(hub)
