"""Modular inverters."""
