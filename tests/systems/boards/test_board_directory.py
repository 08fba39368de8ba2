"""Directories of systems for boards: what is in them, lint, refusals."""

import json
import re
from fractions import Fraction

import pytest
from tests.small_curves import TINY

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.systems import soc_directory
from residua.systems.boards.sources import BOARDS
from residua.systems.boards.top import RING_LENGTHS, RINGS, BoardTop
from residua.systems.soc_directory import SocDirectory, SocRequest
from residua.toolchain import riscv, verilator, yosys

MODELS = (*yosys.cell_models("ecp5"), *yosys.clock_models("ecp5"))


def warnings(sources, top):
    """What lint says of our own files; the rings are loops, and the processor has a time scale."""
    found = verilator.lint(sources, top)
    own = [one for one in found if re.search(r"/(soc|tiny|primitives)\w*\.v:", one)]
    return [one for one in own if not re.search("UNOPTFLAT|TIMESCALE|PINMISSING", one)]


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    path = tmp_path_factory.mktemp("cores") / "tiny"
    return build(check_any({"curve": [TINY], "bus": "wishbone", "name": "tiny"}), path)


@pytest.fixture
def without_compiler(monkeypatch):
    """The program is a word; there may be no compiler for it."""
    monkeypatch.setattr(riscv, "version", lambda: "none")
    monkeypatch.setattr(soc_directory, "_compiled", lambda _draft, _request: [0x6F])


@pytest.mark.usefixtures("without_compiler")
@pytest.mark.parametrize("name", BOARDS)
def test_the_directory(core, name, tmp_path):
    made = soc_directory.build(SocRequest((core,), board=name), tmp_path / "soc")
    opened = SocDirectory.open(made.path)
    assert opened.manifest == json.loads((made.path / "soc.json").read_text())
    facts = opened.board
    assert facts["name"] == name
    assert facts["clocks"] == {"system_clock": 50.0}
    assert list(facts["rings"].values()) == [RING_LENGTHS[i % 3] for i in range(RINGS)]
    assert set(opened.board_sources) - set(opened.sources) == {
        made.path / "rtl" / file
        for file in ("soc_board.v", "soc_control.v", "soc_noise.v", "tiny/ecp5/primitives.v")
    }
    assert made.path / "rtl/tiny/primitives.v" not in opened.board_sources
    readme = (made.path / "README.md").read_text()
    assert f"{facts['program']}\n" in readme
    assert "nothing of it is certified" in " ".join(readme.split())
    assert warnings([*opened.board_sources, *MODELS], facts["top"]) == []


@pytest.mark.usefixtures("without_compiler")
def test_a_system_without_a_board_is_as_it_was(core, tmp_path):
    made = soc_directory.build(SocRequest((core,)), tmp_path / "soc")
    assert not list(made.path.rglob("*.lpf"))
    assert not list(made.path.rglob("*board.v"))
    assert not list(made.path.rglob("ecp5"))
    with pytest.raises(SpecificationError, match="was made for no board: residua soc"):
        _ = SocDirectory.open(made.path).board


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"board": "icestick"}, "--board icestick: expected one of ulx3s-85f"),
        (
            {"board": "ulx3s-85f", "megahertz": 51.37},
            "--clock 51.37 on ulx3s-85f: the PLL cannot make 51.37 MHz of 25 MHz: the nearest are",
        ),
        (
            {"board": "orangecrab-25f", "core_megahertz": 90.0},
            "--clock 50 --core-clock 90 on orangecrab-25f: the PLL cannot make 50 and 90 MHz of 48",
        ),
        ({"core_megahertz": 0.0}, "--core-clock 0: expected a number above 0"),
        ({"board": "ecpix-5", "megahertz": 500.0}, "a PLL makes clocks of 3.125 to 400 MHz"),
    ],
)
def test_refusals(core, options, message):
    with pytest.raises(SpecificationError, match=message):
        SocRequest((core,), **options)


@pytest.mark.usefixtures("without_compiler")
def test_coprocessors_with_a_clock_of_their_own(core, tmp_path):
    request = SocRequest((core,), board="orangecrab-25f", core_megahertz=75.0)
    made = soc_directory.build(request, tmp_path / "soc")
    facts = made.board
    assert facts["clocks"] == {"system_clock": 50.0, "core_clock": 75.0}
    assert facts["pll"]["oscillator_mhz"] / 75 == facts["pll"]["outputs"][1]
    board = (made.path / "rtl/soc_board.v").read_text()
    assert ".CLKOS(system_clock)" in board
    assert ".CLKOS2(core_clock)" in board
    assert "always @(posedge core_clock) core_reset <= {core_reset[0], reset};" in board
    assert made.path / "rtl/soc_far.v" in {*made.sources} & {*made.board_sources}
    assert "crossing to the clock of the cores" in (made.path / "README.md").read_text()
    assert warnings([*made.board_sources, *MODELS], facts["top"]) == []
    assert warnings(made.sources, "soc") == []


def test_pins_that_are_low_when_they_are_meant():
    text = BoardTop("soc", soc_directory.find_board("orangecrab-25f"), Fraction(50)).files()
    verilog = text["rtl/soc_board.v"]
    assert "wire button_pressed = ~button;" in verilog
    assert "assign alive = ~running;" in verilog
    assert "assign uart_send = sent;" in verilog
    other = BoardTop("soc", soc_directory.find_board("ecpix-5"), Fraction(50)).files()
    assert "wire button_pressed = 1'b0;" in other["rtl/soc_board.v"]
