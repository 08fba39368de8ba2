"""Elliptic-curve coprocessors, on a Cox-Rower engine or on digits."""
