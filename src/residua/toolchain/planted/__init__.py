"""Designs with faults: mutants, and state that can be changed from outside."""
