"""Standard cells: a netlist with and without its memories, its size, its clock, what is missing."""

import re
from pathlib import Path

import pytest

from residua.cores.digit.core import DigitCore
from residua.cores.digit.specification import DigitSpecification
from residua.cores.simulation.runs import Runs
from residua.cores.specification.reading import check
from residua.errors import SpecificationError
from residua.hardware.rtl import emit
from residua.toolchain.process import ToolError
from residua.toolchain.standard_cells import opensta
from residua.toolchain.standard_cells.libraries import LIBRARIES, Library
from residua.toolchain.standard_cells.mapping import cell_models, map_to_cells
from residua.toolchain.targets import CELL_TARGETS

MADE_UP = Library("made-up", "made up", "nothing", Path(__file__).parent / "made_up.lib")


@pytest.fixture(scope="module")
def core() -> DigitCore:
    return DigitCore(check(DigitSpecification, {"modulus": 0x1000B, "digit": 4}))


@pytest.fixture
def sources(core: DigitCore, tmp_path: Path) -> list[Path]:
    found = []
    for name, text in emit(core.component(), core.name).items():
        if name in (f"rtl/{core.name}.v", "rtl/primitives.v"):
            found.append(tmp_path / Path(name).name)
            found[-1].write_text(text, encoding="utf-8")
    return found


def test_a_netlist_computes_what_the_model_does(
    core: DigitCore, sources: list[Path], tmp_path: Path
) -> None:
    """Memories of flip-flops, whose values are random at first; models from the library."""
    mapped = map_to_cells(sources, core.name, MADE_UP, memories=True, out_dir=tmp_path / "cells")
    models = cell_models(MADE_UP, out_dir=tmp_path / "models")
    found = core.simulate([mapped.netlist, models], Runs(100, resets=2))
    assert found.failures == ()
    assert (found.vectors, found.mismatches, found.resets) == (100, 0, 2)
    areas = {"NAND2X1": 2, "NOR2X1": 2, "INVX1": 1, "BUFX2": 2, "DFFPOSX1": 8}
    assert mapped.cells.keys() <= areas.keys()
    assert mapped.area == sum(areas[kind] * count for kind, count in mapped.cells.items())
    assert mapped.gates == round(mapped.area / 2)
    assert mapped.ff == mapped.cells["DFFPOSX1"] > mapped.memory_bits > 0


def test_a_wrong_cell_is_found(core: DigitCore, sources: list[Path], tmp_path: Path) -> None:
    mapped = map_to_cells(sources, core.name, MADE_UP, memories=True, out_dir=tmp_path / "cells")
    text = mapped.netlist.read_text()
    cells = list(re.finditer(r"^  NOR2X1 ", text, re.MULTILINE))
    middle = cells[len(cells) // 2]
    mapped.netlist.write_text(f"{text[: middle.start()]}  NAND2X1 {text[middle.end() :]}")
    models = cell_models(MADE_UP, out_dir=tmp_path / "models")
    assert not core.simulate([mapped.netlist, models], Runs(100, resets=2)).passed


def test_memories_left_out(core: DigitCore, sources: list[Path], tmp_path: Path) -> None:
    """Their ports are the design's then; the rest is as it was."""
    whole, logic = (
        map_to_cells(
            sources, core.name, MADE_UP, memories=memories, out_dir=tmp_path / str(memories)
        )
        for memories in (True, False)
    )
    assert whole.memory_bits == logic.memory_bits
    # Words that are never read, or always the same, need no flip-flops.
    assert whole.memory_bits // 2 < whole.ff - logic.ff <= whole.memory_bits
    assert logic.gates < whole.gates
    inputs = [mapped.bits.read_text().count("\n  input ") for mapped in (whole, logic)]
    assert "\n  input \\operands_payload[0] ;" in logic.bits.read_text()
    assert inputs[0] < inputs[1]


def test_libraries_are_those_of_the_targets(tmp_path: Path) -> None:
    assert tuple(LIBRARIES) == CELL_TARGETS
    assert MADE_UP.gate_area == 2.0
    missing = Library("osu018", "", "qflow-tech-osu018", tmp_path / "none.lib")
    with pytest.raises(SpecificationError, match=r"needs .*none\.lib: apt-get install qflow-tech"):
        map_to_cells([], "top", missing, memories=True, out_dir=tmp_path / "cells")
    assert not (tmp_path / "cells").exists()
    other = tmp_path / "other.lib"
    other.write_text("library (other) { cell (INVX1) { area : 1; } }\n")
    with pytest.raises(SpecificationError, match="has no cell NAND2X1 with an area"):
        _ = Library("other", "", "", other).gate_area


def test_opensta_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SpecificationError, match="OpenSTA, which is not on the PATH: apt-get"):
        opensta.time_netlist(tmp_path / "bits.v", "top", MADE_UP)


def test_what_opensta_says_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program in its place, which tells a slack, or none."""
    program = tmp_path / "bin" / "sta"
    program.parent.mkdir()
    told = "Startpoint: a (rising edge)\nEndpoint: b (rising edge)\nRESIDUA slack 6.0"
    program.write_text(f"#!/bin/sh\ncat <<'EOF'\n{told}\nEOF\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    netlist = tmp_path / "bits.v"
    netlist.write_text("module top; endmodule\n")
    assert opensta.time_netlist(netlist, "top", MADE_UP) == opensta.Timing(250.0, "a", "b")
    program.write_text("#!/bin/sh\necho 'Error: nothing'\n")
    with pytest.raises(ToolError, match="no register-to-register path"):
        opensta.time_netlist(netlist, "top", MADE_UP)
