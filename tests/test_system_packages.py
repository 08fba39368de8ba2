"""`make test-system` says which packages of the system it lacks, and installs none."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIST = "tests/system/packages.txt"

DPKG_QUERY = """#!/bin/sh
case "$4" in
  {installed}) printf installed ;;
  half) printf config-files ;;
  *) echo "no packages found matching $4" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def told(tmp_path):
    """What a command says on a system with these packages, and one whose files are left."""

    def told(*command, installed="nothing"):
        program = tmp_path / "bin" / "dpkg-query"
        program.parent.mkdir(exist_ok=True)
        program.write_text(DPKG_QUERY.format(installed=installed))
        program.chmod(0o755)
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            command, cwd=ROOT, env=os.environ | {"PATH": path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return told


def listed(tmp_path, text):
    path = tmp_path / "list.txt"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("# none\n\n", None),
        ("here # a comment\n", None),
        ("here\ngone", "gone"),
        ("gone\nhalf\nhere\n", "gone half"),
    ],
)
def test_what_is_missing(told, tmp_path, text, missing):
    done = told("scripts/system_packages.sh", listed(tmp_path, text), installed="here")
    assert done.stdout == ""
    if missing is None:
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode == 2
        assert f"missing, of those in {tmp_path}/list.txt: {missing}\n" in done.stderr
        assert f"apt-get update && apt-get install {missing}\n" in done.stderr


def test_make_sets_nothing_up_without_them(told, tmp_path):
    done = told("make", "test-system", f"VENV={tmp_path / 'venv'}")
    assert done.returncode == 2
    assert "chromium" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_the_list_has_names_alone():
    lines = (ROOT / LIST).read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if not line.startswith("#")]
    assert names == sorted(set(names))
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name) for name in names)


def test_plain_tests_collect_none_of_them(request):
    assert "tests/system" in request.config.getoption("ignore")
    assert not any("tests/system/" in item.nodeid for item in request.session.items)
