"""Cores with protections, a few for all tests: every protection is in most of them."""

from tests.cores.generated import MONTGOMERY
from tests.small_curves import EVEN, MIDDLE, SQUARE, TINY, WITHOUT_A

from residua.curves.protections.protection import Protection

HIGH = {"bus": "stream", "protections": "high"}
ON_ENGINES = (Protection.RANDOM_BASES, Protection.REDUNDANT_RESIDUE)
"""What is for an engine and some formulas alone, and not for one core at once."""

ALL = HIGH | {"protections": [one for one in Protection if one not in ON_ENGINES]}

CORES = {
    "ladders": HIGH | {"curve": [MONTGOMERY, TINY, EVEN], "blinding": 0},
    "halves": HIGH
    | {"curve": [WITHOUT_A], "formula": "endomorphism", "ecdsa": "verify"}
    | {"inversion": "plus-minus-ct"},
    "digits": ALL
    | {"curve": [TINY], "algorithm": "iddmm", "digit": 11, "lanes": 2, "formula": "fixed-window"},
    "two shared": ALL
    | {"curve": [MIDDLE, WITHOUT_A], "bus": "wishbone"}
    | {"ecdsa": "verify", "inversion": "division-steps"}
    | {"protections": [one for one in Protection if one is not Protection.RANDOM_BASES]},
    "shared comb": ALL
    | {"curve": [TINY], "bus": "axi", "formula": "xz-ladder"}
    | {"fixed_base": "comb", "comb_teeth": 2}
    | {
        "protections": [
            one for one in Protection if one not in (Protection.SCALAR_CHECK, *ON_ENGINES)
        ]
    },
    "random bases": HIGH
    | {"curve": [TINY], "formula": "xz-ladder"}
    | {"protections": [one for one in Protection if one is not Protection.REDUNDANT_RESIDUE]},
    "SBMM": HIGH | {"curve": [SQUARE], "blinding": 0, "algorithm": "sbmm"},
    "few": {"curve": [TINY], "bus": "wishbone", "blinding": 0}
    | {"protections": ["control-signature", "masked-order"]},
    "few, digits": {"curve": [TINY], "bus": "stream", "blinding": 0}
    | {"algorithm": "iddmm", "lanes": 2, "protections": ["control-signature"]},
    "few, halves": {"curve": [WITHOUT_A], "bus": "stream", "blinding": 0, "channels": 4}
    | {"formula": "endomorphism", "protections": ["scalar-check"]},
}
"""Ladders on three curves, of each formula; halves of scalars, with signatures; windows on digits;
a ladder and windows of scalars in shares, of two words, with signatures; a comb beside a ladder;
bases that are chosen at random; and three with few protections, for what others would withhold,
too."""

MOST = [name for name in CORES if not name.startswith("few")]
"""Cores with all protections that they can have, but for one or two."""
