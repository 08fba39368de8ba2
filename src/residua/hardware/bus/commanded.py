"""Commands in front of a core for modular arithmetic: numbers in words of 32 bits, and a status.

The core inside has streams of words of its own width. Around it stand what a bus needs
(`residua.hardware.bus.control.raw_members`): a command says what the words that follow are, numbers
are tested for their length, a result waits until it is whole and is given out only if all is well,
and a zeroisation leaves nothing behind.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component

from residua.hardware.bus.commanded_design import CommandedDesign
from residua.hardware.bus.control import raw_members
from residua.hardware.bus.tops import CoreInstance
from residua.hardware.converters.result_buffer import BUS_WIDTH, ResultBuffer
from residua.hardware.converters.word_gearbox import WordGearbox
from residua.hardware.random_monitor import RandomMonitor
from residua.numbers.digits import split_digits


class _State(IntEnum):
    """States of a `Commanded` core; those up to CLEAR are of a zeroisation."""

    RESET = 0
    WIPE_LOAD = 1
    WIPE_TAKE = 2
    WIPE_RUN = 3
    CLEAR = 4
    IDLE = 5
    LOAD = 6
    SETTLE = 7
    TAKE = 8
    RUN = 9
    WITHHOLD = 10
    END = 11


class Commanded(Component):
    """A core that takes commands, around an instance of the one called ``module``.

    Ports: `residua.hardware.bus.control.raw_members`, with random words if the core takes them.
    Every number comes as ``design.words`` words, the lowest first. ``load`` takes those of a
    modulus or key, the other operation its operands; the result leaves when it is whole, and if the
    status is ok.

    Number by number, bits above those that it may have, and a number above the largest, are refused
    with ``operand_range``; a result is computed all the same, and dropped. Operands are taken also
    where no modulus is loaded. A modulus or key stays until another load, which drops it first, a
    zeroisation or a reset.

    A zeroisation, and a reset, wipe by computing: the core is reset, loads numbers of ones alone,
    and makes an operation of such operands (`Number.filler`), whose result is dropped, once for
    each place that operands or results stand in by turns. Operations write the same places whatever
    their numbers are, so that nothing of earlier ones is left. In place of random words it takes
    ones, too; those that come are for the next operation.

    Random words are tested (`RandomMonitor`). Once they fail no result leaves, and no key is
    taken, until a zeroisation: ``random_fault``. If one does not come while a key or operands are
    taken the core is wiped likewise: ``random_starved``.

    Args:
        design: of what is inside.
        module: its name.
        instance: makes a component with its ports; by default an instance of its Verilog.
    """

    def __init__(
        self,
        design: CommandedDesign,
        module: str,
        instance: Callable[..., Component] = CoreInstance,
    ) -> None:
        self.design, self._module, self._instance = design, module, instance
        super().__init__(raw_members(takes_random=design.random_words > 0))

    def elaborate(self, platform: Any) -> Module:
        """The core between a gearbox and a buffer of results, and the states."""
        m = Module()
        design = self.design
        codes = design.registers(data_registers=True)
        self._operations, self._statuses = codes.operations, codes.statuses
        self._state = Signal(_State, init=_State.RESET, name="state")
        self._aborted = Signal(name="core_reset")
        m.submodules.core = self._core = self._instance(
            self._module, design.members(), self._aborted
        )
        m.submodules.gearbox = self._gearbox = WordGearbox(BUS_WIDTH, design.width, design.words)
        m.submodules.results = self._results = ResultBuffer(
            design.width, design.result_words, design.words, capacity=design.results
        )
        self._received: Value = self._results.received
        self._loaded = Signal(name="loaded", init=not design.load)
        self._excess = Signal(name="excess")
        self._withheld = Signal(name="withheld")
        self._unfit: Value = Const(0)
        self._starved: Value = Const(0)
        self._numbers(m)
        if design.random_words:
            self._draw(m)
        self._collect(m)
        self._sequence(m)
        return m

    def _is(self, *states: _State) -> Value:
        return self._state.matches(*states)

    def _numbers(self, m: Module) -> None:
        """Words of numbers to the core, those that it has no place for looked at and dropped."""
        design, core, gearbox = self.design, self._core, self._gearbox
        places = gearbox.count_out
        place, number = (
            Signal(range(places), name="place"),
            Signal(range(len(design.numbers)), name="number"),
        )
        fills = self._is(_State.WIPE_LOAD, _State.WIPE_TAKE)
        loads = self._is(_State.LOAD, _State.WIPE_LOAD)
        takes = self._is(_State.LOAD, _State.TAKE)
        own, fits = (
            self._of(m, "own_words", [n.words for n in design.numbers], number),
            Signal(name="fits"),
        )
        target_ready = core.operands.ready
        if design.load:
            target_ready = Mux(loads, core.modulus.ready, target_ready)
        payload, valid = Signal(design.width, name="payload"), Signal(name="payload_valid")
        moved, last = Signal(name="moved"), Signal(name="last_of_number")
        m.d.comb += [
            # Without a modulus the operands are taken and dropped.
            fits.eq((place < own) & (loads | fills | self._loaded)),
            gearbox.words_in.payload.eq(self.operands.payload),
            gearbox.words_in.valid.eq(self.operands.valid & takes),
            self.operands.ready.eq(gearbox.words_in.ready & takes),
            gearbox.words_out.ready.eq(takes & (target_ready | ~fits)),
            gearbox.clear.eq(self._is(_State.RESET)),
            payload.eq(Mux(fills, self._filling(m, place, number), gearbox.words_out.payload)),
            valid.eq(fills | (gearbox.words_out.valid & takes & fits)),
            moved.eq(Mux(fills, target_ready, gearbox.words_out.valid & gearbox.words_out.ready)),
            last.eq(place == Mux(fills, own - 1, places - 1)),
            core.operands.payload.eq(payload),
            core.operands.valid.eq(valid & ~loads),
        ]
        if design.load:
            m.d.comb += [core.modulus.payload.eq(payload), core.modulus.valid.eq(valid & loads)]
        self._complete = Signal(name="complete")
        ends = Mux(loads, len(design.load), len(design.numbers)) - 1
        m.d.comb += self._complete.eq(moved & last & (number == ends))
        with m.If(moved):
            m.d.sync += place.eq(Mux(last, 0, place + 1))
            with m.If(last):
                m.d.sync += number.eq(number + 1)
        with m.If(moved & ~fills & self._too_long(m, place, number, gearbox.words_out.payload)):
            m.d.sync += self._excess.eq(1)
        if any(one.largest is not None for one in design.numbers):
            above = self._above(m, moved, place, number, gearbox.words_out.payload)
            with m.If(moved & last & ~fills & above):
                m.d.sync += self._excess.eq(1)
        with m.If(self._is(_State.IDLE, _State.RESET)):
            m.d.sync += [place.eq(0), self._excess.eq(0)]
            m.d.sync += number.eq(Mux(self._begins_load, 0, len(design.load)))
        if design.turns > 1:
            with m.If(self._is(_State.WIPE_RUN)):
                m.d.sync += number.eq(len(design.load))

    def _draw(self, m: Module) -> None:
        """Random words to the core, one or two for each of its own."""
        width, random, own = self.design.width, self.random, self._core.random
        wipes = self._is(_State.WIPE_TAKE)
        whole: Value = Const(1)
        word: Value = random.payload
        if width > BUS_WIDTH:
            # The lower part of a word waits for the other one.
            lower, there = Signal(BUS_WIDTH, name="random_lower"), Signal(name="random_half")
            whole, word = there, Cat(lower, word)
            with m.If(random.valid & random.ready):
                m.d.sync += [there.eq(~there), lower.eq(Mux(there, 0, random.payload))]
            with m.If(self._is(_State.RESET)):
                m.d.sync += [there.eq(0), lower.eq(0)]
        m.submodules.random_monitor = monitor = RandomMonitor()
        self._unfit, self._starved = monitor.unfit, monitor.starved
        waits = self._is(_State.LOAD, _State.TAKE)
        m.d.comb += [
            monitor.word.eq(random.payload),
            monitor.valid.eq(random.valid),
            # Also those are tested that the core takes before a command; none has to come then.
            monitor.ready.eq(random.ready & (random.valid | (waits & own.ready))),
            monitor.clear.eq(self._is(_State.RESET)),
        ]
        m.d.comb += [
            own.payload.eq(Mux(wipes, -1, word[:width])),
            own.valid.eq(wipes | (random.valid & whole)),
            random.ready.eq(~wipes & (own.ready | ~whole)),
        ]

    @property
    def _begins_load(self) -> Value:
        """Whether the numbers that come next are those of a load."""
        loads = self.command.payload.operation == self._operations["load"]
        return Mux(self._is(_State.RESET), bool(self.design.load), loads)

    def _too_long(self, m: Module, place: Value, number: Value, word: Value) -> Value:
        """Whether a word has bits above those that its number may have."""
        design = self.design
        bits = [n.words * design.width if n.bits is None else n.bits for n in design.numbers]
        parts = [divmod(count, design.width) for count in bits]
        whole = self._of(m, "whole_words", [words for words, _ in parts], number)
        rest = self._of(m, "rest_mask", [(1 << part) - 1 for _, part in parts], number)
        allowed = Mux(place < whole, -1, Mux(place == whole, rest, 0))
        return (word & ~allowed)[: design.width].any()

    def _above(self, m: Module, moved: Value, place: Value, number: Value, word: Value) -> Value:
        """Whether the words of a number up to this one are more than the largest one's."""
        width, places = self.design.width, self._gearbox.count_out
        most = (1 << places * width) - 1
        limits = [most if n.largest is None else n.largest for n in self.design.numbers]
        limit = self._word_of([split_digits(one, places, width) for one in limits], place, number)
        before, above = Signal(name="above_before"), Signal(name="above")
        m.d.comb += above.eq((word > limit) | ((word == limit) & before & (place != 0)))
        with m.If(moved):
            m.d.sync += before.eq(above)
        return above

    def _filling(self, m: Module, place: Value, number: Value) -> Value:
        """The word that takes the place of this one in a wipe."""
        design = self.design
        if all(one.filler is None for one in design.numbers):
            return Const((1 << design.width) - 1, design.width)
        return self._word_of([one.filling(design.width) for one in design.numbers], place, number)

    def _word_of(self, numbers: list[tuple[int, ...]], place: Value, number: Value) -> Value:
        """A word of one of several constant numbers."""
        width = self.design.width
        rows = [Array([Const(word, width) for word in words])[place] for words in numbers]
        return Array(rows)[number]

    def _of(self, m: Module, name: str, values: list[int], number: Value) -> Signal:
        """A constant of the current number."""
        found = Signal(max(max(values).bit_length(), 1), name=name)
        m.d.comb += found.eq(Array([Const(value, len(found)) for value in values])[number])
        return found

    def _collect(self, m: Module) -> None:
        """A result into its buffer; out of it when it may leave."""
        results, result = self._results, self._core.result
        runs, dropped = self._is(_State.RUN), self._is(_State.WIPE_RUN)
        # From a zeroisation on nothing leaves, also before the buffer is cleared.
        leaves = ~self.zeroise & (self._state > _State.CLEAR)
        released = results.released
        m.d.comb += [
            results.results.payload.word.eq(result.payload.word),
            results.results.payload.last.eq(result.payload.last),
            results.results.valid.eq(result.valid & runs),
            result.ready.eq((results.results.ready & runs) | dropped),
            self.result.payload.eq(Mux(leaves, released.payload.as_value(), 0)),
            self.result.valid.eq(released.valid & leaves),
            released.ready.eq(self.result.ready & leaves),
        ]
        if self.design.results > 1:
            self._count_results(m)
        if self.design.flagged:
            with m.If(result.valid & result.ready & result.payload.error):
                m.d.sync += self._withheld.eq(1)
        with m.If(self._is(_State.IDLE)):
            m.d.sync += self._withheld.eq(0)

    def _count_results(self, m: Module) -> None:
        """A result is there with the last of its numbers."""
        count = Signal(range(self.design.results), name="results_received")
        last = count == self.design.results - 1
        with m.If(self._results.received):
            m.d.sync += count.eq(Mux(last, 0, count + 1))
        with m.If(self._is(_State.RESET)):
            m.d.sync += count.eq(0)
        self._received = self._results.received & last

    def _sequence(self, m: Module) -> None:
        """The states, and how operations end."""
        design, state, results = self.design, self._state, self._results
        statuses, operation = self._statuses, self.command.payload.operation
        status = Signal(8, name="ended_with")
        ordered = Signal(name="zeroisation_ordered")
        sound = ~self._excess & ~self._withheld
        if design.random_words:
            sound &= ~self._unfit
        m.d.comb += [
            self._aborted.eq(self._is(_State.RESET)),
            self.busy.eq(~self._is(_State.IDLE)),
            self.command.ready.eq(self._is(_State.IDLE) & ~results.busy),
            self.done.eq(self._is(_State.END)),
            self.status.eq(status),
            results.release.eq(self._is(_State.RUN) & self._received & sound),
            results.clear.eq(
                self._is(_State.RESET) | (self._is(_State.RUN) & self._received & ~sound)
            ),
        ]

        def end(name: str) -> None:
            m.d.sync += [status.eq(statuses[name]), state.eq(_State.END)]

        with m.Switch(state):
            self._wipes(m, ordered, end)
            with m.Case(_State.IDLE), m.If(self.command.valid & ~results.busy):
                end("bad_operation")
                with m.If(operation == self._operations[design.operation]):
                    m.d.sync += state.eq(_State.TAKE)
                if design.load:
                    with m.If(operation == self._operations["load"]):
                        m.d.sync += [state.eq(_State.LOAD), self._loaded.eq(0)]
            if design.load:
                self._loads(m, end)
            with m.Case(_State.TAKE), m.If(self._complete):
                end("not_loaded")
                with m.If(self._loaded):
                    m.d.sync += state.eq(_State.RUN)
            with m.Case(_State.RUN), m.If(self._received):
                end("ok")
                with m.If(~sound):
                    m.d.sync += state.eq(_State.WITHHOLD)
            with m.Case(_State.WITHHOLD), m.If(~results.clearing):
                end(design.withheld)
                with m.If(self._excess):
                    end("operand_range")
                self._tell_unfit(m, end)
            with m.Case(_State.END):
                m.d.sync += state.eq(_State.IDLE)
        if design.random_words:
            self._starve(m, end)
        with m.If(self.zeroise):
            m.d.sync += [state.eq(_State.RESET), ordered.eq(1)]

    def _wipes(self, m: Module, ordered: Signal, end: Callable[[str], None]) -> None:
        """A zeroisation, ``ordered`` or after a reset."""
        if self.design.turns > 1:
            self._turn = Signal(range(self.design.turns), name="wiping_turn")
        with m.Case(_State.RESET):
            if self.design.turns > 1:
                m.d.sync += self._turn.eq(0)
            m.d.sync += self._loaded.eq(not self.design.load)
            m.d.sync += self._state.eq(_State.WIPE_LOAD if self.design.load else _State.WIPE_TAKE)
        with m.Case(_State.WIPE_LOAD), m.If(self._complete):
            m.d.sync += self._state.eq(_State.WIPE_TAKE)
        with m.Case(_State.WIPE_TAKE), m.If(self._complete):
            m.d.sync += self._state.eq(_State.WIPE_RUN)
        with m.Case(_State.WIPE_RUN):
            result = self._core.result
            with m.If(result.valid & result.payload.last):
                m.d.sync += self._state.eq(_State.CLEAR)
                if self.design.turns > 1:
                    self._wipe_again(m)
        with m.Case(_State.CLEAR), m.If(~self._results.clearing):
            m.d.sync += [self._state.eq(_State.IDLE), ordered.eq(0)]
            with m.If(ordered):
                end("zeroised")

    def _wipe_again(self, m: Module) -> None:
        """Another operation, until results have stood in every place."""
        m.d.sync += self._turn.eq(self._turn + 1)
        with m.If(self._turn != self.design.turns - 1):
            m.d.sync += self._state.eq(_State.WIPE_TAKE)

    def _starve(self, m: Module, end: Callable[[str], None]) -> None:
        """A zeroisation where a random word does not come, and how it ends."""
        starved = Signal(name="wipes_starved")
        with m.If(self._starved & self._is(_State.LOAD, _State.TAKE)):
            m.d.sync += [self._state.eq(_State.RESET), starved.eq(1)]
        with m.If(self._is(_State.CLEAR) & ~self._results.clearing & starved):
            m.d.sync += starved.eq(0)
            end("random_starved")
        with m.If(self.zeroise):
            m.d.sync += starved.eq(0)

    def _tell_unfit(self, m: Module, end: Callable[[str], None]) -> None:
        """Another status where random words fail their tests."""
        if self.design.random_words:
            with m.If(self._unfit):
                end("random_fault")

    def _loads(self, m: Module, end: Callable[[str], None]) -> None:
        """A modulus or key is there; the core tells of it in the cycle after its last word."""
        with m.Case(_State.LOAD), m.If(self._complete):
            m.d.sync += self._state.eq(_State.SETTLE)
        with m.Case(_State.SETTLE):
            end("ok")
            m.d.sync += self._loaded.eq(1)
            if self.design.tests_modulus:
                with m.If(self._core.modulus_error):
                    end("bad_modulus")
                    m.d.sync += self._loaded.eq(0)
            with m.If(self._excess):
                end("operand_range")
                m.d.sync += self._loaded.eq(0)
            if self.design.random_words:
                with m.If(self._unfit):
                    end("random_fault")
                    m.d.sync += self._loaded.eq(0)
