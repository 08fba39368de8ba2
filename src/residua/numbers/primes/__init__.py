"""Primes of the forms that algorithms want, and their certificates."""
