"""Coprocessors whose field unit is a multiplier on digits."""
