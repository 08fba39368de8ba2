"""Model of RSA on an engine: the steps of a key and of an operation, residue by residue."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from residua.algorithms.conversion import from_cofactors, split_words
from residua.algorithms.fields import crt_field, field_exponentiation
from residua.algorithms.fields.crt_field import HALVES, LOW
from residua.algorithms.fields.loaded_field import NUMBER
from residua.algorithms.terms import Words
from residua.hardware.exponentiation.rsa_engine_design import EMITTING, RsaEngineDesign
from residua.hardware.exponentiation.rsa_sequence import Source, Target
from residua.machines.values import outputs


@dataclass(frozen=True)
class Drawn:
    """Random numbers of a key and of the first operation with it.

    Attributes:
        factor: v, with which the message is multiplied.
        first: multiples of p - 1 and q - 1 of the exponents for v; their highest bits do not count.
        multiples: those of the exponents for the message.
    """

    factor: int
    first: tuple[int, int]
    multiples: tuple[int, int]

    @classmethod
    def by(cls, design: RsaEngineDesign, chooser: random.Random) -> "Drawn":
        """Numbers as a core may draw them."""
        of_p, of_q, of_first_p, of_first_q = (chooser.getrandbits(design.blinding) for _ in "pqpq")
        return cls(chooser.getrandbits(design.bits), (of_first_p, of_first_q), (of_p, of_q))


def private_operation(
    design: RsaEngineDesign,
    numbers: Mapping[str, int],
    message: int,
    drawn: Drawn | None = None,
) -> tuple[int, bool]:
    """The root of a message as the engine computes it, and whether it leaves the core.

    ``numbers`` are those of a key (`RsaEngineDesign.numbers`), perhaps wrong ones. A design that
    blinds needs what was ``drawn``.
    """
    # The bounds give all programs their representation.
    _ = design.processor.folds
    return _Model(design, numbers, message, drawn).run()


class _Model:
    """The steps of a key and of an operation on the words of the engine."""

    def __init__(
        self,
        design: RsaEngineDesign,
        numbers: Mapping[str, int],
        message: int,
        drawn: Drawn | None,
    ) -> None:
        self.design, self.numbers, self.message = design, numbers, message
        self.programs = {s.name: s.reference for s in design.processor.sources}
        self.state: dict[str, tuple[int, ...]] = {}
        self.factor = drawn.factor if drawn else 0
        powers = [((0, 0), 1)]
        if drawn is not None:
            highest = 1 << design.blinding - 1
            of_p, of_q = (multiple | highest for multiple in drawn.first)
            powers = [((of_p, of_q), -1), (drawn.multiples, 1)]
        self.flags = chain.from_iterable(
            zip(*(self._flags(*each, sign) for each in zip(HALVES, own, strict=True)), strict=True)
            for own, sign in powers
        )

    def _flags(self, own: str, multiple: int, sign: int) -> Iterator[dict[str, tuple[int]]]:
        design, numbers = self.design, self.numbers
        # The lowest bit of a prime is not looked at.
        exponent = sign * numbers[f"d_{own[0]}"] + multiple * (numbers[own + NUMBER] & ~1)
        every = field_exponentiation.digits(exponent, design.exponent_bits, design.window)
        for digit in every:
            flags = field_exponentiation.digit_flags(digit, design.window)
            yield {own + name: (int(flag),) for name, flag in flags.items()}

    def run(self) -> tuple[int, bool]:
        """The root, and whether it is the message's."""
        design, emitted, whole, root = self.design, 0, 0, 0
        low = design.width * design.parts[0]
        values = {
            Source.OPERANDS: self.message,
            Source.MEMORY: self.message,
            Source.RANDOM: self.factor,
        }
        for step in design.steps:
            if step.source == Source.CONVERTER:
                whole = emitted
            if step.target == Target.VERDICT:
                break
            if step.source == Source.REDUCTION:
                root = values[Source.REDUCTION] = self._reduced(emitted, whole) if emitted else root
            own = values.get(step.source, 0)
            for _ in range(step.rounds if step.routine else 0):
                emitted = self._routine(step.routine, own >> low, own % (1 << low))
        right = self._reduced(emitted, whole) == self.message
        return root, right and self.message < whole

    def _reduced(self, number: int, whole: int) -> int:
        number += whole if number < 0 else -whole if number >= whole else 0
        return number % (1 << self.design.width * self.design.words)

    def _routine(self, name: str, high: int, low: int) -> int:
        """Run a routine once; the number that it gives out, if it does."""
        lowered, domain = self.programs[name], self.design.domain
        nothing = (0,) * len(domain.base_a)
        words = {v.name: self.state.get(v.name, nothing) for v in lowered.program.inputs}
        for value in lowered.program.inputs:
            if isinstance(value, Words):
                own = {LOW: low, crt_field.HIGH: high}.get(value.name)
                own = self.numbers[value.name] if own is None else own
                words[value.name] = split_words(own, value.count, value.width)
        if lowered.program.bits:
            for flags in next(self.flags):
                words |= flags
        found = outputs(lowered.program, words)
        if name in EMITTING:
            conversion = self.design.conversion
            return from_cofactors(conversion.base, [*found[0], *found[1]], conversion.cox)
        for index, element in enumerate(lowered.outputs):
            self.state[f"{element}_a"], self.state[f"{element}_b"] = found[
                2 * index : 2 * index + 2
            ]
        return 0
