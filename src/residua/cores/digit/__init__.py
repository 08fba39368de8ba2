"""Digit Montgomery multipliers, and exponentiation and RSA on them."""
