#!/usr/bin/env bash
# Every page of the archive's site by the validator of the W3C, and four kinds of pages by Lighthouse.
# Needs java, npm and chromium. Ends with 1 where the validator finds an error or a mark is below 95.
set -euo pipefail
cd "$(dirname "$0")/../.."
archive="${CAPITALBENCH_ARCHIVE:-../shared/archive}"
[ -d "$archive/rounds" ] || { echo "no archive at $archive; set CAPITALBENCH_ARCHIVE" >&2; exit 2; }
target="${CARGO_TARGET_DIR:-target}"
tools="$target/test-site"
if [ ! -d "$tools/node_modules/lighthouse" ] || [ ! -f "$tools/node_modules/vnu-jar/build/dist/vnu.jar" ]; then
  mkdir -p "$tools"
  npm install --silent --no-audit --no-fund --prefix "$tools" vnu-jar@26.9.27 lighthouse@12.8.2 >&2
fi
program="${CAPITALBENCH_PROGRAM:-$target/release/capitalbench}"
[ -n "${CAPITALBENCH_PROGRAM:-}" ] || cargo build --release --quiet
folder="$(mktemp -d)"
served=""
trap '[ -z "$served" ] || kill "$served"; rm -rf "$folder"' EXIT
"$program" build-site --rounds-dir "$archive/rounds" --as-of 2026-08-21 --output "$folder/site" >/dev/null
# Files of rounds are served as they are; among them may be pages that a run wrote.
mapfile -t pages < <(find "$folder/site" -name index.html -not -path '*/files/runs/*'; find "$folder/site/embed" -name '*.html')
if java -Xss4m -jar "$tools/node_modules/vnu-jar/build/dist/vnu.jar" --errors-only "${pages[@]}"; then
  echo "vnu: ${#pages[@]} pages without an error"
else
  echo "vnu: errors above" >&2
  exit 1
fi
"$program" serve --rounds-dir "$archive/rounds" --as-of 2026-08-21 --listen 127.0.0.1:8473 >/dev/null 2>&1 &
served=$!
for _ in $(seq 100); do curl -sf -o /dev/null http://127.0.0.1:8473/healthz && break; sleep 0.1; done
CHROME_PATH="${CHROME_PATH:-$(command -v chromium)}"
export CHROME_PATH
python3 tests/prove/lighthouse.py "$tools/node_modules/.bin/lighthouse" http://127.0.0.1:8473
