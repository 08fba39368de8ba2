"""Cox-Rower engine: rowers in a ring, a Cox, a sequencer with the microcode of one program."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Const, Module, Mux, Shape, Signal, Value, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import Component, In, Out, connect, flipped

from residua.hardware.delay import delayed
from residua.hardware.engine.binary_operands import BinaryOperands
from residua.hardware.engine.cox import Cox
from residua.hardware.engine.engine_design import EngineDesign
from residua.hardware.engine.loader import OperandLoader
from residua.hardware.engine.narrow_rower import NarrowRower
from residua.hardware.engine.rings import join_rows
from residua.hardware.engine.row import LAUNCH_DELAY
from residua.hardware.engine.rower import (
    CONTROL_DELAY,
    Rower,
)
from residua.hardware.engine.sequencer import Sequencer
from residua.machines.controls import weight_controls
from residua.numbers.cox import Cox as Estimate


@dataclass(frozen=True)
class _Lane:
    """The rowers of a lane, and that of an extra channel."""

    index: int
    rowers: list[Rower]
    extra: NarrowRower | None

    @property
    def units(self) -> list[Rower | NarrowRower]:
        """Rowers of the lane, in the order of the words of operands and results."""
        return [*self.rowers, self.extra] if self.extra else [*self.rowers]


def _suffix(lane: int) -> str:
    """Suffix of the names of lane 1."""
    return f"_{lane}" if lane else ""


class Engine(Component):
    """A program on residues, with all channels in parallel.

    ``operands`` exists if the program has residues for operands. It takes one word of every rower
    at a time (w + 1 bits, signed, redundant), in the order of ``design.schedule.inputs``; a run
    starts when it has all of its words. ``result`` presents the words of
    ``design.schedule.outputs`` in the cycle in which ``result_valid`` is set, ``result_word`` being
    the position; whoever starts runs must be able to take them. ``enable`` withholds the start of
    runs. The word of an extra channel, g bits with their sign, follows those of the rowers. Two
    lanes take the same operands, and the results of lane 1 follow those of lane 0.

    ``binary`` exists if the program has binary operands. It takes their words (unsigned), the
    lowest of the first operand first. With the option ``serial``, ``result`` is one residue in each
    cycle of as many in a row as the outputs have channels, the program's first output first, and
    ``start`` is set when a run starts.

    ``interval`` is the number of cycles between the starts of runs in the steady state, ``latency``
    the number of cycles from the first slot of a run to the first slot of another that can use its
    results.
    """

    def __init__(self, design: EngineDesign) -> None:
        self.design = design
        self.latency, self.interval = design.schedule.latency, design.schedule.interval
        word = signed(design.width + 1)
        self.words = data.ArrayLayout(word, design.machine.units)
        results = data.ArrayLayout(word, design.machine.units * design.lanes)
        serial = design.options.serial
        outputs = len(design.program.outputs) if serial else len(design.schedule.outputs)
        ports: dict[str, Any] = {
            "enable": In(1),
            "operands": In(stream.Signature(self.words)),
            "binary": In(stream.Signature(max(design.binary_width, 1))),
            "result": Out(data.ArrayLayout(word, 1) if serial else results),
            "result_valid": Out(1),
            "result_word": Out(range(max(outputs, 2))),
            "start": Out(1),
        }
        absent = {
            "operands": not design.schedule.inputs,
            "binary": not design.schedule.binary_words,
            "start": not serial,
        }
        super().__init__({name: p for name, p in ports.items() if not absent.get(name, False)})

    def elaborate(self, platform: Any) -> Module:
        """Rowers, Cox, sequencer and the loader of operands."""
        m = Module()
        microcode = self.design.microcode
        stages = max(max(microcode.fields[f"{n}_stage"]) for n in ("emit", "release")) + 1
        widths = {
            name: Shape.cast(shape).width for name, shape in self.design.shape.control().items()
        }
        m.submodules.sequencer = sequencer = Sequencer(microcode.fields, stages, widths)
        lanes = [self._lane(m, sequencer, index) for index in range(self.design.lanes)]
        for lane, other in zip(lanes, reversed(lanes), strict=True):
            self._drive_bus(m, sequencer, lane, other)
        self._load(m, sequencer, lanes)
        m.d.comb += [
            self.result_valid.eq(sequencer.emit),
            self.result_word.eq(sequencer.emit_word),
        ]
        if self.design.options.serial:
            m.d.comb += [
                self.result[0].eq(lanes[0].rowers[0].operand),
                self.start.eq(sequencer.start),
            ]
        else:
            residues = [unit.residue for lane in lanes for unit in lane.units]
            m.d.comb += [self.result[i].eq(residue) for i, residue in enumerate(residues)]
        return m

    def _lane(self, m: Module, sequencer: Sequencer, lane: int) -> _Lane:
        """The rowers of a lane in a ring, and that of the extra channel."""
        design, microcode = self.design, self.design.microcode
        own = microcode.constants[lane * design.machine.units :]
        rowers = []
        for index in range(design.rowers):
            moduli = microcode.moduli[index]
            ranges = [design.ranges[modulus] for modulus in moduli]
            rower = Rower(design.shape, moduli, ranges, own[index])
            m.submodules[f"rower_{lane * design.rowers + index}"] = rower
            rowers.append(rower)
        for index, rower in enumerate(rowers):
            m.d.comb += rower.neighbour.eq(rowers[(index + 1) % len(rowers)].operand)
            self._control(m, sequencer, rower, lane)
        if not design.narrow:
            return _Lane(lane, rowers, None)
        # The extra channel hears what rower 0 takes from the ring.
        extra = NarrowRower(design.shape, design.narrow, design.rower_latency, own[design.rowers])
        m.submodules[f"narrow_rower{_suffix(lane)}"] = extra
        self._control(m, sequencer, extra, lane)
        m.d.comb += [extra.listens.eq(sequencer.listens), extra.ring.eq(rowers[0].operand)]
        return _Lane(lane, rowers, extra)

    def _control(
        self, m: Module, sequencer: Sequencer, rower: Rower | NarrowRower, lane: int
    ) -> None:
        names = ["left", "constant", "first", "modulus", "write", "write_register"]
        if self.design.shape.subtracts:
            names.append("subtract")
        m.d.comb += [getattr(rower, name).eq(getattr(sequencer, name)) for name in names]
        m.d.comb += [
            getattr(rower, name).eq(getattr(sequencer, f"{name}{_suffix(lane)}"))
            for name in ("left_register", "right_register")
        ]

    def _ring_words(self, m: Module, sequencer: Sequencer, lane: _Lane) -> list[Value]:
        """Words that go around and the Cox listens to: super-residues, or residues."""
        shape = self.design.row_shape
        if shape is None:
            return [rower.operand for rower in lane.rowers]
        rows = join_rows(m, shape, lane.rowers, sequencer.controls)
        words: list[Value] = [row.word for row in rows]
        if lane.extra:
            # It comes when the other rowers have reduced it and taken it for their left operand.
            # The constant that it includes is 0 modulo 2^g.
            latency = shape.lead - LAUNCH_DELAY + 1
            heard = delayed(m, words[0][: lane.extra.bits], latency, "heard", data=True)
            m.d.comb += lane.extra.row.eq(heard)
        return words

    def _drive_bus(self, m: Module, sequencer: Sequencer, lane: _Lane, other: _Lane) -> None:
        """The quotient, or another word where the microcode wants one, to all rowers of a lane.

        Lanes hand each other what their rowers had for left operands.
        """
        words = self._ring_words(m, sequencer, lane)
        bus: Value = Const(0, signed(1))
        if self.design.estimate:
            cox = self._cox(m, sequencer, words, self.design.estimate, lane.index)
            bus = cox.quotient
            if lane.extra and other.extra:
                bus = self._join_extra(m, sequencer, cox, lane, other)
        if self.design.binary_width:
            bus = self._binary_operands(m, sequencer, bus)
        m.d.comb += [rower.bus.eq(bus) for rower in lane.rowers]
        if lane.extra:
            if self.design.binary_width:
                # The other rowers have a register for the bus.
                bus = delayed(m, bus[: lane.extra.bits], 1, "narrow_bus_word", data=True)
            m.d.comb += lane.extra.bus.eq(bus)
        if lane is not other:
            m.d.comb += [
                unit.partner.eq(partner.operand)
                for unit, partner in zip(lane.units, other.units, strict=True)
            ]

    def _join_extra(
        self, m: Module, sequencer: Sequencer, cox: Cox, lane: _Lane, other: _Lane
    ) -> Value:
        """Let the Cox see the word of an extra channel; the quotient, or that word in its place.

        It goes through the register of the quotient, unless binary operands, too, come to the bus:
        rowers have the register then.
        """
        assert lane.extra
        assert other.extra
        direct: Value = lane.extra.stored
        if lane is not other:
            crosses = delayed(m, sequencer.crosses, CONTROL_DELAY, f"crosses_{lane.index}")
            direct = Mux(crosses, other.extra.stored, direct)
        takes = delayed(m, sequencer.narrow_bus, CONTROL_DELAY, f"narrow_bus_{lane.index}")
        m.d.comb += [
            cox.narrow_word.eq(lane.extra.operand),
            cox.narrow_tap.eq(sequencer.narrow_tap),
        ]
        if self.design.binary_width:
            joined: Value = Mux(takes, direct, cox.quotient)
            return joined
        m.d.comb += [cox.direct.eq(direct), cox.takes_direct.eq(takes)]
        quotient: Value = cox.quotient
        return quotient

    def _binary_operands(self, m: Module, sequencer: Sequencer, quotient: Value) -> Value:
        """The memory of binary words, and the bus on which they meet the quotient."""
        count = self.design.schedule.binary_words
        m.submodules.binary_operands = operands = BinaryOperands(self.design.binary_width, count)
        connect(m, flipped(self.binary), operands.words)
        bus = Signal(signed(self.design.width + 1), name="bus")
        binary = delayed(m, sequencer.binary, CONTROL_DELAY, "binary")
        address = delayed(m, sequencer.binary_word, CONTROL_DELAY, "binary_word")
        m.d.comb += [
            operands.start.eq(sequencer.start),
            operands.release.eq(sequencer.release),
            operands.address.eq(address),
            bus.eq(Mux(binary, operands.word, quotient)),
        ]
        return bus

    def _cox(
        self,
        m: Module,
        sequencer: Sequencer,
        words: list[Value],
        estimate: Estimate,
        lane: int,
    ) -> Cox:
        design, machine = self.design, self.design.machine
        m.submodules[f"cox{_suffix(lane)}"] = cox = Cox(
            estimate,
            machine.columns * design.width,
            machine.taps,
            design.microcode.weights,
            design.quotient_range,
            word=len(words[0]),
            delay=machine.cox_delay,
            narrow=design.narrow,
            direct=design.narrow,
        )
        for tap, weight in enumerate(weight_controls(machine.taps)):
            m.d.comb += [
                cox.taps[tap].eq(words[min(tap * machine.tap_slots, len(words) - 1)]),
                cox.weights[tap].eq(sequencer.controls[weight]),
            ]
        m.d.comb += cox.first.eq(sequencer.cox_first)
        return cox

    def _load(self, m: Module, sequencer: Sequencer, lanes: Sequence[_Lane]) -> None:
        """Runs start when all of their operands are there."""
        request: Value = self.enable
        if self.design.schedule.binary_words:
            request = request & m.submodules.binary_operands.request
        if self.design.schedule.inputs:
            request = request & self._load_residues(m, sequencer, lanes)
        m.d.comb += sequencer.request.eq(request)

    def _load_residues(self, m: Module, sequencer: Sequencer, lanes: Sequence[_Lane]) -> Value:
        """Operand words share the rowers' write port with residues, which come first."""
        m.submodules.loader = loader = OperandLoader(
            len(self.design.schedule.inputs), self.design.shape.registers
        )
        m.d.comb += [
            loader.valid.eq(self.operands.valid),
            self.operands.ready.eq(loader.ready),
            loader.busy.eq(delayed(m, sequencer.write, CONTROL_DELAY, "write")),
            loader.start.eq(sequencer.start),
            loader.release.eq(sequencer.release),
        ]
        for lane in lanes:
            for index, unit in enumerate(lane.units):
                m.d.comb += [
                    unit.load.eq(loader.load),
                    unit.load_register.eq(loader.register),
                    unit.word.eq(self.operands.payload[index]),
                ]
        return loader.request
