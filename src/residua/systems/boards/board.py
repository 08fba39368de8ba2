"""Boards that a system is made for: device, clock, pins, and how one is programmed."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from residua.errors import SpecificationError
from residua.systems.boards.sources import BOARDS, SOURCES
from residua.toolchain.ecp5.bitstream import Part

_PACKAGES = {"BG381": "CABGA381", "MG285": "CSFBGA285", "BG554": "CABGA554"}
"""nextpnr's names of packages, by the manufacturer's."""

_INPUTS = ("clock", "button", "uart_receive")


@dataclass(frozen=True)
class Pin:
    """A pin of the device.

    Attributes:
        port: of the top module: ``clock``, ``button``, ``uart_receive``, ``uart_send``, ``alive``,
            ``error``, or one that is kept high.
        site: its name in the package.
        inverted: it is low when its port is meant.
        attributes: of its buffer, such as ``IO_TYPE``.
    """

    port: str
    site: str
    inverted: bool
    attributes: Mapping[str, str]

    @property
    def direction(self) -> str:
        """Seen from the device."""
        return "input" if self.port in _INPUTS else "output"


@dataclass(frozen=True)
class Board:
    """A board with an ECP5.

    Attributes:
        name: as a user gives it.
        part: the device.
        clock_mhz: of the pin ``clock``.
        pins: that a system uses.
        packing: options of ecppack.
        loader: the board's name for openFPGALoader.
    """

    name: str
    part: Part
    clock_mhz: Fraction
    pins: tuple[Pin, ...]
    packing: tuple[str, ...]
    loader: str

    @property
    def ports(self) -> Mapping[str, Pin]:
        """The pins by port."""
        return {pin.port: pin for pin in self.pins}

    def constraints(self) -> str:
        """The pins and the clock in Lattice's preference format (LPF)."""
        lines = [f"# {self.name}: {self.part.device}, {self.part.package}"]
        for pin in self.pins:
            settings = "".join(f" {key}={value}" for key, value in pin.attributes.items())
            lines.append(f'LOCATE COMP "{pin.port}" SITE "{pin.site}";')
            lines.append(f'IOBUF PORT "{pin.port}"{settings};')
        lines.append(f'FREQUENCY PORT "clock" {float(self.clock_mhz):g} MHZ;')
        return "\n".join(lines) + "\n"

    def programming(self, bitstream: str) -> str:
        """The command that loads a bitstream."""
        return f"openFPGALoader -b {self.loader} {bitstream}"


def find_board(name: str) -> Board:
    """The board of a name.

    Raises:
        SpecificationError: there is none, or the package that describes it is not installed.
    """
    if name not in SOURCES:
        raise SpecificationError(f"--board {name}: expected one of {', '.join(BOARDS)}")
    if find_spec("amaranth_boards") is None:
        raise SpecificationError(
            f"--board {name} needs the Python package amaranth-boards: pip install 'residua[soc]'"
        )
    source = SOURCES[name]
    platform: Any = getattr(import_module(f"amaranth_boards.{source.module}"), source.platform)
    resources = {(one.name, one.number): one for one in platform.resources}
    connectors = {(one.name, one.number): one.mapping for one in platform.connectors}
    pins = []
    for port, (kind, number, signal) in source.pins.items():
        connector = connectors.get((kind, number))
        if connector is not None:
            pins.append(Pin(port, connector[signal], False, source.standards[port]))
        else:
            pins.append(_pin(port, resources[kind, number], signal))
    clock = resources[source.pins["clock"][:2]].clock.frequency
    part = Part(platform.device, _PACKAGES[platform.package], int(platform.speed))
    return Board(name, part, Fraction(clock) / 10**6, tuple(pins), source.packing, source.loader)


def _pin(port: str, resource: Any, signal: str) -> Pin:  # noqa: ANN401 - Amaranth has no types
    """A pin of a resource, or of one of its signals."""
    own = resource
    if signal:
        own = next(one for one in resource.ios if one.name == signal)
    pins = own.ios[0]
    (site,) = pins.names
    return Pin(port, site, pins.invert, {**resource.attrs, **own.attrs})
