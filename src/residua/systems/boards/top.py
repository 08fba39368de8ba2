"""The top module of a system on a board: pins, phase-locked loop, reset, lights, noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import cycle, islice
from typing import Any

from residua.cores.templating import environment
from residua.errors import SpecificationError
from residua.hardware.rtl import emit
from residua.hardware.soc.board_control import BoardControl
from residua.hardware.soc.pll import Pll, find_pll
from residua.systems.boards.board import Board

RINGS = 32
"""Rings of inverters whose samples make one bit of noise."""

RING_LENGTHS = (3, 5, 7)
"""Inverters of a ring, in turn: rings of different lengths do not fall into step."""

SOURCE = "source"
"""The instance of the rings in the top module."""

SYSTEM = "system"
"""That of the system without its board."""

SYSTEM_CLOCK = "system_clock"
"""The net of the system's clock in the top module."""

CORE_CLOCK = "core_clock"
"""That of the coprocessors' clock, if they have their own."""

_OUTPUTS = {"uart_send": "sent", "alive": "running", "error": "stopped"}


@dataclass(frozen=True)
class BoardTop:
    """A system on a board.

    Attributes:
        name: of the system's module; those of the board begin with it.
        board: where it runs.
        megahertz: of the system's clock.
        core_megahertz: of the coprocessors' own clock, or None.

    Raises:
        SpecificationError: the board's phase-locked loop cannot make these clocks.
    """

    name: str
    board: Board
    megahertz: Fraction
    core_megahertz: Fraction | None = None

    def __post_init__(self) -> None:
        _ = self.pll

    @property
    def module(self) -> str:
        """The name of the top module."""
        return f"{self.name}_board"

    @cached_property
    def pll(self) -> Pll:
        """The setting of the phase-locked loop."""
        try:
            return find_pll(self.board.clock_mhz, list(self.clocks.values()))
        except SpecificationError as error:
            options = f"--clock {float(self.megahertz):g}"
            if self.core_megahertz is not None:
                options += f" --core-clock {float(self.core_megahertz):g}"
            raise SpecificationError(f"{options} on {self.board.name}: {error}") from error

    @property
    def rings(self) -> tuple[int, ...]:
        """Inverters of each ring."""
        return tuple(islice(cycle(RING_LENGTHS), RINGS))

    @property
    def clocks(self) -> Mapping[str, Fraction]:
        """MHz of each clock, by its net in the top module."""
        own = {} if self.core_megahertz is None else {CORE_CLOCK: self.core_megahertz}
        return {SYSTEM_CLOCK: self.megahertz, **own}

    def files(self) -> dict[str, str]:
        """The Verilog of the board by path, and the constraints."""
        templates = environment("residua.systems")
        control = BoardControl(round(self.megahertz * 10**6 / 2))
        module = f"{self.name}_control"
        noise = templates.get_template("noise.v").render(name=self.name, rings=self.rings)
        board = templates.get_template("board.v").render(
            name=self.name,
            board=self.board,
            pins=self.board.pins,
            pll=self.pll,
            clocks=dict(zip(("CLKOS", "CLKOS2"), self.clocks, strict=False)),
            inputs=self._inputs(),
            outputs=self._outputs(),
            system_clock=SYSTEM_CLOCK,
            core_clock=None if self.core_megahertz is None else CORE_CLOCK,
            source=SOURCE,
            system=SYSTEM,
        )
        path = f"rtl/{module}.v"
        return {
            f"rtl/{self.module}.v": board,
            path: emit(control, module)[path],
            f"rtl/{self.name}_noise.v": noise,
            f"{self.name}.lpf": self.board.constraints(),
        }

    def manifest(self) -> dict[str, Any]:
        """What describes the board in the manifest of the directory."""
        pll = self.pll
        return {
            "name": self.board.name,
            "top": self.module,
            "constraints": f"{self.name}.lpf",
            "pins": {pin.port: pin.inverted for pin in self.board.pins},
            "clocks": {net: float(mhz) for net, mhz in self.clocks.items()},
            "rings": {f"{SOURCE}.ring_{i}": length for i, length in enumerate(self.rings)},
            "pll": {
                "input_mhz": float(pll.input_mhz),
                "oscillator_mhz": float(pll.oscillator_mhz),
                "reference": pll.reference,
                "feedback": pll.feedback,
                "primary": pll.primary,
                "outputs": list(pll.outputs),
            },
        }

    def _inputs(self) -> dict[str, str]:
        """Expressions for what comes of pins; a board may lack a button."""
        pins = self.board.ports
        found = {port: "~" * pins[port].inverted + port for port in pins}
        return {"button": "1'b0"} | {
            port: text for port, text in found.items() if pins[port].direction == "input"
        }

    def _outputs(self) -> dict[str, str]:
        """Expressions for pins that are driven; those without a meaning here stay high."""
        driven = [pin for pin in self.board.pins if pin.direction == "output"]
        return {pin.port: "~" * pin.inverted + _OUTPUTS.get(pin.port, "1'b1") for pin in driven}
