"""Sequencer: steps through the microcode, starts runs and knows which are in flight."""

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

LARGEST_LOGIC_MEMORY = 128
"""Phases up to which the microcode is a table in logic; longer ones go to block memory."""


class Sequencer(Component):
    """One control word a cycle, again and again while there is work.

    A run starts in phase 0 if ``request`` is set, which ``start`` acknowledges. While no run is in flight
    the sequencer waits in phase 0. ``runs`` holds a bit for each interval that a run can be old: whether the
    run that started that many intervals before the current one exists.

    Controls (one output for each field of the microcode) and ``runs`` are registered: they follow the
    phase by ``latency`` cycles.
    """

    def __init__(self, fields: Mapping[str, Sequence[int]], stages: int) -> None:
        self.fields = {name: tuple(values) for name, values in fields.items()}
        self.phases = len(next(iter(self.fields.values())))
        self.stages = stages
        self.widths = {name: max(max(v).bit_length(), 1) for name, v in self.fields.items()}
        self.in_block_memory = self.phases > LARGEST_LOGIC_MEMORY
        self.latency = 2 if self.in_block_memory else 1
        super().__init__(
            {name: Out(width) for name, width in self.widths.items()}
            | {"request": In(1), "start": Out(1), "runs": Out(stages)}
        )

    def elaborate(self, platform: Any) -> Module:
        """Phase counter, run history, control memory."""
        m = Module()
        phase = Signal(range(self.phases))
        history = Signal(self.stages)
        current = Signal(self.stages)
        at_start = phase == 0
        m.d.comb += [
            self.start.eq(at_start & self.request),
            current.eq(Mux(at_start, Cat(self.start, history), history)),
        ]
        m.d.sync += history.eq(current)
        with m.If(phase == self.phases - 1):
            m.d.sync += phase.eq(0)
        with m.Elif(current.any()):
            m.d.sync += phase.eq(phase + 1)
        word = self._control_memory(m, phase)
        offset = 0
        for name, width in self.widths.items():
            m.d.comb += self[name].eq(word[offset : offset + width])
            offset += width
        runs = current
        for cycle in range(self.latency):
            follower = Signal(self.stages, name=f"runs_{cycle}")
            m.d.sync += follower.eq(runs)
            runs = follower
        m.d.comb += self.runs.eq(runs)
        return m

    def _control_memory(self, m: Module, phase: Signal) -> Signal:
        words = []
        for values in zip(*self.fields.values(), strict=True):
            word, offset = 0, 0
            for value, width in zip(values, self.widths.values(), strict=True):
                word |= value << offset
                offset += width
            words.append(word)
        width = sum(self.widths.values())
        depth = 1 << ceil_log2(max(self.phases, 2))
        m.submodules.microcode = memory = Memory(shape=width, depth=depth, init=words)
        read = memory.read_port(domain="sync" if self.in_block_memory else "comb")
        control = Signal(width, reset_less=True)
        m.d.comb += read.addr.eq(phase)
        m.d.sync += control.eq(read.data)
        return control

    def __getitem__(self, name: str) -> Signal:
        signal: Signal = getattr(self, name)
        return signal
