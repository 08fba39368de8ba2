"""The published numbers of the ECPM paper (2006), as printed; with remarks of ERRATA."""

TITLE = "A New Approach to Elliptic Curve Cryptography: an RNS Architecture"
"""Schinianakis, Kakarountas and Stouraitis, 2006. Table I is its own."""

DEVICE, LUTS, MEGAHERTZ = "Virtex-2 Pro (XC2VP125)", 50_000, 75
"""The device, about how many look-up tables of four inputs, and its clock."""

TABLE_I: dict[str, tuple[float, float]] = {
    "Multiplication": (0.0050, 0.00055),
    "EC addition": (0.0740, 0.0110),
    "EC doubling": (0.070, 0.0096),
    "General point multiplication": (14.140, 2.416),
}
"""Milliseconds of Ors and others (2003), on a Virtex-E, and of the paper."""

OTHER_LUTS = {"Ors and others, 2003": 11_227, "Orlando and Paar, 2001": 11_416}

REMARKS = (
    "2.416 ms are 160 doublings and 80 additions, which shows the scalar; measured multiplications "
    "make an addition for every bit. The printed binary method never leaves the neutral element "
    "(E21), and the printed range is too small without the reductions that it leaves out (E19). "
    "Measured figures have these reductions, converters included, and streams and control."
)
"""ERRATA E19 and E21."""
