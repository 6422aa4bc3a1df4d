"""Who stands around an operator: models, a price vendor and a second one, a time stamp authority, and one clock."""

import csv
import http.server
import json
import math
import os
import re
import subprocess
import threading
import time
from datetime import datetime
from email.utils import formatdate
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from outside import Clock

KEY = "a-key-of-the-providers-of-prove"
WINDOW = ["2026-12-07", "2026-12-08", "2026-12-09", "2026-12-10", "2026-12-11", "2026-12-14"]
# What an option gains from the entry to the exit of the window.
GAINS = {"FXBIL": 0.001, "FXSPX": 0.012, "FXFAR": -0.031, "FXLNG": 0.004, "FXGLD": 0.052}


def seconds(instant: str) -> float:
    return datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()


class Moved:
    """A wall clock that says what it is told, for programs of others too."""

    def __init__(self, base: Path, layer: Path, at: str):
        self.file, self.layer = base / "clock", layer
        self.set(at)

    def set(self, at: str) -> None:
        spare = self.file.with_suffix(".new")
        spare.write_text(str(math.ceil(seconds(at) - time.time())))  # never before it, and less than a second after
        os.replace(spare, self.file)

    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.layer), "CLOCK_FILE": str(self.file)}


class Authority(Clock):
    """A time stamp authority whose clock is moved."""

    def __init__(self, base: Path, moved: Moved):
        self.moved = moved
        base.mkdir(exist_ok=True)
        super().__init__(base)

    @property
    def root(self) -> Path:
        return self.folder / "root.pem"

    def openssl(self, words: str) -> None:
        done = subprocess.run(["openssl", *words.split()], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **self.moved.environment()})
        assert done.returncode == 0, done.stderr

    def certify(self, extensions: str) -> None:
        """The signer gets one more certificate of the same root, with other extensions."""
        (self.folder / "other.cnf").write_text(f"[other]\n{extensions}\n")
        self.openssl("x509 -req -in stamper.csr -CA root.pem -CAkey root.key -CAcreateserial -days 36500 "
                     "-extfile other.cnf -extensions other -out other.pem")

    def stamp_otherwise(self, query: bytes) -> bytes:
        """The same statement signed with that other certificate, which openssl would not do for a stamp."""
        self.stamp(query)
        self.openssl("ts -reply -in reply.tsr -token_out -out token.der")
        self.openssl("cms -verify -noverify -inform DER -in token.der -out statement.der")
        self.openssl("cms -sign -cades -binary -nodetach -econtent_type id-smime-ct-TSTInfo -in statement.der -signer other.pem "
                     "-inkey stamper.key -md sha256 -outform DER -out token.der")
        body = bytes.fromhex("3003020100") + (self.folder / "token.der").read_bytes()
        return bytes([0x30, 0x82]) + len(body).to_bytes(2, "big") + body


class Server:
    """Answers on the loopback until the process ends, and dates its answers by the moved clock."""

    def __init__(self, moved: Moved):
        outer = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.say(outer.answer(self.path, self.rfile.read(int(self.headers["content-length"]))))

            def do_GET(self):
                self.say(outer.answer(self.path, b""))

            def say(self, told: tuple[int, dict]) -> None:
                body = json.dumps(told[1]).encode()
                self.send_response(told[0])
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.send_header("x-request-id", f"req_{len(body)}")
                self.end_headers()
                self.wfile.write(body)

            def date_time_string(self, timestamp=None):
                return formatdate(time.time() + int(moved.file.read_text()), usegmt=True)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path: str, body: bytes) -> tuple[int, dict]:
        raise NotImplementedError


class Models(Server):
    """Three models of three providers; one of them stumbles at first."""

    PICKS = {"alpha-large": [("SP500", 60), ("GOLD", 40)], "beta-large": [("FAR_SHARES", 100)],
             "gamma-large": [("BILLS", 50), ("LONG_BONDS", 50)]}
    WIRES = {"alpha-large": "openai", "beta-large": "anthropic", "gamma-large": "vllm"}

    def __init__(self, moved: Moved):
        self.picks, self.stumbles = dict(self.PICKS), {"gamma-large": 1}
        super().__init__(moved)

    def roster(self) -> str:
        lines = ["models:"]
        for model, wire in self.WIRES.items():
            lines.append(f"- {{model_id: {model}, provider: {wire}, api_model_name: {model}, "
                         f"base_url: {self.url}/{wire}, api_key_env: PROVE_KEY}}")
        return "\n".join(lines) + "\n"

    def card(self) -> str:
        lines = ["as_of: 2026-12-01", "pricing:"]
        for model, wire in self.WIRES.items():
            lines.append(f"  {wire}:\n    {model}: {{input_per_1m_tokens_usd: 1, output_per_1m_tokens_usd: 10}}")
        return "\n".join(lines) + "\n"

    def answer(self, path: str, body: bytes) -> tuple[int, dict]:
        asked = json.loads(body)
        model, text = asked["model"], json.dumps(asked)
        said = json.dumps(decision(text, self.picks[model]))
        if self.stumbles.get(model, 0) > 0:
            # Half an object is trouble of form, which is asked again; a refusal would be final.
            self.stumbles[model] -= 1
            said = said[:len(said) // 2]
        wire = path.split("/")[1]
        return 200, {"openai": responses, "anthropic": messages, "vllm": chat}[wire](model, said)


def identifier(question: str, label: str) -> str:
    return re.split(r'[\\"]', question.rsplit(f"- {label}: ", 1)[1])[0]


def decision(question: str, held: list[tuple[str, int]]) -> dict:
    return {"round_id": identifier(question, "round_id"), "model_id": identifier(question, "model_id"),
            "provider": identifier(question, "provider"), "mode": "closed_capability",
            "portfolio": [{"option_id": option, "allocation_pct": share, "rationale": "by the table"}
                          for option, share in held],
            "confidence": 0.5, "rationale_summary": "As the table suggests.", "portfolio_rationale": "A few holdings.",
            "key_risks": ["a fall", "a rise elsewhere"]}


def responses(model: str, text: str) -> dict:
    return {"id": "resp_0a", "object": "response", "status": "completed", "model": model,
            "output": [{"type": "message", "role": "assistant", "status": "completed",
                        "content": [{"type": "output_text", "text": text, "annotations": []}]}],
            "usage": {"input_tokens": 1200, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 340,
                      "output_tokens_details": {"reasoning_tokens": 40}, "total_tokens": 1540}}


def messages(model: str, text: str) -> dict:
    return {"id": "msg_01", "type": "message", "role": "assistant", "model": model,
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 1200, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                      "output_tokens": 340}}


def chat(model: str, text: str) -> dict:
    return {"id": "chatcmpl-7", "object": "chat.completion", "created": 1762300000, "model": model,
            "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None,
                         "message": {"role": "assistant", "content": text, "refusal": None}}],
            "usage": {"prompt_tokens": 1200, "completion_tokens": 340, "total_tokens": 1540}}


class Vendors(Server):
    """Tiingo and Yahoo over one market; `doctored` is another gain for a symbol."""

    def __init__(self, histories: Path, moved: Moved):
        self.doctored: dict[str, float] = {}
        self.known = {}
        for file in histories.glob("*.csv"):
            with open(file) as rows:
                self.known[file.stem] = [(row["date"], float(row["close"]), float(row["adj_close"]))
                                         for row in csv.DictReader(rows)]
        super().__init__(moved)

    def rows(self, symbol: str) -> list[tuple[str, float, float]]:
        last = self.known[symbol][-1][1]
        gain = self.doctored.get(symbol, GAINS[symbol])
        steps = len(WINDOW) - 1
        walk = [(day, round(last * (1 + gain * at / steps), 4)) for at, day in enumerate(WINDOW)]
        return [(day, close, adjusted) for day, close, adjusted in self.known[symbol]] + [(day, close, close)
                                                                                         for day, close in walk]

    def answer(self, path: str, body: bytes) -> tuple[int, list | dict]:
        parts = urlsplit(path)
        asked = parse_qs(parts.query)
        if "/tiingo/daily/" in path:
            symbol = path.split("/tiingo/daily/")[1].split("/")[0]
            first, last = asked["startDate"][0], asked["endDate"][0]
            return 200, [{"date": f"{day}T00:00:00.000Z", "close": close, "adjClose": adjusted, "volume": 100,
                          "divCash": 0.0, "splitFactor": 1.0}
                         for day, close, adjusted in self.rows(symbol) if first <= day <= last]
        symbol = parts.path.rsplit("/", 1)[1]
        first, last = int(asked["period1"][0]), int(asked["period2"][0])
        found = [(int(datetime.fromisoformat(f"{day}T14:30:00+00:00").timestamp()), close, adjusted)
                 for day, close, adjusted in self.rows(symbol)]
        found = [row for row in found if first <= row[0] < last]
        return 200, {"chart": {"error": None, "result": [{
            "meta": {"gmtoffset": 0, "symbol": symbol}, "timestamp": [at for at, _, _ in found],
            "indicators": {"quote": [{"close": [close for _, close, _ in found], "volume": [100 for _ in found]}],
                           "adjclose": [{"adjclose": [own for _, _, own in found]}]}}]}}

