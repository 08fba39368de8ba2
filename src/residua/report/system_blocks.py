"""The blocks of a system on a chip, drawn from what its directory tells of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from residua.cores.drawing import svg
from residua.cores.templating import grouped
from residua.hardware.soc.soc import FIRST_INTERRUPT

_WIDTH, _MARGIN, _GAP = 850, 10, 14
_COLUMNS = 4
_BOX = (_WIDTH - 2 * _MARGIN - (_COLUMNS + 1) * _GAP) / _COLUMNS
_HEIGHT, _BAR, _CROSSING, _CAPTION = 52, 18, 30, 20
_TOP = 8
_FRAME = _TOP + _HEIGHT + 22
_DEVICES = _FRAME + 32
_BUS = _DEVICES + _HEIGHT + _GAP


@dataclass(frozen=True)
class Block:
    """A box: its kind, name, and what is said below."""

    kind: str
    name: str
    note: str


def system_blocks(system: Mapping[str, Any]) -> str:
    """Draw processor, devices and cores around their bus, and what the board has around them.

    Args:
        system: the manifest of a directory of ``residua soc``.
    """
    keys = keys_of_cores(system)
    cores = [Block("rower", name, told) for name, told in zip(system["cores"], keys, strict=True)]
    pitch = _BAR + _GAP + _HEIGHT + _CAPTION + _GAP
    if system["core_megahertz"] is not None:
        pitch += _CROSSING + _GAP
    bars = [_BUS + row * pitch for row in range(-(-len(cores) // _COLUMNS))]
    bottom = bars[-1] + pitch
    title = f"{system['name']}, {system['megahertz']:g} MHz"
    elements = [
        svg.rect(_MARGIN, _FRAME, _WIDTH - 2 * _MARGIN, bottom - _FRAME, "frame", radius=8),
        svg.text(_MARGIN + _GAP, _FRAME + 19, title, "name"),
        *_around(system),
        *_devices(system),
        svg.line(_x(0) + 4, _BUS, _x(0) + 4, bars[-1], "bus"),
    ]
    for row, bar in enumerate(bars):
        elements += _core_row(system, cores, row, bar)
    return svg.drawing(_WIDTH, bottom + 6, elements, f"Blocks of the system {system['name']}")


def _core_row(system: Mapping[str, Any], cores: Sequence[Block], row: int, bar: float) -> list[str]:
    """A stretch of the bus with the cores on it."""
    first = row * _COLUMNS
    own = cores[first : first + _COLUMNS]
    elements = [
        svg.rect(_x(0), bar, _WIDTH - 2 * _x(0), _BAR, "stream"),
        svg.text(_WIDTH / 2, bar + 13, "bus, 32 bits", "note", anchor="middle"),
    ]
    y = bar + _BAR + _GAP
    if system["core_megahertz"] is not None:
        text = f"crossing to {system['core_megahertz']:g} MHz"
        for column in range(len(own)):
            elements += [
                svg.rect(_x(column), y, _BOX, _CROSSING, "edge"),
                svg.text(_middle(column), y + 19, text, "note", anchor="middle"),
            ]
        elements += _arrows(range(len(own)), y - _GAP, y)
        y += _CROSSING + _GAP
    captions = [
        svg.text(_middle(column), y + _HEIGHT + 15, _reached(system, first + column), "note",
                 anchor="middle")
        for column in range(len(own))
    ]  # fmt: skip
    return [*elements, *_arrows(range(len(own)), y - _GAP, y), *_row(y, own), *captions]


def _arrows(columns: Sequence[int], start: float, end: float) -> list[str]:
    """Arrows down the middle of columns."""
    return [svg.path([(_middle(column), start), (_middle(column), end - 3)]) for column in columns]


def _middle(column: int) -> float:
    """The middle of a column."""
    return _x(column) + _BOX / 2


def _x(column: int) -> float:
    """The left edge of a column."""
    return _MARGIN + _GAP + column * (_BOX + _GAP)


def _row(y: float, blocks: Sequence[Block]) -> list[str]:
    """Boxes side by side."""
    return [
        svg.box((_x(column), y), (_BOX, _HEIGHT), block.kind, block.name, block.note)
        for column, block in enumerate(blocks)
    ]


def _devices(system: Mapping[str, Any]) -> list[str]:
    """The processor and its devices, each on the bus."""
    blocks = [
        Block("control", "processor", f"{system['cpu']}, {system['cpu_version']}"),
        Block("stream", "memory", f"{grouped(system['ram_bytes'])} bytes"),
        Block("stream", "serial port", f"{grouped(system['baud'])} baud"),
        Block("stream", "random words", "tested as they come"),
    ]
    return _row(_DEVICES, blocks) + _arrows(range(_COLUMNS), _DEVICES + _HEIGHT, _BUS)


def _around(system: Mapping[str, Any]) -> list[str]:
    """What feeds the system: parts of the board, or ports."""
    board = system["board"]
    if board is None:
        reset = "clk, rst; core_clk, core_rst" if system["core_megahertz"] else "clk, rst"
        ports = {0: reset, 2: "uart_receive, uart_send", 3: "noise"}
        texts = [
            svg.text(_middle(column), _TOP + 38, text, "note", anchor="middle")
            for column, text in ports.items()
        ]
        return texts + _arrows(list(ports), _TOP + 46, _FRAME)
    made = " and ".join(f"{mhz:g}" for mhz in board["clocks"].values())
    pll = f"{board['pll']['input_mhz']:g} MHz to {made} MHz"
    blocks = [
        Block("control", "phase-locked loop", pll),
        Block("control", "reset, lights", "button" if "button" in board["pins"] else "no button"),
        Block("stream", "pins", board["name"]),
        Block("edge", "noise", f"{len(board['rings'])} rings of inverters"),
    ]
    return _row(_TOP, blocks) + _arrows(range(_COLUMNS), _TOP + _HEIGHT, _FRAME)


def keys_of_cores(system: Mapping[str, Any]) -> list[str]:
    """The curves of each core, or the keys that it takes, in the order of the cores."""
    curves = iter(system["curves"])
    rsa = {one["name"]: one for one in system["rsa"]}
    return [
        _keys(rsa[name]) if name in rsa else ", ".join(curve["name"] for curve in next(curves))
        for name in system["cores"]
    ]


def _keys(rsa: Mapping[str, Any]) -> str:
    return f"RSA to {rsa['bits']} bits, {'private' if rsa['exponent'] else 'public'}"


def _reached(system: Mapping[str, Any], number: int) -> str:
    """The address of a core, and the line of its interrupt."""
    base = system["regions"][f"core_{number}"]["base"]
    return f"{base:#010x}, interrupt {FIRST_INTERRUPT + number}"
