"""Microsequencer: runs blocks of the control store, one control word a cycle."""

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

STORE_LATENCY = 2
"""Cycles from the address of a control word to its fields: block memory and its output register."""


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
        busy, last_slot = Signal(), Signal()
        m.d.comb += [last_slot.eq(slots == 0), self.ready.eq(~busy | (last_slot & (rounds == 0)))]
        with m.If(self.run & self.ready):
            m.d.sync += [
                busy.eq(1),
                address.eq(self.origin),
                origin.eq(self.origin),
                length.eq(self.length),
                slots.eq(self.length),
                rounds.eq(self.rounds),
            ]
        with m.Elif(self.ready):
            m.d.sync += [busy.eq(0), address.eq(0)]
        with m.Else():
            m.d.sync += [
                address.eq(Mux(last_slot, origin, address + 1)),
                slots.eq(Mux(last_slot, length, slots - 1)),
                rounds.eq(rounds - last_slot),
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
            register = Signal(width, name=f"{name}_control")
            m.d.sync += register.eq(read.data[offset : offset + width])
            m.d.comb += getattr(self, name).eq(register)
            offset += width
