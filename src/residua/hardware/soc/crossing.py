"""A processor's port that crosses to devices with another clock, by a handshake of toggles.

The near side has the processor's clock, the far side the devices'. An access is kept in registers
of the near side, and announced by a bit that changes its value; the far side sees it through two
registers of its own, makes the access, keeps what was read, and answers with a bit of its own. What
is kept does not change between announcement and answer, so that only these two bits are sampled
while they may change. Nothing is assumed about the two clocks.

Both sides are reset together, and reset is kept for a few cycles of either clock.
"""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component, In, Out, Signature, connect, flipped

from residua.hardware.soc.bus_masters import CORE_BUSES
from residua.hardware.soc.memory_port import ADDRESS_BITS, WORD_BITS, memory_port


def kept_access() -> Signature:
    """What is between the sides: both bits are equal while there is no access."""
    return Signature(
        {
            "announced": Out(1),
            "address": Out(ADDRESS_BITS),
            "strobe": Out(WORD_BITS // 8),
            "write_data": Out(WORD_BITS),
            "answered": In(1),
            "read_data": In(WORD_BITS),
        }
    )


class NearSide(Component):
    """The side of the processor: ``port`` is what a device has, ``kept`` goes to the far side.

    An access is announced in the cycle after it begins, and ends two cycles after the answer.

    Attributes:
        busy: an access is under way.
        before: the answer, as the first of two registers has it.
        answered: as the second one has it.
    """

    def __init__(self) -> None:
        self.busy = Signal(name="busy")
        self.before, self.answered = Signal(name="answered_before"), Signal(name="answered_now")
        super().__init__({"port": In(memory_port()), "kept": Out(kept_access())})

    def elaborate(self, platform: Any) -> Module:
        """Registers for the access, and two for the answer."""
        m = Module()
        port, kept = self.port, self.kept
        before, answered, busy = self.before, self.answered, self.busy
        m.d.sync += [before.eq(kept.answered), answered.eq(before)]
        with m.If(port.valid & ~busy):
            m.d.sync += [busy.eq(1), kept.announced.eq(~kept.announced)]
        for name in ("address", "strobe", "write_data"):
            asked = getattr(port, name)
            register = Signal(len(asked), name=f"{name}_register", reset_less=True)
            with m.If(port.valid & ~busy):
                m.d.sync += register.eq(asked)
            m.d.comb += getattr(kept, name).eq(register)
        m.d.comb += [
            port.ready.eq(busy & (answered == kept.announced)),
            port.read_data.eq(kept.read_data),
        ]
        with m.If(port.ready):
            m.d.sync += busy.eq(0)
        return m


class FarSide(Component):
    """The side of the devices: an access begins at ``port`` two cycles after it is announced.

    Attributes:
        before: the announcement, as the first of two registers has it.
        announced: as the second one has it.
    """

    def __init__(self) -> None:
        self.before, self.announced = Signal(name="announced_before"), Signal(name="announced_now")
        super().__init__({"kept": In(kept_access()), "port": Out(memory_port())})

    def elaborate(self, platform: Any) -> Module:
        """Two registers for the announcement, and one for what is read."""
        m = Module()
        port, kept = self.port, self.kept
        before, announced = self.before, self.announced
        read = Signal(WORD_BITS, name="read", reset_less=True)
        m.d.sync += [before.eq(kept.announced), announced.eq(before)]
        m.d.comb += [
            port.valid.eq(announced != kept.answered),
            port.address.eq(kept.address),
            port.strobe.eq(kept.strobe),
            port.write_data.eq(kept.write_data),
            kept.read_data.eq(read),
        ]
        with m.If(port.valid & port.ready):
            m.d.sync += [kept.answered.eq(announced), read.eq(port.read_data)]
        return m


class FarMaster(Component):
    """The far side of a core on a bus: ``kept`` from the near side, the bus as the core's master.

    Args:
        bus: one of `CORE_BUSES`.
    """

    def __init__(self, bus: str) -> None:
        self._bus = CORE_BUSES[bus]
        super().__init__({"kept": In(kept_access()), self._bus.port: self._bus.member.flip()})

    def elaborate(self, platform: Any) -> Module:
        """The far side and a master, all at the core's clock."""
        m = Module()
        m.submodules.far, m.submodules.master = far, master = FarSide(), self._bus.master()
        connect(m, far.port, master.port)
        connect(m, flipped(self.kept), far.kept)
        connect(m, flipped(getattr(self, self._bus.port)), getattr(master, self._bus.port))
        return m
