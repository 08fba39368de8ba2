"""Specifications: their keys, how they are read, and which are refused."""
