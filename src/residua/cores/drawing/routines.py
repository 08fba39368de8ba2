"""Routines of a processor as rows of a table."""

from typing import Any

from residua.machines.counts import count
from residua.machines.routine import Routine
from residua.machines.slots import Left


def routine_row(routine: Routine) -> dict[str, Any]:
    """A routine in numbers."""
    emm, rowers = count(routine.program).emm, routine.machine.rowers
    return {
        "name": routine.name,
        "cycles": routine.length,
        "settled": routine.settled,
        "extensions": extension_results(routine),
        "emm": emm,
        "utilisation": emm / (rowers * routine.length),
    }


def extension_results(routine: Routine) -> int:
    """Results for which the ring turns, however many words each of them has."""
    return len(
        {
            placed.sequence.result.value if placed.sequence.result else placed.sequence.name
            for placed in routine.placed
            if any(slot.left == Left.NEIGHBOUR for slot in placed.sequence.slots)
        }
    )
