"""Recordings of a simulated core, cycle by cycle, with names of what it does."""
