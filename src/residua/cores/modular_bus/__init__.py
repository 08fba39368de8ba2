"""Exponentiators and RSA cores on a bus, on digits and on an engine."""
