"""Curves over the primes of half-bases, for SBMM coprocessors that are measured and compared."""

import tempfile
from pathlib import Path

from residua.curves.parameters import WeierstrassCurve, curve_from_parameters
from residua.explore.curve_search import make
from residua.numbers.half_bases import sparse_half_bases

WEIGHT = 3
COFACTOR = 4096


def half_base_curve(channels: int, width: int) -> WeierstrassCurve:
    """A curve of complex multiplication over P = M_a^2 - 2; the same one for the same arguments.

    Args:
        channels: n, even; M_a is the product of n / 2 sparse moduli.
        width: bits of a modulus.

    Raises:
        SpecificationError: there are no such bases, or no curve with a small cofactor.
    """
    half = channels // 2
    base_a, _ = sparse_half_bases(width, half, weight=WEIGHT, rowers=half, quadratic=True)
    prime = base_a.product**2 - 2
    with tempfile.TemporaryDirectory() as folder:
        made = make(
            prime,
            Path(folder) / "curve.toml",
            name=f"generated{prime.bit_length()}",
            method="multiplication",
            cofactor=COFACTOR,
        )
    curve = curve_from_parameters(made["curve"])
    assert isinstance(curve, WeierstrassCurve)
    return curve
