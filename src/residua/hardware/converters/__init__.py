"""Converters between binary words and residues, and a multiplier between both."""
