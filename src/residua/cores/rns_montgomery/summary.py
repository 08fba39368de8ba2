"""Rows that the command line prints of a multiplier."""

from residua.cores.summary import engine_rows as rows

__all__ = ["rows"]
