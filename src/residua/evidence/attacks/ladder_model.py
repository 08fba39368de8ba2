"""A ladder on an engine, word for word as the hardware has it, for who guesses what it chooses."""

from collections.abc import Mapping, Sequence

from residua.algorithms.conversion import split_words
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.terms import Words
from residua.curves.operations.codes import Operation
from residua.curves.operations.instructions import Read, Run
from residua.errors import SpecificationError
from residua.evidence.attacks.ladder_traces import STEP
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import timeline
from residua.hardware.coprocessor.engine_design import CoprocessorDesign
from residua.machines.values import outputs

State = Mapping[str, tuple[int, ...]]
"""The words of registers: of each element those of base a and those of base b."""


class LadderModel:
    """The registers of a coprocessor on an engine, routine by routine up to each step.

    Args:
        design: of the coprocessor.
        operation: with the ladder in it.
        curve: index of the curve.

    Attributes:
        word_bits: of a word, in two's complement.

    Raises:
        SpecificationError: there is no engine, its bases are chosen at random, or steps do not
            choose by one bit.
    """

    def __init__(self, design: CurveDesign, operation: Operation, curve: int) -> None:
        if not isinstance(design, CoprocessorDesign):
            raise SpecificationError(
                "a ladder is followed word for word on an engine for RNS Montgomery "
                "multiplication alone: build one with algorithm = 'rns-montgomery'"
            )
        if design.chooses_bases:
            raise SpecificationError(
                "a ladder is followed word for word in bases that are known: build one without "
                "random-bases"
            )
        self._design, self._operation, self._curve = design, operation, curve
        # The bounds give all programs their representation.
        _ = design.processor.folds
        self._programs = {
            source.name: page
            for source in design.processor.sources
            if (page := source.pages[curve]) is not None
        }
        flags = self._programs[STEP].program.bits
        if len(flags) != 1:
            raise SpecificationError(f"a step chooses by {len(flags)} bits, not by one")
        self._flag = flags[0].name
        self.word_bits = design.width + 1

    def random_number(self, word: int) -> int:
        """The random number of a port on which every word is the same."""
        bits = self._design.binary_words * self._design.width
        whole = sum(word << 32 * place for place in range(-(-bits // 32)))
        return whole & ((1 << bits) - 1)

    def begin(self, operands: Sequence[int], random_number: int) -> State:
        """The registers before the first step, with the same number wherever one is random.

        Args:
            operands: of the operation, but the scalar.
            random_number: see `random_number`.
        """
        state: State = {}
        number, given = 0, iter(operands)
        for _, instruction in timeline(self._design, self._operation, self._curve):
            match instruction:
                case Read("operand"):
                    number = next(given)
                case Read("random"):
                    number = random_number
                case Run(routine) if routine == STEP:
                    break
                case Run(routine) if routine in self._programs:
                    state = {**state, **self._run(routine, state, number)}
                case _:
                    # What is read for the scalar, and tests, changes nothing here.
                    pass
        return state

    def step(self, state: State, *, chooses: bool) -> State:
        """What a step leaves in its registers."""
        return self._run(STEP, state, flags={self._flag: (int(chooses),)})

    def _run(
        self,
        routine: str,
        state: State,
        number: int = 0,
        flags: Mapping[str, tuple[int, ...]] | None = None,
    ) -> State:
        lowered = self._programs[routine]
        words = dict(flags or {})
        for value in lowered.program.inputs:
            if isinstance(value, Words):
                words[value.name] = split_words(number, value.count, value.width)
            else:
                words[value.name] = state.get(value.name, (0,) * len(value.base))
        return _named(lowered, outputs(lowered.program, words))


def _named(lowered: Lowered, found: Sequence[tuple[int, ...]]) -> State:
    """The outputs of a routine by element and base; none where it only gives something out."""
    pairs = zip(found[::2], found[1::2], strict=False)
    return {
        f"{name}_{part}": words
        for name, pair in zip(lowered.outputs, pairs, strict=False)
        for part, words in zip("ab", pair, strict=True)
    }
