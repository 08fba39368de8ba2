"""Elliptic-curve coprocessor: controller, field processor, and everything between them and streams.

Numbers are words of 32 bits, the lowest first; see `hardware/bus/common.rdl`.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import (
    Cat,
    ClockDomain,
    ClockSignal,
    Const,
    DomainRenamer,
    Module,
    Mux,
    Signal,
    Value,
)
from amaranth.lib.wiring import Component, connect

from residua.curves.operations.codes import Status
from residua.hardware.bus.control import raw_members
from residua.hardware.bus.stream_buffer import StreamBuffer
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.converters.result_buffer import ResultBuffer
from residua.hardware.coprocessor.controller import Controller
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.operand_reader import OperandReader
from residua.hardware.coprocessor.scalars.parts import ScalarParts
from residua.hardware.delay import delayed
from residua.hardware.inverters.modular_inverter import ModularInverter
from residua.hardware.inverters.residue_inverter import ResidueInverter
from residua.hardware.random_monitor import RandomMonitor

_ARITHMETIC, _READING, _INVERTING = _GROUPS = ("arithmetic", "reading", "inverting")
"""Parts that are wiped together, in the order in which a wipe comes to them."""

WIPES = len(_GROUPS)
"""Registers through which a wipe comes to the parts, one after the other."""

RESET_DELAY = 1
"""Cycles after which a reset comes to the parts: it sets all those registers."""

_CONVERTER = ("converter", "slack")


class Coprocessor(Component):
    """Point multiplication and field arithmetic.

    Operations and status codes are those of `residua.curves.operations.codes`.

    ``command`` starts an operation, whose numbers come through ``operands`` and, to randomise
    coordinates and scalar, ``random``. ``done`` is set for one cycle at its end, ``status`` tells
    how it ended. Only if that is 0, ``result`` gives out what the operation returns. ``zeroise``
    ends any operation and wipes registers, memories and results; so do a reset and the end of each
    operation (results apart).

    The number of cycles depends on the operation, the curve and the status alone; that of a
    DOUBLE_MULTIPLY, whose operands are public, also on which of them is refused, that of an
    ECDSA_VERIFY on all that it is given.
    """

    def __init__(self, design: CurveDesign) -> None:
        self.design = design
        super().__init__(raw_members())

    def elaborate(self, platform: Any) -> Module:
        """The parts, connected; what may hold a secret is reset by the controller."""
        m = Module()
        design = self.design
        longest = max(block.length for block in design.blocks.values())
        controller = Controller(design.controller, design.store_words, longest)
        processor: Any = design.field_unit(controller.most_rounds)
        reader = OperandReader(design.moduli, design.words, design.width, design.binary_words)
        scalars = ScalarParts(design, controller, processor)
        converted = self._converted()
        results = design.result_buffer()
        inverter, residue_inverter = design.inverter(), design.residue_inverter()
        # In registers of their own: they reach far, or come from there.
        ended, discard, release = Signal(), Signal(), Signal()
        wiping = Signal(name="wiping", init=1)
        (_, reading, _), wipes, begun = self._wipe(m, controller)
        for group, name, part in (
            (_ARITHMETIC, "processor", processor),
            (_READING, "operand_reader", reader),
            *((_READING, *one) for one in scalars.named()),
            *([(_INVERTING, "inverter", inverter)] if inverter else []),
            *([(_INVERTING, "residue_inverter", residue_inverter)] if residue_inverter else []),
            *((_ARITHMETIC, *one) for one in zip(_CONVERTER, converted or (), strict=False)),
        ):
            m.submodules[name] = DomainRenamer(group)(part)
        m.submodules.controller = controller
        m.submodules.results = results
        if design.chooses_bases:
            self._choose(m, controller, reader, processor, converted)
        monitor = design.random_monitor()
        zeroise = self._control(m, controller, results.busy | release)
        released = self._give_out(m, controller, results, release, zeroise)
        self._operate(m, controller, processor)
        ready = self._read(m, controller, processor, reader)
        admitted = self._invert_residues(m, controller, processor, residue_inverter)
        number = self._number(m, controller, processor, converted, admitted)
        self._invert(m, controller, processor, inverter, reader, number, results)
        operands_ready, random_ready = scalars.read(m, self.operands, self.random, ready)
        m.d.comb += [
            self.operands.ready.eq(operands_ready & ~controller.wiping),
            self.random.ready.eq(random_ready & ~controller.wiping),
        ]
        scalars.deliver(m, self.operands, results)
        scalars.serve(m, reading)
        if monitor:
            self._watch(m, controller, monitor, zeroise)
        if design.controller.program.delivers:
            self._come_in(m, controller, processor, results)
        agree, wiped = scalars.agreements, (inverter, *scalars.wiped)
        checks_residues = design.checks_residues
        still = self._still_clearing(m, processor, results, converted, residue_inverter, wiped)
        m.d.sync += [
            ended.eq(controller.wipe),
            discard.eq(ended & (controller.status != design.status_codes.of(Status.OK))),
            release.eq(controller.release),
            wiping.eq(wipes | still.any()),
            *([controller.scalar_sound.eq(Cat(agree).all())] if agree else []),
            *([controller.residues_sound.eq(~processor.differs)] if checks_residues else []),
        ]
        m.d.comb += [
            controller.wiping.eq(wiping | begun),
            results.clear.eq(discard),
            controller.received.eq(results.received),
            controller.zero.eq(results.zero),
            *(
                [
                    controller.trace.eq(processor.trace),
                    processor.trace_clear.eq(controller.trace_clear),
                ]
                if design.signed
                else []
            ),
            results.test_only.eq(self._tested(m, controller)),
            results.release.eq(released),
        ]
        return m

    def _choose(
        self,
        m: Module,
        controller: Controller,
        reader: OperandReader,
        processor: Any,
        converted: tuple[ResidueToBinary, StreamBuffer] | None,
    ) -> None:
        """The last random words that choose bases, for the operation; a wipe clears them."""
        assert converted is not None
        bits = len(processor.choice)
        words = -(-bits // len(self.random.payload))
        chosen = Signal(words * len(self.random.payload), name="chosen_bases")
        taken = controller.chooses & controller.read_random & self.random.valid & reader.words.ready
        with m.If(taken):
            m.d[_ARITHMETIC] += chosen.eq(Cat(chosen, self.random.payload)[-len(chosen) :])
        m.d.comb += [
            processor.choice.eq(chosen[:bits]),
            converted[0].choice.eq(chosen[:bits]),
        ]

    @staticmethod
    def _wipe(m: Module, controller: Controller) -> tuple[Signal, Value, Value]:
        """The wipe of each group of parts, the reset of its clock domain.

        It comes to one group after the other, through a register each, but lasts until it has come
        to all: none goes on with what another has not lost yet. A reset sets the registers, and so
        comes to the parts a cycle later; in between no word is taken from the ports.

        Returns:
            The wipes, whether there is any, now or soon, and whether that has just begun.
        """
        wipes = Signal(WIPES, name="wipes", init=-1)
        earlier = Signal(WIPES - 1, name="earlier_wipes", init=-1)
        lasts = controller.wipe | earlier.any()
        m.d.sync += [
            earlier.eq(Cat(controller.wipe, earlier)[: WIPES - 1]),
            wipes.eq(Cat(lasts, wipes)[:WIPES]),
        ]
        for group, wipe in zip(_GROUPS, wipes, strict=True):
            m.domains += (domain := ClockDomain(group, local=True))
            m.d.comb += [domain.clk.eq(ClockSignal()), domain.rst.eq(wipe)]
        return wipes, earlier.any() | wipes.any(), earlier[0]

    def _tested(self, m: Module, controller: Controller) -> Value:
        """Whether the next number is only tested.

        It may say so a cycle later where numbers are converted, which takes far longer than to come
        to the instruction.
        """
        if self.design.conversion is None:
            return controller.test_only
        return delayed(m, controller.test_only, 1, "tested")

    def _give_out(
        self,
        m: Module,
        controller: Controller,
        results: ResultBuffer,
        release: Signal,
        zeroise: Signal,
    ) -> Value:
        """Results that are released, while nothing keeps them from leaving.

        From a zeroisation on nothing leaves, also before the results are discarded. When an
        operation begins there is nothing to leave, so that a register can say that one is under
        way.

        Returns:
            Whether results are to be released.
        """
        operating = Signal(name="operating")
        m.d.sync += operating.eq(controller.busy)
        leaves = ~(self.zeroise | zeroise | operating)
        released: Value = release
        if self.design.status_codes.sparse:
            granted = Signal(name="granted")
            m.d.sync += granted.eq(controller.granted)
            leaves, released = leaves & granted, release & granted
        m.d.comb += [
            self.result.payload.eq(Mux(leaves, results.released.payload.as_value(), 0)),
            self.result.valid.eq(results.released.valid & leaves),
            results.released.ready.eq(self.result.ready & leaves),
        ]
        return released

    @staticmethod
    def _still_clearing(
        m: Module,
        processor: Any,
        results: ResultBuffer,
        converted: tuple[ResidueToBinary, StreamBuffer] | None,
        residue_inverter: ResidueInverter | None,
        others: Sequence[Any],
    ) -> Signal:
        """Whether a memory of each part that is there is still wiped, in registers."""
        clearing = [processor.clearing, results.clearing]
        if converted:
            clearing.append(converted[0].clearing)
        if residue_inverter:
            clearing.append(residue_inverter.busy)
        clearing += [part.clearing for part in others if part]
        still = Signal(len(clearing), name="still_clearing", init=(1 << len(clearing)) - 1)
        m.d.sync += still.eq(Cat(clearing))
        return still

    def _converted(self) -> tuple[ResidueToBinary, StreamBuffer] | None:
        """Converter of residues to numbers, if the field unit gives out residues."""
        conversion = self.design.conversion
        if conversion is None:
            return None
        return ResidueToBinary(conversion, wipes=True), StreamBuffer(conversion.payload)

    def _number(
        self,
        m: Module,
        controller: Controller,
        processor: Any,
        converted: tuple[ResidueToBinary, StreamBuffer] | None,
        admitted: Value,
    ) -> Any:
        """The stream of numbers that the field unit gives out, unless residues are ``admitted``."""
        if converted is None:
            return processor.number
        converter, slack = converted
        connect(m, converter.result, slack.input)
        m.d.comb += [
            converter.residues.payload.eq(processor.residue[0]),
            converter.residues.valid.eq(processor.residue_valid & ~admitted),
        ]
        if len(self.design.moduli) > 1:
            # The page stays far longer than a number takes to come.
            m.d.comb += converter.select.eq(delayed(m, controller.page, 1, "converted_page"))
        return slack.output

    def _control(self, m: Module, controller: Controller, occupied: Value) -> Signal:
        """Commands, while no result waits to be fetched.

        Whether one can begin stands in a register: it reaches far, and nothing that the parts do
        by themselves changes it from one cycle to the next.

        Returns:
            The zeroisation, which counts a cycle later.
        """
        zeroise = Signal(name="zeroise_taken")
        vacant, begins = Signal(name="vacant"), Signal(name="begins")
        m.d.sync += [
            zeroise.eq(self.zeroise),
            vacant.eq(controller.idle & ~occupied & ~begins),
        ]
        m.d.comb += [
            self.command.ready.eq(vacant & ~zeroise),
            begins.eq(self.command.valid & self.command.ready),
            controller.start.eq(begins),
            controller.operation.eq(self.command.payload.operation),
            controller.curve.eq(self.command.payload.curve),
            controller.zeroise.eq(zeroise),
            self.busy.eq(controller.busy),
            self.done.eq(controller.done),
            self.status.eq(controller.status),
        ]
        return zeroise

    def _operate(self, m: Module, controller: Controller, processor: Any) -> None:
        m.d.comb += [
            processor.run.eq(controller.run),
            controller.ready.eq(processor.ready),
            processor.origin.eq(controller.origin),
            processor.length.eq(controller.length),
            processor.rounds.eq(controller.rounds),
            processor.page.eq(controller.page),
        ]

    def _read(
        self, m: Module, controller: Controller, processor: Any, reader: OperandReader
    ) -> tuple[Value, Value]:
        """Operands and random words to the processor; whether it is ready for either."""
        random = controller.read_random
        m.d.comb += [
            processor.binary_start.eq(controller.read_operand | controller.reciprocate),
            reader.start.eq(controller.read_operand),
            reader.words.payload.eq(Mux(random, self.random.payload, self.operands.payload)),
            reader.words.valid.eq(Mux(random, self.random.valid, self.operands.valid)),
        ]
        # In registers, as the ends of scalars: they choose what the controller does next.
        m.d.sync += [
            controller.operand_done.eq(reader.done),
            controller.operand_in_range.eq(reader.in_range),
        ]
        if len(self.design.moduli) > 1:
            m.d.comb += reader.select.eq(controller.page)
        return reader.words.ready & ~random, reader.words.ready & random

    def _invert(
        self,
        m: Module,
        controller: Controller,
        processor: Any,
        inverter: ModularInverter | None,
        reader: OperandReader,
        number: Any,
        results: ResultBuffer,
    ) -> None:
        """Numbers given out, to the results or, when one is to be inverted, to the inverter.

        The inverse goes where an operand would.
        """
        operand = reader.operand
        # The processor waits for nothing but its own clearing, in which no operand is read.
        m.d.comb += operand.ready.eq(1)
        if inverter is None:
            m.d.comb += [
                processor.binary.payload.eq(operand.payload),
                processor.binary.valid.eq(operand.valid),
            ]
            connect(m, number, results.results)
            return
        # In registers: they go far. A number is made, and a routine reads the inverse, later still.
        inverts = delayed(m, inverter.busy, 1, "inverts")
        word = delayed(m, inverter.word, 1, "inverse_word", data=True)
        valid = delayed(m, inverter.word_valid, 1, "inverse_valid")
        m.d.sync += controller.reciprocated.eq(inverter.done)
        m.d.comb += [
            inverter.start.eq(controller.reciprocate),
            inverter.words.payload.eq(number.payload),
            inverter.words.valid.eq(number.valid & inverts),
            results.results.payload.eq(number.payload),
            results.results.valid.eq(number.valid & ~inverts),
            number.ready.eq(Mux(inverts, inverter.words.ready, results.results.ready)),
            processor.binary.payload.eq(Mux(valid, word, operand.payload)),
            processor.binary.valid.eq(valid | operand.valid),
        ]
        if len(self.design.moduli) > 1:
            m.d.comb += inverter.select.eq(controller.page)

    def _invert_residues(
        self,
        m: Module,
        controller: Controller,
        processor: Any,
        inverter: ResidueInverter | None,
    ) -> Value:
        """Residues given out to the inverter, and those of a fraction back.

        Returns:
            Whether it is the inverter that residues are given out to.
        """
        if inverter is None:
            return Const(0, 1)
        admitted = Signal(name="admitted")
        m.d.sync += [admitted.eq(inverter.busy), controller.reciprocated.eq(~inverter.busy)]
        m.d.comb += [
            inverter.start.eq(controller.admit),
            inverter.residue.eq(processor.residue[0]),
            inverter.residue_valid.eq(processor.residue_valid),
            processor.word_start.eq(controller.admit),
            processor.word.eq(inverter.word),
            processor.word_valid.eq(inverter.word_valid),
        ]
        if len(self.design.moduli) > 1:
            # One register more than the converter has: of two alike synthesis makes one.
            m.d.comb += inverter.select.eq(delayed(m, controller.page, 2, "inverted_page"))
        return admitted

    def _watch(
        self, m: Module, controller: Controller, monitor: RandomMonitor, zeroise: Signal
    ) -> None:
        """Random words to what tests them, which the end of an operation leaves as it is."""
        m.submodules.random_monitor = monitor
        m.d.comb += [
            monitor.word.eq(self.random.payload),
            monitor.valid.eq(self.random.valid),
            monitor.ready.eq(self.random.ready),
            monitor.begin.eq(controller.read_scalar),
            monitor.clear.eq(zeroise),
            controller.random_unfit.eq(monitor.unfit),
            controller.random_starved.eq(monitor.starved),
            controller.random_zero.eq(monitor.zero),
        ]

    @staticmethod
    def _come_in(m: Module, controller: Controller, processor: Any, results: ResultBuffer) -> None:
        """Numbers that are given out where an operand would come in."""
        given = results.results
        with m.If(controller.delivers_operand):
            m.d.comb += [
                processor.binary.payload.eq(given.payload.word),
                processor.binary.valid.eq(given.valid & given.ready),
            ]
        with m.If(controller.deliver):
            m.d.comb += processor.binary_start.eq(1)
