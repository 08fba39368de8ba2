#!/usr/bin/env bash
# Makes a virtual environment that has pip: scripts/venv.sh PYTHON DIRECTORY
#
# Debian and Ubuntu keep pip for new environments in packages of their own (python3-venv, python3-pip-whl).
# Where they are missing, the wheel is taken out of the distribution's package: unpacked beside the
# environment, nothing installed, no root needed.
set -euo pipefail

python=$1
directory=$2

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    die "Residua needs Python 3.11 or later; '$python' is not. Name another: make PYTHON=python3.12 ..."

# The interpreter of an environment that is active may be the one that is made anew, and goes with it.
python=$("$python" -c 'import sys; print(sys._base_executable)')

rm -rf "$directory"
if "$python" -m venv "$directory" >/dev/null 2>&1; then
    exit 0
fi

rm -rf "$directory"
"$python" -m venv --without-pip "$directory" ||
    die "'$python' cannot make a virtual environment; on Debian or Ubuntu: apt-get install python3-venv"

unpacked=$directory/python3-pip-whl
if ! compgen -G '/usr/share/python-wheels/pip-*.whl' >/dev/null; then
    mkdir "$unpacked"
    (cd "$unpacked" && apt-get -qq download python3-pip-whl && dpkg -x python3-pip-whl_*.deb .) 2>/dev/null ||
        { rm -rf "$directory"; die "no pip for new environments; run: apt-get update && apt-get install python3-venv"; }
fi
wheel=$(compgen -G '/usr/share/python-wheels/pip-*.whl' || compgen -G "$unpacked/usr/share/python-wheels/pip-*.whl")
"$directory/bin/python" "$wheel/pip" install --quiet --no-index --no-deps "$wheel"
rm -rf "$unpacked"
