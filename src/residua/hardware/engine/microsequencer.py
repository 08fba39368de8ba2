"""Microsequencer: runs blocks of the control store, one control word a cycle."""

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.hardware.delay import delayed
from residua.hardware.signature_register import TRACE_PORTS, record
from residua.machines.control_store import Block

STORE_LATENCY = 3
"""Cycles from the address of a control word to its fields: block memory, a register beside it, and
one on the way to where the fields go."""

GAP = 3
"""Slots, at least, between two blocks, which a controller takes for their instructions."""

BANK_WORDS = 2048
"""Words of the store in one memory: as many as a block memory of nine bits a word holds."""


def pause_after(block: Block) -> int:
    """Slots to wait after a block until its results are there, besides `GAP`."""
    return max(block.settled - block.length - GAP, 0)


class Microsequencer(Component):
    """Steps through ``length`` + 1 control words from ``origin`` on, ``rounds`` + 1 times.

    A block starts in the cycle in which ``run`` and ``ready`` are set; ``ready`` is set when
    nothing runs and in the last cycle of a block. The rounds follow each other without a break.
    Every field of the store is an output, `STORE_LATENCY` cycles after its slot; when nothing runs,
    word 0 is in force.

    One that is ``traced`` sums up the addresses of all slots since ``trace_clear`` in ``trace``,
    see `residua.hardware.signature_register`.
    """

    def __init__(
        self,
        fields: Mapping[str, Sequence[int]],
        widths: Mapping[str, int],
        longest: int,
        most_rounds: int,
        *,
        traced: bool = False,
    ) -> None:
        self.traced = traced
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
            | (TRACE_PORTS if traced else {})
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
        if self.traced:
            record(m, self.trace, address, busy, self.trace_clear)
        return m

    def _fetch(self, m: Module, address: Value) -> None:
        """The control word of a slot, out of banks whose outputs are registers of their own.

        Such a register can be the one that a block memory has at its output. It has no reset, as
        little as the memory; what was on the way when a reset came ends in the next register.
        """
        words = self._control_words()
        width = sum(self.widths.values())
        low = ceil_log2(BANK_WORDS)
        banks = []
        for index, start in enumerate(range(0, len(words), BANK_WORDS)):
            init = words[start : start + BANK_WORDS]
            depth = 1 << ceil_log2(max(len(init), 2))
            bank = Memory(shape=width, depth=depth, init=init)
            m.submodules[f"bank_{index}"] = bank
            read = bank.read_port(domain="sync")
            word = Signal(width, name=f"bank_{index}_word", reset_less=True)
            m.d.comb += read.addr.eq(address[:low])
            m.d.sync += word.eq(read.data)
            banks.append(word)
        chosen: Value = banks[0]
        if len(banks) > 1:
            chosen = Array(banks)[delayed(m, address[low:], STORE_LATENCY - 1, "bank")]
        settled = Signal(STORE_LATENCY - 1)
        m.d.sync += settled.eq(Cat(1, settled))
        offset = 0
        for name, bits in self.widths.items():
            register = Signal(bits, name=f"{name}_control")
            m.d.sync += register.eq(Mux(settled[-1], chosen[offset : offset + bits], 0))
            m.d.comb += getattr(self, name).eq(register)
            offset += bits

    def _control_words(self) -> list[int]:
        """The fields of each word side by side, the first in the lowest bits."""
        words = []
        for values in zip(*(self.fields[name] for name in self.widths), strict=True):
            word, offset = 0, 0
            for value, width in zip(values, self.widths.values(), strict=True):
                word |= value << offset
                offset += width
            words.append(word)
        return words
