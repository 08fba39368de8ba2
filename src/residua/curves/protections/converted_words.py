"""The check of a result, on the words that it leaves as.

The last check of `residua.curves.protections.exit_check` comes before its result is converted. Here
the words go back in, as those of an operand would, and what is checked is made of them.
"""

from collections.abc import Iterator, Sequence

from residua.curves.operations.codes import Status
from residua.curves.operations.instructions import (
    NUMBER,
    Deliver,
    Instruction,
    Receive,
    Run,
    load_number,
    stop_if,
    unload_number,
)

_CHECK = 1 + len(stop_if(NUMBER, "nonzero", Status.FAULT))
"""Instructions of a check: a routine, and what ends the operation."""


def check_words(instructions: Sequence[Instruction]) -> list[Instruction]:
    """The instructions, with results that are kept, and read again, before their last check."""
    ends = [i for i, one in enumerate(instructions) if one == Receive("nonzero", Status.FAULT)]
    if not ends:
        return list(instructions)
    end = ends[-1] + 1
    check = instructions[end - _CHECK : end]
    return [*instructions[: end - _CHECK], *_read_again(instructions[end:]), *check]


def _read_again(results: Sequence[Instruction]) -> Iterator[Instruction]:
    for instruction in results:
        match instruction:
            case Run(routine) if routine.startswith(f"copy_{NUMBER}_"):
                element = routine.rpartition("_")[2]
                yield Deliver("operand")
                yield from (*unload_number(element), Receive())
                yield from load_number("operand", element)[1:]
