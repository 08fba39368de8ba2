"""Word-stream core: a modular multiplier with binary operands and results."""

from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import Component, In, Out, connect, flipped
from gmpy2 import mpz

from residua.algorithms.base_extension import cofactor_form
from residua.algorithms.conversion import to_montgomery, to_residues
from residua.algorithms.montgomery import Element, MontgomeryDomain, reduce
from residua.algorithms.program import Program
from residua.algorithms.terms import Residues, Words
from residua.errors import SpecificationError
from residua.hardware.converters.conversion import Conversion, conversion_cox
from residua.hardware.converters.residue_to_binary import ResidueToBinary
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.engine import Engine
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.scheduling.liveness import without_dead_steps
from residua.numbers.residues import Redundant

Result = Literal["montgomery", "plain"]


class WordDesign:
    """Design of a core with words: program, engine, conversion of the result, cycle counts.

    ``result`` ``montgomery`` computes x y R^-1 mod P with R = M_a, for x, y in [0, ``largest``];
    ``plain`` computes x y mod P, for x any number that its words hold and y in [0, ``largest``].
    ``largest`` is B, the domain's bound, or P - 1 if that is more, or what the words hold if that
    is less. ``multipliers`` is the number of columns that the conversion to binary computes side by
    side.

    Raises:
        SpecificationError: the engine or the converter cannot be built with these options.
    """

    def __init__(
        self,
        domain: MontgomeryDomain,
        result: Result,
        options: EngineOptions,
        multipliers: int = 1,
    ) -> None:
        if result not in ("montgomery", "plain"):
            raise SpecificationError(f"result = '{result}': give 'montgomery' or 'plain'")
        self.domain, self.result = domain, result
        self.options, self.multipliers = options, multipliers

    @property
    def width(self) -> int:
        """Bits of a word, w."""
        return self.domain.base_a.width

    @property
    def words(self) -> int:
        """Words of each operand and of the result."""
        return -(-self.domain.modulus.bit_length() // self.width)

    @property
    def operand_words(self) -> int:
        """Words of both operands."""
        return 2 * self.words

    @property
    def largest(self) -> int:
        """The largest operand (for ``plain`` the largest y)."""
        most = (1 << (self.words * self.width)) - 1
        return min(max(self.domain.bound, self.domain.modulus - 1), most)

    @property
    def largest_x(self) -> int:
        """The largest x."""
        most = (1 << (self.words * self.width)) - 1
        return most if self.result == "plain" else self.largest

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word is taken: none."""
        return 0

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """Words of the modulus that are loaded: none, as it is built in."""
        return ()

    @property
    def tested_words(self) -> tuple[int, ...]:
        """Which of them the core tests: none."""
        return ()

    @property
    def error_flag(self) -> None:
        """What a flag beside a result tells: there is none."""
        return None

    def expected(self, x: int, y: int) -> int:
        """The result for two operands, by plain integers."""
        product = mpz(x) * y
        if self.result == "montgomery":
            product *= self._factor_inverse
        return int(product % self.domain.modulus)

    @cached_property
    def _factor_inverse(self) -> int:
        return pow(self.domain.montgomery_factor, -1, self.domain.modulus)

    @cached_property
    def program(self) -> Program:
        """Program from the words of x and y to the residues from which the result is read."""
        program = Program(f"{self.result}-words", Redundant(1))
        product = _product(program, self)
        if self.domain.form == "plain":
            product = cofactor_form(program, product)
        program.output(product)
        return without_dead_steps(program)

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of the result to words."""
        reached = self.program.outputs[0].range.integers()
        return Conversion(
            self.domain.base_b,
            conversion_cox(self.domain, self.domain.bound),
            (self.domain.modulus,),
            ((int(reached.low), int(reached.high)),),
            self.multipliers,
        )

    @cached_property
    def engine(self) -> EngineDesign:
        """The engine of the program, no faster than the conversion."""
        options = replace(self.options, serial=True, shortest_interval=self.conversion.interval)
        design = EngineDesign(self.program, options)
        self.program.representation = design.bounds.representation
        return design

    @cached_property
    def pages(self) -> int:
        """Results that the converter must have room for, so that runs start without waiting."""
        span = self.engine.serial_latency + self.conversion.occupancy + 2
        return -(-span // self.interval)

    @property
    def turns(self) -> int:
        """Places that results stand in by turns, as many as products write all of."""
        return max(self.pages, self.conversion.result_pages)

    @property
    def interval(self) -> int:
        """Cycles between results when neither stream waits."""
        return self.engine.schedule.interval

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, from idle, without waits."""
        return 1 + self.engine.serial_latency + self.conversion.latency


class WordCore(Component):
    """A modular multiplier on words of w bits.

    ``operands`` takes the words of x and then those of y, ``design.words`` each, the lowest first.
    ``result`` hands out the canonical result in [0, P), the lowest word first, ``last`` with the
    highest. Operands above ``design.largest`` give wrong results.

    ``latency`` and ``interval`` are those of the design. They do not depend on the operands: a run
    starts only when its result is sure to have a place, and then never waits.
    """

    def __init__(self, design: WordDesign) -> None:
        self.design = design
        self.latency, self.interval = design.latency, design.interval
        super().__init__(
            {
                "operands": In(stream.Signature(design.width)),
                "result": Out(stream.Signature(design.conversion.payload)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Engine, converter, and the count of results that have a place reserved."""
        m = Module()
        design = self.design
        m.submodules.engine = engine = Engine(design.engine)
        m.submodules.converter = converter = ResidueToBinary(design.conversion, design.pages)
        connect(m, flipped(self.operands), engine.binary)
        connect(m, converter.result, flipped(self.result))
        reserved = Signal(range(design.pages + 1))
        m.d.sync += reserved.eq(reserved + engine.start - converter.freed)
        m.d.comb += [
            engine.enable.eq(reserved != design.pages),
            converter.residues.payload.eq(engine.result[0]),
            converter.residues.valid.eq(engine.result_valid),
        ]
        return m


def _product(program: Program, design: WordDesign) -> Residues:
    """The residues of the product in base b, in the order of steps that leaves the fewest gaps."""
    domain = design.domain
    if design.result == "plain":
        x_words = _operand(program, design, "x", design.largest_x)
        y_words = _operand(program, design, "y", design.largest)
        x = to_montgomery(program, domain, x_words)
        y = Element(
            to_residues(program, y_words, domain.base_a, domain.factor_a),
            to_residues(program, y_words, domain.base_b, domain.factor_b),
        )
        u_a = program.reduce("u_a", program.product(x.a, y.a))
        u_b = program.reduce("u_b", program.product(x.b, y.b))
        return reduce(program, domain, u_a, u_b).b
    x_words = _operand(program, design, "x", design.largest_x)
    y_words = _operand(program, design, "y", design.largest)
    x_a = to_residues(program, x_words, domain.base_a, domain.factor_a)
    y_a = to_residues(program, y_words, domain.base_a, domain.factor_a)
    x_b = to_residues(program, x_words, domain.base_b, domain.factor_b)
    u_a = program.reduce("u_a", program.product(x_a, y_a))
    y_b = to_residues(program, y_words, domain.base_b, domain.factor_b)
    u_b = program.reduce("u_b", program.product(x_b, y_b))
    return reduce(program, domain, u_a, u_b).b


def _operand(program: Program, design: WordDesign, name: str, largest: int) -> Words:
    return program.words(name, design.words, design.width, largest)
