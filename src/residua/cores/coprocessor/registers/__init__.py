"""Exports of a register map for integrators: C header, page, SystemRDL source."""
