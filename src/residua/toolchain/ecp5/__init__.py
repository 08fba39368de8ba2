"""Bitstreams for the Lattice ECP5."""
