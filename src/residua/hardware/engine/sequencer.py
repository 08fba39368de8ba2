"""Sequencer: steps through the microcode, starts runs and knows which are in flight."""

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.hardware.delay import delayed
from residua.hardware.engine.rower import LARGEST_LOGIC_MEMORY


def control_latency(phases: int) -> int:
    """Cycles from a phase to its controls: a register, and one more for block memory."""
    return 2 if phases > LARGEST_LOGIC_MEMORY else 1


class Sequencer(Component):
    """One control word a cycle, again and again while there is work.

    A run starts in phase 0 if ``request`` is set, which ``start`` acknowledges. While no run is in
    flight the sequencer waits in phase 0. Every field of the microcode is an output; it is
    registered and follows the phase by ``latency`` cycles. Fields that change state outside the
    rowers' pipeline act for existing runs only: ``write`` if there is any, ``emit`` and ``release``
    if the run of age ``emit_stage`` or ``release_stage`` (in intervals)
    exists. ``widths`` are the bits of fields whose values alone would take fewer.
    """

    def __init__(
        self,
        fields: Mapping[str, Sequence[int]],
        stages: int,
        widths: Mapping[str, int] | None = None,
    ) -> None:
        self.fields = {name: tuple(values) for name, values in fields.items()}
        self.phases = len(next(iter(self.fields.values())))
        self.stages = stages
        least = widths or {}
        self.widths = {
            name: max(max(values).bit_length(), least.get(name, 1))
            for name, values in self.fields.items()
        }
        self.in_block_memory = self.phases > LARGEST_LOGIC_MEMORY
        self.latency = control_latency(self.phases)
        super().__init__(
            {name: Out(width) for name, width in self.widths.items()}
            | {"request": In(1), "start": Out(1)}
        )

    @property
    def controls(self) -> dict[str, Value]:
        """The outputs that are fields of the microcode, by name."""
        return {name: getattr(self, name) for name in self.fields}

    def elaborate(self, platform: Any) -> Module:
        """Phase counter, run history, control memory."""
        m = Module()
        phase = Signal(range(max(self.phases, 2)))
        runs = self._advance(m, phase)
        word = self._control_memory(m, phase)
        runs = delayed(m, runs, self.latency - 1, "runs")
        if self.in_block_memory:
            # The memory's own register has no reset: what it holds is the word of a phase before.
            fetched = Signal(name="fetched")
            m.d.sync += fetched.eq(1)
            word = {name: Mux(fetched, field, 0) for name, field in word.items()}
        gates = self._gates(word, runs)
        for name in self.fields:
            register = Signal(self.widths[name], name=f"{name}_control")
            m.d.sync += register.eq(
                Mux(gates[name], word[name], 0) if name in gates else word[name]
            )
            m.d.comb += getattr(self, name).eq(register)
        return m

    def _advance(self, m: Module, phase: Signal) -> Value:
        """Count the phases; the runs in flight in this phase, one bit for each age."""
        at_start, at_end = Signal(init=1), Signal(init=int(self.phases == 1))
        history, current = Signal(self.stages), Signal(self.stages)
        advance = ~at_start | current.any()
        m.d.comb += [
            self.start.eq(at_start & self.request),
            current.eq(Mux(at_start, Cat(self.start, history), history)),
        ]
        m.d.sync += [
            history.eq(current),
            at_end.eq((phase == self.phases - 2) & advance),
            at_start.eq(at_end | (at_start & ~advance)),
        ]
        with m.If(at_end):
            m.d.sync += phase.eq(0)
        with m.Elif(advance):
            m.d.sync += phase.eq(phase + 1)
        return current

    def _gates(self, word: Mapping[str, Value], runs: Value) -> dict[str, Value]:
        ages = Array(runs[stage] for stage in range(self.stages))
        return {
            "write": runs.any(),
            "emit": ages[word["emit_stage"]],
            "release": ages[word["release_stage"]],
        }

    def _control_memory(self, m: Module, phase: Signal) -> dict[str, Value]:
        """The fields of the current phase, one cycle late if they are in block memory."""
        words = []
        for values in zip(*self.fields.values(), strict=True):
            word, offset = 0, 0
            for value, width in zip(values, self.widths.values(), strict=True):
                word |= value << offset
                offset += width
            words.append(word)
        depth = 1 << ceil_log2(max(self.phases, 2))
        m.submodules.microcode = memory = Memory(
            shape=sum(self.widths.values()), depth=depth, init=words
        )
        read = memory.read_port(domain="sync" if self.in_block_memory else "comb")
        m.d.comb += read.addr.eq(phase)
        fields, offset = {}, 0
        for name, width in self.widths.items():
            fields[name] = read.data[offset : offset + width]
            offset += width
        return fields
