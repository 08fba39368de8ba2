"""Limits of what is behind one bus."""

MOST_INSTANCES = 16
"""Coprocessors that the register map has bits for."""
