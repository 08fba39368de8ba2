"""Scripts for AMD Vivado: out-of-context implementation of a core, run where there is Vivado."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.errors import SpecificationError
from residua.toolchain.process import run

DEFAULT_PART = "xc7k325tffg900-2"

TOTALS: Mapping[str, Mapping[str, int]] = {
    DEFAULT_PART: {"lut": 203_800, "ff": 407_600, "dsp": 840, "bram": 445}
}
"""What a part has of each resource, blocks of 36 kbit of memory (7 Series Overview, DS180)."""


@dataclass(frozen=True)
class VivadoReports:
    """Reports of a run of the script, after routing, as text, and its log."""

    utilisation: Path
    timing: Path
    log: Path


def write_script(
    sources: Sequence[Path],
    top: str,
    *,
    out_dir: Path,
    part: str = DEFAULT_PART,
    period_ns: float = 4.0,
    clock: str = "clk",
) -> Path:
    """Writes ``vivado.tcl``, which synthesises, places and routes a core on its own, without pins.

    Args:
        sources: Verilog files; the script names them relative to ``out_dir`` where they lie below
        it.
        top: name of the top module.
        out_dir: takes the script, and later the reports; made if absent.
        part: device, for example ``xc7k325tffg900-2``.
        period_ns: clock period to aim at, in ns.
        clock: name of the clock port.

    Raises:
        SpecificationError: the period is not positive.
    """
    if period_ns <= 0:
        raise SpecificationError(
            f"a clock period of {period_ns} ns cannot be met; give a positive one"
        )
    out_dir.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Out-of-context implementation. Run here: vivado -mode batch -source vivado.tcl",
        *(f"read_verilog {{{_relative(source, out_dir)}}}" for source in sources),
        f"synth_design -top {top} -part {part} -mode out_of_context -flatten_hierarchy rebuilt",
        f"create_clock -name {clock} -period {period_ns:g} [get_ports {clock}]",
        "opt_design",
        "place_design",
        "phys_opt_design",
        "route_design",
        "report_utilization -file utilization.rpt",
        "report_timing_summary -delay_type max -max_paths 10 -file timing.rpt",
        "set slack [get_property SLACK [get_timing_paths -delay_type max]]",
        f'puts "RESIDUA fmax_mhz [expr {{1000.0 / ({period_ns:g} - $slack)}}]"',
    ]
    script = out_dir / "vivado.tcl"
    script.write_text("\n".join(lines) + "\n")
    return script


def run_script(script: Path, *, timeout: float | None = None) -> VivadoReports:
    """Runs a script of `write_script` in its directory.

    Raises:
        SpecificationError: Vivado is not on the PATH; the message says where the script is.
        ToolError: Vivado failed.
    """
    program = shutil.which("vivado")
    if program is None:
        raise SpecificationError(
            f"Vivado is not on the PATH; the script {script} is ready: where there is Vivado, run "
            f"'vivado -mode batch -source {script.name}' in its directory"
        )
    directory = script.parent
    log = directory / "vivado_run.log"
    command = [program, "-mode", "batch", "-nojournal", "-source", script.name]
    run(command, tool="Vivado", cwd=directory, log=log, timeout=timeout)
    return VivadoReports(directory / "utilization.rpt", directory / "timing.rpt", log)


def _relative(source: Path, directory: Path) -> Path:
    source, directory = source.resolve(), directory.resolve()
    return source.relative_to(directory) if source.is_relative_to(directory) else source
