"""Modular exponentiators on a Cox-Rower engine."""
