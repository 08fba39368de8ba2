"""Designs of standard cells: libraries, what Yosys and ABC make, clocks by OpenSTA."""
