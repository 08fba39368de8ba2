"""Parts of a coprocessor that scalars go through, from their words to what routines select by."""

from collections.abc import Iterator, Mapping
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import connect

from residua.curves import difference_ladder, joint, ladder
from residua.curves.comb import POSITIVE
from residua.curves.endomorphism import window
from residua.curves.signatures.sliding_windows import POSITIVE as WINDOW_POSITIVE
from residua.hardware.converters.result_buffer import ResultBuffer
from residua.hardware.coprocessor.controller import Controller
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.scalars.digit_recoder import FLAGS


class ScalarParts:
    """The units for scalars that a design has, and their connections.

    A scalar comes to the unit that the controller chooses, the first one through the reducer; its
    bits go to the processor, or to what makes digits, columns of a comb or windows of them.
    """

    def __init__(self, design: CurveDesign, controller: Controller, processor: Any) -> None:
        self.design, self._controller, self._processor = design, controller, processor
        scalars = design.scalars
        first, second = scalars.unit(), scalars.second_unit()
        self._units = [unit for unit in (first, second) if unit]
        self._reducer, self._recoder = scalars.reducer(), scalars.digit_recoder()
        self._comb = scalars.comb_reader(design.entry_words)
        self._windows = scalars.window_recoder()
        self._halves = scalars.half_scalars()

    def named(self) -> Iterator[tuple[str, Any]]:
        """The parts, each with the name of its module."""
        yield from zip(("scalar_unit", "second_scalar_unit"), self._units, strict=False)
        others = {
            "scalar_reducer": self._reducer,
            "digit_recoder": self._recoder,
            "half_scalars": self._halves,
            "comb_reader": self._comb,
            "window_recoder": self._windows,
        }
        yield from ((name, part) for name, part in others.items() if part)

    @property
    def wiped(self) -> list[Any]:
        """Those that have a memory, which a wipe clears."""
        return [part for part in (*self._units, self._reducer, self._halves) if part]

    @property
    def agreements(self) -> list[Value]:
        """Whether the bits that were taken are those that there were, of each part that tells."""
        checked = (*self._units[:1], self._halves)
        return [part.agrees for part in checked if part and part.checked]

    def read(
        self, m: Module, operands: Any, random: Any, ready: tuple[Value, Value]
    ) -> tuple[Value, Value]:
        """Scalars and their blinding to their units.

        They start a cycle after the controller says so: what chooses one of them is far. A scalar
        for a comb is not there before an entry of a table is, too.

        Args:
            m: the coprocessor.
            operands: the stream of numbers, of which scalars are some.
            random: the stream of random words.
            ready: whether another part takes a word of either.

        Returns:
            Whether a part takes a word of either.
        """
        controller, halves = self._controller, self._halves
        operands_ready, random_ready = ready
        in_range: Value = Const(1)
        done: list[Value] = [unit.done for unit in self._units]
        if self._comb:
            done[0] = Mux(controller.combed, self._comb.done, done[0])
        if halves:
            taken = self._halve(m, operands, random)
            operands_ready, random_ready = operands_ready | taken[0], random_ready | taken[1]
        for index, unit in enumerate(self._units):
            words = self._reducer.scalar if self._reducer and index == 0 else unit.scalar
            own: Value = controller.second == index
            start = Signal(name=f"start_{index}")
            m.d.sync += start.eq(
                controller.read_scalar & (own & ~controller.halved if halves else own)
            )
            m.d.comb += [
                unit.start.eq(start),
                *_offered(operands, words),
                *_offered(random, unit.random),
            ]
            # One part reads at a time, and none is ready for a word unless it reads.
            operands_ready |= words.ready
            random_ready |= unit.random.ready
            in_range &= unit.in_range | ~done[index]
            if unit.changes:
                m.d.comb += unit.plain.eq(controller.plain)
            if unit.distinguishes:
                m.d.comb += unit.base.eq(controller.base)
            self._choose_curve(m, unit)
        if self._reducer:
            self._reduce(m)
            in_range &= self._reducer.in_range | ~done[0]
        if halves:
            done.append(halves.done)
            in_range &= halves.in_range | ~halves.done
        m.d.sync += [
            controller.scalar_done.eq(Cat(done).any()),
            controller.scalar_in_range.eq(in_range),
        ]
        return operands_ready, random_ready

    def _halve(self, m: Module, operands: Any, random: Any) -> tuple[Value, Value]:
        """Scalars that are halved, and their blinding, to the unit that does it.

        Returns:
            Whether it takes a word of either stream.
        """
        controller, halves = self._controller, self._halves
        assert halves is not None
        start = Signal(name="start_halves")
        m.d.sync += start.eq(controller.read_scalar & controller.halved)
        m.d.comb += [
            halves.start.eq(start),
            halves.plain.eq(controller.plain),
            halves.later.eq(controller.second),
            *_offered(operands, halves.scalar),
            *_offered(random, halves.random),
            halves.take.eq(self._processor.advance),
        ]
        self._choose_curve(m, halves)
        return halves.scalar.ready, halves.random.ready

    def _reduce(self, m: Module) -> None:
        """The scalar of a curve whose ladder needs it is reduced before it comes to its unit."""
        reducer, unit = self._reducer, self._units[0]
        assert reducer is not None
        connect(m, reducer.reduced, unit.scalar)
        curves = range(len(self.design.curves))
        reduces = Array([int(curve in self.design.scalars.lengthened) for curve in curves])
        m.d.comb += [
            reducer.start.eq(unit.start),
            reducer.plain.eq(self._unchanged | ~reduces[self._controller.chosen_curve]),
        ]
        self._choose_curve(m, reducer)

    def _choose_curve(self, m: Module, unit: Any) -> None:
        """The index of the curve to a unit, which takes one if there are several."""
        if len(self.design.curves) > 1:
            m.d.comb += unit.select.eq(self._controller.chosen_curve)

    @property
    def _unchanged(self) -> Value:
        """Whether the bits of the scalar are wanted, not what a formula makes of them."""
        controller = self._controller
        combs = any(self.design.scalars.combs)
        return controller.plain | controller.combed if combs else controller.plain

    def deliver(self, m: Module, operands: Any, results: ResultBuffer) -> None:
        """Numbers that are given out where scalars would come in, and meanwhile no operands."""
        if not self._windows:
            return
        with m.If(self._controller.delivers):
            m.d.comb += operands.ready.eq(0)
            targets = [unit.scalar for unit in self._units]
            if self._reducer:
                targets[0] = self._reducer.scalar
            for words in [self._halves.scalar] if self._halves else targets:
                m.d.comb += [words.payload.eq(results.passed), words.valid.eq(results.passing)]

    def serve(self, m: Module, wipe: Value) -> None:
        """The bits by which routines select to the processor, and what makes them of a scalar's.

        They are the bit of the scalar xor the one before it, the one before, the bits of both
        scalars, what was replaced, what the digit is, of the scalar or of its halves, and the sign
        of an entry of a comb's or a window's table.
        """
        bits = dict(self._flags)
        m.d.comb += [unit.advance.eq(self._processor.advance) for unit in self._units]
        if self._units:
            bits |= self._whole_bits(m, wipe)
            self._recode(m)
            self._read_comb(m)
        self._follow(m)
        for index, name in enumerate(self.design.gates):
            m.d.comb += self._processor.gates[index].eq(bits[name])

    @property
    def _flags(self) -> Mapping[str, Value]:
        """The bits by which routines select, of the parts that are there."""
        bits: dict[str, Value] = {}
        if self._reducer:
            bits[difference_ladder.NEUTRAL.name] = self._reducer.neutral
            bits[difference_ladder.OWN.name] = self._reducer.own
            bits[difference_ladder.NEGATE.name] = self._reducer.negate
        if self._recoder:
            bits |= {flag.name: self._recoder.flags[index] for index, flag in enumerate(FLAGS)}
        if self._comb:
            bits[POSITIVE.name] = self._comb.positive
        if self._windows:
            bits[WINDOW_POSITIVE.name] = self._windows.positive
        if self._halves:
            halves = self._halves
            for own, flags in ((window.FIRST, halves.first), (window.SECOND, halves.second)):
                bits |= {flag.name: flags[index] for index, flag in enumerate(own.listed)}
        return bits

    def _whole_bits(self, m: Module, wipe: Value) -> dict[str, Value]:
        """The bits of whole scalars."""
        previous, bit = Signal(name="previous_bit"), self._units[0].bit
        with m.If(self._controller.read_scalar | wipe):
            m.d.sync += previous.eq(0)
        with m.Elif(self._processor.advance):
            m.d.sync += previous.eq(bit)
        return {
            ladder.SWAP.name: bit ^ previous,
            ladder.LAST.name: previous,
            joint.FIRST.name: bit,
            joint.SECOND.name: self._units[-1].bit,
        }

    def _recode(self, m: Module) -> None:
        """The scalar's bits to the recoder, which asks for them where a formula takes digits."""
        recoder, unit = self._recoder, self._units[0]
        if not recoder:
            return
        m.d.comb += [
            recoder.start.eq(unit.done),
            recoder.plain.eq(self._unchanged),
            recoder.bit.eq(unit.bit),
            recoder.take.eq(self._processor.advance),
        ]
        with m.If(recoder.active):
            m.d.comb += unit.advance.eq(recoder.advance)
        self._choose_curve(m, recoder)

    def _read_comb(self, m: Module) -> None:
        """The scalar's bits by columns to the comb's reader, and what it finds to the rowers."""
        comb, unit, processor = self._comb, self._units[0], self._processor
        if not comb:
            return
        m.d.comb += [
            comb.start.eq(unit.done & self._controller.combed),
            comb.bit.eq(unit.bit),
            comb.take.eq(processor.advance),
            comb.loaded.eq(processor.entry_loaded),
            unit.seek.eq(comb.seek),
            unit.place.eq(comb.place),
            processor.entry_address.eq(comb.address),
            processor.entry_matches.eq(comb.matches),
            processor.entry_first.eq(comb.first),
            processor.entry_keep.eq(comb.keep),
            processor.entry_loading.eq(comb.loading),
        ]
        self._choose_curve(m, comb)

    def _follow(self, m: Module) -> None:
        """The bits of scalars or halves to their windows; what these ask for to the controller."""
        windows, controller, halves = self._windows, self._controller, self._halves
        if not windows:
            return
        bits: list[Value] = [unit.bit for unit in self._units]
        if halves:
            bits = [halves.bits[index] for index in (0, 2, 1, 3)]
            m.d.comb += [
                controller.halving.eq(halves.busy),
                halves.advance.eq(windows.advance),
                halves.rewind.eq(windows.rewind),
            ]
        m.d.comb += [
            windows.public.eq(controller.public),
            windows.follow.eq(controller.follow),
            controller.event_ready.eq(windows.ready),
            controller.event_code.eq(windows.code),
            controller.count.eq(windows.count),
            controller.index.eq(windows.index),
            # The proof of constant time tells these bits from those that other units take.
            *(port.eq(bit & windows.advance) for port, bit in zip(windows.bits, bits, strict=True)),
        ]
        for unit in [] if halves else self._units:
            m.d.comb += unit.rewind.eq(windows.rewind)
            with m.If(windows.advance):
                m.d.comb += unit.advance.eq(1)
        self._choose_curve(m, windows)


def _offered(source: Any, port: Any) -> list[Any]:
    """A stream's words, and whether there is one, to a part that takes some of them."""
    return [port.payload.eq(source.payload), port.valid.eq(source.valid)]
