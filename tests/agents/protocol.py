"""Holds the protocol of agents against its own schema, with other people's validator.

Runs the agent of docs/agent-protocol.md and a proxy before it that keeps what goes to and fro while
the program given as argument tries it with `enter test`; then validates both with the schema.
Answers that the program refuses for their form must not fit the schema either.
"""

import io
import json
import os
import re
import subprocess
import sys
import threading
from http.server import HTTPServer
from pathlib import Path

from jsonschema import Draft202012Validator

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA = json.loads((DOCS / "agent-protocol.schema.json").read_text())
Draft202012Validator.check_schema(SCHEMA)


def validator(part):
    return Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{part}"}]})


def documented_agent():
    """The agent of the page, on a free port."""
    page = (DOCS / "agent-protocol.md").read_text()
    source = re.search(r"```python\n(.*?)```", page, re.S).group(1)
    made = {}
    exec(source.split("server = ")[0], made)  # noqa: S102: our own page
    return made["Decide"]


class Kept:
    """What went to and fro, and how the next answer is changed."""

    question = answer = None
    change = staticmethod(lambda answer: answer)


def kept(agent):
    class Proxy(agent):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            Kept.question = json.loads(body)
            self.rfile = io.BytesIO(body)
            out, self.wfile = self.wfile, io.BytesIO()
            agent.do_POST(self)
            answer = json.loads(self.wfile.getvalue().split(b"\r\n\r\n", 1)[1])
            Kept.answer = Kept.change(answer)
            sent = json.dumps(Kept.answer).encode()
            head = f"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
            out.write(head.encode() + sent)
            self.wfile = out

        def log_message(self, *_):
            pass

    return Proxy


def main(program):
    server = HTTPServer(("127.0.0.1", 0), kept(documented_agent()))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/decide"
    env = {**os.environ, "CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES": "1"}

    def holds(change=lambda answer: answer):
        Kept.change = staticmethod(change)
        ran = subprocess.run([program, "enter", "test", url, "--json"], env=env, capture_output=True, text=True, check=False)
        return json.loads(ran.stdout)

    said = holds()
    assert said["holds"], said
    validator("question").validate(Kept.question)
    validator("answer").validate(Kept.answer)

    def without(member):
        return lambda answer: {name: value for name, value in answer.items() if name != member}

    changes = [without(member) for member in Kept.answer] + [
        lambda answer: {**answer, "more": 1},
        lambda answer: {**answer, "transcript": []},
        lambda answer: {**answer, "transcript": [{"kind": "thought", "text": "x"}]},
        lambda answer: {**answer, "transcript": [{"kind": "said", "text": " "}]},
        lambda answer: {**answer, "portfolio": [{"option_id": "CASH", "allocation_pct": 99.5}]},
        lambda answer: {**answer, "portfolio": []},
        lambda answer: {**answer, "inputs_sha256": "none"},
    ]
    for change in changes:
        said = holds(change)
        assert not said["holds"], Kept.answer
        assert not validator("answer").is_valid(Kept.answer), Kept.answer
    print(f"agents: question and answer fit their schema, {len(changes)} broken answers do not")


if __name__ == "__main__":
    main(sys.argv[1])
