"""The protections that a coprocessor can have, and levels of them."""

from collections.abc import Mapping
from enum import StrEnum


class Protection(StrEnum):
    """Protections by their names.

    ``EXIT_CHECK`` holds a multiple of a point against the curve before it leaves, and the point
    once more, see `residua.curves.protections.exit_check`. ``CONTROL_SIGNATURE`` holds the
    instructions and the microcode of an operation against those that it has to run, see
    `residua.hardware.coprocessor.controller`. ``SCALAR_CHECK`` holds the bits of a scalar that a
    loop takes against those that there were before, see
    `residua.hardware.coprocessor.scalars.unit` and, of halves,
    `residua.hardware.coprocessor.scalars.half_scalars`. ``RANDOM_HEALTH`` tests random words, and
    refuses random numbers that are 0 and words that do not come, see
    `residua.hardware.random_monitor`. ``STATUS`` has codes of statuses that a few wrong
    bits do not exchange, see `residua.curves.protections.status_codes`, and results that leave only
    if two registers agree. ``CONVERSION_CHECK`` has the check of results take the words that they
    leave as, see `residua.curves.protections.converted_words`. ``MASKED_ORDER`` has an operation
    that makes a signature from key and nonce under a random factor, see
    `residua.curves.protections.masked_order`. ``MASKED_SCALAR`` has secret scalars come as two
    shares, see `residua.curves.protections.masked_scalar`; no level has it, as it changes what
    operations take. ``RANDOM_BASES`` has each operation compute in bases of its own, see
    `residua.curves.protections.random_bases`, and ``REDUNDANT_RESIDUE`` checks every reduction, see
    `residua.curves.protections.redundant_residue`; no level has either, as few cores can.
    """

    EXIT_CHECK = "exit-check"
    CONTROL_SIGNATURE = "control-signature"
    SCALAR_CHECK = "scalar-check"
    RANDOM_HEALTH = "random-health"
    STATUS = "status"
    CONVERSION_CHECK = "conversion-check"
    MASKED_ORDER = "masked-order"
    MASKED_SCALAR = "masked-scalar"
    RANDOM_BASES = "random-bases"
    REDUNDANT_RESIDUE = "redundant-residue"


Protections = frozenset[Protection]
"""The protections that a core has."""

NONE: Protections = frozenset()
"""No protections."""


class Level(StrEnum):
    """A choice of protections by its name: of what it stands for, a core gets what it can have."""

    NONE = "none"
    STANDARD = "standard"
    HIGH = "high"

    @property
    def protections(self) -> tuple[Protection, ...]:
        """What it stands for."""
        return _LEVELS[self]


_BY_NAME = (Protection.MASKED_SCALAR, Protection.RANDOM_BASES, Protection.REDUNDANT_RESIDUE)
"""What no level stands for: it changes what operations take, or few cores can have it."""

_LEVELS: Mapping[Level, tuple[Protection, ...]] = {
    Level.NONE: (),
    Level.STANDARD: (
        Protection.EXIT_CHECK,
        Protection.CONTROL_SIGNATURE,
        Protection.SCALAR_CHECK,
        Protection.RANDOM_HEALTH,
        Protection.STATUS,
    ),
    Level.HIGH: tuple(one for one in Protection if one not in _BY_NAME),
}


def refusals(*, combs: bool, orders: bool, signs: bool) -> dict[Protection, str]:
    """The protections that a core cannot have, each with the reason.

    Args:
        combs: base points are multiplied by combs.
        orders: there is arithmetic modulo orders of groups.
        signs: there are curves with ECDSA signatures, short Weierstrass ones.
    """
    found: dict[Protection, str] = {}
    if combs:
        found[Protection.SCALAR_CHECK] = (
            "it is for scalars whose bits are taken one after the other, and fixed_base = 'comb' "
            "takes columns of a scalar's bits"
        )
    if not orders:
        found[Protection.MASKED_ORDER] = (
            "it is for arithmetic modulo orders of groups, and algorithm = 'sbmm' has none"
        )
    elif not signs:
        found[Protection.MASKED_ORDER] = (
            "it is for ECDSA signatures, and no curve of the core has them: they are those of "
            "short Weierstrass curves"
        )
    return found
