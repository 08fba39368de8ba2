"""Mutants of a design by Yosys' ``mutate``: all of them in one module, switched at run time."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.errors import SpecificationError
from residua.toolchain.aiger import Network
from residua.toolchain.gates import gates_script, watch
from residua.toolchain.yosys import Port, gather, read_ports, run_script

VARIABLE = "RESIDUA_MUTANT"
"""The environment variable that chooses a mutant of a simulation, from 1 on; 0 or none: no one."""

SWITCH = "mutant"
"""The input that switches a mutant on."""

_WIDTH = 16
_FIXED = re.compile(r" -port \S*CLK | -cell \S*\$memrd\$\S* -port EN ")
"""Clocks, which no switch may gate, and the enables of reads, which are no part of the design:
the registers behind them are cells of their own."""
_SPARE = 2
"""Candidates for each mutant: those of `_FIXED` ports are left out."""

_MEMORY = re.compile(r"^  memory width (\d+) size (\d+) \\(\S+)$", re.MULTILINE)
_WRITTEN = re.compile(r'^  cell \$memwr.*\n    parameter \\MEMID "\\\\(.*)"$', re.MULTILINE)

MOST_BITS = 256
"""Of memories that are written, up to which they become registers in a proof."""

_OF_BOTH = "in_"
"""Begins the names of the inputs that ``miter`` gives to both copies."""

_GOLD, _LIST, _MUTATED, _WRAPPERS = "gold.il", "mutations", "mutated.v", "wrappers.v"
_NAMES = "names.json"


@dataclass(frozen=True)
class Mutants:
    """A design with its mutants.

    Attributes:
        directory: what Yosys made of it.
        top: name of the design's module.
        ports: of the module.
        commands: the ``mutate`` command of each mutant, which are numbered from 1.
        verilog: the design under its own name, which simulates as the mutant that `VARIABLE` names.
        box: the module of an instance that it needs beside.
        written_bits: of all memories that are written.
    """

    directory: Path
    top: str
    ports: tuple[Port, ...]
    commands: tuple[str, ...]
    verilog: Path
    box: str | None
    written_bits: int


def mutate(
    sources: Sequence[Path],
    top: str,
    count: int,
    *,
    out_dir: Path,
    seed: int = 1,
    spared: Path | None = None,
) -> Mutants:
    """Mutants of a Verilog design: inverted, constant or exchanged bits at the ports of its cells.

    Args:
        sources: Verilog files.
        top: name of the top module; it is flattened.
        count: mutants, below 2^16.
        out_dir: takes the files.
        seed: which mutants are taken of all.
        spared: one of the files, of a module called as it is, which is instantiated as it is.

    Raises:
        SpecificationError: the design has fewer than ``count`` mutants.
        ToolError: Yosys failed.
    """
    files = gather(sources, out_dir)
    read = [
        f"read_verilog {'-lib ' if source == spared else ''}{file}"
        for source, file in zip(sources, files, strict=True)
    ]
    # The contents of a memory are no cells that a switch could act on.
    cells = "t:* t:$meminit* %d t:$scopeinfo %d"
    box = spared.stem if spared else None
    if box:
        cells += f" t:{box} %d"
    flat = [*read, f"hierarchy -check -top {top}", "proc", "flatten"]
    begin = [*flat, "opt -full", "opt_clean -purge"]
    listing = f"mutate -list {_SPARE * count} -seed {seed} -o {_LIST} {cells}"
    script = [*begin, f"write_rtlil {_GOLD}", listing]
    run_script(script, reads=files, writes=[_GOLD, _LIST], out_dir=out_dir, name="list")
    lines = (out_dir / _LIST).read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if not _FIXED.search(line)]
    if not 0 < count <= len(found) or count >= 1 << _WIDTH:
        raise SpecificationError(f"{top} has {len(found)} mutants of {count} that are asked for")
    commands = tuple(sorted(random.Random(seed).sample(found, count)))
    switched = [
        line.replace("mutate ", f"mutate -ctrl {SWITCH} {_WIDTH} {number} ", 1)
        for number, line in enumerate(commands, 1)
    ]
    ports = read_ports(sources, top, out_dir=out_dir)
    script = [f"read_rtlil {_GOLD}", *switched, f"rename {top} {top}_mutants"]
    script += [f"write_verilog -noattr {_MUTATED}"]
    run_script(script, reads=[_GOLD], writes=[_MUTATED], out_dir=out_dir, name="mutate")
    script = [*flat, f"write_json {_NAMES}"]
    run_script(script, reads=files, writes=[_NAMES], out_dir=out_dir, name="names")
    verilog = out_dir / f"{top}.v"
    mutated = (out_dir / _MUTATED).read_text(encoding="utf-8")
    verilog.write_text(_switch(top, ports) + mutated, encoding="utf-8")
    bits = _written_bits((out_dir / _GOLD).read_text(encoding="utf-8"))
    return Mutants(out_dir, top, ports, commands, verilog, box, bits)


def names_of(mutants: Mutants, wires: Sequence[str]) -> dict[str, list[str]]:
    """All names that each of some wires of a design has; in its netlists it has one of them."""
    text = (mutants.directory / _NAMES).read_text(encoding="utf-8")
    nets = json.loads(text)["modules"][mutants.top]["netnames"]
    return {
        wire: [name for name, net in nets.items() if net["bits"] == nets[wire]["bits"]]
        for wire in wires
        if wire in nets
    }


def equivalent(
    mutants: Mutants, number: int, *, valid: Mapping[str, str] | None = None, cpu_seconds: int = 20
) -> bool:
    """Whether a mutant is proved to behave as the design does from its initial values on.

    For every sequence of inputs, resets among them, both have the same outputs; those of ``valid``
    when they are valid. Memories that are written are cut off first; where that proves nothing they
    are registers, if they are not too large for that. Without a proof a mutant may be equivalent
    all the same.

    Args:
        mutants: of a design.
        number: of one of them, from 1 on.
        valid: outputs that hold something only while another output is 1, and that output.
        cpu_seconds: for each of the two proofs, see `watch`.

    Raises:
        ToolError: Yosys failed.
    """
    bits = mutants.written_bits
    steps = [True] * (bits > 0) + [False] * (bits <= MOST_BITS)
    miters = (_write_miter(mutants, number, valid or {}, cut=cut) for cut in steps)
    return any(watch(miter, cpu_seconds=cpu_seconds).proved for miter in miters)


def side_by_side(mutants: Mutants, number: int, *, valid: Mapping[str, str]) -> Network:
    """The design and a mutant of it, with the same inputs.

    Args:
        mutants: of a design.
        number: of one of them, from 1 on.
        valid: outputs that hold something only while another output is 1, and that output.

    Returns:
        A network with the names of the design's inputs and one output, whether theirs differ.

    Raises:
        ToolError: Yosys failed.
    """
    network = Network.read(_write_miter(mutants, number, valid, cut=False))
    network.inputs = [name.removeprefix(_OF_BOTH) for name in network.inputs]
    return network


def apart(
    mutants: Mutants,
    number: int,
    *,
    claims: Mapping[str, Sequence[str]],
) -> Path:
    """The design and a mutant of it, with the same inputs, as a network of gates.

    Its outputs are those of the design and one for each of ``claims``, whether one of its
    conditions is false.

    Args:
        mutants: of a design.
        number: of one of them, from 1 on.
        claims: conditions in Verilog on the outputs, ``gold_<name>`` of the design and
            ``gate_<name>`` of the mutant.

    Raises:
        ToolError: Yosys failed.
    """
    name, out_dir = f"apart{number}", mutants.directory
    (out_dir / f"{name}.v").write_text(_pair(mutants, claims), encoding="utf-8")
    gates = out_dir / f"{name}.aig"
    script = [
        *_copies(mutants, number),
        f"read_verilog {name}.v",
        "flatten pair",
        "hierarchy -top pair",
        "memory_collect",
        "memory_map",
        "setundef -zero",
        *gates_script(gates.name),
    ]
    reads = [_GOLD, f"{name}.v"]
    run_script(script, reads=reads, writes=[gates.name], out_dir=out_dir, name=name)
    return gates


def _pair(mutants: Mutants, claims: Mapping[str, Sequence[str]]) -> str:
    """The module around both copies, see `apart`."""
    inputs = [port.name for port in mutants.ports if port.direction == "input"]
    outputs = {port.name: port.width for port in mutants.ports if port.direction == "output"}
    lines = []
    for copy in ("gold", "gate"):
        pins = [f".{name}({name})" for name in inputs]
        for name, width in outputs.items():
            lines.append(f"  wire [{width - 1}:0] {copy}_{name};")
            pins.append(f".{name}({copy}_{name})")
        lines.append(f"  {copy}_core {copy} ({', '.join(pins)});")
    lines += [f"  assign {name} = gold_{name};" for name in outputs]
    lines += [
        f"  assign {claim} = !({' && '.join(conditions)});" for claim, conditions in claims.items()
    ]
    ports = [*mutants.ports, *(Port(claim, "output", 1) for claim in claims)]
    text = "\n".join(lines)
    return f"module pair (\n{_declared(ports)}\n);\n{text}\nendmodule\n"


def _written_bits(rtlil: str) -> int:
    """The bits of all memories that are written."""
    written = set(_WRITTEN.findall(rtlil))
    sizes = _MEMORY.findall(rtlil)
    return sum(int(width) * int(size) for width, size, name in sizes if name in written)


def _write_miter(mutants: Mutants, number: int, valid: Mapping[str, str], *, cut: bool) -> Path:
    _write_wrappers(mutants, valid)
    name, out_dir = f"{'cut' if cut else 'whole'}{number}", mutants.directory
    miter = out_dir / f"{name}.aig"
    script, reads = _miter(mutants, number, miter.name, cut), [_GOLD, _WRAPPERS]
    run_script(script, reads=reads, writes=[miter.name], out_dir=out_dir, name=name)
    return miter


def write_switched(mutants: Mutants, number: int) -> Path:
    """The design with one mutant as a netlist in Yosys' JSON: gates, words of registers, memories.

    It behaves as the mutant while its input `SWITCH` is 1.

    Raises:
        ToolError: Yosys failed.
    """
    name = f"switched{number}"
    script = [
        f"read_rtlil {_GOLD}",
        mutants.commands[number - 1].replace("mutate ", f"mutate -ctrl {SWITCH} 1 1 ", 1),
        "dffunmap",
        "memory_collect",
        "opt_clean",
        "simplemap t:$dff %n",
        "opt_clean",
        f"write_json {name}.json",
    ]
    directory = mutants.directory
    run_script(script, reads=[_GOLD], writes=[f"{name}.json"], out_dir=directory, name=name)
    return directory / f"{name}.json"


def _miter(mutants: Mutants, number: int, result: str, cut: bool) -> list[str]:
    """The Yosys script that writes both copies with one output, whether theirs differ.

    With memories ``cut`` what goes into one that is written is compared too, and what comes out is
    the same for both copies: so it is as long as the same has gone in.
    """
    copies = [*_copies(mutants, number), f"read_verilog {_WRAPPERS}", "flatten gold gate"]
    # What goes into the instance is compared, too, and what comes out is the same for both.
    outside = ["{0}/t:" + mutants.box] if mutants.box else []
    outside += ["{0}/t:$mem_v2 {0}/r:WR_PORTS=0 %d"] if cut else []
    evert = [f"expose -evert {what.format(n)}" for n in ("gold", "gate") for what in outside]
    return [
        *copies,
        "memory_collect",
        *evert,
        "memory_map",
        "setundef -zero",
        "miter -equiv -flatten gold gate miter",
        "hierarchy -top miter",
        *gates_script(result),
    ]


def _copies(mutants: Mutants, number: int) -> list[str]:
    """The Yosys script that reads the design as ``gold_core``, with a mutant as ``gate_core``."""
    # A bit that is no register's any more has no initial value.
    kept = "a:init t:$*ff* %co1:+[Q] %d"
    changes = [
        "splitnets",
        mutants.commands[number - 1],
        f"setattr -unset init {kept}",
        "opt_clean",
    ]
    return [
        line
        for name, change in (("gold", []), ("gate", changes))
        for line in (f"read_rtlil {_GOLD}", *change, f"rename {mutants.top} {name}_core")
    ]


def _write_wrappers(mutants: Mutants, valid: Mapping[str, str]) -> None:
    """Modules around both copies, whose outputs are 0 while they are not valid."""
    lines = []
    for name in ("gold", "gate"):
        lines.append(f"module {name} (\n{_declared(mutants.ports)}\n);")
        pins = []
        for port in mutants.ports:
            own = port.name
            if own in valid:
                own = f"any_{port.name}"
                lines.append(f"  wire [{port.width - 1}:0] {own};")
                lines.append(f"  assign {port.name} = {valid[port.name]} ? {own} : 0;")
            pins.append(f".{port.name}({own})")
        lines += [f"  {name}_core core ({', '.join(pins)});", "endmodule"]
    (mutants.directory / _WRAPPERS).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _declared(ports: Sequence[Port]) -> str:
    return ",\n".join(f"  {port.direction} wire [{port.width - 1}:0] {port.name}" for port in ports)


def _switch(top: str, ports: Sequence[Port]) -> str:
    """The design's own module around the mutated one, for Verilator: it reads `VARIABLE` once."""
    connected = ", ".join(f".{port.name}({port.name})" for port in ports)
    chosen = f'(getenv(\\"{VARIABLE}\\") ? atoi(getenv(\\"{VARIABLE}\\")) : 0)'
    return (
        f"module {top} (\n{_declared(ports)}\n);\n"
        f"  reg [{_WIDTH - 1}:0] {SWITCH};\n"
        f'  initial {SWITCH} = $c32("{chosen}");\n'
        f"  {top}_mutants core (.{SWITCH}({SWITCH}), {connected});\n"
        "endmodule\n\n"
    )
