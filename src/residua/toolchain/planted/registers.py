"""The registers of a design that is made one module, and an output that shows them all."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.toolchain.process import ToolError
from residua.toolchain.yosys import gather, run_script

STATE = "state_bits"
"""Output with the bits of all registers, in their order."""

_PLAIN = "plain.il"
_REGISTER, _END = "\n  cell $dff ", "\n  end\n"
_OTHER_REGISTER = re.compile(r"^  cell (\$(?!dff )(?:\w*dff\w*|\w*latch\w*|ff|sr)) ", re.MULTILINE)
_PORT = re.compile(
    r"^  wire (?:width \d+ )?(?:signed )?(?:input|output|inout) (\d+) ", re.MULTILINE
)
_CONNECT = re.compile(r"^    connect \\(\w+) (.*)$")


@dataclass(frozen=True)
class Register:
    """A register of a design.

    Attributes:
        name: hierarchical name, or names of the signals that are parts of it.
        first: of its bits among those of all registers.
        width: bits.
    """

    name: str
    first: int
    width: int

    @property
    def bits(self) -> str:
        """Its bits among those of all registers, as RTLIL selects them."""
        return f"[{self.first + self.width - 1}:{self.first}]"


@dataclass(frozen=True)
class RegisterCell:
    """The cell of a register, in the RTLIL of `flattened`.

    Attributes:
        register: what it is.
        ports: the signals of its ports.
        lines: its text.
    """

    register: Register
    ports: Mapping[str, str]
    lines: Sequence[str]


@dataclass(frozen=True)
class ShownDesign:
    """A design with the output `STATE`.

    Attributes:
        verilog: one module under the design's own name.
        registers: in the order of their bits.
    """

    verilog: Path
    registers: tuple[Register, ...]


def flattened(sources: Sequence[Path], top: str, out_dir: Path) -> str:
    """Make one module of a design, in RTLIL, with plain registers alone.

    Args:
        sources: Verilog files.
        top: name of the top module.
        out_dir: takes the files.

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
    return text


def parts(text: str) -> Iterator[str | RegisterCell]:
    """What is between the cells of registers in `flattened` RTLIL, and these, in their order.

    The text of Yosys is regular: a cell begins with its kind, and ends with a line of its own.
    """
    place = first = 0
    # One may begin where another one ends: the line break before it is that one's last character.
    while (start := text.find(_REGISTER, max(place - 1, 0)) + 1) > 0:
        yield text[place:start]
        place = text.index(_END, start) + len(_END)
        cell = _register_cell(text[start:place].splitlines(keepends=True), first)
        yield cell
        first += cell.register.width
    yield text[place:]


def _register_cell(lines: Sequence[str], first: int) -> RegisterCell:
    ports = {found[1]: found[2] for line in lines if (found := _CONNECT.match(line))}
    width = next(int(line.split()[-1]) for line in lines if r"parameter \WIDTH" in line)
    name = " ".join(
        part.removeprefix("\\") for part in ports["Q"].split() if part not in ("{", "}")
    )
    return RegisterCell(Register(name, first, width), ports, lines)


def wire(name: str, width: int, direction: str = "") -> str:
    """A wire in RTLIL: ``direction`` with the number of the port and a blank, if it is one."""
    return f"  wire width {width} {direction}{name}\n"


def last_port(text: str) -> int:
    """The largest number of a port of a module in RTLIL."""
    return max(map(int, _PORT.findall(text)))


def extended(text: str, wires: str, cells: str) -> str:
    """The RTLIL of one module with more wires, in front of all else, and more at its end."""
    start = text.index("\n", text.index("\nmodule ") + 1) + 1
    end = text.rindex("\nend\n") + 1
    return text[:start] + wires + text[start:end] + cells + text[end:]


def write_module(text: str, top: str, out_dir: Path, name: str, *passes: str) -> Path:
    """Write RTLIL as the Verilog ``<top>.v``, after some passes of Yosys.

    Raises:
        ToolError: Yosys failed.
    """
    file, verilog = f"{name}.il", f"{top}.v"
    (out_dir / file).write_text(text, encoding="utf-8")
    script = [f"read_rtlil {file}", *passes, f"write_verilog -noattr {verilog}"]
    run_script(script, reads=[file], writes=[verilog], out_dir=out_dir, name=name)
    return out_dir / verilog


def show_registers(sources: Sequence[Path], top: str, *, out_dir: Path) -> ShownDesign:
    """Give a Verilog design the output `STATE`.

    Args:
        sources: Verilog files.
        top: name of the top module; it is flattened.
        out_dir: takes the files.

    Raises:
        ToolError: Yosys failed, or there are registers that it did not make plain.
    """
    text = flattened(sources, top, out_dir)
    cells = [part for part in parts(text) if isinstance(part, RegisterCell)]
    found = tuple(cell.register for cell in cells)
    width = sum(register.width for register in found)
    output = wire(f"\\{STATE}", width, f"output {last_port(text) + 1} ")
    shown = (f"  connect \\{STATE} {cell.register.bits} {cell.ports['Q']}\n" for cell in cells)
    text = extended(text, output, "".join(shown))
    return ShownDesign(write_module(text, top, out_dir, "shown"), found)
