"""Design of RSA with a private key on one Cox-Rower engine: programs, steps, cycles, keys.

The programs are those of `residua.algorithms.fields.crt_field`, modulo both primes at once; when
they run tell the steps of `residua.hardware.exponentiation.rsa_sequence`.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import gcd

from residua.algorithms.conversion import split_words
from residua.algorithms.fields import crt_field, field_exponentiation, loaded_field
from residua.algorithms.fields.crt_field import COEFFICIENT, HALVES, LOW
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.fields.loaded_field import INVERSE, NUMBER, ONE, SMALLEST, SQUARE
from residua.algorithms.fields.rns_field import Lowered, smallest_bound
from residua.algorithms.montgomery import MontgomeryDomain
from residua.errors import SpecificationError
from residua.hardware.converters.conversion import Conversion
from residua.hardware.converters.final_reduction import reduction_latency
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.microsequencer import pause_after
from residua.hardware.engine.processor_design import ProcessorDesign
from residua.hardware.exponentiation.exponent_blinding import BlindingShape
from residua.hardware.exponentiation.exponentiator import (
    LARGEST_WINDOW,
    ExponentShape,
)
from residua.hardware.exponentiation.rsa_sequence import KEY_NUMBERS, RsaSequence, Source, Step
from residua.machines.routine import Source as Routine
from residua.numbers.cox import redundant_ranges
from residua.numbers.ranges import exact_cox
from residua.numbers.residues import Redundant
from residua.numbers.rsa import RsaKey

_LOOPS = ("table_step", "first", "step", "square")
"""Routines of which rounds follow each other, or that take a digit of the exponents."""

_CHAIN = ("step", "square")
"""Routines of which most rounds are, whose schedule is worth a solver's time."""

EMITTING = ("whole", "join", "verdict")
"""Routines that give out a number by its residues."""

FETCH = 3
"""Cycles until an instruction is there."""

HIDING, REVEALING = "hiding", "revealing"
"""The elements that blind a message: v, with which it is multiplied, and v^-d for its root."""

SHORTEST = SMALLEST.bit_length()
"""Bits of a prime at least."""


def check_length(bits: int) -> None:
    """Refuse moduli that are too short for two primes.

    Raises:
        SpecificationError: how long they have to be.
    """
    if -(-bits // 2) < SHORTEST:
        raise SpecificationError(
            f"bits = {bits}: primes of {SHORTEST} bits, the shortest, make {2 * SHORTEST - 1} "
            "bits or more"
        )


class RsaEngineDesign:
    """Design of an `RsaEngine` for N of at most ``bits`` bits and primes of half of them.

    The modulus of the domain is above all primes; its bound is chosen here. ``window`` are the bits
    of a digit of the exponents, ``exponent`` is the public one; the converter to binary has
    ``output_multipliers``. ``blinding`` random bits choose multiples of p - 1 and q - 1, fresh ones
    for each message, that are added to the private exponents, and messages are multiplied with
    random numbers; 0 leaves both as they are.

    Raises:
        SpecificationError: the exponent or the window does not do, or the bases are too narrow.
    """

    def __init__(
        self,
        domain: MontgomeryDomain,
        options: EngineOptions,
        bits: int,
        window: int,
        exponent: int,
        output_multipliers: int = 1,
        blinding: int = 0,
    ) -> None:
        self._open_domain, self.options = domain, options
        self.output_multipliers, self.blinding = output_multipliers, blinding
        self.bits, self.window, self.exponent = bits, window, exponent
        if self.words < 2:
            raise SpecificationError(
                f"bits = {bits}: a message has two words at least, of {self.width} bits"
            )
        check_length(bits)
        if not 1 <= window <= min(LARGEST_WINDOW, self.exponent_bits):
            most = min(LARGEST_WINDOW, self.exponent_bits)
            raise SpecificationError(f"window = {window}: 1 to {most} bits")
        if exponent < 3 or exponent % 2 == 0:
            raise SpecificationError(
                f"exponent = {exponent}: the public exponent of RSA is odd and at least 3"
            )

    @property
    def width(self) -> int:
        """Bits of a word, w."""
        return self._open_domain.base_a.width

    @property
    def prime_bits(self) -> int:
        """Bits of a prime and of its exponent, as it is loaded, at most."""
        return -(-self.bits // 2)

    @property
    def exponent_bits(self) -> int:
        """Bits of an exponent that the engine goes through at most."""
        return self.prime_bits + self.blinding

    @property
    def words(self) -> int:
        """Words of a message and of a root."""
        return -(-self.bits // self.width)

    @property
    def half_words(self) -> int:
        """Words of a prime and of what is below it."""
        return -(-self.prime_bits // self.width)

    @property
    def blinding_shape(self) -> BlindingShape:
        """Sizes of an exponent that is blinded."""
        words = self.exponent_shape.words
        return BlindingShape(self.width, self.half_words, words, self.blinding)

    @property
    def inverse_words(self) -> int:
        """Words of a number below M_a."""
        return -(-self._open_domain.base_a.product.bit_length() // self.width)

    @property
    def parts(self) -> tuple[int, int]:
        """Words of the low part of a message and of the high one."""
        low = max(self.prime_bits // self.width, 1)
        return low, self.words - low

    @property
    def _part_bits(self) -> tuple[int, int]:
        """Bits of both parts; messages of more bits are not below N, and refused."""
        low = self.parts[0] * self.width
        return low, self.bits - low

    @property
    def digits(self) -> int:
        """Digits of an exponent."""
        return -(-self.exponent_bits // self.window)

    @property
    def random_words(self) -> tuple[int, int]:
        """Random words for a key and for a message."""
        if not self.blinding:
            return 0, 0
        multiples = 2 * self.blinding_shape.random_words
        return multiples + self.words, multiples

    @property
    def exponent_shape(self) -> ExponentShape:
        """Sizes of the exponents modulo p - 1 and q - 1."""
        words = -(-self.exponent_bits // self.width)
        return ExponentShape(self.width, words, self.exponent_bits, self.window)

    @property
    def products(self) -> int:
        """Montgomery products modulo each prime, those at both ends included."""
        own = field_exponentiation.step_products(self.exponent_bits, self.window)
        checks = self.exponent.bit_length() + self.exponent.bit_count() - 2
        return own + checks + 5

    def _programs(self, squarings: int) -> dict[str, FieldProgram]:
        """The field programs, with some number of squarings in a step."""
        window = self.window
        found = {
            "start": field_exponentiation.start(window, ONE),
            "table_step": field_exponentiation.table_step(window),
            "first": field_exponentiation.first(window),
            "step": field_exponentiation.step(window, squarings),
            "copy": field_exponentiation.copy(),
            "square": field_exponentiation.square(),
            "multiply": field_exponentiation.multiply(),
        }
        found |= self._blinding_programs
        used = {step.routine for step in self.steps}
        return {name: program for name, program in found.items() if name in used}

    @property
    def _blinding_programs(self) -> dict[str, FieldProgram]:
        """The programs that make a pair to blind with, use it, and make the next one of it."""
        base, power = field_exponentiation.BASE, field_exponentiation.POWER
        pair, hide, reveal = (FieldProgram(name) for name in ("pair", "hide", "reveal"))
        for element, source in ((HIDING, base), (REVEALING, power)):
            pair.output(element, pair.combine(element, (pair.input(source), 1)))
        hide.output(base, hide.product(base, hide.input(base), hide.input(HIDING)))
        v, u, r = (reveal.input(name) for name in (HIDING, REVEALING, power))
        for element, factors in ((power, (r, u)), (HIDING, (v, v)), (REVEALING, (u, u))):
            reveal.output(element, reveal.product(element, *factors))
        return {program.name: program for program in (pair, hide, reveal)}

    def _lowered(self, domain: MontgomeryDomain, squarings: int) -> dict[str, Lowered]:
        """All programs under the bound of a domain."""
        kind, half, parts = Redundant(1), self.half_words, self._part_bits
        longest = self.prime_bits
        programs = {
            name: crt_field.lower(program, domain, kind)
            for name, program in self._programs(squarings).items()
        }
        for own in HALVES:
            programs |= {
                f"load_{own}{NUMBER}": loaded_field.load_number(domain, half, kind, own),
                f"load_{own}{INVERSE}": loaded_field.load_inverse(
                    domain, self.inverse_words, kind, own
                ),
                f"load_{own}{SQUARE}": loaded_field.load_square(domain, half, kind, own),
            }
        return programs | {
            f"load_{COEFFICIENT}": crt_field.load_number(COEFFICIENT, domain, longest, kind),
            "prepare": crt_field.prepare(domain, parts[0], longest, kind),
            "whole": crt_field.whole(domain, kind),
            f"load_{LOW}": crt_field.load_number(LOW, domain, parts[0], kind),
            "take": crt_field.take(domain, parts, kind),
            "join": crt_field.join(domain, kind),
            "verdict": crt_field.verdict(domain, parts, kind),
        }

    @cached_property
    def domain(self) -> MontgomeryDomain:
        """The domain with a bound that all programs keep."""

        def check(candidate: MontgomeryDomain) -> None:
            # One squaring more leads to where one has led.
            self._lowered(candidate, 1)

        return smallest_bound(self._open_domain, check)

    @cached_property
    def processor(self) -> ProcessorDesign:
        """The field processor."""
        programs = self._lowered(self.domain, self.window)
        sources = [
            Routine(
                name,
                (program,),
                loop=name in _LOOPS,
                serial=name in EMITTING,
                listed=name not in _CHAIN,
            )
            for name, program in programs.items()
        ]
        return ProcessorDesign(sources, self.options)

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of N, of roots and of verdicts, within [-3 N, 3 N], in two's complement.

        Results have a word more than N.
        """
        base, largest = self.domain.joint_base, 3 << self.bits
        cox = exact_cox(base, redundant_ranges(base), largest)
        modulus = 1 << self.width * (self.words + 1)
        return Conversion(base, cox, (modulus,), ((-largest, largest),), self.output_multipliers)

    @cached_property
    def sequence(self) -> RsaSequence:
        """The steps for keys and for messages, and where in memories they keep numbers."""
        return RsaSequence(
            parts=self.parts,
            half_words=self.half_words,
            inverse_words=self.inverse_words,
            exponent_words=self.exponent_shape.words,
            random_words=self.blinding_shape.random_words,
            blinding=self.blinding,
            window=self.window,
            digits=self.digits,
            exponent=self.exponent,
        )

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All steps: those that take a key, then those of an operation."""
        return (*self.sequence.of_key, *self.sequence.of_operation)

    @property
    def first_of_operation(self) -> int:
        """The step after a key or a result."""
        return len(self.sequence.of_key)

    @cached_property
    def first_of_message(self) -> int:
        """The step that takes a message, before which a key may come."""
        sources = [step.source for step in self.steps]
        return sources.index(Source.OPERANDS)

    @property
    def load_lengths(self) -> tuple[int, ...]:
        """Words of the numbers of a key."""
        return tuple(step.count for step in self.sequence.of_key if step.source == Source.KEY)

    @cached_property
    def pauses(self) -> list[int]:
        """Cycles to wait after each step."""
        blocks = self.processor.store.blocks
        return [pause_after(blocks[s.routine]) if s.routine else 0 for s in self.steps]

    def step_cycles(self, step: Step, pause: int) -> int:
        """Cycles of a step whose words do not wait."""
        if not step.routine:
            return FETCH + step.count * step.rounds
        length = self.processor.store.blocks[step.routine].length
        return FETCH + step.count + 1 + length * step.rounds + pause

    @cached_property
    def latency(self) -> int:
        """Cycles from the last word of a message to the last word of the root."""
        taken = self.first_of_message + 1
        # The words of the message have come before.
        now = self.step_cycles(replace(self.steps[taken], count=0), self.pauses[taken]) - FETCH
        return self._elapsed(now, taken + 1, len(self.steps))

    @cached_property
    def preparation(self) -> int:
        """Cycles from the last word of a key until a message may come."""
        keys = [place for place, step in enumerate(self.steps) if step.source == Source.KEY]
        return self._elapsed(0, keys[-1] + 1, self.first_of_message) + FETCH

    def _elapsed(self, now: int, first: int, end: int) -> int:
        """The cycle in which these steps end, from ``now`` on, where no word of a stream waits."""
        there = 0
        for step, pause in zip(self.steps[first:end], self.pauses[first:end], strict=True):
            if step.source in (Source.REDUCTION, Source.CONVERTER) and there:
                now, there = max(now, there - FETCH), 0
            if step.routine in EMITTING:
                there = now + FETCH + step.count + self._result_delay(step.routine)
            now += self.step_cycles(step, pause)
        return now

    def _result_delay(self, routine: str) -> int:
        """Cycles from the start of a routine to the first word of what it gives out.

        N is not reduced.
        """
        last_residue = self.processor.emission(routine)[1]
        # The converter waits for residues, of which the last ones come from the second base.
        converted = last_residue - len(self.conversion.base) + 1 + self.conversion.latency
        if routine == "whole":
            return converted - self.words
        return converted + reduction_latency(self.words) - self.words + 1

    @property
    def interval(self) -> int:
        """Cycles between results; the next message comes after a result."""
        first, last = self.first_of_operation, self.first_of_message
        begins = zip(self.steps[first:], self.pauses[first : last + 1], strict=False)
        return self.latency + sum(self.step_cycles(*own) for own in begins) + FETCH + self.parts[1]

    def check(self, key: RsaKey) -> None:
        """Refuse keys that cannot be loaded.

        Raises:
            SpecificationError: what is wrong, and what would do.
        """
        longest, shortest = self.prime_bits, SHORTEST
        lengths = key.p.bit_length(), key.q.bit_length()
        if not shortest <= min(lengths) or max(lengths) > longest:
            raise SpecificationError(
                f"the primes of the key have {lengths[0]} and {lengths[1]} bits: a core for "
                f"{self.bits} bits takes {shortest} to {longest}"
            )
        if key.modulus.bit_length() > self.bits:
            raise SpecificationError(
                f"the key has {key.modulus.bit_length()} bits, and the core {self.bits}"
            )
        if key.e != self.exponent:
            raise SpecificationError(
                f"the key has the public exponent {key.e}, and the core {self.exponent}"
            )
        if gcd(key.modulus, self._open_domain.montgomery_factor) != 1:
            raise SpecificationError(
                "a prime of the key divides M_a, modulo which it has no inverse; choose other bases"
            )

    def numbers(self, key: RsaKey) -> dict[str, int]:
        """Numbers that are loaded for a key, in order.

        Raises:
            SpecificationError: the key cannot be loaded.
        """
        self.check(key)
        factor, found = self._open_domain.montgomery_factor, dict[str, int]()
        for own, prime in zip(HALVES, (key.p, key.q), strict=True):
            numbers = prime, pow(-prime, -1, factor), factor * factor % prime
            found |= {own + name: n for name, n in zip(KEY_NUMBERS, numbers, strict=True)}
        d_p, d_q = key.exponents
        return found | {COEFFICIENT: key.coefficient, "d_p": d_p, "d_q": d_q}

    def words_of(self, numbers: Mapping[str, int]) -> tuple[int, ...]:
        """The words of the numbers of a key."""
        both = zip(numbers.values(), self.load_lengths, strict=True)
        return tuple(word for n, count in both for word in split_words(n, count, self.width))

    def load_words(self, key: RsaKey) -> tuple[int, ...]:
        """The words to load for a key: p, -1 / p modulo M_a, R^2 modulo p, so for q, 1 / q, d."""
        return self.words_of(self.numbers(key))
