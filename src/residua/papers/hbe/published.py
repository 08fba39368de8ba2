"""The published numbers of HBE (ARITH 2019), as printed; remarks where ERRATA corrects them."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

TITLE = "Hierarchical Approach in RNS Base Extension for Asymmetric Cryptography"
"""Djath, Bigou, Tisserand; ARITH 2019 (hal-02096353). Table and figure numbers are its own."""

WIDTHS = (17, 20, 24, 28)
"""w of Tables I and III."""

SIZES = (256, 384)
"""Bits of the fields of Table III."""

DEVICE = "XC7Z020, Vivado HLS 2017.4"


@dataclass(frozen=True)
class Unit:
    """A column of Table I: an elementary operation."""

    slices: int
    dsp: int
    cycles: int
    nanoseconds: float


CMR = {
    17: Unit(1, 2, 1, 2.4),
    20: Unit(1, 2, 1, 2.6),
    24: Unit(24, 1, 2, 9.0),
    28: Unit(35, 1, 2, 9.6),
}
"""Table I, CMR(2w + 1, w), by w."""

CMM = {
    17: Unit(1, 3, 2, 7.8),
    20: Unit(24, 3, 2, 10.6),
    24: Unit(1, 4, 2, 10.6),
    28: Unit(39, 5, 3, 17.1),
}
"""Table I, CMM(w, w), by w."""


@dataclass(frozen=True)
class Extension:
    """A column of Table III: a base extension alone."""

    slices: int
    dsp: int
    bram: int
    period_ns: float
    cycles: int
    time_ns: float


KBE = {
    (256, 17): Extension(445, 51, 1, 9.8, 98, 960.4),
    (256, 20): Extension(1073, 45, 1, 9.6, 88, 844.8),
    (256, 24): Extension(785, 52, 1, 9.6, 89, 854.4),
    (256, 28): Extension(753, 76, 1, 9.7, 77, 746.9),
    (384, 17): Extension(587, 81, 1, 7.6, 165, 1254.0),
    (384, 20): Extension(1215, 63, 1, 9.6, 140, 1344.0),
    (384, 24): Extension(1251, 76, 1, 7.6, 163, 1238.8),
    (384, 28): Extension(1031, 104, 1, 9.9, 103, 1019.7),
}
"""Table III, Kawamura's extension, by bits of the field and w."""

HBE = {
    (256, 17): Extension(758, 35, 1, 10.3, 91, 937.3),
    (256, 20): Extension(784, 39, 1, 8.9, 83, 738.7),
    (256, 24): Extension(769, 42, 1, 9.5, 81, 769.5),
    (256, 28): Extension(843, 60, 1, 9.6, 71, 681.6),
    (384, 17): Extension(644, 63, 1, 10.1, 143, 1444.3),
    (384, 20): Extension(869, 54, 1, 9.0, 122, 1098.0),
    (384, 24): Extension(1134, 60, 1, 7.6, 132, 1003.2),
    (384, 28): Extension(1145, 80, 1, 9.4, 93, 874.2),
}
"""Table III, the hierarchical extension with c = 2."""

TARGETS = {(256, 17): (30, 20), (384, 28): (30, 56)}
"""Targets of the project for the hierarchical extension: cycles, DSP blocks."""

SIZE_REMARK = (
    "384 bits, w = 24: the published size rule, the smallest multiple of c with n w > log2 P, "
    "gives n = 16, whose base is smaller than P-384 (2^383.99994) and cannot hold it; n = 18 here "
    "(ERRATA E3a)."
)

TEXT_REMARK = (
    "The published text takes the figures of w = 24 for those of w = 20, which are 12.6 % of time "
    "and 13.3 % of DSP blocks; at 384 bits and w = 17 the published HBE is 15.2 % slower than KBE "
    "(ERRATA E3b)."
)


@dataclass(frozen=True)
class Cost:
    """A published cost in CMM for n moduli: Kawamura's extension, and hierarchical with c = 2.

    ``hierarchical`` takes n and CMM / CMR; CMUL counts as a CMM.
    """

    name: str
    kawamura_text: str
    kawamura: Callable[[int], Fraction]
    hierarchical: Callable[[int, Fraction], Fraction]


def _cost(name: str, text: str, square: Fraction, linear: int, more: int) -> Cost:
    """``square`` n^2 + ``linear`` n; the hierarchical one half of the square and ``more`` n."""
    return Cost(
        name,
        text,
        lambda n: square * n * n + linear * n,
        lambda n, ratio: square * n * n * (1 + 1 / Fraction(ratio)) / 2 + (linear + more) * n,
    )


BASE_EXTENSION = _cost("base extension", "n² + n", Fraction(1), 1, 1)
"""Section IV-C, figure 2."""

PRODUCT = _cost("RNS Montgomery product [11]", "2n² + 4n", Fraction(2), 4, 2)
"""Table II, figure 4."""

POSITION_RESIDUE = {
    2: _cost("HPR product, d = 2 [17]", "n² + 8n", Fraction(1), 8, 2),
    4: _cost("HPR product, d = 4 [27]", "n²/2 + 12n", Fraction(1, 2), 12, 2),
}
"""Table II, figures 5 and 6, by d."""

RATIOS = (2, 3, 4)
"""CMM / CMR of the figures."""
