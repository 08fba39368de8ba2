"""Clocks of netlists of standard cells, by OpenSTA: no wires, an ideal clock."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from residua.errors import SpecificationError
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.process import ToolError, run
from residua.toolchain.standard_cells.libraries import Library

_PROGRAM = "sta"
_PACKAGE = "opensta"
_SCRIPT, _LOG, _LIBRARY = "clock.tcl", "opensta.log", "timing.lib"

_PERIOD_NS = 10.0
"""Of the clock that slacks are told against; the clock that is found does not depend on it."""

_SLACK = re.compile(r"^RESIDUA slack (\S+)$", re.MULTILINE)
_ENDS = re.compile(r"^(?:Start|End)point: (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Timing:
    """Timing of a netlist.

    Attributes:
        mhz: the clock that the slowest path from register to register allows.
        start: the flip-flop where that path starts.
        end: the one where it ends.
    """

    mhz: float
    start: str
    end: str


def check() -> None:
    """Check that OpenSTA is there.

    Raises:
        SpecificationError: it is not installed.
    """
    if shutil.which(_PROGRAM) is None:
        raise SpecificationError(
            f"clocks of standard cells need OpenSTA, which is not on the PATH: apt-get install "
            f"{_PACKAGE}"
        )


def time_netlist(netlist: Path, top: str, library: Library, *, clock: str = "clk") -> Timing:
    """Find the clock of a netlist.

    Args:
        netlist: Verilog of one flat module.
        top: its name.
        library: of its cells.
        clock: name of the clock's port.

    Raises:
        SpecificationError: OpenSTA is not installed.
        ToolError: it failed, or found no path from register to register.
    """
    check()
    directory = netlist.parent
    log = directory / _LOG
    (directory / _LIBRARY).write_text(library.text, encoding="utf-8")
    lines = [
        f"read_liberty {_LIBRARY}",
        f"read_verilog {netlist.name}",
        f"link_design {top}",
        f"create_clock -name {clock} -period {_PERIOD_NS} [get_ports {clock}]",
        "set_false_path -from [all_inputs]",
        "set_false_path -to [all_outputs]",
        "report_checks -path_delay max",
        'puts "RESIDUA slack [worst_slack]"',
    ]
    (directory / _SCRIPT).write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [_PROGRAM, "-exit", _SCRIPT]
    version = run(
        [_PROGRAM, "-version"], tool="OpenSTA", cwd=directory, log=directory / "version.log"
    )
    keep_run(
        "opensta",
        [version, *lines, library.text, netlist.read_bytes()],
        [_LOG],
        directory,
        lambda: run(command, tool="OpenSTA", cwd=directory, log=log),
    )
    told = log.read_text(encoding="utf-8")
    slack, ends = _SLACK.search(told), _ENDS.findall(told)
    if slack is None or len(ends) != 2:
        reason = "OpenSTA found no register-to-register path to time"
        raise ToolError(reason, command, log, "\n".join(told.splitlines()[-12:]))
    return Timing(1000 / (_PERIOD_NS - float(slack[1])), *ends)
