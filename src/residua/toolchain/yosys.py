"""Synthesis with Yosys, through the `pyosys` library.

What a Yosys process did before changes the result of the next synthesis, so each one runs in a
process of its own.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyosys

from residua.errors import SpecificationError
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.mapping import INSTANCES, commands, free_carries, knows_instances
from residua.toolchain.output_registers import absorb_output_registers
from residua.toolchain.process import run_python
from residua.toolchain.targets import YOSYS_TARGETS
from residua.toolchain.utilisation import Instances, Utilisation

_MODELLED_XILINX = ("xc7", "xc6s", "xc5v", "xc3se", "xc2vp")  # Yosys has no model of the DSP48E2
_MODELLED_OTHERS = {"ice40up5k": "ice40", "gatemate": "gatemate"}
"""Folders of Yosys with models of all cells of a family, its multipliers and memories too."""

ABC = Path(pyosys.__file__).parent / "yosys-abc"
"""The program of ABC that belongs to it."""

_SHARE = Path(pyosys.__file__).parent / "share"
_INCLUDE = re.compile(r'^`include "(.*)"$', re.MULTILINE)
_OWN_CELLS = Path(__file__).parent / "cells"
_SOURCES = "sources"
_INITIAL = re.compile(r"^ *initial begin\n(?: *\w+(?:\[\d+\])? = [^;\n]+;\n)+ *end$", re.MULTILINE)
_SHORT = 64

_RUNNER = """
import sys
from pyosys import libyosys
libyosys.run_pass("script " + sys.argv[1], libyosys.Design())
"""


@dataclass(frozen=True)
class Port:
    """A port of a module: ``direction`` is ``input``, ``output`` or ``inout``."""

    name: str
    direction: str
    width: int


@dataclass(frozen=True)
class SynthesisResult:
    """Resources that a synthesis used.

    Attributes:
        target: one of `YOSYS_TARGETS`.
        used: by the whole design.
        instances: of the design, if its target `knows_instances`.
        kinds: of the cells, by name.
        netlist: Verilog of the mapped design, for simulation with `cell_models`.
        json: netlist for nextpnr.
        log: what Yosys said.
    """

    target: str
    used: Utilisation
    instances: Instances
    kinds: Mapping[str, str]
    netlist: Path
    json: Path
    log: Path

    @property
    def cells(self) -> dict[str, int]:
        """Every cell kind with its number, sorted by name."""
        return dict(sorted(Counter(self.kinds.values()).items()))

    @property
    def by_instance(self) -> dict[str, Utilisation]:
        """What each of the instances takes, with all that is in it."""
        return self.instances.utilisation(self.kinds)


def synthesise(
    sources: Sequence[Path],
    top: str,
    target: str,
    *,
    out_dir: Path,
    dsp: bool = True,
    pads: bool = False,
    data: Sequence[Path] = (),
    parameters: bool = False,
    timeout: float | None = None,
) -> SynthesisResult:
    """Maps a design to the cells of a device family.

    Args:
        sources: Verilog files.
        top: name of the top module.
        target: one of `YOSYS_TARGETS`.
        out_dir: takes ``netlist.json``, ``netlist.v``, ``yosys.log`` and the script; made if
        absent.
        dsp: whether multipliers may be DSP blocks, or are made of look-up tables.
        pads: whether the ports are pins; see `residua.toolchain.mapping.commands`.
        data: files that the sources read, such as contents of memories, by their names alone.
        parameters: whether modules of the sources have parameters.
        timeout: seconds.

    Raises:
        SpecificationError: no such target.
        ToolError: Yosys failed.
    """
    if target not in YOSYS_TARGETS:
        raise SpecificationError(
            f"no synthesis target '{target}'; one of {', '.join(YOSYS_TARGETS)}"
        )
    files = gather(sources, out_dir)
    for file in data:
        shutil.copyfile(file, out_dir / file.name)
    netlist, verilog = "netlist.json", "netlist.v"
    writes = [netlist, verilog, *([INSTANCES] if knows_instances(target) else [])]
    write_verilog = f"write_verilog -noattr -noexpr {verilog}"
    script = [
        *_read(files, top if parameters else None),
        *commands(top, target, dsp=dsp, pads=pads),
        f"write_json {netlist}",
        write_verilog,
    ]
    reads = [*files, *(file.name for file in data)]
    log = run_script(script, reads=reads, writes=writes, out_dir=out_dir, timeout=timeout)
    if _changed(out_dir / netlist, top, target):
        script = [f"read_json {netlist}", write_verilog]
        run_script(
            script,
            reads=[netlist],
            writes=[verilog],
            out_dir=out_dir,
            name="rewrite",
            timeout=timeout,
        )
    kinds = _kinds(out_dir / netlist, top)
    return SynthesisResult(
        target=target,
        used=Utilisation.of_cells(Counter(kinds.values())),
        instances=_instances(out_dir) if knows_instances(target) else Instances([]),
        kinds=kinds,
        netlist=out_dir / verilog,
        json=out_dir / netlist,
        log=log,
    )


def read_ports(sources: Sequence[Path], top: str, *, out_dir: Path) -> tuple[Port, ...]:
    """Ports of a Verilog module, in the order of their declaration."""
    files, ports = gather(sources, out_dir), "ports.json"
    script = [*_read(files), f"hierarchy -top {top}", "proc", f"select {top}"]
    script += [f"write_json -selected {ports}"]
    run_script(script, reads=files, writes=[ports], out_dir=out_dir, name="ports")
    module = json.loads((out_dir / ports).read_text())["modules"][top]
    return tuple(
        Port(name, port["direction"], len(port["bits"])) for name, port in module["ports"].items()
    )


def cell_models(target: str) -> tuple[Path, ...]:
    """Verilog files that model a target's cells, to simulate a `SynthesisResult.netlist` with."""
    if target == "ecp5":
        own = [_OWN_CELLS / name for name in ("ecp5_mult18x18d.v", "ecp5_dp16kd.v")]
        return (*own, _SHARE / "lattice" / "cells_sim_ecp5.v")
    if target in _MODELLED_XILINX:
        own = [_OWN_CELLS / "xc5v_dsp48e.v"] if target == "xc5v" else []
        return (*own, _SHARE / "xilinx" / "cells_sim.v")
    if target in _MODELLED_OTHERS:
        return (_SHARE / _MODELLED_OTHERS[target] / "cells_sim.v",)
    known = ", ".join(("ecp5", *_MODELLED_XILINX, *_MODELLED_OTHERS))
    raise SpecificationError(f"the cells of '{target}' have no simulation models; one of {known}")


def clock_models(target: str) -> tuple[Path, ...]:
    """Verilog files that model what makes a target's clocks, as if each ran at its own rate."""
    return (_OWN_CELLS / "ecp5_ehxplll.v",) if target == "ecp5" else ()


def cell_model_directories(target: str) -> tuple[Path, ...]:
    """Directories that the files of `cell_models` include from."""
    return tuple(dict.fromkeys(path.parent for path in cell_models(target)))


def cell_model_text(target: str) -> str:
    """The files of `cell_models` as one text that includes nothing."""
    return "\n".join(_inlined(path) for path in cell_models(target))


def _inlined(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda found: _inlined(path.parent / found[1]), text)


def gather(sources: Iterable[Path], out_dir: Path) -> list[str]:
    """Copies Verilog files into ``out_dir`` and returns their names for `run_script`.

    Yosys calls cells by the file that they come from: so they are the same wherever it lies. And it
    takes quadratic time for a long block of initial values: the copies have short ones.
    """
    found: list[str] = []
    for number, source in enumerate(sources):
        name = f"{_SOURCES}/{source.name}"
        if name in found:
            name = f"{_SOURCES}/{number}/{source.name}"
        (out_dir / name).parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8")
        (out_dir / name).write_text(_INITIAL.sub(_in_short_blocks, text), encoding="utf-8")
        found.append(name)
    return found


def _in_short_blocks(block: re.Match[str]) -> str:
    """The same initial values, line by line, in blocks of `_SHORT` lines."""
    begin, *values, end = block[0].splitlines()
    for last in range(_SHORT - 1, len(values) - 1, _SHORT):
        values[last] += " end initial begin"
    return "\n".join([begin, *values, end])


def run_script(
    commands: Sequence[str],
    *,
    reads: Iterable[str | Path],
    writes: Sequence[str],
    out_dir: Path,
    name: str = "yosys",
    timeout: float | None = None,
) -> Path:
    """Runs Yosys commands in a fresh process inside ``out_dir``; returns the log.

    What was made before of the same commands and files is taken from the cache.

    Args:
        commands: in which files are named from ``out_dir``.
        reads: every file that the commands read.
        writes: every file that they write.
        out_dir: where it runs; made if absent.
        name: of script and log.
        timeout: seconds.

    Raises:
        ToolError: Yosys failed, or took too long.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    script, log = out_dir / f"{name}.ys", out_dir / f"{name}.log"
    script.write_text("\n".join(commands) + "\n")

    def run() -> None:
        run_python(_RUNNER, [script.name], tool="yosys", cwd=out_dir, log=log, timeout=timeout)

    contents = ((out_dir / path).read_bytes() for path in reads)
    keep_run("yosys", [*commands, *contents], [log.name, *writes], out_dir, run)
    return log


def _read(files: Iterable[str], elaborated: str | None = None) -> list[str]:
    """Commands that read files; for modules with parameters, the top module is elaborated."""
    # Yosys reads a module again from its source when a cell that it uses becomes known, even
    # after it has been synthesised. A module that came as RTLIL has no source to go back to.
    read = [f"read_verilog {file}" for file in files]
    if elaborated:
        read.append(f"hierarchy -top {elaborated}")
    return [*read, "write_rtlil design.il", "design -reset", "read_rtlil design.il"]


_CHANGES = {"ecp5": absorb_output_registers, "nexus": free_carries}
"""What a netlist needs after Yosys, by target."""


def _changed(path: Path, top: str, target: str) -> bool:
    """Do with a netlist what its target needs; whether anything was to do."""
    change = _CHANGES.get(target)
    netlist = json.loads(path.read_text()) if change else {}
    if change is None or not change(netlist["modules"][top]):
        return False
    path.write_text(json.dumps(netlist))
    return True


def _kinds(path: Path, top: str) -> dict[str, str]:
    """The kind of every cell, by name."""
    cells = json.loads(path.read_text())["modules"][top]["cells"].items()
    return {name: cell["type"] for name, cell in cells if not cell["type"].startswith("$scopeinfo")}


def _instances(out_dir: Path) -> Instances:
    """The instances that were in the flattened design, each a line of module and name."""
    lines = (out_dir / INSTANCES).read_text(encoding="utf-8").splitlines()
    return Instances(line.partition("/")[2] for line in lines)
