"""Loops: routines that take a bit or a digit of the scalar in every round, and when it is there."""

from residua.curves.endomorphism import window
from residua.errors import SpecificationError
from residua.hardware.coprocessor.scalars.digit_recoder import DIGIT_LATENCY, FLAGS
from residua.hardware.coprocessor.scalars.unit import BIT_LATENCY

LOOPS = (
    "window_start",
    "table_step",
    "ladder_step",
    "joint_table_step",
    "joint_step",
    "comb_addition",
    "window_doubling",
    "square",
)
"""Routines that are repeated without a break, or use up a bit or a digit of the scalar."""

SCALAR_DELAY = 6
"""Slots from the last use of a bit of the scalar to the first of the next one, at least."""

DIGIT_DELAY = SCALAR_DELAY - BIT_LATENCY + DIGIT_LATENCY
"""Slots from the last use of a digit of the scalar to the first of the next one, at least."""


def check_pause(name: str, flags: set[str], pause: int | None) -> None:
    """Refuse a loop whose rounds are too short for the next bit or digit of the scalar.

    Args:
        name: of the routine.
        flags: those that it reads.
        pause: cycles between the last of its reads and the first of the next round; None if it
            reads none.

    Raises:
        SpecificationError: the next bit or digit is not there in time.
    """
    # A window's table comes between its first digit and the next one; a comb has its own unit.
    if pause is None or name.startswith(("window_start", "comb_addition")):
        return
    halves = (*window.FIRST.listed, *window.SECOND.listed)
    takes_digits = flags <= {flag.name for flag in (*FLAGS, *halves)}
    needed = DIGIT_DELAY if takes_digits else SCALAR_DELAY
    if pause < needed:
        raise SpecificationError(
            f"{name}: a round is too short for the next "
            f"{'digit' if takes_digits else 'bit'} of the scalar, which takes {needed} cycles "
            f"after the last use of the one before, not {pause}"
        )
