"""Digit-digit Montgomery multiplication (IDDMM), 2015."""
