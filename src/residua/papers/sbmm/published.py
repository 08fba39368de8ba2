"""The published numbers of SBMM (CHES 2015), as printed; remarks where ERRATA corrects them."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

TITLE = "Single Base Modular Multiplication for Efficient Hardware RNS Implementations of ECC"
"""Bigou, Tisserand; CHES 2015 (hal-01199155). Table and figure numbers are its own."""

DEVICE = "XC6SLX45 or LX100 (S6), XC5VLX220 (V5), XC7K70T (K7); ISE 14.6"

SIZES = (192, 384, 512)
"""l of Tables 3 to 5."""

DEVICES = ("S6", "V5", "K7")

ALGORITHMS = ("MM", "SBMM")

PARAMETERS = {
    ("MM", 192): (12, 17),
    ("MM", 384): (12, 33),
    ("MM", 512): (16, 33),
    ("SBMM", 192): (12, 16),
    ("SBMM", 384): (12, 32),
    ("SBMM", 512): (16, 32),
}
"""Table 3: (n, w) by algorithm and l."""


@dataclass(frozen=True)
class Row:
    """A row of Tables 4 and 5."""

    slices: int
    ff: int
    lut: int
    dsp: int
    bram: int
    cycles: int
    mhz: int
    nanoseconds: int


_WITH_DSP = """
MM S6 192 1733 2780 5149 36 0 50 140 357
MM S6 384 3668 6267 11748 58 0 50 71 704
MM S6 512 5457 8617 18366 58 0 58 70 828
SBMM S6 192 1214 1908 3674 18 0 58 154 376
SBMM S6 384 2213 3887 6709 41 0 58 78 743
SBMM S6 512 2912 5074 8746 56 0 66 76 868
MM V5 192 1941 2957 6053 26 0 50 184 271
MM V5 384 3304 5692 10455 84 12 50 118 423
MM V5 512 6180 7557 15240 112 16 58 116 500
SBMM V5 192 1447 1973 4682 15 0 58 196 295
SBMM V5 384 2256 3818 8415 42 6 58 124 467
SBMM V5 512 3400 4960 10877 57 8 66 123 536
MM K7 192 1732 2759 5075 36 0 50 260 192
MM K7 384 3278 5884 9841 84 0 50 171 292
MM K7 512 4186 7814 13021 112 0 58 170 341
SBMM K7 192 999 1867 3599 18 0 58 272 213
SBMM K7 384 2111 3889 6691 41 0 58 179 324
SBMM K7 512 3104 5076 8757 56 0 66 176 375
"""

_WITHOUT_DSP = """
MM S6 192 3238 4288 10525 0 0 50 114 438
MM S6 384 7968 8868 27323 0 0 50 70 714
MM S6 512 10381 11750 35751 0 0 58 45 1288
SBMM S6 192 1793 2539 6085 0 0 58 142 408
SBMM S6 384 4577 5302 15160 0 0 58 91 637
SBMM S6 512 6163 6875 20147 0 0 66 90 733
MM V5 192 3358 3991 11136 0 0 50 126 396
MM V5 384 8675 7624 29719 0 0 50 109 458
MM V5 512 11401 10109 39257 0 0 58 106 547
SBMM V5 192 1980 2444 6888 0 0 58 147 394
SBMM V5 384 4942 4696 16672 0 0 58 125 464
SBMM V5 512 6466 6186 22411 0 0 66 122 540
MM K7 192 3109 4060 10568 0 0 50 200 250
MM K7 384 7241 7631 27377 0 0 50 140 357
MM K7 512 9202 10102 35696 0 0 58 132 439
SBMM K7 192 1999 2494 6368 0 0 58 231 251
SBMM K7 384 4208 4649 15137 0 0 58 162 358
SBMM K7 512 4922 6146 19269 0 0 66 152 434
"""


def _rows(text: str) -> dict[tuple[str, str, int], Row]:
    found = {}
    for line in text.split("\n")[1:-1]:
        algorithm, device, *numbers = line.split()
        size, *rest = map(int, numbers)
        found[algorithm, device, size] = Row(*rest)
    return found


TABLE_4 = _rows(_WITH_DSP)
"""Implementations with DSP blocks and BRAMs, by algorithm, device and l."""

TABLE_5 = _rows(_WITHOUT_DSP)
"""Implementations without DSP blocks and BRAMs."""


@dataclass(frozen=True)
class Cost:
    """A published cost with n moduli in all: square n^2 + linear n + constant."""

    name: str
    square: Fraction
    linear: int
    constant: int = 0

    def __call__(self, channels: int) -> Fraction:
        """The cost for n = ``channels``."""
        return self.square * channels**2 + self.linear * channels + self.constant

    @property
    def text(self) -> str:
        """The cost as a formula."""
        square = {Fraction(1): "n²", Fraction(1, 2): "n²/2", Fraction(0): ""}.get(
            self.square, f"{self.square}n²"
        )
        terms = [square, f"{self.linear}n" if self.linear else ""]
        terms.append(str(self.constant) if self.constant else "")
        return " + ".join(term for term in terms if term).replace("1n", "n")


MM = Cost("MM", Fraction(2), 4)
SPLIT = Cost("Split", Fraction(1, 2), 1)
SBMM = Cost("SBMM", Fraction(1), 5)
COMPRESS = Cost("Compress", Fraction(0), 2)
SBMM_COMPRESS = Cost("SBMM + Compress", Fraction(1), 7)
"""Table 2 and section 5: EMM. Compress has n + 2 products modulo m_gamma beside."""

MM_WORDS = Cost("MM", Fraction(2), 10)
SBMM_WORDS = Cost("SBMM", Fraction(1, 2), 3)
SBMM_COMPRESS_WORDS = Cost("SBMM + Compress", Fraction(1, 2), 4, 2)
"""Tables 1 and 2: precomputed words."""

POINTS: dict[tuple[str, str], Callable[[int], Fraction]] = {
    ("MM", "ADD"): Cost("ADD", Fraction(12), 34),
    ("MM", "DBL"): Cost("DBL", Fraction(14), 32),
    ("SBMM", "ADD"): Cost("ADD", Fraction(6), 51),
    ("SBMM", "DBL"): Cost("DBL", Fraction(7), 49),
}
"""Table 7, by algorithm and point operation."""

GAINS = {8: 25, 12: 33, 16: 37, 24: 41, 32: 43}
"""Section 7: per cent fewer EMM of a ladder step, by n."""

COUNT_REMARK = (
    "A Split needs n/2 products more than the paper says: the saving at its line 2 drops the "
    "product that gives K itself, of which SBMM line 5 needs the residues (ERRATA E5). A product "
    "is n² + 6n, not n² + 5n, and a step of the ladder 13n² + 113n, not 13n² + 100n."
)

TIME_REMARK = (
    "The text says that SBMM takes less than 10 % more time; Table 4 has 10.4 % (V5, 384), 10.9 % "
    "(K7, 192) and 11.0 % (K7, 384). On S6 the DSP blocks are not halved at 384 and 512 bits "
    "(ERRATA E8)."
)
