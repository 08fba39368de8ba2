"""Bus interfaces of coprocessors: registers, AXI4-Lite with AXI4-Stream, and Wishbone."""
