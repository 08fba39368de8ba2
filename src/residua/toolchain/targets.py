"""Device families that synthesis knows, by name."""

XILINX_TARGETS = ("xc7", "xc6s", "xc5v", "xc3se", "xc2vp", "xcup")
YOSYS_TARGETS = ("ecp5", *XILINX_TARGETS)
TARGETS = (*YOSYS_TARGETS, "vivado")
