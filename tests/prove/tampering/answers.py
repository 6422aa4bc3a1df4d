"""Answers, attempts, research and acceptance: what is fixed from its moment on."""

import json
from hashlib import sha256

from tampering.attack import LAST, Attack
from tampering.events import digest
from tampering.registry import tampering
from tampering.stage import NAME, RUN

ATTEMPT = f"runs/{RUN}/attempts/{LAST}__001"
SUBMISSION = f"runs/{RUN}/submissions"


@tampering("the last model gets the best picks in every file, results scored and signed again", "scoring", "1", bundled=True)
def best_picks(a: Attack) -> None:
    a.give()
    a.derived()
    a.score(a.scene.better)
    a.sign()


@tampering("the last model gets the best picks in every file; results and report are made again and stamped", "report", "1",
           bundled=True)
def best_picks_reported(a: Attack) -> None:
    a.give()
    a.derived()
    a.score(a.scene.better)
    a.sign()
    a.stamp()


@tampering("the last model gets the best picks in every file, signed again, before the first score; then the round goes on", "exit", "1")
def best_picks_before_score(a: Attack) -> None:
    a.give()
    a.derived()
    a.take(a.scene.better, f"runs/{RUN}/results")
    a.sign()
    a.go_on()


@tampering("the last model gets the best picks in every file, signed again, after interim results; then the round goes on", "entry", "1")
def best_picks_after_entry(a: Attack) -> None:
    a.give()
    a.derived()
    a.take(a.scene.better, f"runs/{RUN}/results")
    a.sign()
    a.go_on()


@tampering("the last model gets the best picks in every file, signed again; then the round goes on", "acceptance", "1")
def best_picks_after_acceptance(a: Attack) -> None:
    a.give()
    a.derived()
    a.sign()
    a.go_on()


@tampering("the last model gets the best picks in every file, signed again; then the run is accepted", "asking", "1")
def best_picks_after_asking(a: Attack) -> None:
    a.give()
    a.derived()
    a.sign()
    a.go_on()


@tampering("two models' answers are exchanged in every file, signed again", "scoring", "1")
def exchanged(a: Attack) -> None:
    a.give("alpha-large", [("FAR_SHARES", 100)])
    a.give(LAST, [("SP500", 60), ("GOLD", 40)])
    a.score(a.scene.honest)
    a.sign()


@tampering("only the stored answer and its head are changed, signed again", "scoring", "1", bundled=True)
def answer_alone(a: Attack) -> None:
    a.swap(f"{ATTEMPT}.answer", "FAR_SHARES", "GOLD")
    a.json(f"{ATTEMPT}.head.json", lambda head: head.update(sha256=file_digest(a, f"{ATTEMPT}.answer")))
    a.sign()


def file_digest(a: Attack, path: str) -> str:
    return digest(a.round / path)


def recorded(name: str, path: str, change, moment: str = "scoring", point: str = "1"):
    """One record changed and signed again."""
    def do(a: Attack) -> None:
        a.json(path, change)
        a.sign()
    tampering(name, moment, point)(do)


recorded("token counts of an attempt are changed, signed again", f"{ATTEMPT}.ended.json",
         lambda own: own.update(output_tokens=34, input_tokens=120))
recorded("the cost of an attempt is changed, signed again", f"{ATTEMPT}.ended.json", lambda own: own.update(cost_usd=0.0001))
recorded("the latency of an attempt is changed, signed again", f"{ATTEMPT}.ended.json",
         lambda own: own.update(latency_seconds=0.5))
recorded("the model that answered is named otherwise in the record of the attempt, signed again", f"{ATTEMPT}.ended.json",
         lambda own: own.update(served_model="beta-small"))
recorded("the request id of an attempt is changed, signed again", f"{ATTEMPT}.ended.json",
         lambda own: own.update(request_id="req_1"))
recorded("token counts are changed right after asking, signed again", f"{ATTEMPT}.ended.json",
         lambda own: own.update(output_tokens=34), moment="asking")
recorded("a private head with the provider's headers is changed, signed again", f"{ATTEMPT}.head.json",
         lambda own: own.update(headers=[["x-request-id", "req_1"]]))
recorded("the digest of what was sent is changed in the record of an attempt, signed again", f"{ATTEMPT}.begun.json",
         lambda own: own.update(input_sha256="0" * 64))
recorded("an attempt begins an hour earlier in its record, signed again", f"{ATTEMPT}.begun.json",
         lambda own: own.update(started_at_utc="2026-12-06T09:20:00Z"))
recorded("an attempt ends after the deadline in its record, signed again", f"{ATTEMPT}.ended.json",
         lambda own: own.update(ended_at_utc="2026-12-07T20:00:00Z"))
recorded("a failed first attempt becomes a valid one, signed again", f"runs/{RUN}/attempts/gamma-large__001.ended.json",
         lambda own: own.update(status="valid", reason=None, problems=[]))
recorded("the plan of the run allows more retries, signed again", f"runs/{RUN}/slots.json",
         lambda own: own.update(max_retries=9))
recorded("the acceptance gets another reason, signed again", f"runs/{RUN}/acceptance.json",
         lambda own: own.update(reason="all went well"), moment="acceptance")
recorded("the acceptance gets an earlier instant, signed again", f"runs/{RUN}/acceptance.json",
         lambda own: own.update(accepted_at_utc="2026-12-06T10:25:00Z"))
recorded("a control entrant gets other holdings, signed again", f"runs/{RUN}/controls/control-random.json",
         lambda own: own.update(portfolio=[{"option_id": "GOLD", "allocation_pct": 100, "rationale": "drawn"}]))


@tampering("attempt files of the failed first attempt are deleted, signed as gone", "scoring", "1", bundled=True)
def hidden_attempt(a: Attack) -> None:
    a.remove(*(f"runs/{RUN}/attempts/gamma-large__001.{end}" for end in ("begun.json", "head.json", "answer", "ended.json")))
    a.sign()


@tampering("the second attempt takes the place of the failed first one, signed again", "asking", "1")
def renumbered_attempt(a: Attack) -> None:
    for end in ("begun.json", "head.json", "answer", "ended.json"):
        first, second = (a.run / f"attempts/gamma-large__00{number}.{end}" for number in (1, 2))
        second.replace(first)
    a.json(f"runs/{RUN}/attempts/gamma-large__001.begun.json", lambda own: own.update(attempt=1))
    a.sign()
    a.go_on()


@tampering("the answer of an attempt is deleted, signed as gone", "scoring", "1")
def answer_gone(a: Attack) -> None:
    a.remove(f"{ATTEMPT}.answer")
    a.sign()


@tampering("a model's submission is deleted after the acceptance, signed as gone", "acceptance", "1")
def submission_gone(a: Attack) -> None:
    a.remove(f"{SUBMISSION}/raw/{LAST}.json", f"{SUBMISSION}/parsed/{LAST}.json")
    a.accept_again()
    a.sign()


def research(name: str, moment: str):
    @tampering(f"a research report is changed {name}, with its digest, signed again", moment, "1")
    def do(a: Attack) -> None:
        a.text("research/market_fact_report.md", lambda text: text + "\nRates were cut.\n")
        a.json("research/research_hashes.json", lambda own: own["files"].update(
            {"research/market_fact_report.md": file_digest(a, "research/market_fact_report.md")}))
        a.sign()


research("after asking", "asking")
research("after scoring", "scoring")


@tampering("the audit report is deleted after asking, signed as gone", "asking", "1")
def audit_gone(a: Attack) -> None:
    a.remove("research/briefing_audit_report.md")
    a.sign()


@tampering("the prompt, its digest and the model input are changed after asking, signed again", "asking", "1")
def prompt(a: Attack) -> None:
    for path in ("prompt.md", "model_input.md"):
        a.text(path, lambda text: text.replace("portfolio", "basket"))
    a.json("hashes.json", lambda own: own["files"].update(
        {path: file_digest(a, path) for path in ("prompt.md", "model_input.md")}))
    a.sign()
    a.go_on()


@tampering("one line of the run's log is changed, signed again", "scoring", "1")
def run_log(a: Attack) -> None:
    a.swap(f"runs/{RUN}/run_log.jsonl", '"attempt": 2', '"attempt": 1')
    a.sign()


@tampering("the run's manifest hides a model, signed again", "scoring", "1")
def run_manifest(a: Attack) -> None:
    a.swap(f"runs/{RUN}/run_manifest.yaml", ',"gamma-large"]', "]")
    a.sign()


@tampering("the parsed file alone is changed, scored and signed again", "scoring", "6", bundled=True)
def parsed_alone(a: Attack) -> None:
    a.swap(f"{SUBMISSION}/parsed/{LAST}.json", "FAR_SHARES", "GOLD")
    a.score(a.scene.better)
    a.sign()


@tampering("the parsed file alone is changed before scoring; then the round goes on", "exit", "6")
def parsed_before_score(a: Attack) -> None:
    a.swap(f"{SUBMISSION}/parsed/{LAST}.json", "FAR_SHARES", "GOLD")
    a.go_on()
    a.sign()


@tampering("the raw submission and the parsed file are changed before scoring; then the round goes on", "exit", "6")
def raw_before_score(a: Attack) -> None:
    for place in ("raw", "parsed"):
        a.swap(f"{SUBMISSION}/{place}/{LAST}.json", "FAR_SHARES", "GOLD")
    a.accept_again()
    a.go_on()
    a.sign()


@tampering("the raw submission and the parsed file are changed before the acceptance, which then names them", "asking", "6")
def raw_before_acceptance(a: Attack) -> None:
    for place in ("raw", "parsed"):
        a.swap(f"{SUBMISSION}/{place}/{LAST}.json", "FAR_SHARES", "GOLD")
    a.go_on()
    a.sign()


@tampering("the digest of the reply in the run's log is made to fit a changed reply before the acceptance", "asking", "6")
def reply_before_acceptance(a: Attack) -> None:
    said = json.loads((a.round / f"{ATTEMPT}.ended.json").read_text())["text"]
    other = said.replace("FAR_SHARES", "GOLD")
    (a.run / f"raw_responses/{LAST}.txt").write_text(other)
    for place in ("raw", "parsed"):
        a.swap(f"{SUBMISSION}/{place}/{LAST}.json", "FAR_SHARES", "GOLD")
    a.swap(f"runs/{RUN}/run_log.jsonl", sha256(said.encode()).hexdigest(), sha256(other.encode()).hexdigest())
    a.derived()
    a.go_on()
    a.sign()


@tampering("another round's name stands in the acceptance, signed again", "scoring", "1")
def foreign_acceptance(a: Attack) -> None:
    a.swap(f"runs/{RUN}/acceptance.json", NAME, "LEAGUE-2026-11-30-1W")
    a.sign()


@tampering("a research report is changed, signed, changed back and signed again", "scoring", "1")
def there_and_back(a: Attack) -> None:
    before = (a.round / "research/market_fact_report.md").read_bytes()
    a.text("research/market_fact_report.md", lambda text: text + "\nRates were cut.\n")
    a.own_sign()
    (a.round / "research/market_fact_report.md").write_bytes(before)
    a.sign()


@tampering("an answer is deleted, signed as gone, put back and signed again", "scoring", "1")
def gone_and_back(a: Attack) -> None:
    before = (a.round / f"{ATTEMPT}.answer").read_bytes()
    a.remove(f"{ATTEMPT}.answer")
    a.own_sign()
    (a.round / f"{ATTEMPT}.answer").write_bytes(before)
    a.sign()


@tampering("one more attempt with the best picks is added behind the valid one, signed again", "scoring", "1")
def added_attempt(a: Attack) -> None:
    for end in ("begun.json", "head.json", "answer", "ended.json"):
        content = (a.run / f"attempts/{LAST}__001.{end}").read_text().replace("FAR_SHARES", "GOLD")
        (a.run / f"attempts/{LAST}__002.{end}").write_text(content)
    a.json(f"runs/{RUN}/attempts/{LAST}__002.begun.json", lambda own: own.update(attempt=2))
    a.json(f"runs/{RUN}/attempts/{LAST}__002.head.json",
           lambda own: own.update(sha256=file_digest(a, f"runs/{RUN}/attempts/{LAST}__002.answer")))
    a.sign()


@tampering("the run is renamed in every file, signed again", "scoring", "1")
def renamed_run(a: Attack) -> None:
    for file in (*a.run.rglob("*"), a.round / "automation/resolution_job.yaml"):
        if file.is_file():
            file.write_bytes(file.read_bytes().replace(RUN.encode(), b"official-9"))
    a.run.rename(a.run.with_name("official-9"))
    a.sign()
