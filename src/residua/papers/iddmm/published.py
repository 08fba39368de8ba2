"""The published numbers of the IDDMM report (2015), as printed; with remarks of ERRATA."""

from dataclasses import dataclass

TITLE = "Novel algorithms and hardware architectures for Montgomery Multiplication over GF(p)"
"""Morales-Sandoval and Diaz Perez, technical report, 2015. Numbers of tables are its own."""

BITS = (128, 256, 512, 1024, 2048)
DIGITS = (2, 4, 8, 16, 32, 64)
ARCHITECTURES = (1, 2)
VERSIONS = (1, 2, 3, 4)
DEVICES = {"xc3se": "xc3s500e", "xc5v": "xc5vlx50"}
"""Yosys's families and the devices that the report placed on with ISE 14.2."""


@dataclass(frozen=True)
class Complexity:
    """A half row of Table 4: gates and flip-flops of a datapath."""

    gates_and: int
    gates_xor: int
    ff: int


TABLE_4: dict[tuple[int, int], Complexity] = {
    (4, 1): Complexity(182, 167, 9),
    (8, 1): Complexity(754, 707, 17),
    (16, 1): Complexity(3074, 2915, 33),
    (32, 1): Complexity(12418, 11843, 65),
    (64, 1): Complexity(49922, 47747, 129),
    (4, 2): Complexity(139, 109, 5),
    (8, 2): Complexity(667, 589, 9),
    (16, 2): Complexity(2899, 2677, 17),
    (32, 2): Complexity(12067, 11365, 33),
    (64, 2): Complexity(49219, 46789, 65),
}
"""Complexity by k and architecture."""

TABLE_4_CYCLES = {4: 66048, 8: 16640, 16: 4224, 32: 1088, 64: 288}
"""Cycles for N = 1024 without pipeline, by k."""


@dataclass(frozen=True)
class Implementation:
    """A row of Tables 5 to 7, ``table`` says which, for architecture 2; None where it is silent."""

    table: str
    bits: int
    digit: int
    version: int
    family: str
    microseconds: float
    dsp: int | None = None
    lut: int | None = None
    ff: int | None = None
    slices: int | None = None
    mhz: float | None = None


IMPLEMENTATIONS = (
    Implementation("5", 1024, 32, 4, "xc3se", 18.9, 11, slices=221),
    Implementation("5", 1024, 64, 3, "xc5v", 3.33, 0, slices=2636),
    Implementation("5", 1024, 64, 4, "xc5v", 4.21, 33, slices=219),
    Implementation("5", 512, 16, 3, "xc5v", 8.29, 0, slices=208),
    Implementation("5", 512, 16, 4, "xc5v", 8.67, 4, slices=10),
    *(
        Implementation("6", bits, digit, 4, family, time, mhz=mhz)
        for family, digit, mhz, times in (
            ("xc3se", 16, 94.3, (3.06, 11.53, 44.70)),
            ("xc3se", 32, 63.8, (1.25, 4.50, 17.03)),
            ("xc3se", 64, 43.6, (0.55, 1.83, 6.60)),
            ("xc5v", 16, 131.12, (2.19, 8.29, 32.21)),
            ("xc5v", 32, 107.94, (0.74, 2.66, 10.07)),
            ("xc5v", 64, 68.24, (0.35, 1.17, 4.21)),
        )
        for bits, time in zip((256, 512, 1024), times, strict=True)
    ),
    Implementation("7", 1024, 32, 4, "xc3se", 17.03, 11, 425, 177),
    Implementation("7", 1024, 64, 4, "xc5v", 4.21, 33, 704, 337),
    Implementation("7", 256, 32, 4, "xc3se", 1.25, 11, 419, 177),
    Implementation("7", 256, 64, 4, "xc5v", 0.35, 33, 699, 333),
)

REMARKS = (
    "Times of Table 6 are n (n + 2) cycles at the printed clocks, one cycle an iteration too few "
    "for the pipeline of version 4; the time of 18.9 us in Table 5 contradicts its own throughput "
    "and Table 6, and 8.29 us belongs to version 3 in Table 5 and to version 4 in Table 6. The "
    "printed datapaths lose a carry for full-length moduli; measured ones keep it."
)
"""ERRATA E22 and E28."""
