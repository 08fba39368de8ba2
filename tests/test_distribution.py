"""What is published: the source distribution is the whole project, the wheel is typed."""

import importlib.metadata
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import residua

ROOT = Path(__file__).parents[1]

ADDED = {"PKG-INFO"}
"""What the sdist has beside the project's files."""


def project_files() -> set[str]:
    """The files of the project: what git tracks, or all of an unpacked source distribution."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout:
        return {name for name in done.stdout.splitlines() if (ROOT / name).is_file()}
    assert (ROOT / "PKG-INFO").is_file(), "neither a git repository nor a source distribution"
    made = {".venv", "build", "site", "dist", "__pycache__"}
    names = {path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()}
    kept = {n for n in names if not made & set(n.parts) and not n.parts[0].endswith("_cache")}
    return {str(name) for name in kept} - ADDED


def build(kind: str, tree: Path, target: Path) -> Path:
    """Calls the build backend as pip does without isolation: nothing is downloaded."""
    code = f"import sys, hatchling.build; print(hatchling.build.build_{kind}(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(target)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The project without anything that was made in it."""
    path = tmp_path_factory.mktemp("project")
    for name in project_files():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    return path


@pytest.fixture(scope="module")
def unpacked(tree, tmp_path_factory):
    path = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", tree, path)) as archive:
        archive.extractall(path / "content", filter="data")
    (found,) = (path / "content").iterdir()
    return found


def test_source_distribution_is_the_project(unpacked):
    files = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert files - ADDED == project_files()
    assert (unpacked / "scripts" / "venv.sh").stat().st_mode & 0o100


def test_make_and_tests_find_what_they_need_in_it(unpacked):
    """`make demo` has all that it depends on; the tests of it are collected from it."""
    done = subprocess.run(
        ["make", "--dry-run", "demo", "test"],
        cwd=unpacked, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "scripts/venv.sh" in done.stdout
    assert "residua synth build/demo" in done.stdout
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/test_distribution.py"],
        cwd=unpacked, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_an_environment_is_made_anew_from_within(tmp_path):
    """`make` where it is active, and what is required has changed."""
    environment = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    old = environment / "old"
    old.touch()
    command = [ROOT / "scripts" / "venv.sh", environment / "bin" / "python", environment]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not old.exists()
    asked = [environment / "bin" / "python", "-m", "pip", "--version"]
    assert subprocess.run(asked, capture_output=True, check=False).returncode == 0


def test_wheel_from_the_source_distribution_is_typed_and_complete(unpacked, tmp_path):
    with zipfile.ZipFile(build("wheel", unpacked, tmp_path)) as wheel:
        names = {name for name in wheel.namelist() if name.startswith("residua/")}
    package = {name for name in project_files() if name.startswith("src/residua/")}
    assert names == {name.removeprefix("src/") for name in package}
    assert "residua/py.typed" in names


def test_version():
    assert residua.__version__ == importlib.metadata.version("residua")
    with pytest.raises(AttributeError, match="no attribute 'version_'"):
        _ = residua.version_


def test_import_loads_nothing():
    """The version is looked up when it is asked for."""
    code = (
        "import sys; before = set(sys.modules); import residua; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["residua"]
