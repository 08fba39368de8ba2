"""What there is to tell of an SBMM multiplier on a terminal."""

from residua.cores.summary import engine_rows as rows

__all__ = ["rows"]
