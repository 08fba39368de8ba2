"""Device families that synthesis knows, by name."""

YOSYS_TARGETS = ("ecp5", "xc7", "xc6s", "xc5v", "xc3se", "xc2vp", "xcup")
TARGETS = (*YOSYS_TARGETS, "vivado")
