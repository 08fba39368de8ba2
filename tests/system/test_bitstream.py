"""A bitstream of a small system, whose netlist boots its program and passes its self-test."""

import json
import subprocess
import sys

import pytest
from tests.report.markup import check_balanced
from tests.small_curves import TINY

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.report import system_page
from residua.systems import soc_directory
from residua.systems.boards.board import find_board
from residua.systems.boards.netlist import simulated_netlist_host
from residua.systems.boards.synthesis import synthesise_board
from residua.systems.soc_directory import SocDirectory, SocRequest

ANSWERS = 4
"""Known answers of a curve."""

TIMEOUT = 120.0
"""Seconds for an answer."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board")
    keys = {"curve": [TINY], "bus": "wishbone", "name": "tiny"}
    request = SocRequest(
        (build(check_any(keys), folder / "tiny"),), board="ulx3s-25f", baud=500_000
    )
    return soc_directory.build(request, folder / "soc")


def test_the_netlist_boots(directory):
    work = directory.path / "netlist"
    mapped = synthesise_board(directory, find_board("ulx3s-25f"), work)
    with simulated_netlist_host(directory, mapped, work, TIMEOUT) as host:
        assert [curve.core for curve in host.curves] == ["tiny"]
        assert host.self_test() == ANSWERS


def test_a_bitstream(directory):
    """By the command line, which makes the same netlist and simulator."""
    command = [sys.executable, "-m", "residua", "bitstream", str(directory.path), "--seeds", "1"]
    done = subprocess.run(
        [*command, "--self-test", "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["met"]
    assert found["clocks"]["system_clock"]["lowest_mhz"] >= 50
    assert found["self_test"] == ANSWERS
    assert found["program"] == "openFPGALoader -b ulx3s soc.bit"
    assert (directory.path / "soc.bit").stat().st_size > 100_000
    used = {module["name"]: module["lut"] for module in found["modules"]}
    assert used["system.core_0"] < used["system"] < found["resources"]["lut"]
    placed = set(found["floor_plan"]["families"].values())
    assert {"core_0", "cpu", "ram", "uart", "random", "source", "control"} <= placed
    system_page.write(SocDirectory.open(directory.path))
    text = (directory.path / system_page.FILE).read_text()
    check_balanced(text)
    assert "tiny, " in text[text.index("Floor plan") :]
    assert SocDirectory.open(directory.path).manifest == directory.manifest
