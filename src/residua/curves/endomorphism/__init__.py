"""Multiplication by an endomorphism of the curve, which halves the scalars (GLV)."""
