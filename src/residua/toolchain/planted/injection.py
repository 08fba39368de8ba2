"""Designs whose registers and memories can be changed from outside while they are simulated."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.toolchain.planted import registers
from residua.toolchain.planted.registers import Register, RegisterCell, wire

FLIP, KEEP = "fault_flip", "fault_keep"
"""Inputs with a bit for each bit of a register: the register takes what it holds, if ``KEEP`` is
set, or else what is next, inverted if ``FLIP`` is set."""

MEMORY, ADDRESS, MASK = "fault_memory", "fault_address", "fault_mask"
"""Inputs that invert the bits of ``MASK`` in a word of the memory whose bit ``MEMORY`` has."""

_MEMORY = re.compile(r"^  memory width (\d+) size (\d+) (?:offset \d+ )?\\(\S+)$", re.MULTILINE)
_WRITER = re.compile(r'^  cell \$memwr_v2 .*\n    parameter \\MEMID "\\\\(.*)"$', re.MULTILINE)


@dataclass(frozen=True)
class Memory:
    """A memory that can be changed.

    Attributes:
        name: hierarchical name.
        index: of its bit at the input `MEMORY`.
        width: bits of a word.
        depth: words.
        is_written: whether the design itself writes it; else its contents are constants.
    """

    name: str
    index: int
    width: int
    depth: int
    is_written: bool


@dataclass(frozen=True)
class OpenDesign:
    """A design with inputs that change what it holds; with all of them 0 it is as it was.

    Attributes:
        verilog: one module under the design's own name.
        registers: in the order of their bits.
        memories: in the order of their bits.
    """

    verilog: Path
    registers: tuple[Register, ...]
    memories: tuple[Memory, ...]


def open_state(sources: Sequence[Path], top: str, *, out_dir: Path) -> OpenDesign:
    """Gives every register and memory of a Verilog design to inputs that change it.

    Args:
        sources: Verilog files, with one clock that has the name ``clk``.
        top: name of the top module; it is flattened.
        out_dir: takes the files.

    Raises:
        ToolError: Yosys failed, or there are registers that it did not make plain.
    """
    opened = _Opened(registers.flattened(sources, top, out_dir))
    verilog = registers.write_module(opened.text, top, out_dir, "open", "bwmuxmap")
    return OpenDesign(verilog, tuple(opened.registers), tuple(opened.memories))


class _Opened:
    """RTLIL of one module with the inputs, registers and memories that go with it."""

    def __init__(self, text: str) -> None:
        self.registers: list[Register] = []
        writers = _WRITER.findall(text)
        found = _MEMORY.findall(text)
        self._ports = {name: writers.count(name) for _, _, name in found}
        self.memories = [
            Memory(name, index, int(width), int(depth), self._ports[name] > 0)
            for index, (width, depth, name) in enumerate(found)
        ]
        self._wires: list[str] = []
        body = "".join(self._lines(text))
        cells = "".join(self._writers())
        wires = "".join((*self._inputs(text), *self._wires))
        self.text = registers.extended(body, wires, cells)

    def _lines(self, text: str) -> Iterator[str]:
        """The text with cells in front of what its registers take."""
        for part in registers.parts(text):
            if isinstance(part, RegisterCell):
                yield from self._register(part)
            else:
                yield part

    def _register(self, cell: RegisterCell) -> Iterator[str]:
        number, width = len(self.registers), cell.register.width
        self.registers.append(cell.register)
        kept, changed = (f"$fault${number}${step}" for step in ("kept", "changed"))
        bits = cell.register.bits
        for line in cell.lines:
            yield f"    connect \\D {changed}\n" if line.startswith(r"    connect \D ") else line
        self._wires += [wire(kept, width), wire(changed, width)]
        taken, held = cell.ports["D"], cell.ports["Q"]
        pins = {"A": taken, "B": held, "S": f"\\{KEEP} {bits}", "Y": kept}
        yield _cell("$bwmux", kept, {"WIDTH": width}, pins)
        yield _xor(changed, width, kept, f"\\{FLIP} {bits}", changed)

    def _inputs(self, text: str) -> Iterator[str]:
        depth = max((memory.depth for memory in self.memories), default=2)
        bits = sum(register.width for register in self.registers)
        widths = {
            FLIP: bits,
            KEEP: bits,
            MEMORY: len(self.memories),
            ADDRESS: max((depth - 1).bit_length(), 1),
            MASK: max((memory.width for memory in self.memories), default=1),
        }
        last = registers.last_port(text)
        for number, (name, width) in enumerate(widths.items(), last + 1):
            yield wire(f"\\{name}", max(width, 1), f"input {number} ")

    def _writers(self) -> Iterator[str]:
        """Ports of each memory that read a word and write it with some bits inverted."""
        for memory in self.memories:
            width, abits = memory.width, max((memory.depth - 1).bit_length(), 1)
            old, new = (f"$fault${memory.name}${step}" for step in ("old", "new"))
            common = {"MEMID": f'"\\\\{memory.name}"', "ABITS": abits, "WIDTH": width}
            address = f"\\{ADDRESS} [{abits - 1}:0]"
            number = self._ports[memory.name]
            self._wires += [wire(old, width), wire(new, width)]
            yield _cell(
                "$memrd",
                f"{old}$port",
                common | {"CLK_ENABLE": 0, "CLK_POLARITY": 0, "TRANSPARENT": 0},
                {"CLK": "1'x", "EN": "1'x", "ADDR": address, "DATA": old},
            )
            yield _xor(f"{new}$bits", width, old, f"\\{MASK} [{width - 1}:0]", new)
            chosen = f"\\{MEMORY} [{memory.index}]"
            yield _cell(
                "$memwr_v2",
                f"{new}$port",
                common
                | {"PORTID": number, "PRIORITY_MASK": f"{number}'{'0' * number or 'x'}"}
                | {"CLK_ENABLE": "1'1", "CLK_POLARITY": "1'1"},
                {
                    "ADDR": address,
                    "DATA": new,
                    "EN": f"{{ {' '.join([chosen] * width)} }}",
                    "CLK": "\\clk",
                },
            )


def _xor(name: str, width: int, a: str, b: str, y: str) -> str:
    parameters = {"A_SIGNED": 0, "B_SIGNED": 0} | dict.fromkeys(("A_WIDTH", "B_WIDTH"), width)
    return _cell("$xor", f"{name}$xor", parameters | {"Y_WIDTH": width}, {"A": a, "B": b, "Y": y})


def _cell(kind: str, name: str, parameters: Mapping[str, object], pins: Mapping[str, str]) -> str:
    return "".join(
        (
            f"  cell {kind} {name}$cell\n",
            *(f"    parameter \\{key} {value}\n" for key, value in parameters.items()),
            *(f"    connect \\{pin} {signal}\n" for pin, signal in pins.items()),
            "  end\n",
        )
    )
