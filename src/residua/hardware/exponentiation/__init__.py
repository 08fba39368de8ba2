"""Modular exponentiation, on an engine and on digits, and RSA."""
