"""Proofs for all inputs: channel reduction and the device forms of primitives. Needs z3-solver."""
