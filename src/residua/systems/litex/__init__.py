"""Cores in systems that LiteX makes; this package alone needs LiteX."""
