"""Proofs that so many steps of an inversion are enough."""
