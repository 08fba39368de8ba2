"""The smallest coprocessor."""

from tests.small_curves import TINY

from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.curves.inversion import Inversion
from residua.curves.parameters import curve_from_parameters


def tiny_core(columns: int = 1, inversion: Inversion = Inversion.FERMAT) -> EccCore:
    """With blinded scalars."""
    curve = curve_from_parameters(TINY)
    return EccCore([curve], columns=columns, blinding=32, inversion=inversion)
