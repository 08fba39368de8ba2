"""Recordings of a simulated coprocessor, cycle by cycle, with names of what it does."""
