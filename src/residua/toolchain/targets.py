"""Device families that synthesis knows, by name, and the primitives that go with a core there."""

PLACED_TARGETS = ("ecp5", "ice40up5k", "nexus", "gowin", "gatemate", "machxo3")
"""Targets whose clocks are known, by nextpnr: each has one of its `placement.devices`."""

YOSYS_TARGETS = (*PLACED_TARGETS, "xc7", "xc6s", "xc5v", "xc3se", "xc2vp", "xcup")
CELL_TARGETS = ("osu018", "osu035", "osu050")
"""Libraries of standard cells, those of `standard_cells.libraries`."""

TARGETS = (*YOSYS_TARGETS, *CELL_TARGETS, "vivado")

PRIMITIVE_FILE = "rtl/primitives.v"
"""The primitives for any target, in the directory of a core."""

_OWN_PRIMITIVES = {"ecp5": "rtl/ecp5/primitives.v"}


def primitive_file(target: str) -> str:
    """The file that completes a core for a target: its own primitives, or those for any."""
    return _OWN_PRIMITIVES.get(target, PRIMITIVE_FILE)
