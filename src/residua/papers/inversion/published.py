"""The published numbers of plus-minus inversion (CHES 2013 slides), as printed."""

from dataclasses import dataclass

TITLE = "Improving Modular Inversion in RNS using the Plus-Minus Method"
"""Bigou, Tisserand; CHES 2013, slides."""

DEVICE = "Virtex-5, ISE 12.4"

SIZES = {192: ((12, 17), (9, 22), (7, 29)), 384: ((18, 22), (14, 29), (12, 33))}
"""(n, w) by l."""

REMARKS = (
    "Published FLT-RNS counts are 1.5 (l - 1) products, of NIST primes 2 (l - 1), of 2 n^2 + 6 n "
    "EMM each (ERRATA E17); the chain of P-192 and P-384 has fewer. 85512 is a misprint of 82512 "
    "(E16), 128306 LUTs presumably one of 28306."
)


@dataclass(frozen=True)
class Operations:
    """Operations of one inversion: EMM, EMA, additions of the Cox and modulo 4."""

    emm: int
    ema: int
    cox: int
    mod4: int


@dataclass(frozen=True)
class Implementation:
    """A row of the tables of implementations."""

    slices: int
    ff: int
    lut: int
    dsp: int
    bram: int
    mhz: int
    cycles: int
    microseconds: float


def _operations(text: str) -> dict[tuple[str, int, int], Operations]:
    """Operations by algorithm, l and n."""
    found = {}
    for line in text.strip().splitlines():
        name, bits, channels, *numbers = line.split()
        found[name, int(bits), int(channels)] = Operations(*map(int, numbers))
    return found


def _implementations(text: str) -> dict[tuple[str, int, int], Implementation]:
    """Implementations by algorithm, l and n."""
    found = {}
    for line in text.strip().splitlines():
        name, bits, channels, *numbers, time = line.split()
        slices, ff, lut, dsp, bram, mhz, cycles = map(int, numbers)
        found[name, int(bits), int(channels)] = Implementation(
            slices, ff, lut, dsp, bram, mhz, cycles, float(time)
        )
    return found


OPERATIONS = _operations("""
FLT 192 12 103140 85950 6876 0
FLT 192 9 61884 48991 5157 0
FLT 192 7 40110 30083 4011 0
FLT 384 18 434322 382617 20682 0
FLT 384 14 273462 233247 16086 0
FLT 384 12 206820 172350 13788 0
NIST 192 12 137520 114600 9168 0
NIST 192 9 85512 65322 6876 0
NIST 192 7 53480 40110 5348 0
NIST 384 18 579096 510156 27576 0
NIST 384 14 364616 310996 21448 0
NIST 384 12 275760 229800 18384 0
PM 192 12 5474 8750 5474 5930
PM 192 9 4106 6562 4106 4562
PM 192 7 3193 5104 3193 3650
PM 384 18 16487 26376 16487 17402
PM 384 14 12823 20514 12823 13738
PM 384 12 10991 17584 10991 11907
""")

WITH_DSP = _implementations("""
FLT 192 12 2473 2995 7393 26 0 186 13416 72.1
FLT 192 9 2426 3001 7150 29 0 185 11272 60.9
FLT 192 7 2430 3182 6829 48 0 107 9676 90.4
FLT 384 18 4782 5920 14043 56 0 178 34359 193.0
FLT 384 14 5554 5910 16493 98 14 110 28416 258.3
FLT 384 12 5236 5710 15418 84 12 107 25911 242.1
PM 192 12 2332 3371 6979 26 0 187 1753 9.3
PM 192 9 2223 3217 6706 29 0 187 1753 9.3
PM 192 7 2265 3336 6457 48 0 120 1753 14.6
PM 384 18 4064 5932 13600 56 0 152 3518 23.1
PM 384 14 4873 6134 14347 98 14 102 3518 34.4
PM 384 12 4400 5694 12764 84 24 103 3518 34.1
""")

WITHOUT_DSP = _implementations("""
FLT 192 12 4071 4043 12864 4 0 128 13416 104.8
FLT 192 9 4155 3816 13313 4 0 122 11272 92.3
FLT 192 7 4575 3952 15264 0 0 126 9676 76.7
FLT 384 18 7559 7831 27457 0 0 163 34359 210.7
FLT 384 14 9393 7818 30536 0 0 126 28416 225.5
FLT 384 12 9888 7640 31599 0 0 107 25911 242.1
PM 192 12 3899 4212 12519 4 0 150 1753 11.6
PM 192 9 3809 3986 12782 4 0 146 1753 12.0
PM 192 7 4341 4107 14981 0 0 141 1753 12.4
PM 384 18 7677 8053 128306 0 0 168 3518 20.9
PM 384 14 9119 8113 30619 0 0 127 3518 27.7
PM 384 12 9780 7908 31902 0 0 108 3518 32.5
""")
