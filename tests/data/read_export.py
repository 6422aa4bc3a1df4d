"""Reads an export as its users do: every table three ways, the schema, and the queries of docs/data.md."""

import json
import os
import re
import sys
from pathlib import Path

import duckdb
import jsonschema
import pandas
import pyarrow.parquet


def tables(folder: Path) -> None:
    for path in sorted(folder.glob("*.parquet")):
        by_arrow = pyarrow.parquet.read_table(path)
        by_csv = pandas.read_csv(path.with_suffix(".csv"))
        by_json = json.loads(path.with_suffix(".json").read_text())
        by_duckdb = duckdb.sql(f"select * from '{path}'").fetchall()
        assert by_arrow.num_rows == len(by_csv) == len(by_duckdb) == len(by_json), path
        assert by_arrow.column_names == list(by_csv.columns), path
        for name in by_arrow.column_names:
            column = by_arrow.column(name)
            if str(column.type) in ("double", "int64", "string", "bool"):
                assert column.to_pylist() == [row[name] for row in by_json], (path, name)
            missing = by_csv[name].isna()
            if column.null_count == 0 and str(column.type) == "double":
                assert column.to_pylist() == by_csv[name].tolist(), (path, name)
            elif str(column.type) == "double":
                assert column.null_count == missing.sum(), (path, name)
                known = [value for value in column.to_pylist() if value is not None]
                assert known == by_csv[name][~missing].tolist(), (path, name)
    print(f"{len(list(folder.glob('*.parquet')))} tables read by pyarrow, DuckDB and pandas alike")


def document(folder: Path) -> None:
    publication = json.loads((folder / "publication.json").read_text())
    schema = json.loads((folder / "publication.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    errors = [f"{list(error.path)}: {error.message[:200]}" for error in validator.iter_errors(publication)]
    assert not errors, errors[:3]
    opened = [entry for entry in publication["rounds"] if entry["state"] != "resolved"]
    if opened:
        opened[0]["result"] = {"oracle_return_fraction": 0.1}
        assert not validator.is_valid(publication), "the schema lets a pending round have a result"
    print(f"publication.json holds to its schema, {len(opened)} rounds without a result")


def queries(folder: Path, page: Path) -> None:
    blocks = re.findall(r"```(sql|python)\n(.*?)```", page.read_text(), re.S)
    os.chdir(folder.parent)
    found = []
    for kind, text in blocks:
        if "pyspark" in text:
            continue
        text = text.replace("export/", f"{folder.name}/")
        if kind == "sql":
            rows = [row[:2] + row[3:] for row in duckdb.sql(text).fetchall()]
        else:
            scope: dict = {}
            exec(text, scope)
            rows = [tuple(row) for row in scope["answer"].itertuples(index=False)]
        assert rows, text
        found.append(rows)
    assert len(found) == 2, "one query for DuckDB and one for pandas"
    print(f"both queries of the page answer: {len(found[0])} and {len(found[1])} rows")


if __name__ == "__main__":
    export = Path(sys.argv[1]).resolve()
    page = Path(__file__).resolve().parents[2] / "docs" / "data.md"
    tables(export)
    document(export)
    queries(export, page)
