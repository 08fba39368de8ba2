#!/usr/bin/env bash
# Installs locked packages into a virtual environment: scripts/install.sh ENVIRONMENT LIST
#
# Their modules are compiled by all processors; pip would do it with one. Some packages hold
# templates that are no Python, on which compiling fails.
set -euo pipefail

environment=$1
list=$2

"$environment/bin/python" -m pip --disable-pip-version-check install --quiet --no-compile \
    --no-deps --require-hashes --only-binary :all: -r "$list"
"$environment/bin/python" -W ignore -m compileall -qq -j 0 "$environment"/lib/python3*/site-packages || true
