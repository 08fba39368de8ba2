"""Signatures: their verification as an operation, and the sums of multiples that it needs."""
