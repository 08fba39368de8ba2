"""What is made of placements, and what is refused; the tools themselves are replaced."""

import json
from collections import Counter

import pytest

from residua import cli
from residua.errors import SpecificationError
from residua.systems.boards import bitstream
from residua.systems.boards.bitstream import make_bitstream
from residua.systems.boards.board import find_board
from residua.systems.boards.netlist import open_rings
from residua.systems.boards.synthesis import check_rings, check_room
from residua.systems.soc_directory import MANIFEST, SCHEMA, SocDirectory
from residua.toolchain.ecp5.bitstream import Placement
from residua.toolchain.floor_plan import FloorPlan
from residua.toolchain.process import ToolError
from residua.toolchain.utilisation import Instances, Utilisation
from residua.toolchain.yosys import SynthesisResult

CELLS = {
    "source.ring_0.lut_0": "LUT4", "source.ring_0.lut_1": "LUT4", "system.cpu.flag": "FD",
    "system.core_0.rower_0.x": "LUT4", "system.core_0.rower_1.x": "LUT4",
    "system.core_1.rower_0.x": "LUT4",
}  # fmt: skip
INSTANCES = [
    "source", "source.ring_0", "system", "system.cpu",
    "system.core_0", "system.core_0.rower_0", "system.core_0.rower_1",
    "system.core_1", "system.core_1.rower_0",
]  # fmt: skip
RINGS = {"source.ring_0": 2}
PROGRAM = "openFPGALoader -b ulx3s soc.bit"


def mapped(cells, path):
    instances = Instances(INSTANCES)
    used = Utilisation.of_cells(Counter(cells.values()))
    return SynthesisResult("ecp5", used, instances, cells, path / "v", path / "json", path / "log")


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A system, whose placements reach what is put into the list."""
    board = {
        "name": "ulx3s-85f", "top": "soc_board", "constraints": "soc.lpf", "rings": RINGS,
        "clocks": {"system_clock": 50.0}, "program": PROGRAM, "verilog": [],
    }  # fmt: skip
    manifest = {
        "schema": SCHEMA, "name": "soc", "files": {}, "board": board, "baud": 9600, "cores": [],
    }  # fmt: skip
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    (tmp_path / "soc.lpf").write_text("")
    reached, crossing = [], {}

    def place(_netlist, _top, *, seed, out_dir, **_options):
        clocks = {"system_clock": reached[seed - 1]}
        plan = FloorPlan({"a": f"placed by {seed}"}, ("a",))
        return Placement(seed, clocks, crossing, {}, plan, out_dir / "config")

    monkeypatch.setattr(bitstream, "synthesise_board", lambda _d, _b, _w: mapped(CELLS, tmp_path))
    monkeypatch.setattr(bitstream, "place", place)
    monkeypatch.setattr(
        bitstream, "pack", lambda placed, options: f"{placed.seed} {options}".encode()
    )
    return SocDirectory.open(tmp_path), reached, crossing


def test_the_placement_with_the_most_room_is_taken(system):
    directory, reached, _ = system
    reached += [49.0, 70.25, 51.0]
    found = make_bitstream(directory, seeds=3)
    assert (found["met"], found["seed"], found["program"]) == (True, 2, PROGRAM)
    clock = found["clocks"]["system_clock"]
    assert (clock["wanted_mhz"], clock["mhz"]) == (50.0, 51.0)
    assert (clock["lowest_mhz"], clock["highest_mhz"]) == (49.0, 70.2)
    assert clock["seeds"] == {1: 49.0, 2: 70.2, 3: 51.0}
    assert found["floor_plan"] == {"families": {"a": "placed by 2"}, "rows": ("a",)}
    assert (directory.path / "soc.bit").read_bytes() == b"2 ('--compress',)"
    kept = json.loads((directory.path / "bitstream.json").read_text())
    assert kept == json.loads(json.dumps(found))
    names = {module["name"]: module["lut"] for module in found["modules"]}
    assert names == {
        "source": 2, "source.ring_*": 2, "system": 3, "system.cpu": 0,
        "system.core_0": 2, "system.core_0.rower_*": 2,
        "system.core_1": 1, "system.core_1.rower_*": 1,
    }  # fmt: skip
    # The directory is still the one that was made.
    SocDirectory.open(directory.path)


def test_a_clock_that_is_not_reached_leaves_no_bitstream(system, capsys, monkeypatch):
    directory, reached, _ = system
    (directory.path / "soc.bit").write_bytes(b"of an earlier run")
    reached += [49.9, 30.0]
    words = ["residua", "bitstream", str(directory.path), "--seeds", "2"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 1
    out = capsys.readouterr().out
    assert "no bitstream" in out
    assert "49.9" in out
    assert not (directory.path / "soc.bit").exists()
    found = json.loads((directory.path / "bitstream.json").read_text())
    assert (found["met"], found["seed"], found["program"]) == (False, None, None)


def test_a_clock_that_is_met_exactly(system):
    directory, reached, _ = system
    reached += [50.0]
    assert make_bitstream(directory, seeds=1)["met"]


@pytest.mark.parametrize(("nanoseconds", "met"), [(20.0, True), (20.1, False)])
def test_a_crossing_has_a_cycle_of_the_clock_where_it_ends(system, nanoseconds, met):
    directory, reached, crossing = system
    reached += [60.0]
    crossing["core_clock", "system_clock"] = nanoseconds
    found = make_bitstream(directory, seeds=1)
    assert found["met"] is met
    assert found["crossings"] == [
        {"from": "core_clock", "to": "system_clock", "ns": nanoseconds, "allowed_ns": 20.0}
    ]


def test_a_netlist_that_answers_wrongly_is_not_placed(system, monkeypatch):
    directory, _, _ = system

    def silent(*_arguments):
        raise TimeoutError("nothing came")

    monkeypatch.setattr(bitstream, "simulated_netlist_host", silent)
    with pytest.raises(SpecificationError, match="the netlist fails its self-test: nothing came"):
        make_bitstream(directory, seeds=1, self_test=True)
    assert not (directory.path / "soc.bit").exists()


def test_too_large_for_the_device():
    board = find_board("ulx3s-25f")
    check_room(Utilisation(24288, 24288, 0, 28, 56), board)
    with pytest.raises(SpecificationError) as caught:
        check_room(Utilisation(24289, 100, 0, 29, 10), board)
    assert str(caught.value).startswith(
        "the system is too large for ulx3s-25f (LFE5U-25F): it needs 24289 LUT of 24288, 29 DSP of "
        "28; take a smaller core"
    )


@pytest.mark.parametrize("lost", [1, 2])
def test_rings_that_synthesis_took_away(lost, tmp_path):
    check_rings(mapped(CELLS, tmp_path), RINGS)
    left = dict(list(CELLS.items())[lost:])
    with pytest.raises(ToolError, match=f"left {2 - lost} of the 2 inverters of source.ring_0"):
        check_rings(mapped(left, tmp_path), RINGS)


def test_a_system_without_a_board(tmp_path, capsys, monkeypatch):
    (tmp_path / MANIFEST).write_text(json.dumps({"schema": SCHEMA, "files": {}, "board": None}))
    monkeypatch.setattr("sys.argv", ["residua", "bitstream", str(tmp_path)])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    assert "was made for no board" in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]


def test_rings_become_an_input():
    def lookup(start, end):
        return {"type": "LUT4", "connections": {"A": [start], "Z": [end]}}

    module = {
        "ports": {},
        "netnames": {},
        "cells": {
            "source.ring_0.lut_0": lookup(5, 6),
            "source.ring_0.lut_1": lookup(6, 5),
            "source.ring_1.lut_0": lookup(9, 9),
            "other": lookup(5, 9),
        },
    }
    open_rings(module, {"source.ring_0": 2, "source.ring_1": 1})
    assert list(module["cells"]) == ["other"]
    assert module["ports"] == {"ring_samples": {"direction": "input", "bits": [5, 9]}}
