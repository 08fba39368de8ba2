"""Designs with something put in: mutants, inputs that change their state, outputs that show it."""
