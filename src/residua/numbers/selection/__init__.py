"""Which moduli two bases get, and which of them share a rower."""
