"""The kind of core that docs/adding-a-core.md adds, as a package of its own, by its commands."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-core.md"

FENCE = re.compile(
    r"^```(py|toml|sh)\n(.*?)^```\n(?:\n(?:This prints\n\n)?```text\n(.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
"""A block, with the block of text that follows it at once: what it prints."""

FILE_NAME = re.compile(r"# ([\w/]+\.py)\n")


def blocks(language):
    found = FENCE.findall(PAGE.read_text(encoding="utf-8"))
    return [(code, output) for name, code, output in found if name == language]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the package and what an installer makes of its entry points."""
    site = tmp_path_factory.mktemp("site")
    for code, _ in blocks("py"):
        path = site / FILE_NAME.match(code).group(1)
        path.parent.mkdir(exist_ok=True)
        path.write_text(code.partition("\n")[2], encoding="utf-8")
    (project,) = (tomllib.loads(code)["project"] for code, _ in blocks("toml"))
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return site


def run(site, *arguments):
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    found = subprocess.run(
        [sys.executable, *arguments],
        cwd=site,
        env=os.environ | {"PYTHONPATH": path, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    return found.returncode, found.stdout + found.stderr


SHELL = """\
import shlex, sys
from residua import cli
for sys.argv in map(shlex.split, sys.argv[1:]):
    try:
        cli.main()
    except SystemExit as ended:
        print("ended with", ended.code or 0, flush=True)
"""
"""Runs commands one after the other."""


@pytest.fixture(scope="module")
def adder(site):
    """The directory that the page makes, by its commands: with fewer runs than by default."""
    for code, output in blocks("sh"):
        lines = [
            f"{line} --vectors 500" if line.startswith("residua verify") else line
            for line in code.splitlines()
        ]
        status, printed = run(site, "-c", SHELL, *lines)
        assert status == 0, printed
        codes = [int(found) for found in re.findall(r"^ended with (\d+)$", printed, re.MULTILINE)]
        assert codes == [2 if output else 0] * len(lines), printed
        assert not output or set(printed.splitlines()) == {*output.splitlines(), "ended with 2"}
    return site / "adder"


@pytest.mark.usefixtures("adder")
def test_the_page(site):
    assert not (site / "adder7").exists()
    manifest = (site / "adder" / "manifest.json").read_text()
    assert '"modular_adder_p256_8x32"' in manifest
    assert "Modular adder" in (site / "adder" / "report.html").read_text()
    for path in (
        site / "adder" / "README.md",
        site / "adder" / "rtl" / "modular_adder_p256_8x32.v",
    ):
        assert "Modular adder" in path.read_text()
    (proof,) = ((FILE_NAME.match(code).group(1), output) for code, output in blocks("py") if output)
    assert run(site, proof[0]) == (0, proof[1])


def test_its_flags(site):
    status, printed = run(site, "-m", "residua", "build", "--modulus", "P-256", "--word-bits", "16")
    assert status == 2
    assert "--output" in printed


def test_a_change_of_the_package_changes_what_it_makes(site, adder):
    """What is kept of the files of a core is that of the package as it was."""
    build = ("-m", "residua", "build", "--algorithm", "modular-adder", "--modulus", "P-256")
    core = site / "modular_adder" / "core.py"
    text = core.read_text()
    try:
        core.write_text(text.replace('"Modular adder"', '"Another adder"'))
        assert run(site, *build, "--output", "after")[0] == 0
    finally:
        core.write_text(text)
    assert "Modular adder" in (adder / "README.md").read_text()
    assert "Another adder" in (site / "after" / "README.md").read_text()


BROKEN = {
    "lost": ("nowhere:KIND", "ModuleNotFoundError: No module named 'nowhere'"),
    "other": ("modular_adder.core:AdderCore", "it is no residua.cores.kind.Kind"),
}


def test_kinds_that_cannot_be_taken_leave_the_others(site, tmp_path):
    for name, (value, _) in BROKEN.items():
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[residua.kinds]\n{name} = {value}\n")
    code = f"import sys; sys.path.append({str(tmp_path)!r}); from residua.cli import main; main()"
    status, printed = run(site, "-c", code, "build", "--help")
    assert status == 0
    for name, (value, reason) in BROKEN.items():
        assert f"no kind of core '{name}' from {value}: {reason}" in printed
    assert "modular-adder" in printed
    assert "--word-bits" in printed


def test_a_wrong_adder_is_found(site, adder):
    """The verification of the page can fail."""
    check = (
        "import sys; from pathlib import Path\n"
        "from residua.cores.directory import Directory\n"
        "from residua.cores.verification import run_directory\n"
        "from residua.evidence.changed import with_core\n"
        "directory = Directory.open(Path(sys.argv[1]))\n"
        "text = directory.sources()[0].read_text()\n"
        "assert 'subtracted ? less' in text\n"
        "text = text.replace('subtracted ? less', 'subtracted ? sums')\n"
        "changed = with_core(directory, text, Path('changed'))\n"
        "print(run_directory(changed, vectors=100)['failures'])\n"
    )
    status, printed = run(site, "-c", check, str(adder))
    assert status == 0, printed
    assert "of the result of the words" in printed
