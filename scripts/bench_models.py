"""Eight models that answer after two seconds each: how long does a whole run take?"""

import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time

MODELS, SECONDS = 8, 2.0


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible server does, slowly."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][0]["content"]
        named = {name: re.findall(rf"- {name}: (\S+)", text)[-1] for name in ("round_id", "model_id", "provider")}
        decision = named | {
            "mode": "closed_capability",
            "portfolio": [{"option_id": "SP500", "allocation_pct": 100, "rationale": "broad"}],
            "confidence": 0.5,
            "rationale_summary": "The reference itself.",
            "portfolio_rationale": "One holding.",
            "key_risks": ["a fall", "a rise elsewhere"],
        }
        message = {"role": "assistant", "content": json.dumps(decision)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        answer = {"id": "c1", "object": "chat.completion", "model": body["model"], "choices": [choice]}
        answer["usage"] = {"prompt_tokens": 90, "completion_tokens": 30, "total_tokens": 120}
        reply = json.dumps(answer).encode()
        time.sleep(SECONDS)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def eight_slow_models(binary):
    """Wall seconds of `run-round` over eight endpoints of this machine."""
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) for _ in range(MODELS)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "operate")
        shutil.copytree(os.path.join(os.path.dirname(__file__), "..", "fixtures", "operate"), folder)

        def run(arguments):
            command = [os.path.abspath(binary), *arguments.split(), "--horizon", "one week"]
            command = command if arguments.startswith("init") else command[:-2]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(done.stdout + done.stderr)

        with open(os.path.join(folder, "models.yaml"), "w") as file:
            file.write("models:\n")
            for number, server in enumerate(servers):
                base = f"http://127.0.0.1:{server.server_address[1]}/v1"
                file.write(f"- {{model_id: m{number}, provider: vllm, api_model_name: m{number}, base_url: '{base}'}}\n")
        run(
            "init-round --now 2026-11-18T10:00:00Z --round-id BENCH-1W --universe options.yaml "
            "--models models.yaml --decision-deadline 2028-06-05T13:25:00Z"
        )
        run(
            "import-research --round rounds/BENCH-1W --market-fact-report facts.md --audit-report audit.md "
            "--final-briefing briefing.md --research-cutoff-utc 2026-11-18T09:00:00Z"
        )
        run(
            "fetch-universe-performance --round rounds/BENCH-1W --as-of-date 2026-11-17 --source csv "
            "--histories histories --now 2026-11-18T10:30:00Z"
        )
        run("hash-round --round rounds/BENCH-1W")
        start = time.perf_counter()
        run("run-round --round rounds/BENCH-1W --models models.yaml --allow-real-api-calls --yes --quiet")
        wall = time.perf_counter() - start
    for server in servers:
        server.shutdown()
    return wall
