"""The smallest coprocessor: two channels, for the prime next to the smallest modulus."""

from residua.cores.coprocessor.rns_montgomery import EccCore
from residua.curves.inversion import Inversion
from residua.curves.parameters import curve_from_parameters

CURVE = {
    "form": "weierstrass",
    "name": "tiny",
    "prime": 65521,
    "a": -3,
    "b": 3,
    "x": 0,
    "y": 627,
    "order": 65563,
    "cofactor": 1,
}

EVEN = CURVE | {"name": "even", "b": 29458, "x": 62927, "y": 40846, "order": 16363, "cofactor": 4}
"""With points of order 2 or 4."""


def tiny_core(columns: int = 1, inversion: Inversion = Inversion.FERMAT) -> EccCore:
    """With blinded scalars."""
    curve = curve_from_parameters(CURVE)
    return EccCore([curve], columns=columns, blinding=32, inversion=inversion)
