"""Random factors that must not be 0: coordinates in a scaling by 0 are all 0, and hide nothing."""

from collections.abc import Iterator, Sequence

from residua.curves.operations.codes import Status
from residua.curves.operations.instructions import NUMBER, Instruction, Read, Run, stop_if


def refuse_zeros(instructions: Sequence[Instruction]) -> list[Instruction]:
    """The instructions, ended as soon as a random number that is loaded is 0 modulo the prime."""
    return list(_refusing(instructions))


def _refusing(instructions: Sequence[Instruction]) -> Iterator[Instruction]:
    loads = False
    for instruction in instructions:
        yield instruction
        match instruction:
            case Read(source):
                loads = source == "random"
            case Run(routine) if loads and routine.endswith(f"_{NUMBER}"):
                _, element, _ = routine.split("_")
                yield from stop_if(element, "zero", Status.RANDOM_ZERO)
                loads = False
