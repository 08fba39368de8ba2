"""Microsequencer: runs blocks of the control store, one control word a cycle."""

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

STORE_LATENCY = 3
"""Cycles from the address of a control word to its fields: block memory, a register beside it, and
one on the way to where the fields go."""


class Microsequencer(Component):
    """Steps through ``length`` + 1 control words from ``origin`` on, ``rounds`` + 1 times.

    A block starts in the cycle in which ``run`` and ``ready`` are set; ``ready`` is set when
    nothing runs and in the last cycle of a block. The rounds follow each other without a break.
    Every field of the store is an output, `STORE_LATENCY` cycles after its slot; when nothing runs,
    word 0 is in force.
    """

    def __init__(
        self,
        fields: Mapping[str, Sequence[int]],
        widths: Mapping[str, int],
        longest: int,
        most_rounds: int,
    ) -> None:
        self.fields = {name: tuple(values) for name, values in fields.items()}
        self.widths = dict(widths)
        self.words = len(next(iter(self.fields.values())))
        super().__init__(
            {name: Out(width) for name, width in self.widths.items()}
            | {
                "run": In(1),
                "origin": In(range(self.words)),
                "length": In(range(longest)),
                "rounds": In(range(most_rounds)),
                "ready": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Address, two counters, control store."""
        m = Module()
        address = Signal(range(self.words))
        origin, length = Signal.like(self.origin), Signal.like(self.length)
        slots, rounds = Signal.like(self.length), Signal.like(self.rounds)
        busy = Signal()
        # Whether the counters are 0, in registers that move with them: `ready` reaches far.
        last_slot, last_round = Signal(), Signal()
        m.d.comb += self.ready.eq(~busy | (last_slot & last_round))
        with m.If(self.run & self.ready):
            m.d.sync += [
                busy.eq(1),
                address.eq(self.origin),
                origin.eq(self.origin),
                length.eq(self.length),
                slots.eq(self.length),
                rounds.eq(self.rounds),
                last_slot.eq(self.length == 0),
                last_round.eq(self.rounds == 0),
            ]
        with m.Elif(self.ready):
            m.d.sync += [busy.eq(0), address.eq(0)]
        with m.Else():
            m.d.sync += [
                address.eq(Mux(last_slot, origin, address + 1)),
                slots.eq(Mux(last_slot, length, slots - 1)),
                rounds.eq(rounds - last_slot),
                last_slot.eq(Mux(last_slot, length == 0, slots == 1)),
                last_round.eq(Mux(last_slot, rounds == 1, last_round)),
            ]
        self._fetch(m, address)
        return m

    def _fetch(self, m: Module, address: Value) -> None:
        words = []
        for values in zip(*(self.fields[name] for name in self.widths), strict=True):
            word, offset = 0, 0
            for value, width in zip(values, self.widths.values(), strict=True):
                word |= value << offset
                offset += width
            words.append(word)
        depth = 1 << ceil_log2(max(self.words, 2))
        m.submodules.store = store = Memory(
            shape=sum(self.widths.values()), depth=depth, init=words
        )
        read = store.read_port(domain="sync")
        m.d.comb += read.addr.eq(address)
        offset = 0
        for name, width in self.widths.items():
            field: Value = read.data[offset : offset + width]
            for stage in range(1, STORE_LATENCY):
                register = Signal(width, name=f"{name}_control_{stage}")
                m.d.sync += register.eq(field)
                field = register
            m.d.comb += getattr(self, name).eq(field)
            offset += width
