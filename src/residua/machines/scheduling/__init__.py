"""Placement of sequences of slots on an engine."""
