"""Memories that go to block RAM."""

from collections.abc import Sequence
from typing import Any

from amaranth.lib.memory import Memory


def block_memory(shape: Any, depth: int, init: Sequence[int] = ()) -> Memory:
    """A memory for block RAM, whose read ports have to be clocked, with its first words.

    What is read in the cycle in which it is written is undefined, so that no device needs logic
    beside its block RAM.
    """
    attributes = {"ram_style": "block", "no_rw_check": 1}
    return Memory(shape=shape, depth=depth, init=init, attrs=attributes)
