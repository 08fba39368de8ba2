"""Mutants of a design by Yosys' ``mutate``: all of them in one module, switched at run time."""

import random
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.errors import SpecificationError
from residua.toolchain.process import ToolError
from residua.toolchain.yosys import Port, read_ports, run_script

VARIABLE = "RESIDUA_MUTANT"
"""The environment variable that chooses a mutant of a simulation, from 1 on; 0 or none: no one."""

_WIDTH = 16
_CLOCKS = re.compile(r" -port \S*CLK ")
_SPARE = 2
"""Candidates for each mutant: those of clocks are left out, which no switch may gate."""

_PROVED = "no model found: SUCCESS"

_GOLD, _LIST, _SOURCES = "gold.il", "mutations", "sources"


@dataclass(frozen=True)
class Mutants:
    """A design with its mutants.

    Attributes:
        directory: what Yosys made of it.
        top: name of the design's module.
        commands: the ``mutate`` command of each mutant, which are numbered from 1.
        verilog: the design under its own name, which simulates as the mutant that `VARIABLE` names.
    """

    directory: Path
    top: str
    commands: tuple[str, ...]
    verilog: Path


def mutate(
    sources: Sequence[Path], top: str, count: int, *, out_dir: Path, seed: int = 1
) -> Mutants:
    """Mutants of a Verilog design: inverted, constant or exchanged bits at the ports of its cells.

    Args:
        sources: Verilog files.
        top: name of the top module; it is flattened.
        count: mutants, below 2^16.
        out_dir: takes the files.
        seed: which mutants are taken of all.

    Raises:
        SpecificationError: the design has fewer than ``count`` mutants.
        ToolError: Yosys failed.
    """
    # Names of cells have the name of their file: by a short one they are the same everywhere.
    copies = out_dir / _SOURCES
    copies.mkdir(parents=True, exist_ok=True)
    for source in sources:
        shutil.copy(source, copies)
    files = [f"read_verilog {_SOURCES}/{source.name}" for source in sources]
    # The contents of a memory are no cells that a switch could act on.
    cells = "t:* t:$meminit* %d t:$scopeinfo %d"
    begin = [
        *files,
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        "opt -full",
        "opt_clean -purge",
    ]
    listing = f"mutate -list {_SPARE * count} -seed {seed} -o {_LIST} {cells}"
    run_script([*begin, f"write_rtlil {_GOLD}", listing], out_dir=out_dir, name="list")
    lines = (out_dir / _LIST).read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if not _CLOCKS.search(line)]
    if not 0 < count <= len(found) or count >= 1 << _WIDTH:
        raise SpecificationError(f"{top} has {len(found)} mutants of {count} that are asked for")
    commands = tuple(sorted(random.Random(seed).sample(found, count)))
    switched = [
        line.replace("mutate ", f"mutate -ctrl mutant {_WIDTH} {number} ", 1)
        for number, line in enumerate(commands, 1)
    ]
    ports = read_ports(sources, top, out_dir=out_dir)
    end = [f"rename {top} {top}_mutants", "write_verilog -noattr mutated.v"]
    run_script([f"read_rtlil {_GOLD}", *switched, *end], out_dir=out_dir, name="mutate")
    verilog = out_dir / f"{top}.v"
    mutated = (out_dir / "mutated.v").read_text(encoding="utf-8")
    verilog.write_text(_switch(top, ports) + mutated, encoding="utf-8")
    return Mutants(out_dir, top, commands, verilog)


def equivalent(mutants: Mutants, number: int, *, timeout: int = 60) -> bool:
    """Whether a mutant is proved to behave as the design does, with any inputs and for all time.

    For every state and every input both have the same outputs and the same next state; a mutation
    leaves initial values alone. Without a proof it may be equivalent all the same, for states that
    are never reached or seen.

    Args:
        mutants: of a design.
        number: of one of them, from 1 on.
        timeout: seconds for the solver.
    """
    command, top = mutants.commands[number - 1], mutants.top
    flat = ["memory_map", "opt_clean", "expose -evert -evert-dff"]
    copies = [
        line
        for name, change in (("gold", []), ("gate", [command]))
        for line in (
            f"read_rtlil {_GOLD}",
            *change,
            f"select {top}",
            *flat,
            "select -clear",
            f"rename {top} {name}",
        )
    ]
    script = [
        *copies,
        "miter -equiv -flatten -make_assert gold gate miter",
        "hierarchy -top miter",
        "opt -full",
        f"sat -verify -prove-asserts -timeout {timeout} miter",
    ]
    try:
        log = run_script(script, out_dir=mutants.directory, name=f"equivalent{number}")
    except ToolError:
        return False
    text = log.read_text(encoding="utf-8", errors="replace")
    return _PROVED in text or "no $assert cells" in text


def _switch(top: str, ports: Sequence[Port]) -> str:
    """The design's own module around the mutated one, for Verilator: it reads `VARIABLE` once."""
    declared = ",\n".join(
        f"  {port.direction} wire [{port.width - 1}:0] {port.name}" for port in ports
    )
    connected = ", ".join(f".{port.name}({port.name})" for port in ports)
    chosen = f'(getenv(\\"{VARIABLE}\\") ? atoi(getenv(\\"{VARIABLE}\\")) : 0)'
    return (
        f"module {top} (\n{declared}\n);\n"
        f"  reg [{_WIDTH - 1}:0] mutant;\n"
        f'  initial mutant = $c32("{chosen}");\n'
        f"  {top}_mutants core (.mutant(mutant), {connected});\n"
        "endmodule\n\n"
    )
