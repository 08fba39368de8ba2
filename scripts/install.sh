#!/usr/bin/env bash
# Installs locked packages into a virtual environment: scripts/install.sh ENVIRONMENT LIST
#
# All processors take part: pip would install, and compile, with one of them. Tests of the packages,
# which nobody runs, are not compiled. Some packages hold templates that are no Python, on which
# compiling fails.
set -euo pipefail

environment=$1
list=$2

parts=$(mktemp -d)
running=()
# If one fails, the others end, too.
trap 'kill "${running[@]}" 2>/dev/null || true; rm -rf "$parts"' EXIT
awk -v count="$(nproc 2>/dev/null || echo 1)" -v folder="$parts" \
    '/^[^ #]/ { package++ } { print > (folder "/" package % count) }' "$list"

for part in "$parts"/*; do
    "$environment/bin/python" -m pip --disable-pip-version-check install --quiet --no-compile \
        --no-deps --require-hashes --only-binary :all: -r "$part" &
    running+=($!)
done
for each in "${running[@]}"; do
    wait "$each"
done
"$environment/bin/python" -W ignore -m compileall -qq -j 0 -x '/tests?/' \
    "$environment"/lib/python3*/site-packages || true
