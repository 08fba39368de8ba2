"""Drivers of coprocessors: C99 files for the integrator, and the same calls in Python."""
