"""Cores of several kinds with all protections that they can have, which several tests use."""

from tests.cores.generated import MONTGOMERY
from tests.small_curves import EVEN, MIDDLE, SQUARE, TINY, WITHOUT_A

HIGH = {"bus": "stream", "protections": "high"}

DIGITS = HIGH | {"curve": [TINY], "algorithm": "iddmm", "digit": 11, "formula": "fixed-window"}

HALVES = (
    HIGH
    | {"curve": [WITHOUT_A], "formula": "endomorphism", "ecdsa": "verify"}
    | {"inversion": "plus-minus-ct"}
)
"""With signatures."""

COMBS = (
    HIGH
    | {"curve": [MONTGOMERY, TINY, EVEN], "blinding": 0}
    | {"fixed_base": "comb", "comb_teeth": 2}
)

DIVISION_STEPS = (
    HIGH
    | {"curve": [MIDDLE], "blinding": 0, "inversion": "division-steps"}
    | {"formula": "xz-ladder"}
)

SINGLE_BASE = HIGH | {"curve": [SQUARE], "blinding": 0, "algorithm": "sbmm"}
