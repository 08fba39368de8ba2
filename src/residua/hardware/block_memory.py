"""Memories that go to block RAM."""

from typing import Any

from amaranth.lib.memory import Memory


def block_memory(shape: Any, depth: int) -> Memory:
    """A memory for block RAM, whose read ports have to be clocked.

    What is read in the cycle in which it is written is undefined, so that no device needs logic
    beside its block RAM.
    """
    attributes = {"ram_style": "block", "no_rw_check": 1}
    return Memory(shape=shape, depth=depth, init=[], attrs=attributes)
