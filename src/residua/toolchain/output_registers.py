"""Block memories that take in the registers behind them, which Yosys does not do for the ECP5.

A DP16KD holds a register at each of its outputs. With it, data come 0.6 ns after the clock instead
of 4.3 ns (nextpnr's figures for speed grade 8), and the flip-flops behind are saved. The step from
memory to register must be a plain one: one clock, no enable, no reset, no initial value but 0,
nothing else that reads the memory.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

_MEMORY = "DP16KD"
_REGISTER = "TRELLIS_FF"
_WIDE = 36
"""Bits of the words for which both ports are needed."""

_OFF = ("0", "x")

Cell = dict[str, Any]
Users = Mapping[int, list[tuple[str, str]]]


def absorb_output_registers(module: dict[str, Any]) -> int:
    """Move registers into the block memories of a flat module; returns how many ports got them.

    Args:
        module: a module of a netlist as Yosys writes it to JSON, mapped to ECP5 cells; changed.
    """
    users = _users(module)
    cells: dict[str, Cell] = module["cells"]
    memories = [cell for cell in cells.values() if cell["type"] == _MEMORY]
    return sum(
        _absorb(cells, memory, outputs, users)
        for memory in memories
        for outputs in (("AB",) if _is_wide(memory) else ("A", "B"))
    )


def _is_wide(memory: Cell) -> bool:
    """Whether the outputs of both ports make one word."""
    return int(memory["parameters"]["DATA_WIDTH_B"], 2) == _WIDE


def _users(module: dict[str, Any]) -> Users:
    """The inputs of cells, and the outputs of the module, that every net drives."""
    users: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] != "output":
                for bit in bits:
                    users[bit].append((name, port))
    for name, port in module["ports"].items():
        if port["direction"] != "input":
            for bit in port["bits"]:
                users[bit].append(("", name))
    return users


def _absorb(cells: dict[str, Cell], memory: Cell, sides: str, users: Users) -> bool:
    """Give the outputs of a port, or of both, their registers, if every bit has one to give.

    ``sides`` are those of the outputs, the last one that of the port that reads.
    """
    modes = [f"REGMODE_{side}" for side in sides]
    if any(memory["parameters"][mode] != "NOREG" for mode in modes):
        return False
    wires = memory["connections"]
    outputs = {
        port: users[bits[0]]
        for port, bits in wires.items()
        if port.startswith(tuple(f"DO{side}" for side in sides)) and users.get(bits[0])
    }
    moved = {}
    for port, readers in outputs.items():
        name, pin = readers[0]
        clock = wires[f"CLK{sides[-1]}"]
        if len(readers) > 1 or pin != "DI" or not _is_plain(cells.get(name), clock):
            return False
        moved[port] = name
    for port, name in moved.items():
        wires[port] = cells.pop(name)["connections"]["Q"]
    if moved:
        memory["parameters"] |= dict.fromkeys(modes, "OUTREG")
    return bool(moved)


def _is_plain(cell: Cell | None, clock: list[Any]) -> bool:
    """Whether a cell is a flip-flop that starts from 0 and takes its data at every edge."""
    if cell is None or cell["type"] != _REGISTER:
        return False
    parameters, wires = cell["parameters"], cell["connections"]
    enabled = parameters.get("CEMUX", "1").strip() == "1"
    resets = parameters.get("LSRMUX") == "LSR" and wires.get("LSR", ["0"])[0] not in _OFF
    edge = parameters.get("CLKMUX", "CLK").strip() == "CLK"
    return (
        wires["CLK"] == clock
        and edge
        and enabled
        and not resets
        and parameters.get("REGSET") == "RESET"
    )
