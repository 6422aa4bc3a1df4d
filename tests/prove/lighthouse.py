"""Marks of Lighthouse for a page of four kinds, on a phone and on a desk; ends with 1 below 95."""

import json
import re
import subprocess
import sys
import urllib.request

lighthouse, site = sys.argv[1:3]
CATEGORIES = ["performance", "accessibility", "best-practices", "seo"]
LEAST = 95


def first(page, pattern):
    with urllib.request.urlopen(f"{site}/{page}") as answer:
        found = re.search(pattern, answer.read().decode())
    assert found, f"/{page} leads to no such page"
    return found.group(1)


def marks(path, form):
    command = [lighthouse, f"{site}/{path}", "--output=json", "--quiet", f"--only-categories={','.join(CATEGORIES)}",
               "--chrome-flags=--headless=new --no-sandbox"]
    if form == "desk":
        command.append("--preset=desktop")
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    missed = [audit["title"] for audit in report["audits"].values()
              if audit["score"] is not None and audit["score"] < 0.9 and audit["scoreDisplayMode"] in ("binary", "numeric")]
    return {name: round(report["categories"][name]["score"] * 100) for name in CATEGORIES}, missed


pages = {
    "home": "",
    "round": first("rounds/", r'data-state="resolved"[^>]*>.*?href="\.\./(rounds/[^"]+/)"'),
    "model": first("models/", r'href="\.\./(models/[^"]+/)"'),
    "compare": "compare/",
}
low = False
print("| page | form | " + " | ".join(CATEGORIES) + " |")
print("| --- | --- |" + " --- |" * len(CATEGORIES))
for name, path in pages.items():
    for form in ["phone", "desk"]:
        found, missed = marks(path, form)
        low |= min(found.values()) < LEAST
        print(f"| {name} | {form} | " + " | ".join(str(found[own]) for own in CATEGORIES) + " |", flush=True)
        if missed and min(found.values()) < 100:
            print(f"  {name}, {form}: {'; '.join(missed)}", file=sys.stderr)
sys.exit(low)
