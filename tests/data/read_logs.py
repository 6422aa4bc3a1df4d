"""Reads the logs of runs with Inspect, and holds them against the tables of the same export."""

import sys
from pathlib import Path

import pandas
from inspect_ai.log import read_eval_log


def read(logs: Path, export: Path) -> None:
    outcomes = pandas.read_parquet(export / "outcomes.parquet").set_index(["round_id", "model_id"])
    rounds = pandas.read_parquet(export / "rounds.parquet").set_index("round_id")
    submissions = pandas.read_parquet(export / "submissions.parquet")
    decided, scored, pending = 0, 0, 0
    for path in sorted(logs.glob("*.json")):
        log = read_eval_log(str(path))
        assert log.version == 2 and log.status == "success", path
        name = log.eval.task_id
        state = rounds.loc[name, "state"]
        for sample in log.samples:
            assert sample.input and "raw_response" not in sample.metadata, path
            if not log.eval.metadata["is_record"] or sample.error:
                continue
            decided += 1
            assert str(sample.id) in sample.output.completion, path
            if state != "resolved":
                pending += 1
                assert not sample.scores, path
                continue
            row = outcomes.loc[(name, sample.id)]
            assert sample.scores["alpha_fraction"].value == row["alpha_fraction"], (path, sample.id)
            scored += 1
    assert decided == len(submissions) and scored == len(outcomes), (decided, scored)
    print(f"Inspect reads {decided} answers of records, {scored} with their result, {pending} without")


if __name__ == "__main__":
    read(Path(sys.argv[1]), Path(sys.argv[2]))
