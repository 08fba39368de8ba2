"""Boards: their facts, their constraints, and what there is none of."""

import pytest

from residua.errors import SpecificationError
from residua.systems.boards import board as boards
from residua.systems.boards.board import find_board
from residua.systems.boards.sources import BOARDS, SOURCES

FACTS = {
    "ulx3s-85f": ("LFE5U-85F", "CABGA381", 6, 25),
    "ulx3s-25f": ("LFE5U-25F", "CABGA381", 6, 25),
    "orangecrab-25f": ("LFE5U-25F", "CSFBGA285", 8, 48),
    "ecpix-5": ("LFE5UM5G-85F", "CABGA554", 8, 100),
}

SITES = {
    "ulx3s-85f": {"clock": "G2", "uart_receive": "M1", "uart_send": "L4", "button": "R1"},
    "orangecrab-25f": {"clock": "A9", "uart_receive": "N17", "uart_send": "M18", "button": "J17"},
    "ecpix-5": {"clock": "K23", "uart_receive": "R26", "uart_send": "R24"},
}
"""Pins by the boards' other descriptions, see `residua.systems.boards.sources`."""

INVERTED = {"orangecrab-25f": {"button", "alive", "error"}, "ecpix-5": {"alive", "error"}}


@pytest.mark.parametrize("name", BOARDS)
def test_facts(name):
    found = find_board(name)
    part = found.part
    assert (part.device, part.package, part.speed, found.clock_mhz) == FACTS[name]
    sites = {port: pin.site for port, pin in found.ports.items()}
    assert SITES.get(name, {}).items() <= sites.items()
    assert len(set(sites.values())) == len(sites)
    assert {pin.port for pin in found.pins if pin.inverted} == INVERTED.get(name, set())
    assert {pin.port for pin in found.pins if pin.direction == "input"} <= {
        "clock", "uart_receive", "button",
    }  # fmt: skip
    assert {"clock", "uart_receive", "uart_send", "alive", "error"} <= set(sites)


@pytest.mark.parametrize("name", BOARDS)
def test_constraints_have_every_pin_and_the_clock(name):
    found = find_board(name)
    lines = found.constraints().splitlines()
    for pin in found.pins:
        assert f'LOCATE COMP "{pin.port}" SITE "{pin.site}";' in lines
        assert any(
            line.startswith(f'IOBUF PORT "{pin.port}" ') and "IO_TYPE=" in line for line in lines
        )
    assert f'FREQUENCY PORT "clock" {float(found.clock_mhz):g} MHZ;' in lines
    assert len(lines) == 2 * len(found.pins) + 2


def test_both_sizes_of_a_board_have_the_same_pins():
    assert find_board("ulx3s-25f").pins == find_board("ulx3s-85f").pins


def test_a_board_that_is_not_known():
    with pytest.raises(SpecificationError, match="--board icestick: expected one of ulx3s-85f, u"):
        find_board("icestick")


def test_without_the_descriptions(monkeypatch):
    monkeypatch.setattr(boards, "find_spec", lambda _name: None)
    with pytest.raises(SpecificationError, match=r"amaranth-boards: pip install 'residua\[soc\]'"):
        find_board("ecpix-5")


def test_every_board_is_loaded_by_one_command():
    for name, source in SOURCES.items():
        command = find_board(name).programming("soc.bit")
        assert command == f"openFPGALoader -b {source.loader} soc.bit"
