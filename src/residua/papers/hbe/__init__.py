"""Hierarchical base extension, ARITH 2019."""
