#!/usr/bin/env bash
# A static program in an empty root: it checks rounds, makes an export and opens HTTPS with certificates of its own.
# Needs root for chroot. Ends with 1 where one of them fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
host="$(rustc -vV | sed -n 's/^host: //p')"
RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --quiet --package capitalbench --target "$host"
program="$target/$host/release/capitalbench"
file "$program" 2>/dev/null || true
root="$(mktemp -d)"
server=""
trap '[ -z "$server" ] || kill "$server"; rm -rf "$root"' EXIT
mkdir "$root/tmp"
cp "$program" "$root/capitalbench"
cp -r fixtures/rounds "$root/rounds"
chroot="$(command -v chroot)"
alone() { env -i HOME=/tmp CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1 "$chroot" "$root" /capitalbench "$@"; }
alone verify /rounds
alone export --rounds-dir /rounds --as-of 2026-08-21 --output /export
alone build-site --rounds-dir /rounds --as-of 2026-08-21 --output /site

# A server whose certificate nobody vouches for: the program has to see that without any file of the machine.
keys="$(mktemp -d -p "$root")"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$keys/ca.key" -out "$keys/ca.pem" -days 2 -subj /CN=nobody 2>/dev/null
openssl req -newkey rsa:2048 -nodes -keyout "$keys/own.key" -out "$keys/own.csr" -subj /CN=127.0.0.1 2>/dev/null
openssl x509 -req -in "$keys/own.csr" -CA "$keys/ca.pem" -CAkey "$keys/ca.key" -CAcreateserial -days 2 -out "$keys/own.pem" \
  -extfile <(printf 'subjectAltName=IP:127.0.0.1\n') 2>/dev/null
python3 - "$keys" > "$root/port" 2> "$root/heard" <<'PYTHON' &
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{sys.argv[1]}/own.pem", f"{sys.argv[1]}/own.key")
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    peer, _ = listener.accept()
    try:
        context.wrap_socket(peer, server_side=True).recv(1)
        print("trusted", file=sys.stderr, flush=True)
    except ssl.SSLError as error:
        print(error.reason, file=sys.stderr, flush=True)
PYTHON
server=$!
until [ -s "$root/port" ]; do kill -0 "$server"; read -rt 0.05 <> <(:) || true; done
said="$(alone verify "https://127.0.0.1:$(cat "$root/port")/league" 2>&1)" && { echo "the program trusted it" >&2; exit 1; }
echo "$said"
grep -q "does not trust the certificate of the server" <<< "$said"
grep -q "UNKNOWN_CA" "$root/heard"
echo "a static program in an empty root verifies, exports, builds a site, and judges certificates by its own roots"
