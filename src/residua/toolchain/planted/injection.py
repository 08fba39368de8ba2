"""Designs whose registers and memories can be changed from outside while they are simulated."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.toolchain.process import ToolError
from residua.toolchain.yosys import gather, run_script

FLIP, KEEP = "fault_flip", "fault_keep"
"""Inputs with a bit for each bit of a register: the register takes what it holds, if ``KEEP`` is
set, or else what is next, inverted if ``FLIP`` is set."""

MEMORY, ADDRESS, MASK = "fault_memory", "fault_address", "fault_mask"
"""Inputs that invert the bits of ``MASK`` in a word of the memory whose bit ``MEMORY`` has."""

STATE = "state_bits"
"""Output with the bits of all registers, in the order of those of `FLIP`."""

_PLAIN, _OPEN = "plain.il", "open.il"
_REGISTER = re.compile(r"cell \$dff ")
_OTHER_REGISTER = re.compile(r"^  cell (\$(?!dff )(?:\w*dff\w*|\w*latch\w*|ff|sr)) ", re.MULTILINE)
_MEMORY = re.compile(r"^  memory width (\d+) size (\d+) (?:offset \d+ )?\\(\S+)$", re.MULTILINE)
_WRITER = re.compile(r'^  cell \$memwr_v2 .*\n    parameter \\MEMID "\\\\(.*)"$', re.MULTILINE)
_PORT = re.compile(
    r"^  wire (?:width \d+ )?(?:signed )?(?:input|output|inout) (\d+) ", re.MULTILINE
)
_CONNECT = re.compile(r"^    connect \\(\w+) (.*)$")


@dataclass(frozen=True)
class Register:
    """A register that can be changed.

    Attributes:
        name: hierarchical name, or names of the signals that are parts of it.
        first: of its bits at the inputs `FLIP` and `KEEP`.
        width: bits.
    """

    name: str
    first: int
    width: int


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


def open_state(
    sources: Sequence[Path], top: str, *, out_dir: Path, shown: bool = False
) -> OpenDesign:
    """Gives every register and memory of a Verilog design to inputs that change it.

    Args:
        sources: Verilog files, with one clock that has the name ``clk``.
        top: name of the top module; it is flattened.
        out_dir: takes the files.
        shown: there is the output `STATE`, too.

    Raises:
        ToolError: Yosys failed, or there are registers that it did not make plain.
    """
    files = gather(sources, out_dir)
    script = [
        *(f"read_verilog {file}" for file in files),
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        "opt_clean",
        "dffunmap",
        "opt_clean",
        "delete t:$scopeinfo",
        f"write_rtlil {_PLAIN}",
    ]
    log = run_script(script, reads=files, writes=[_PLAIN], out_dir=out_dir, name="plain")
    text = (out_dir / _PLAIN).read_text(encoding="utf-8")
    if found := _OTHER_REGISTER.search(text):
        raise ToolError(f"a register of the kind {found[1]} is left", [top], log, "")
    opened = _Opened(text, shown)
    (out_dir / _OPEN).write_text(opened.text, encoding="utf-8")
    verilog = f"{top}.v"
    script = [f"read_rtlil {_OPEN}", "bwmuxmap", f"write_verilog -noattr {verilog}"]
    run_script(script, reads=[_OPEN], writes=[verilog], out_dir=out_dir, name="open")
    return OpenDesign(out_dir / verilog, tuple(opened.registers), tuple(opened.memories))


class _Opened:
    """RTLIL of one module with the inputs, registers and memories that go with it.

    The text of Yosys is regular: a cell begins with its kind, and ends with a line of its own.
    """

    def __init__(self, text: str, shown: bool) -> None:
        self.registers: list[Register] = []
        self._shown: list[str] | None = [] if shown else None
        self._bits = 0
        writers = _WRITER.findall(text)
        self._ports = {name: writers.count(name) for _, _, name in _MEMORY.findall(text)}
        self.memories = [
            Memory(name, index, int(width), int(depth), self._ports[name] > 0)
            for index, (width, depth, name) in enumerate(_MEMORY.findall(text))
        ]
        self._wires: list[str] = []
        body = "".join(self._lines(text.splitlines(keepends=True)))
        cells = "".join((*self._writers(), *(self._shown or [])))
        start = body.index("\n", body.index("\nmodule ") + 1) + 1
        end = body.rindex("\nend\n") + 1
        wires = "".join((*self._inputs(text), *self._wires))
        self.text = body[:start] + wires + body[start:end] + cells + body[end:]

    def _lines(self, lines: Sequence[str]) -> Iterator[str]:
        """The text with cells in front of what its registers take."""
        place = 0
        while place < len(lines):
            end = place + 1
            if _REGISTER.match(lines[place].strip()):
                end = lines.index("  end\n", place) + 1
                yield from self._register(lines[place:end])
            else:
                yield lines[place]
            place = end

    def _register(self, cell: Sequence[str]) -> Iterator[str]:
        ports = {found[1]: found[2] for line in cell if (found := _CONNECT.match(line))}
        width = next(int(line.split()[-1]) for line in cell if r"parameter \WIDTH" in line)
        name = " ".join(
            part.removeprefix("\\") for part in ports["Q"].split() if part not in ("{", "}")
        )
        number, first = len(self.registers), self._bits
        self.registers.append(Register(name, first, width))
        self._bits += width
        if self._shown is not None:
            bits = f"\\{STATE} [{first + width - 1}:{first}]"
            self._shown.append(f"  connect {bits} {ports['Q']}\n")
        kept, changed = (f"$fault${number}${step}" for step in ("kept", "changed"))
        bits = f"[{first + width - 1}:{first}]"
        for line in cell:
            yield f"    connect \\D {changed}\n" if line.startswith(r"    connect \D ") else line
        self._wires += [_wire(kept, width), _wire(changed, width)]
        pins = {"A": ports["D"], "B": ports["Q"], "S": f"\\{KEEP} {bits}", "Y": kept}
        yield _cell("$bwmux", kept, {"WIDTH": width}, pins)
        yield _xor(changed, width, kept, f"\\{FLIP} {bits}", changed)

    def _inputs(self, text: str) -> Iterator[str]:
        depth = max((memory.depth for memory in self.memories), default=2)
        widths = {
            FLIP: self._bits,
            KEEP: self._bits,
            MEMORY: len(self.memories),
            ADDRESS: max((depth - 1).bit_length(), 1),
            MASK: max((memory.width for memory in self.memories), default=1),
        }
        last = max(map(int, _PORT.findall(text)))
        for number, (name, width) in enumerate(widths.items(), last + 1):
            yield _wire(f"\\{name}", max(width, 1), f"input {number} ")
        if self._shown is not None:
            yield _wire(f"\\{STATE}", self._bits, f"output {last + len(widths) + 1} ")

    def _writers(self) -> Iterator[str]:
        """Ports of each memory that read a word and write it with some bits inverted."""
        for memory in self.memories:
            width, abits = memory.width, max((memory.depth - 1).bit_length(), 1)
            old, new = (f"$fault${memory.name}${step}" for step in ("old", "new"))
            common = {"MEMID": f'"\\\\{memory.name}"', "ABITS": abits, "WIDTH": width}
            address = f"\\{ADDRESS} [{abits - 1}:0]"
            number = self._ports[memory.name]
            self._wires += [_wire(old, width), _wire(new, width)]
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


def _wire(name: str, width: int, direction: str = "") -> str:
    return f"  wire width {width} {direction}{name}\n"


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
