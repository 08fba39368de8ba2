"""What Tables 5 to 7 of the IDDMM report say of other work, and the throughput of its own."""

from dataclasses import dataclass

from residua.papers.iddmm.published import DEVICES, Implementation


@dataclass(frozen=True)
class Competitor:
    """Another multiplier in a table of the report; None where it is silent.

    Attributes:
        table: 5, 6 or 7.
        work: first author, with the number in the report's list of references.
        kind: the algorithm, or what it runs on.
        platform: the device.
        bits: of the modulus.
        area: as the report writes it.
        mhz: the clock.
        microseconds: of one product.
        mbps: N bits by that time, as printed.
    """

    table: str
    work: str
    kind: str
    platform: str
    bits: int
    area: str | None
    mhz: float | None
    microseconds: float
    mbps: float | None = None


_VIRTEX5 = "Virtex-5"

COMPETITORS = (
    Competitor("5", "Öksüzoğlu [24]", "CIOS", DEVICES["xc3se"], 1020,
               "1553 slices, 10 multipliers, 4 BRAM", None, 7.62, 133.8),
    Competitor("5", "Sutter [9]", "digit-serial, D = 4", _VIRTEX5, 1024, "5702 slices",
               None, 1.18, 868),
    Competitor("5", "Hamilton [5]", "bit-serial", _VIRTEX5, 512, "957 slices", None, 9.64, 53.11),
    Competitor("6", "Tenca [10]", "software", "ARM", 1024, None, 80, 570),
    Competitor("6", "Tenca [10]", "software", "ARM", 256, None, 80, 42.3),
    Competitor("6", "Brown [25]", "software", "Pentium II", 256, None, 400, 1.57),
    Competitor("6", "Itoh [26]", "software", "DSP", 256, None, 200, 2.68),
    Competitor("6", "Chen [27]", "software", "2 MicroBlaze", 512, None, 100, 139.53),
    Competitor("6", "Chen [27]", "software", "2 MicroBlaze", 1024, None, 100, 539.05),
    Competitor("6", "Chen [27]", "multi-core", "2 MicroBlaze", 512, None, 100, 88.04),
    Competitor("6", "Chen [27]", "multi-core", "2 MicroBlaze", 1024, None, 100, 293.82),
    Competitor("6", "Fan [28]", "multi-core", "4 cores, 4 multipliers of 32 bits", 256, None,
               93, 2.3),
    Competitor("6", "Fan [28]", "multi-core", "4 cores, 4 multipliers of 32 bits", 1024, None,
               93, 44),
    Competitor("7", "Sutter [9]", "R2^kMM", _VIRTEX5, 1024, "8227 LUT, 5142 FF", None, 1.93, 530),
    Competitor("7", "Huang [13]", "MWR2MM, w = 16", "Virtex-2", 1024, "9319 LUT, 64 DSP",
               None, 9.34, 109.63),
    Competitor("7", "Huang [11]", "MWR2MM, w = 16", "Virtex-2", 1024, "4178 slices, 65 elements",
               None, 10.88, 94.11),
    Competitor("7", "Tenca [10]", "MWR2MM, w = 16", "0.5 µm CMOS", 1024, "28 000 gates",
               None, 43, 23.81),
    Competitor("7", "Mondal [6]", "parallel", "xchvhx250T", 256, "2106 slices, 16 DSP",
               None, 0.014, 18285.71),
    Competitor("7", "Gong [29]", "parallel", "Cyclone III", 256, "23405 LE, 81 multipliers",
               None, 0.1, 2560),
)  # fmt: skip

THROUGHPUT = {
    ("5", 1024, 32, 4): 60.11,
    ("5", 1024, 64, 3): 306.8,
    ("5", 1024, 64, 4): 242.66,
    ("5", 512, 16, 3): 61.70,
    ("5", 512, 16, 4): 59.02,
    ("7", 1024, 32, 4): 60.23,
    ("7", 1024, 64, 4): 242.66,
    ("7", 256, 32, 4): 204.37,
    ("7", 256, 64, 4): 727.90,
}
"""Printed Mbps of the report's own multipliers by table, N, k and version."""

REMARK = (
    "N bits by the time of one product, as printed / by the printed time. Table 5 gives the first "
    "of its own for 1020 bits. Areas, clocks and times of different devices do not compare."
)


def throughput(bits: int, microseconds: float) -> float:
    """Megabits of operands a second, a product at a time."""
    return bits / microseconds


def printed(one: Implementation) -> float | None:
    """Look up the printed Mbps of one of the report's own multipliers."""
    return THROUGHPUT.get((one.table, one.bits, one.digit, one.version))
