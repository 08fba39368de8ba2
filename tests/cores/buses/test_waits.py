"""The driver with a device that waits for interrupts, on the simulated buses."""

import subprocess
from pathlib import Path

import pytest
from tests.schedules import quick_schedules
from tests.small_curves import TINY

from residua.cores.bus.driver.program import MOST_WAIT
from residua.cores.coprocessor.driver.program import build_driver_program
from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves import affine
from residua.curves.parameters import curve_from_parameters

MAIN = Path(__file__).with_name("waits.c")
PAUSE = 8
CURVE = curve_from_parameters(TINY)
POINT = affine.multiply(CURVE, 0x3039, CURVE.base_point)
BARE = {"curve": [TINY], "name": "tiny", "blinding": 0, "protections": "none"}
CORES = {"axi": {"bus": "axi"}, "several": {"bus": "wishbone", "instances": 2}}


@pytest.fixture(scope="module", params=CORES)
def program(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with quick_schedules():
        core = build(check_any({**BARE, **CORES[request.param]}), folder / "c")
        yield core, compiled(core, folder / "work")


def compiled(core, folder):
    folder.mkdir()
    (folder / "core.h").write_text(
        f'#include "{core.name}_simulated.h"\n#define CORE(name) {core.name}_##name\n'
        f"#define PAUSE {PAUSE}\n"
    )
    return build_driver_program([core], MAIN, folder)


def ran(made, way, polls=10_000):
    words = [made, way, str(polls)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    code, point, reads, waits, failure = done.stdout.split()
    assert failure == "0"
    return int(code), point, int(reads), int(waits)


def test_few_reads(program):
    """The same point, with as many reads as words and waits need, and not one for every poll."""
    core, made = program
    right = "04" + "".join(f"{part:04x}" for part in POINT)
    code, point, reads, waits = ran(made, "poll")
    assert (code, point, waits) == (0, right, 0)
    (cycles,) = {one["BASE_MULTIPLY"] for one in core.manifest["cycles"]["operations"]}
    assert reads > 3 * (cycles // MOST_WAIT)
    code, point, fewer, waits = ran(made, "wait")
    assert (code, point) == (0, right)
    assert 0 < waits <= cycles // MOST_WAIT + 4
    assert fewer < reads / 3


def test_a_limit_counts_waits(program):
    """A device that waits gives up after as many reads as one that polls."""
    _, made = program
    code, point, *_ = ran(made, "wait", polls=3)
    assert code == -6
    assert set(point) == {"0"}
