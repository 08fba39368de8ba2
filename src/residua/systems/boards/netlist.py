"""The netlist that a bitstream is made of, in a simulation with models of its cells.

It boots the program as the Verilog does. Three things are not as on a board: the phase-locked loop
gives out its input, which is the system's clock then; the rings of inverters are cut out, and one
bit of noise stands for their samples; nothing takes time but clocks.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from residua.hardware.soc.board_control import RESET_CYCLES
from residua.systems.host import Host, opened
from residua.systems.simulation import compile_simulator, simulated
from residua.systems.soc_directory import SocDirectory
from residua.toolchain import yosys

_SYNCHRONISED = 8
"""Cycles until the board's reset begins to count, and after it, at most."""

_TOP = "netlist_top"
_RINGS = "ring_samples"
_NETLIST, _VERILOG, _WRAPPER = "opened.json", "opened.v", "wrapper.v"


@contextmanager
def simulated_netlist_host(
    directory: SocDirectory, mapped: yosys.SynthesisResult, work: Path, timeout: float
) -> Iterator[Host]:
    """The host of a new simulation of a system's netlist.

    Args:
        directory: of a system with a board.
        mapped: its netlist.
        work: takes what is made of it.
        timeout: seconds to wait for bytes of the system.

    Raises:
        SpecificationError: the package pyserial is not installed.
        FrameError: the system does not answer.
        ToolError: the simulator cannot be built or started.
    """
    executable = netlist_simulator(directory, mapped, work)
    with (
        simulated(directory, executable) as terminal,
        opened(terminal, directory.manifest["baud"], timeout) as line,
    ):
        yield Host(line)


def netlist_simulator(directory: SocDirectory, mapped: yosys.SynthesisResult, work: Path) -> Path:
    """Compile the netlist of a system, behind the ports of the system without its board.

    Args:
        directory: of a system with a board.
        mapped: its netlist.
        work: takes what is made of it.

    Raises:
        ToolError: a tool failed.
    """
    facts = directory.board
    netlist = json.loads(mapped.json.read_text(encoding="utf-8"))
    open_rings(netlist["modules"][facts["top"]], facts["rings"])
    (work / _NETLIST).write_text(json.dumps(netlist), encoding="utf-8")
    yosys.run_script(
        [f"read_json {_NETLIST}", f"write_verilog -noattr -noexpr {_VERILOG}"],
        reads=[_NETLIST],
        writes=[_VERILOG],
        out_dir=work,
        name="opened",
    )
    (work / _WRAPPER).write_text(_wrapper(facts["top"], facts["pins"], len(facts["rings"])))
    return compile_simulator(
        [work / _WRAPPER, work / _VERILOG, *yosys.cell_models("ecp5"), *yosys.clock_models("ecp5")],
        _TOP,
        directory.manifest["divisor"],
        includes=yosys.cell_model_directories("ecp5"),
        ahead=RESET_CYCLES + _SYNCHRONISED,
    )


def open_rings(module: dict[str, Any], rings: Mapping[str, int]) -> None:
    """Replace the rings of a flat module by an input with a bit for each.

    Args:
        module: of a netlist as Yosys writes it to JSON; changed.
        rings: inverters by the path of each ring.
    """
    cells, bits = module["cells"], []
    for path, length in rings.items():
        lookups = [cells.pop(f"{path}.lut_{number}") for number in range(length)]
        bits += lookups[-1]["connections"]["Z"]
    module["ports"][_RINGS] = {"direction": "input", "bits": bits}
    module["netnames"][_RINGS] = {"hide_name": 0, "bits": bits, "attributes": {}}


def _wrapper(top: str, pins: Mapping[str, bool], rings: int) -> str:
    """Verilog of a module with the ports of a system around the netlist of its board.

    Args:
        top: the netlist's module.
        pins: whether each of its ports is inverted.
        rings: how many there are.
    """

    def pin(port: str, signal: str) -> str:
        return f".{port}({'~' * pins[port]}{signal})"

    connections = [".clock(clk)", pin("uart_receive", "uart_receive"), ".uart_send(sent)"]
    connections += [".error(stopped)", f".{_RINGS}({{{{{rings - 1}{{1'b0}}}}, noise}})"]
    if "button" in pins:
        connections.append(pin("button", "rst"))
    ports = "input wire clk, input wire rst, input wire uart_receive, input wire noise"
    lines = [
        f"module {_TOP} ({ports}, output wire uart_send, output wire trap);",
        "  wire sent, stopped;",
        f"  {top} board ({', '.join(connections)});",
        f"  assign uart_send = {'~' * pins['uart_send']}sent;",
        f"  assign trap = {'~' * pins['error']}stopped;",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"
