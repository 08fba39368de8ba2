"""The form of the primitives for a device, against the form for any target, module by module.

Modules of both forms have the same names and the same ports, so that a core is the same circuit
with either if each of its primitives is. Both are simulated side by side, the cells of the device
by their models.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from residua import cache
from residua.toolchain import process, verilator, yosys
from residua.toolchain.process import ToolError
from residua.toolchain.targets import PRIMITIVE_FILE, primitive_file
from residua.toolchain.verilator_runtime import version

if TYPE_CHECKING:
    from residua.cores.directory import Directory

_DEVICE = "ecp5"

_DEVICE_FILE = primitive_file(_DEVICE)

CYCLES = 20_000
"""Cycles of each comparison, with numbers of its own in each."""

_HARNESS = Path(__file__).with_suffix(".cpp")

_MODULE = re.compile(r"^module (\w+) \(\n(.*?)\n\);\n(.*?)^endmodule\n", re.MULTILINE | re.DOTALL)

_PORT = re.compile(r"  (input|output) (?:wire|reg) (signed )?(?:\[(\d+):0\] )?(\w+),?")

_CLOCKS = ("clk", "rst")

_LEAST_BITS = 96
"""Of a port from which on Verilator makes it an array of words."""


@dataclass(frozen=True)
class _Port:
    name: str
    output: bool
    signed: bool
    bits: int


@dataclass(frozen=True)
class _Module:
    """A module of a form: its ports in order, and all of its text."""

    ports: tuple[_Port, ...]
    text: str


@dataclass(frozen=True)
class _Pair:
    """A module in both forms."""

    name: str
    behaviour: _Module
    device: _Module

    def key(self, core: str) -> str:
        """What the comparison depends on, whatever the core is called."""
        texts = [one.text.replace(f"{core}_", "") for one in (self.behaviour, self.device)]
        return cache.key([_bench_state(), *texts])


def compare_forms(directory: "Directory") -> tuple[int, list[str]]:
    """Compare the primitives of a directory in the forms for any target and for the ECP5.

    What was found equal is kept, and compared no more.

    Returns:
        How many there are that differ in their texts, and what is wrong, by file and module.
    """
    count, faults = _compared(directory)
    return count, [f"{_DEVICE_FILE}: {fault}" for fault in faults]


def _compared(directory: "Directory") -> tuple[int, list[str]]:
    texts = [
        (directory.path / name).read_text(encoding="utf-8")
        for name in (PRIMITIVE_FILE, _DEVICE_FILE)
    ]
    if texts[0] == texts[1]:
        return 0, []
    behaviour, device = map(_modules, texts)
    if _MODULE.sub("", texts[0]) != _MODULE.sub("", texts[1]):
        return 0, [f"there is other text around the modules than in {PRIMITIVE_FILE}"]
    if behaviour.keys() != device.keys():
        names = ", ".join(sorted(behaviour.keys() ^ device.keys()))
        return 0, [f"{names}: not in both forms"]
    pairs = [
        _Pair(name, own, device[name])
        for name, own in behaviour.items()
        if own.text != device[name].text
    ]
    other = [pair.name for pair in pairs if pair.behaviour.ports != pair.device.ports]
    if other:
        return 0, [f"{name}: other ports than in {PRIMITIVE_FILE}" for name in other]
    try:
        differing = _differing(pairs, directory.name)
    except ToolError as error:
        return 0, [str(error)]
    return len(pairs), [f"{name}: it differs from {PRIMITIVE_FILE}" for name in differing]


def _differing(pairs: Sequence[_Pair], core: str) -> list[str]:
    """The modules that differ; those that were found equal before are not simulated again."""
    new = [pair for pair in pairs if not cache.find("tools", "forms", pair.key(core))]
    differing = _simulated(new) if new else []
    for pair in new:
        if pair.name not in differing:
            cache.kept("tools", "forms", pair.key(core), _equal)
    return differing


def _equal(path: Path) -> None:
    path.write_text("equal\n", encoding="utf-8")


def _modules(text: str) -> dict[str, _Module]:
    found = {}
    for whole in _MODULE.finditer(text):
        ports = tuple(
            _Port(port[4], port[1] == "output", bool(port[2]), int(port[3] or 0) + 1)
            for port in map(_PORT.fullmatch, whole[2].split("\n"))
            if port
        )
        found[whole[1]] = _Module(ports, whole[0])
    return found


@once
def _bench_state() -> str:
    """All that a comparison is made with."""
    harness = _HARNESS.read_text(encoding="utf-8")
    return cache.key([version(), harness, str(CYCLES), yosys.cell_model_text(_DEVICE)])


def _simulated(pairs: Sequence[_Pair]) -> list[str]:
    """The modules whose outputs differ."""
    numbers, top = _top(pairs)
    device = "".join(pair.device.text for pair in pairs)
    for pair in pairs:
        device = re.sub(rf"\b{pair.name}\b", f"{pair.name}_device", device)
    files = {
        "forms.v": top,
        "behaviour.v": "".join(pair.behaviour.text for pair in pairs),
        "device.v": device,
        "cells.v": yosys.cell_model_text(_DEVICE),
    }
    with TemporaryDirectory() as name:
        work = Path(name)
        for file, text in files.items():
            (work / file).write_text(text, encoding="utf-8")
        harness = work / "harness.cpp"
        harness.write_text(numbers + _HARNESS.read_text(encoding="utf-8"), encoding="utf-8")
        program = verilator.build([work / file for file in files], "forms", harness)
        told = process.run(
            [program, "1", str(CYCLES)], tool="the simulator", cwd=work, log=work / "forms.log"
        )
    lines = told.splitlines()
    if lines[-1:] != ["compared"]:
        raise ToolError("the comparison of primitives ended early", [str(program)], None, told)
    return [pairs[int(line.split()[1])].name for line in lines[:-1]]


def _top(pairs: Sequence[_Pair]) -> tuple[str, str]:
    """The table of the harness, and the module that holds both forms of all modules."""
    body, table, place = [], [], 0
    for number, pair in enumerate(pairs):
        own, other, differ = [], [], []
        for port in pair.behaviour.ports:
            if port.name in _CLOCKS:
                wires = (port.name, port.name)
            elif port.output:
                wires = (f"a_{number}_{port.name}", f"b_{number}_{port.name}")
                body += [f"  wire [{port.bits - 1}:0] {wire};" for wire in wires]
                differ.append(f"({wires[0]} != {wires[1]})")
            else:
                wires = (f"data[{place} +: {port.bits}]",) * 2
                table.append(f"{{{place}, {port.bits}}}")
                place += port.bits
            own.append(f".{port.name}({wires[0]})")
            other.append(f".{port.name}({wires[1]})")
        body += [
            f"  {pair.name} behaviour_{number} ({', '.join(own)});",
            f"  {pair.name}_device device_{number} ({', '.join(other)});",
            f"  assign differ[{number}] = {' | '.join(differ)};",
        ]
    numbers = (
        f"constexpr struct {{ int first, bits; }} ports[] = {{{', '.join(table)}}};\n"
        f"constexpr int modules = {len(pairs)};\n"
    )
    ports = (
        f"module forms (input wire clk, input wire rst, "
        f"input wire [{max(place, _LEAST_BITS) - 1}:0] data, "
        f"output wire [{max(len(pairs), _LEAST_BITS) - 1}:0] differ);"
    )
    return numbers, "\n".join([ports, *body, "endmodule", ""])
