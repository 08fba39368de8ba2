"""A harness around a core that keeps pins from limiting its clock."""

from collections.abc import Sequence

from residua.errors import SpecificationError
from residua.toolchain.yosys import Port

HARNESS = "harness"
"""Name of its module."""

CORE = "core"
"""The instance of a core in it."""


def harness(ports: Sequence[Port], core: str, *, clock: str = "clk", oscillator: str = "") -> str:
    """Verilog of a module around a core with three pins: clock, serial in, serial out.

    Every input of the core comes from a register of a shift chain, every output goes into a
    register, and all of these are folded into one bit through registered exclusive-ors of four: no
    path from or to a pin, and none through the harness longer than a look-up table.

    Args:
        ports: of the core, from `residua.toolchain.yosys.read_ports`.
        core: name of the core's module.
        clock: name of the core's clock input.
        oscillator: Verilog of an instance that drives ``clk`` in place of the pin.

    Raises:
        SpecificationError: the core has no such clock, or no output.
    """
    inputs = [port for port in ports if port.direction == "input" and port.name != clock]
    outputs = [port for port in ports if port.direction == "output"]
    if not any(port.name == clock for port in ports) or not outputs:
        raise SpecificationError(
            f"a harness needs a clock input '{clock}' and an output on '{core}'"
        )
    chain = sum(port.width for port in inputs)
    driven = ["  wire clk;", f"  {oscillator}"] if oscillator else []
    pins = [*([] if oscillator else ["input wire clk"]), "input wire serial_in"]
    lines = [f"module {HARNESS} ({', '.join(pins)}, output wire serial_out);", *driven]
    connections = [f".{clock}(clk)"]
    if inputs:
        lines += [
            f"  reg [{chain}:0] chain;",
            "  always @(posedge clk)",
            f"    chain <= {{chain[{chain - 1}:0], serial_in}};",
        ]
    low = 1
    for port in inputs:
        connections.append(f".{port.name}(chain[{low + port.width - 1}:{low}])")
        low += port.width
    width = sum(port.width for port in outputs)
    lines.append(f"  wire [{width - 1}:0] result;")
    low = 0
    for port in outputs:
        connections.append(f".{port.name}(result[{low + port.width - 1}:{low}])")
        low += port.width
    lines += [f"  {core} {CORE} (", *(f"    {line}," for line in connections[:-1])]
    lines += [f"    {connections[-1]}", "  );"]
    lines += _reduction(width)
    return "\n".join([*lines, "endmodule"]) + "\n"


def _reduction(width: int) -> list[str]:
    """A registered tree of exclusive-ors from ``result`` to ``serial_out``."""
    lines = [f"  reg [{width - 1}:0] level_0;", "  always @(posedge clk) level_0 <= result;"]
    level = 0
    while width > 1:
        groups = (width + 3) // 4
        lines.append(f"  reg [{groups - 1}:0] level_{level + 1};")
        lines += [
            f"  always @(posedge clk) level_{level + 1}[{group}] <= "
            f"^level_{level}[{min(4 * group + 3, width - 1)}:{4 * group}];"
            for group in range(groups)
        ]
        level, width = level + 1, groups
    return [*lines, f"  assign serial_out = level_{level}[0];"]
