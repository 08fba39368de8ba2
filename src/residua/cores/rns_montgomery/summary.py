"""What there is to tell of a multiplier on a terminal."""

from residua.cores.summary import engine_rows as rows

__all__ = ["rows"]
