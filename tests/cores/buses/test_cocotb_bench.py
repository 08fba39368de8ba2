"""The test bench in cocotb that comes with a core on a bus, run as it lies there."""

import functools
import shutil

import pytest
from tests.cores.generated import INVERSE, LOADED
from tests.hardware.bus.cocotb_runner import run_on
from tests.small_curves import TINY

from residua.cores.directory import build
from residua.cores.specification.reading import check_any

pytestmark = pytest.mark.usefixtures("quick")

CORES = {
    "streams": LOADED | {"inverse": "supplied", "operand_check": "flag", "bus": "axi"},
    "words through AXI4-Lite": INVERSE | {"bus": "axi-lite"},
    "several with random words": {
        "algorithm": "iddmm", "curve": TINY, "digit": 20, "bus": "axi", "instances": 2,
        "protections": "none",
    },
    "inverses on Wishbone": INVERSE | {"bus": "wishbone"},
}  # fmt: skip


@pytest.fixture(scope="module")
def directories(tmp_path_factory):
    """A core with three vectors, and its modules."""

    @functools.cache
    def make(name):
        core = build(check_any(CORES[name]), tmp_path_factory.mktemp("core") / "core")
        modules = core.made.top, core.made.name
        shorten(core.path / "sim/vectors.hex")
        return core.path, modules

    return make


def shorten(path):
    """Leave a short vector of each sort: without results, with some, and zeroised."""
    lines = path.read_text().splitlines()
    *records, end = [line.split() for line in lines if not line.startswith("//")]
    # Without results: one that is loaded, which those with results need.
    plain = next(one for one in reversed(records) if one[2] == one[5] == "00000000")
    right = next(one for one in records if one[5] != "00000000")
    aborted = next(one for one in records if one[2] != "00000000")
    aborted[2] = f"{min(int(aborted[2], 16), 800):08x}"
    path.write_text("\n".join(" ".join(one) for one in (plain, right, aborted, end)))


def run(directory, modules, work, monkeypatch):
    """Names of the tests that passed, and of those that did not."""
    work.mkdir()
    names = sorted([*modules, "primitives"])
    sources = [directory / "rtl" / f"{name}.v" for name in names]
    sim = directory / "sim"
    return run_on(sources, modules[0], "cocotb_test", work, monkeypatch, folder=sim)


@pytest.mark.parametrize("name", CORES)
def test_passes(name, directories, tmp_path, monkeypatch):
    passed, failed = run(*directories(name), tmp_path / "work", monkeypatch)
    assert not failed
    assert len(passed) == 3


def test_a_wrong_result_is_found(directories, tmp_path, monkeypatch):
    path, modules = directories("inverses on Wishbone")
    broken = shutil.copytree(path, tmp_path / "core")
    vectors = broken / "sim" / "vectors.hex"
    lines = [line.split() for line in vectors.read_text().splitlines()]
    product = next(words for words in lines if words[5:6] != ["00000000"])
    product[-1] = f"{int(product[-1], 16) ^ 1:08x}"
    vectors.write_text("\n".join(map(" ".join, lines)))
    passed, failed = run(broken, modules, tmp_path / "work", monkeypatch)
    assert len(failed) == 2
    assert passed == ["refusals"]
