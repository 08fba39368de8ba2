"""Ranges of constants that are held: those of the words that their programs leave."""

from collections.abc import Iterable, Sequence

from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.held_extension import ONE
from residua.algorithms.program import ProgramError
from residua.machines.bounds import Bounds, analyse
from residua.numbers.cox import Range
from residua.numbers.folding import LARGEST_FOLD_COUNT


def analyse_held(programs: Sequence[Lowered]) -> list[Bounds]:
    """The bounds of programs that hold constants, under the fewest folds that serve all.

    Words of constants come from these programs alone, so that they are no wider than these leave
    them, of whichever moduli: narrower than any word that a register can hold.

    Raises:
        ProgramError: a residue outgrows its word, see `analyse`.
    """
    for folds in range(1, LARGEST_FOLD_COUNT + 1):
        try:
            made = [analyse(own.program, folds) for own in programs if _makes(own)]
            held = _ranges(zip(filter(_makes, programs), made, strict=True))
            return [analyse(own.program, folds, held=held) for own in programs]
        except ProgramError as error:
            failure = error
    raise failure


def _makes(lowered: Lowered) -> bool:
    """Whether a program leaves constants."""
    return any(element.a.range == ONE for element in lowered.outputs.values())


def _ranges(made: Iterable[tuple[Lowered, Bounds]]) -> dict[str, tuple[Range, ...]]:
    """The range of each word, by the name that it has as an input."""
    found: dict[str, tuple[Range, ...]] = {}
    for lowered, bounds in made:
        steps = zip(lowered.program.steps, bounds.residues, strict=True)
        words = {id(step.result): own for step, own in steps}
        for name, element in lowered.outputs.items():
            if element.a.range == ONE:
                for part, value in (("a", element.a), ("b", element.b)):
                    own, key = words[id(value)], f"{name}_{part}"
                    found[key] = _hull(found.get(key, own), own)
    return found


def _hull(one: Sequence[Range], two: Sequence[Range]) -> tuple[Range, ...]:
    pairs = zip(one, two, strict=True)
    return tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs)
