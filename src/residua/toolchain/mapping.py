"""Commands with which Yosys maps a design to a device family, and what nextpnr needs after them."""

from collections.abc import Mapping
from typing import Any

INSTANCES = "instances.txt"
"""The file to which designs write their instances, if their target `knows_instances`."""

_LATTICE: Mapping[str, str] = {"ecp5": "ecp5", "nexus": "lifcl", "machxo3": "xo3"}
"""Lattice's families as Yosys calls them."""

_OTHERS: Mapping[str, tuple[str, str, str, str]] = {
    "ice40up5k": ("synth_ice40 -device u", "-dsp", "", ""),
    "gowin": ("synth_gowin -family gw2a", "", "-nodsp", "-noiopads"),
    "gatemate": ("synth_gatemate -luttree -nomx8", "", "-nomult", "-noiopad -noclkbuf"),
}
"""The command of a target, and what it adds with multipliers, without them, and without pads."""

_PACK_DSP48E = (
    "chtype -set DSP48E1 t:DSP48E",
    'setparam -set USE_MULT "MULTIPLY" t:DSP48E1',
    # A pre-adder that looks taken is not used: the DSP48E has none.
    'setparam -set ADREG 0 -set DREG 0 -set INMODEREG 0 -set USE_DPORT "TRUE" t:DSP48E1',
    "xilinx_dsp -family xc7",
    "setparam -unset ADREG -unset DREG -unset INMODEREG -unset USE_DPORT t:DSP48E1",
    'setparam -set USE_MULT "MULT" t:DSP48E1 r:MREG=0 %i',
    'setparam -set USE_MULT "MULT_S" t:DSP48E1 r:MREG=1 %i',
    "chtype -set DSP48E t:DSP48E1",
)
"""Has DSP48E cells take in adders and registers.

Yosys does so for the DSP48E1 alone, which is a DSP48E with a pre-adder.
"""

_MEMORIES_FIRST = ("hierarchy -top {top}", "proc", "opt_clean", "memory_dff")
"""Has memories take in the registers behind them before multipliers take those for their operands.

A block memory needs one.
"""

_LIST_INSTANCES = f"tee -q -o {INSTANCES} select -list t:$scopeinfo"


def knows_instances(target: str) -> bool:
    """Whether the instances of a design are known after it was mapped and flattened."""
    return target in _LATTICE or target in _OTHERS


def commands(top: str, target: str, *, dsp: bool, pads: bool) -> list[str]:
    """Commands that map a design.

    For Lattice's larger families it is flattened after mapping, which keeps a module's logic to
    itself and its wires short. For others it is flattened first; DSP blocks of Xilinx take in
    registers and adders around them.

    Args:
        top: name of the top module.
        target: one of `residua.toolchain.targets.YOSYS_TARGETS`.
        dsp: whether multipliers may be blocks of the device.
        pads: whether the ports are pins, with the cells that nextpnr needs for them; otherwise the
            design is a part of something larger.
    """
    if target in _LATTICE:
        return _lattice(top, target, dsp=dsp, pads=pads)
    if target in _OTHERS:
        command, with_dsp, without, inside = _OTHERS[target]
        options = [with_dsp if dsp else without, "" if pads else inside]
        return [" ".join([command, f"-top {top}", *filter(None, options)]), _LIST_INSTANCES]
    blocks = "" if dsp else " -nodsp"
    command = f"synth_xilinx -family {target} -top {top} -flatten -noiopad -noclkbuf{blocks}"
    if target == "xc5v" and dsp:
        return [f"{command} -run begin:coarse", *_PACK_DSP48E, f"{command} -run coarse:"]
    return [command]


def _lattice(top: str, target: str, *, dsp: bool, pads: bool) -> list[str]:
    nexus = target == "nexus"
    options = [*([] if dsp else ["-nodsp"]), *(["-noiopad"] if nexus and not pads else [])]
    first = [one.format(top=top) for one in _MEMORIES_FIRST] if nexus and dsp else []
    command = " ".join(
        [f"synth_lattice -family {_LATTICE[target]} -top {top} -noflatten", *options]
    )
    return [*first, command, "flatten", _LIST_INSTANCES, "opt_clean -purge"]


_HEAD = {"INIT0": "0xFFFF", "INIT1": "0x00AA"}
"""Parameters of the first cell of a carry chain, as Yosys' mapping for Nexus has it."""


def free_carries(module: Any) -> int:  # noqa: ANN401 - Yosys' JSON
    """Leave open the inputs of carry chains of the Nexus family that Yosys ties to a constant.

    The first cell of a chain takes its carry from an operand, and none from this input; nextpnr
    refuses any driver of it but a carry cell.

    Args:
        module: of a netlist, as Yosys writes it; it is changed.

    Returns:
        The inputs that were freed.
    """
    cells = module["cells"].values()
    tied = {"0", "1", "x"}
    tied |= {cell["connections"]["Z"][0] for cell in cells if cell["type"] in ("VLO", "VHI")}
    found = [
        cell
        for cell in cells
        if cell["type"] == "CCU2"
        and cell["parameters"].items() >= _HEAD.items()
        and cell["connections"].get("CIN", [None])[0] in tied
    ]
    for cell in found:
        del cell["connections"]["CIN"]
        cell["port_directions"].pop("CIN", None)
    return len(found)
