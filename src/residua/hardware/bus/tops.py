"""A core on a bus: one component for each bus, ready to be emitted as Verilog."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from amaranth.hdl import ClockSignal, Const, Instance, Module, ResetSignal, Value, ValueLike
from amaranth.lib.wiring import Component, Flow, In, Out, connect, flipped

from residua.errors import SpecificationError
from residua.hardware.bus.axi_lite import AxiLiteSubordinate, axi_lite
from residua.hardware.bus.axi_stream import axi_stream, receive, transmit
from residua.hardware.bus.control import BusControl, raw_members
from residua.hardware.bus.dispatcher import Traffic
from residua.hardware.bus.register_map import Capabilities, CoreCapabilities
from residua.hardware.bus.several_control import SeveralControl
from residua.hardware.bus.wishbone import WishboneSlave, wishbone

ADDRESS_WIDTH = 12
"""Bits of a byte address: 4 KiB, the smallest region that AXI interconnects decode."""


class CoreInstance(Component):
    """An instance of the core ``module``, whose Verilog is in a file of its own.

    Ports: ``members``, called in the Verilog as they are there; by default those of
    `residua.hardware.bus.control.raw_members`. ``reset`` resets it beside the reset of its domain.
    """

    def __init__(
        self, module: str, members: dict[str, Any] | None = None, reset: ValueLike = 0
    ) -> None:
        self._module, self._reset = module, Value.cast(reset)
        super().__init__(raw_members() if members is None else members)

    def elaborate(self, platform: Any) -> Instance:
        """The instance, port by port."""
        reset = ResetSignal()
        if not isinstance(self._reset, Const):
            reset |= self._reset
        ports: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": reset}
        for path, member, value in self.signature.flatten(self):
            direction = "i" if member.flow is Flow.In else "o"
            ports[f"{direction}_{'_'.join(map(str, path))}"] = Value.cast(value)
        return Instance(self._module, **ports)


class AxiTop(Component):
    """A core on AXI4-Lite, its operands, random words and results on AXI4-Stream.

    Ports: ``s_axi`` (registers), ``s_axis_operand``, ``s_axis_random``, ``m_axis_result`` (whole
    32-bit words; ``tlast`` with the final word of a result) and ``irq`` (the interrupt, a level).
    With ``capabilities.data_registers`` registers take the place of the streams; a core that takes
    no random words has no stream of them. The reset is synchronous and active-high, so connect the
    inverse of ``aresetn``.

    Operand words that come while no operation runs wait for the next one. A zeroisation drops words
    that are inside, and withdraws ``tvalid`` of the result: reset the other side, too.

    ``core`` is a component with the members of `residua.hardware.bus.control.raw_members`; of
    several, whose ``traffic`` is given, there is a sequence.
    """

    def __init__(
        self, core: Any, capabilities: CoreCapabilities, traffic: Traffic | None = None
    ) -> None:
        self._core, self.control = core, _control(capabilities, traffic)
        members: dict[str, Any] = {"s_axi": In(axi_lite(ADDRESS_WIDTH)), "irq": Out(1)}
        if not capabilities.data_registers:
            random = {"s_axis_random": In(axi_stream())} if capabilities.takes_random else {}
            members |= {
                "s_axis_operand": In(axi_stream()),
                **random,
                "m_axis_result": Out(axi_stream(last=True)),
            }
        super().__init__(members)

    def elaborate(self, platform: Any) -> Module:
        """Bus, registers and core side by side."""
        m = Module()
        m.submodules.bus = bus = AxiLiteSubordinate(ADDRESS_WIDTH)
        connect(m, flipped(self.s_axi), bus.bus)
        _attach(m, bus, self.control, self._core)
        m.d.comb += self.irq.eq(self.control.irq)
        if not self.control.capabilities.data_registers:
            receive(m, self.s_axis_operand, self.control.operands)
            if self.control.capabilities.takes_random:
                receive(m, self.s_axis_random, self.control.random)
            transmit(m, self.control.result, self.m_axis_result)
        return m


class WishboneTop(Component):
    """A core on Wishbone B4; operands, random words and results go through registers.

    Ports: ``wb`` (`residua.hardware.bus.wishbone.wishbone`) and ``irq`` (the interrupt, a level).
    ``core`` is a component with the members of `residua.hardware.bus.control.raw_members`; of
    several, whose ``traffic`` is given, there is a sequence.

    Raises:
        SpecificationError: ``capabilities`` lack the data registers.
    """

    def __init__(
        self, core: Any, capabilities: CoreCapabilities, traffic: Traffic | None = None
    ) -> None:
        if not capabilities.data_registers:
            raise SpecificationError(
                "bus = 'wishbone' has no streams: give data_registers = true, or bus = 'axi'"
            )
        self._core, self.control = core, _control(capabilities, traffic)
        super().__init__({"wb": Out(wishbone(ADDRESS_WIDTH)), "irq": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        """Bus, registers and core side by side."""
        m = Module()
        m.submodules.bus = bus = WishboneSlave(ADDRESS_WIDTH)
        connect(m, bus.bus, flipped(self.wb))
        _attach(m, bus, self.control, self._core)
        m.d.comb += self.irq.eq(self.control.irq)
        return m


@dataclass(frozen=True)
class Bus:
    """A bus that a core can be put on.

    Attributes:
        top: makes the component of core and capabilities.
        protocol: ``axi`` or ``wishbone``.
        suffix: what the name of the top module ends with.
        streams: operands, random words and results go through streams; if not, through registers.
    """

    top: Callable[..., Component]
    protocol: Literal["axi", "wishbone"]
    suffix: str
    streams: bool = False


BUSES = {
    "axi": Bus(AxiTop, "axi", "axi", streams=True),
    "axi-lite": Bus(AxiTop, "axi", "axi_lite"),
    "wishbone": Bus(WishboneTop, "wishbone", "wishbone"),
}
"""Buses by the value of ``bus``; ``stream`` is the core without any of these."""

STREAMED = frozenset(name for name, bus in BUSES.items() if bus.streams)
"""Those whose operands and results go through streams."""


def _control(
    capabilities: CoreCapabilities, traffic: Traffic | None
) -> BusControl | SeveralControl:
    """The registers of a core, or of several, whose ``traffic`` is given."""
    if traffic is None:
        return BusControl(capabilities, ADDRESS_WIDTH)
    assert isinstance(capabilities, Capabilities)
    return SeveralControl(capabilities, traffic, ADDRESS_WIDTH)


def _attach(m: Module, bus: Any, control: BusControl | SeveralControl, core: Any) -> None:
    """The bus's ports to the registers, the registers to the core or cores."""
    several = isinstance(control, SeveralControl)
    m.submodules.control = control
    cores: Sequence[Any] = core if several else [core]
    for number, own in enumerate(cores):
        m.submodules[f"core_{number}" if several else "core"] = own
    connect(m, bus.write, control.write)
    connect(m, bus.read, control.read)
    outers = control.cores if several else [control.core]
    for own, outer in zip(cores, outers, strict=True):
        _join(m, own, outer, takes_random=control.capabilities.takes_random)


def _join(m: Module, core: Any, outer: Any, *, takes_random: bool) -> None:
    """A core's interface to that which the registers have for it, member by member."""
    for name, member in raw_members(takes_random=takes_random).items():
        inner, other = getattr(core, name), getattr(outer, name)
        if member.is_signature:
            connect(m, inner, other)
        elif member.flow is Flow.In:
            m.d.comb += inner.eq(other)
        else:
            m.d.comb += other.eq(inner)
