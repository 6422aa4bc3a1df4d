"""What a changed program would sign: every event that the files of a round tell, and the inventory of the rest."""

import hashlib
import json
from pathlib import Path

from tampering.log import Key, Log, canonical, sha

RESULTS = ["returns.csv", "allocations.csv", "leaderboard.csv", "stability.csv", "controls.csv", "price_warnings.json",
           "outcomes.json"]
REPLACING = ("round.freeze", "methodology", "prices.entry", "prices.exit")


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def yaml_value(text: str, name: str) -> str | None:
    found = [line.split(":", 1)[1].strip().strip("'\"") for line in text.splitlines() if line.startswith(f"{name}:")]
    return found[0] if found else None


def files_of(folder: Path) -> list[str]:
    found = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    return [path for path in found if not path.startswith("automation/lease-") and Path(path).name != ".lock"]


class Teller:
    """The events of one round by its files."""

    def __init__(self, log: Log, folder: Path, now: str):
        self.log, self.folder, self.now = log, folder, now
        self.key: Key = log.key

    def event(self, name: str, at: str, **members) -> dict:
        told = {"event": name, "round": self.folder.name, "at": at, "version": 1, **members}
        return {member: value for member, value in told.items() if value is not None}

    def seal(self, path: str) -> str:
        return self.key.seal(self.folder.name, path, (self.folder / path).read_bytes())

    def json(self, path: str):
        return json.loads((self.folder / path).read_bytes())

    def hashes(self, base: str, names: list[str]) -> dict[str, str]:
        return {name: digest(self.folder / base / name) for name in names if (self.folder / base / name).is_file()}

    def all(self) -> list[dict]:
        runs = sorted(run.name for run in (self.folder / "runs").glob("*") if run.is_dir())
        told = self.frozen()
        for run in runs:
            told += self.asked(run)
        for run in runs:
            told += self.accepted(run)
        told += self.priced()
        for run in runs:
            told += self.scored(run)
        return told

    def frozen(self) -> list[dict]:
        manifest = (self.folder / "manifest.yaml").read_text()
        roster, at = [], manifest.find("\nexpected_model_ids:\n")
        for line in manifest[at:].splitlines()[2:] if at >= 0 else []:
            if not line.startswith("- "):
                break
            roster.append(line[2:].strip())
        return [self.event("round.freeze", self.now, inputs=self.json("hashes.json")["files"],
                           deadline=yaml_value(manifest, "decision_deadline"), roster=roster),
                self.event("methodology", self.now, label=yaml_value(manifest, "methodology_version"), program="another 1")]

    def asked(self, run: str) -> list[dict]:
        base = f"runs/{run}"
        if not (self.folder / base / "slots.json").is_file():
            return []
        plan = self.json(f"{base}/slots.json")
        models = list(dict.fromkeys(slot["model_id"] for slot in plan["slots"]))
        told = [self.event("roster.slots", plan["created_at_utc"], run=run, kind=plan["run_type"],
                           calls="mock" if plan["mock"] else "real", models=models, replicates=plan["replicates"],
                           max_retries=plan["max_retries"], plan_sha256=digest(self.folder / base / "slots.json"))]
        for model in models:
            for attempt in range(1, 30):
                stem = f"{base}/attempts/{model}__{attempt:03d}"
                if not (self.folder / f"{stem}.begun.json").is_file():
                    break
                place = {"run": run, "model": model, "replicate": 1, "attempt": attempt}
                begun = self.json(f"{stem}.begun.json")
                told.append(self.event("attempt.begin", begun["started_at_utc"], **place,
                                       input_sha256=begun["input_sha256"], sealed_record=self.seal(f"{stem}.begun.json")))
                if (self.folder / f"{stem}.ended.json").is_file():
                    ended = self.json(f"{stem}.ended.json")
                    answer = (self.folder / f"{stem}.answer").is_file()
                    told.append(self.event("attempt.end", ended["ended_at_utc"], **place, status=ended["status"],
                                           reason=ended["reason"],
                                           sealed_answer=self.seal(f"{stem}.answer") if answer else None,
                                           sealed_record=self.seal(f"{stem}.ended.json")))
        return told

    def accepted(self, run: str) -> list[dict]:
        base = f"runs/{run}"
        if not (self.folder / base / "acceptance.json").is_file():
            return []
        own = self.json(f"{base}/acceptance.json")
        told = [self.event("run.accepted", own["accepted_at_utc"], run=run, submissions=len(own["submissions"]),
                           supersedes=own["supersedes"], sealed_record=self.seal(f"{base}/acceptance.json"))]
        return told + [self.event("pick.accepted", own["accepted_at_utc"], run=run, file=path,
                                  sealed_submission=self.seal(f"{base}/{path}")) for path in own["submissions"]]

    def priced(self) -> list[dict]:
        record = self.json("prices/provenance.json") if (self.folder / "prices/provenance.json").is_file() else None
        manifest = (self.folder / "manifest.yaml").read_text()
        days = (record["from"], record["to"]) if record else (yaml_value(manifest, "entry_date"), yaml_value(manifest, "exit_date"))
        at = max((answer["fetched_at_utc"] for answer in record["answers"]), default=self.now) if record else self.now
        told = self.corrections("prices/corrections.jsonl", None)
        for name, day, needed, more in [("prices.entry", days[0], "prices/entry_prices.csv", ["prices/provenance.json"]),
                                        ("prices.exit", days[1], "prices/exit_prices.csv",
                                         ["prices/provenance.json", "prices/window.csv", "prices/cross_check.json"])]:
            if (self.folder / needed).is_file():
                told.append(self.event(name, at, session=day, files=self.hashes("", [needed, *more])))
        return told

    def corrections(self, path: str, run: str | None) -> list[dict]:
        told, file = [], self.folder / path
        for number, line in enumerate(file.read_text().splitlines() if file.is_file() else [], 1):
            own = json.loads(line)
            sides = [{path: pair[side] for path, pair in own["files"].items() if pair.get(side)}
                     for side in ("old_sha256", "new_sha256")]
            told.append(self.event("correction", own["corrected_at_utc"], run=run, number=number, reason=own["reason"],
                                   replaced=sides[0], results=sides[1]))
        return told

    def scored(self, run: str) -> list[dict]:
        base = f"runs/{run}"
        told = self.corrections(f"{base}/corrections.jsonl", run)
        results = self.hashes(base, [f"results/{name}" for name in RESULTS])
        if "results/outcomes.json" in results:
            told.append(self.event("score", self.now, run=run, results=results))
        report = self.hashes(base, ["results/report.md", "results/report.svg"])
        if "results/report.md" in report:
            told.append(self.event("claim", self.now, statement=f"report of {run}", files=report))
        return told

    def inventory(self, events: list[dict]) -> list[dict]:
        known, count = {}, 0
        for event in events:
            if event["event"] == "round.files" and event["round"] == self.folder.name:
                count = event["number"]
                for path in event["gone"]:
                    known.pop(path, None)
                known.update(event["bodies"])
        there = files_of(self.folder)
        new = {path: self.seal(path) for path in there}
        new = {path: seal for path, seal in new.items() if known.get(path) != seal}
        gone = [path for path in known if path not in there]
        if not new and not gone:
            return []
        return [self.event("round.files", self.now, number=count + 1, bodies=new, gone=gone)]


def identity(event: dict) -> bytes:
    told = {name: value for name, value in event.items()
            if name not in ("at", "program") and not name.startswith("sealed_")}
    return sha(canonical(told))


def kind(event: dict) -> str | None:
    if event["event"] in REPLACING:
        return event["event"]
    if event["event"] == "score":
        return f"score {event['run']}"
    return f"claim {event['statement']}" if event["event"] == "claim" else None


def sign(log: Log, folder: Path, now: str) -> int:
    """Appends whatever the files say and the log does not, as the program did before it learned to refuse."""
    known = [event for event in log.events() if event["round"] == folder.name]
    identities = {identity(event) for event in known}
    last = {kind(event): identity(event) for event in known if kind(event)}
    teller, new = Teller(log, folder, now), []
    for event in teller.all():
        own, of_kind = identity(event), kind(event)
        if (last.get(of_kind) != own) if of_kind else (own not in identities):
            new.append(event)
    new += teller.inventory(known + new)
    log.append([canonical(event) for event in new])
    disclose(log, folder)
    return len(new)


def disclose(log: Log, folder: Path) -> None:
    """Salts of what was told before, and of everything that is not private."""
    file = log.folder / f"salts/{folder.name}.json"
    told = json.loads(file.read_text()) if file.is_file() else {}
    bodies = set()
    for event in log.events():
        if event["event"] == "round.files" and event["round"] == folder.name:
            bodies = (bodies - set(event["gone"])) | set(event["bodies"])
    scored = any(event["event"] == "score" for event in log.events())
    private = (".head.json",) if scored else (".head.json", ".answer", ".ended.json")
    salts = {path: log.key.salt(folder.name, path).hex() for path in sorted(bodies)
             if path in told or not path.endswith(private)}
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(salts, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
