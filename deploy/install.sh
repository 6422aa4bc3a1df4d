#!/bin/sh
# Installs the released program for this machine, after checking its digest.
#   sh install.sh [VERSION]       the newest release where no version is given
# CAPITALBENCH_BIN is the folder to install into (default: ~/.local/bin).
# CAPITALBENCH_RELEASES is where releases lie, for a copy of your own.
set -eu
releases="${CAPITALBENCH_RELEASES:-https://github.com/OWNER/capitalbench/releases}"
bin="${CAPITALBENCH_BIN:-$HOME/.local/bin}"

fail() {
  echo "error: $1" >&2
  exit 1
}

case "$(uname -s)" in
  Linux) system=unknown-linux-musl ;;
  Darwin) system=apple-darwin ;;
  *) fail "there is no release for $(uname -s); build it with cargo install --locked --git" ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) machine=x86_64 ;;
  aarch64 | arm64) machine=aarch64 ;;
  *) fail "there is no release for $(uname -m); build it with cargo install --locked --git" ;;
esac
command -v curl > /dev/null || fail "curl is missing; install it, then run this again"

name="capitalbench-$machine-$system"
if [ $# -gt 0 ]; then
  from="$releases/download/v${1#v}"
else
  from="$releases/latest/download"
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
curl --fail --silent --show-error --location --output "$folder/$name.tar.gz" "$from/$name.tar.gz" ||
  fail "$from/$name.tar.gz cannot be fetched; look whether this version was released"
curl --fail --silent --show-error --location --output "$folder/SHA256SUMS" "$from/SHA256SUMS" ||
  fail "$from/SHA256SUMS cannot be fetched; without it nothing is installed"
cd "$folder"
grep " $name.tar.gz\$" SHA256SUMS > own.sha256 || fail "SHA256SUMS does not list $name.tar.gz"
if command -v sha256sum > /dev/null; then
  sha256sum --check --quiet own.sha256 || fail "$name.tar.gz has another digest than SHA256SUMS says"
else
  shasum -a 256 --check --quiet own.sha256 || fail "$name.tar.gz has another digest than SHA256SUMS says"
fi
tar -xzf "$name.tar.gz"
mkdir -p "$bin"
# A program that runs cannot be written over; it can be replaced.
cp "$name/capitalbench" "$bin/capitalbench.new"
mv "$bin/capitalbench.new" "$bin/capitalbench"
echo "installed $("$bin/capitalbench" --version) into $bin"
case ":$PATH:" in
  *":$bin:"*) ;;
  *) echo "add $bin to PATH to call it by its name" ;;
esac
