"""Protections of coprocessors against whoever disturbs them."""
