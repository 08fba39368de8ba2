"""Harnesses that run a core's Verilog beside what it must give, and their compilation."""
