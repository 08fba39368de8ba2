"""The protections that a coprocessor can have."""

from enum import StrEnum


class Protection(StrEnum):
    """Protections by their names.

    ``EXIT_CHECK`` holds a multiple of a point against the curve before it leaves, and the point
    once more, see `residua.curves.protections.exit_check`. ``CONTROL_SIGNATURE`` holds the
    instructions and the microcode of an operation against those that it has to run, see
    `residua.hardware.coprocessor.controller`. ``SCALAR_CHECK`` holds the bits of a scalar that a
    loop takes against those that there were before, see
    `residua.hardware.coprocessor.scalar_unit`. ``RANDOM_HEALTH`` tests random words, and refuses
    random numbers that are 0 and words that do not come, see
    `residua.hardware.coprocessor.random_monitor`. ``STATUS`` has codes of statuses that a few wrong
    bits do not exchange, see `residua.curves.protections.status_codes`, and results that leave only
    if two registers agree.
    """

    EXIT_CHECK = "exit-check"
    CONTROL_SIGNATURE = "control-signature"
    SCALAR_CHECK = "scalar-check"
    RANDOM_HEALTH = "random-health"
    STATUS = "status"


Protections = frozenset[Protection]
"""The protections that a core has."""

NONE: Protections = frozenset()
"""No protections."""
