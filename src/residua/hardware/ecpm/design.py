"""Design of the point processor of 2006: base, units, schedules, microcode, cycles."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from residua.algorithms.integer_program import IntegerProgram, run
from residua.curves.jacobian import ADDITION, DOUBLING
from residua.errors import SpecificationError
from residua.hardware.ecpm.control import SOURCES, TESTS, control_layout
from residua.hardware.ecpm.converter import ConversionShape
from residua.machines.integers import Intervals
from residua.machines.point_schedule import CONDITIONS, CONSTANTS, Line, Segment, Timing, schedule
from residua.numbers.extended_base import ExtendedBase, extended_base
from residua.numbers.selection.coprime import WIDTHS

Operation = Literal["add", "double", "multiply"]

CONTROL_DELAY = 3
"""Cycles from an address of the microcode to what its word does: address, memory, register."""

_OPERAND_DELAY = 2
"""Cycles from the address of a register to its content at the units."""

_SUM = _OPERAND_DELAY + 1
"""Cycles from an address to the write of a sum."""

Words = list[dict[str, int]]
"""Microcode: the fields that are not 0, by cycle."""


@dataclass(frozen=True)
class Step:
    """Part of an operation: numbers come in, a segment runs ``rounds`` times, a number goes out."""

    takes: Literal["", "scalar", "number"] = ""
    segment: str = ""
    rounds: int = 1
    gives: bool = False


@dataclass(frozen=True)
class EcpmDesign:
    """An ECA, ECD or ECPM of the ECPM paper, figures 5 to 7.

    Attributes:
        prime: p.
        a: of the curve, in [0, p - 1].
        channels: n, moduli of the base.
        width: w, their bits, and those of a word of the streams.
        digit: bits of an operand that the multipliers take a cycle.
        conversion: bits of each residue that the converter takes a cycle.
        scalar_bits: of scalars.
        operation: the sum (10) of two points, twice a point (9), or a multiple by Algorithm 1.

    Raises:
        SpecificationError: there are no such moduli, or the range is too narrow: by how many bits.
    """

    prime: int
    a: int
    channels: int
    width: int
    digit: int = 4
    conversion: int = 2
    scalar_bits: int = 1
    operation: Operation = "multiply"

    def __post_init__(self) -> None:
        if self.largest <= self.base.largest:
            return
        bits = self.base.base.product.bit_length()
        missing = max(self.range_bits + 1 - bits, 1)
        raise SpecificationError(
            f"the range of {self.channels} moduli of {self.width} bits is {missing} "
            f"bit{'s' * (missing > 1)} too narrow: with the reductions of the formulas numbers "
            f"reach {self.range_bits} bits for p of {self.prime.bit_length()}, and the product of "
            f"the moduli has {bits}; {self._remedy()} would do"
        )

    def _remedy(self) -> str:
        """Moduli that hold the range: wider ones, or more if there are none as wide."""
        for width in widths(self.prime, self.channels):
            if extended_base(self.channels, width).largest >= self.largest:
                return f"{self.channels} moduli of {width} bits"
        channels = self.channels
        while extended_base(channels, self.width).largest < self.largest:
            channels += 1
        return f"{channels} moduli of {self.width} bits"

    @cached_property
    def base(self) -> ExtendedBase:
        """The moduli."""
        return extended_base(self.channels, self.width)

    @cached_property
    def largest(self) -> int:
        """The largest magnitude of any value in both formulas."""
        return largest_value(self.prime)

    @property
    def range_bits(self) -> int:
        """Bits of the largest magnitude."""
        return self.largest.bit_length()

    @property
    def product_steps(self) -> int:
        """Digits of an operand."""
        return -(-self.width // self.digit)

    @cached_property
    def conversion_shape(self) -> ConversionShape:
        """Shape of the converter."""
        return ConversionShape(self.base, self.prime, self.conversion)

    @property
    def chunk(self) -> int:
        """Bits of a number that channels take a cycle when it becomes residues."""
        return -(-self.width // 2)

    @property
    def chunks(self) -> int:
        """Cycles that a number takes to become residues."""
        return -(-self.prime.bit_length() // self.chunk)

    @property
    def spread_delay(self) -> int:
        """Cycles from ``spread`` to the write."""
        return self.chunks + 2

    @property
    def number_words(self) -> int:
        """Words of a number modulo p."""
        return -(-self.prime.bit_length() // self.width)

    @property
    def scalar_words(self) -> int:
        """Words of a scalar."""
        return -(-self.scalar_bits // self.width) if self.operation == "multiply" else 0

    @property
    def collect_delay(self) -> int:
        """Cycles from the address of a value that is reduced to the converter's taking it."""
        return _OPERAND_DELAY + self.product_steps + 3

    @property
    def timing(self) -> Timing:
        """Latencies of the units."""
        product = self.collect_delay
        conversion = product + self.conversion_shape.done
        interval = max(self.product_steps, self.conversion_shape.interval, self.chunks + 1)
        return Timing(_SUM, product, self.product_steps, conversion + self.spread_delay, interval)

    @cached_property
    def state(self) -> dict[str, int]:
        """Registers of points and constants."""
        names = [f"{point}.{axis}" for point in "PQD" for axis in "XYZ"]
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def segments(self) -> dict[str, Segment]:
        """The straight lines of the operation."""
        return {name: self._schedule(*parts) for name, parts in self._lines().items()}

    def _schedule(self, line: Line, outputs: Mapping[str, str]) -> Segment:
        return schedule(line.nodes, self.timing, self.state, outputs)

    def _lines(self) -> dict[str, tuple[Line, Mapping[str, str]]]:
        """Nodes of the segments, and which registers take which values."""
        line = Line()
        match self.operation:
            case "add":
                found = line.program(ADDITION, "", _inputs(ADDITION, "P", "D"))
                return {"compute": (line, _at("Q", found))}
            case "double":
                found = line.program(DOUBLING, "", _inputs(DOUBLING, "P", "P"))
                return {"compute": (line, _at("Q", found))}
        return {"begin": self._begin(), "compute": self._round()}

    @staticmethod
    def _begin() -> tuple[Line, Mapping[str, str]]:
        """D = 2 P, Q = (1 : 1 : 0)."""
        line = Line()
        twice = line.program(DOUBLING, "", _inputs(DOUBLING, "P", "P"))
        zero = line.node("zero", "subtract", "P.X", "P.X")
        for axis in "XY":
            line.node(f"one {axis}", "add", zero, "#one")
        line.node("zero Z", "add", zero, zero)
        neutral = {"Q.X": "one X", "Q.Y": "one Y", "Q.Z": "zero Z"}
        return line, {**_at("D", twice), **neutral}

    @staticmethod
    def _round() -> tuple[Line, Mapping[str, str]]:
        """Q = 2 Q, then Q + P if the bit is set; the sum is always computed, and D is 2 P."""
        line = Line()
        twice = line.program(DOUBLING, "2Q ", _inputs(DOUBLING, "Q", "Q"), tests={"Z2 mod p": "Z2"})
        names = dict(zip(("X0", "Y0", "Z0"), (twice[f"{axis}2"] for axis in "XYZ"), strict=True))
        total = line.program(
            ADDITION,
            "",
            names | {f"{axis}1": f"P.{axis}" for axis in "XYZ"},
            tests={"W": "W", "R": "R"},
        )
        chosen = {}
        for axis in "XYZ":
            value = total[f"{axis}2"]
            value = line.node(f"{axis} if equal", "select", f"D.{axis}", value, "equal")
            value = line.node(f"{axis} if infinite", "select", f"P.{axis}", value, "infinite")
            doubled = names[f"{axis}0"]
            chosen[f"Q.{axis}"] = line.node(f"{axis} of bit", "select", value, doubled, "bit")
        return line, chosen

    @property
    def registers(self) -> int:
        """Registers of each channel."""
        return max(segment.used for segment in self.segments.values())

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The operation: operands, segments, results."""
        results = [Step(segment=f"give Q.{axis}", gives=True) for axis in "XYZ"]
        points = {"add": "PD", "double": "P", "multiply": "P"}[self.operation]
        takes = [Step("number", f"take {point}.{axis}") for point in points for axis in "XYZ"]
        compute = Step(segment="compute")
        if self.operation == "multiply":
            first = [Step("scalar")]
            computes = [Step(segment="begin"), Step(segment="compute", rounds=self.scalar_bits)]
            return (*first, *takes, *computes, *results)
        return (*takes, compute, *results)

    @cached_property
    def microcode(self) -> dict[str, Words]:
        """The words of every segment that steps name."""
        found: dict[str, Words] = {}
        for step in self.steps:
            kind, _, register = step.segment.partition(" ")
            if kind == "take":
                found[step.segment] = self._take(register)
            elif kind == "give":
                found[step.segment] = self._give(register)
            elif kind:
                found[kind] = self._words(self.segments[kind], kind == "compute")
        return found

    @cached_property
    def starts(self) -> dict[str, int]:
        """The address of every segment in the microcode."""
        found, address = {}, 0
        for name, words in self.microcode.items():
            found[name] = address
            address += len(words)
        return found

    @cached_property
    def rom(self) -> list[int]:
        """The microcode as words."""
        layout = control_layout(self.registers)
        return [
            layout.const(word).as_value().value
            for words in self.microcode.values()
            for word in words
        ]

    def _take(self, register: str) -> Words:
        """The operand into a register."""
        words = _blank(self.spread_delay + 1)
        words[0] |= {"spread": 1, "supplied": 1}
        self._write(words, self.spread_delay, "convert", self.state[register])
        return words

    def _give(self, register: str) -> Words:
        """A register to the results; it is reduced, so that its number is what comes out."""
        done = self.collect_delay + self.conversion_shape.done
        words = _blank(done + CONTROL_DELAY)
        self._product(words, 0, self.state[register], 0, "xi")
        self._collect(words, self.collect_delay)
        words[done]["result"] = 1
        return words

    def _words(self, segment: Segment, loops: bool) -> Words:
        """The microcode of a schedule."""
        words = _blank(segment.cycles + 1)
        for node, now in zip(segment.nodes, segment.issue, strict=True):
            left = segment.registers[node.left]
            constant = node.right[1:] if node.right.startswith("#") else ""
            right = 0 if constant else segment.registers[node.right]
            write = now + self.timing.write(node.unit)
            source: str = node.unit
            if node.unit in ("multiply", "reduce"):
                self._product(words, now, left, right, constant)
            else:
                self._operands(words, now, left, right, constant)
            if node.unit == "reduce":
                collect, source = now + self.collect_delay, "convert"
                self._collect(words, collect)
                words[collect + self.conversion_shape.done]["spread"] = 1
            if node.condition:
                condition = list(CONDITIONS).index(node.condition)
                words[now + _OPERAND_DELAY]["condition"] = condition
            self._write(words, write, source, segment.registers[node.result])
            if node.test:
                words[write + 1]["test"] = 1 + TESTS.index(node.test)
        words[-1]["next_bit"] = int(loops)
        return words

    @staticmethod
    def _operands(words: Words, now: int, left: int, right: int, constant: str) -> None:
        words[now] |= {"left": left, "right": right}
        if constant:
            words[now + 1]["constant"] = 1 + CONSTANTS.index(constant)

    def _product(self, words: Words, now: int, left: int, right: int, constant: str) -> None:
        self._operands(words, now, left, right, constant)
        words[now + _OPERAND_DELAY]["start"] = 1
        words[now + _OPERAND_DELAY + 2]["first"] = 1

    def _collect(self, words: Words, now: int) -> None:
        """A conversion from residues."""
        shape = self.conversion_shape
        words[now]["collect"] = 1
        words[now + shape.sum_delay]["sum_first"] = 1
        words[now + shape.last_sum]["fold"] = 1
        words[now + shape.last_sum + 2]["weigh"] = 1
        for k in range(shape.subtractions):
            cycle = now + shape.last_sum + 3 + k
            words[cycle] |= {"subtract": 1, "shift": shape.subtractions - 1 - k}

    @staticmethod
    def _write(words: Words, now: int, source: str, target: int) -> None:
        words[now] |= {"write": 1, "source": SOURCES.index(source), "target": target}

    def constants(self, channel: int) -> dict[str, int]:
        """`CONSTANTS` of a channel, the redundant one last."""
        modulus = self.base.moduli[channel].value
        half, xi = (modulus + 1) // 2, self.base.xi_factors[channel]
        values = {"xi": xi, "xi_half": xi * half, "half": half, "a": self.a, "one": 1}
        return {name: values[name] % modulus for name in CONSTANTS}

    @property
    def operand_words(self) -> int:
        """Words of all operands."""
        numbers = sum(step.takes == "number" for step in self.steps)
        return self.scalar_words + numbers * self.number_words

    @property
    def result_words(self) -> int:
        """Words of all results."""
        return 3 * self.number_words

    @property
    def interval(self) -> int:
        """Cycles between results when neither stream waits; operands come after a result."""
        run_cycles = sum(
            step.rounds * len(self.microcode[step.segment]) for step in self.steps if step.segment
        )
        return self.operand_words + run_cycles + self.result_words

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, without waits."""
        takes = [step for step in self.steps if step.takes]
        before = sum(len(self.microcode[step.segment]) for step in takes[:-1] if step.segment)
        return self.interval - self.operand_words - before

    @property
    def compute(self) -> int:
        """Cycles of the point operation alone."""
        kinds = ("begin", "compute")
        return sum(
            step.rounds * len(self.microcode[step.segment])
            for step in self.steps
            if step.segment in kinds
        )


def largest_value(prime: int) -> int:
    """The largest magnitude of any value in both formulas, for coordinates in [0, p - 1]."""
    reduced = (0, prime - 1)
    found = 0
    for program in (ADDITION, DOUBLING):
        values = run(program, Intervals(reduced), dict.fromkeys(program.inputs, reduced))
        found = max(found, *(max(-low, high) for low, high in values.values()))
    return found


def widths(prime: int, channels: int) -> range:
    """Widths with which so many moduli may hold the range; the first ones can be too narrow."""
    least = -(-largest_value(prime).bit_length() // channels)
    return range(max(least, WIDTHS[0]), WIDTHS[-1] + 1)


def _blank(cycles: int) -> Words:
    return [{} for _ in range(cycles)]


def _inputs(program: IntegerProgram, first: str, second: str) -> dict[str, str]:
    """The registers of a program's inputs: X0 is that of the first point, X1 of the second."""
    points = {"0": first, "1": second}
    return {
        name: "#a" if name == "a" else f"{points[name[1]]}.{name[0]}" for name in program.inputs
    }


def _at(point: str, outputs: Mapping[str, str]) -> dict[str, str]:
    """The registers of a point, for a formula's results."""
    return {f"{point}.{axis}": outputs[f"{axis}2"] for axis in "XYZ"}
