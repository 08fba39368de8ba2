"""Coprocessors whose field unit is a Cox-Rower engine."""
