"""Parts of the Lattice ECP5 family, and the limits of its multipliers."""

from collections.abc import Mapping

DEVICES: Mapping[str, tuple[str, str]] = {
    "LFE5U-12F": ("--12k", "CABGA381"),
    "LFE5U-25F": ("--25k", "CABGA381"),
    "LFE5U-45F": ("--45k", "CABGA554"),
    "LFE5U-85F": ("--85k", "CABGA756"),
}
"""nextpnr's switch and a package, by device."""

TOTALS: Mapping[str, Mapping[str, int]] = {
    "LFE5U-12F": {"lut": 24288, "ff": 24288, "dsp": 28, "bram": 56},
    "LFE5U-25F": {"lut": 24288, "ff": 24288, "dsp": 28, "bram": 56},
    "LFE5U-45F": {"lut": 43848, "ff": 43848, "dsp": 72, "bram": 108},
    "LFE5U-85F": {"lut": 83640, "ff": 83640, "dsp": 156, "bram": 208},
}
"""What nextpnr has of each resource, by device."""

SPEED_GRADES = (6, 7, 8)

MULTIPLIER_LIMIT_MHZ: Mapping[int, float] = {8: 225.0, 7: 195.0, 6: 172.0}
"""Register-to-register limit of an 18 x 18 multiplication with all registers, by speed grade.

For speed 8 the figure attributed to Lattice FPGA-DS-02012 (ECP5 and ECP5-5G Family Data Sheet,
table "Register-to-Register Performance"), taken second-hand and not compared with the document. The
slower grades are scaled from it by the multiplier's delays in nextpnr's timing data (clocked in +
clocked out - combinational): 2.614, 3.019 and 3.423 ns for 8, 7 and 6. Those delays alone would
allow 382, 331 and 292 MHz; nextpnr itself times nothing inside a fully registered cell, so the cap
is the cautious reading.
"""
