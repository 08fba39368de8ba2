"""Entry keeper: a rower's part of tables of points, of which it keeps one entry.

All words are read, whichever entry is asked for: a word that does not match counts as zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

MATCH_DELAY = 2
"""Cycles from an address to whether its word matches: block memory, a register beside it."""

KEEP_DELAY = MATCH_DELAY + 1
"""Cycles from the address of the last entry's word to the one that keeps what has matched."""


@dataclass(frozen=True)
class EntryTables:
    """Tables of points in the memories of the rowers.

    Attributes:
        names: of the elements that an entry is put into.
        words: of an entry in each rower.
        memories: the contents of the memory of each rower: of each table word 0 of every entry,
            then word 1 of every entry, and so on.
    """

    names: tuple[str, ...]
    words: int
    memories: tuple[tuple[int, ...], ...]

    @property
    def depth(self) -> int:
        """Words of the memory of a rower."""
        return len(self.memories[0])


class EntryKeeper(Component):
    """Reads the words of a table, and keeps those of the entry that matches.

    ``address`` is that of a word of ``memory``. `MATCH_DELAY` cycles later ``matches`` tells
    whether it belongs to the entry, ``first`` that it is that of the first entry. ``keep``, in the
    cycle after the last entry's, keeps the word that has matched; ``words`` of them are kept.
    ``word`` is the oldest one; ``drop`` lets it go.
    """

    def __init__(self, memory: Sequence[int], width: int, words: int) -> None:
        self.memory, self.width, self.words = tuple(memory), width, words
        super().__init__(
            {
                "address": In(range(len(self.memory))),
                "matches": In(1),
                "first": In(1),
                "keep": In(1),
                "drop": In(1),
                "word": Out(signed(width)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Block memory, a sum of which at most one term counts, a queue of words."""
        m = Module()
        m.submodules.tables = memory = Memory(
            shape=signed(self.width), depth=len(self.memory), init=self.memory
        )
        read = memory.read_port(domain="sync")
        found = Signal(self.width, name="found", reset_less=True)
        matched = Signal(self.width, name="matched")
        kept = [Signal(self.width, name=f"kept_{index}") for index in range(self.words)]
        m.d.comb += [read.addr.eq(self.address), self.word.eq(kept[0].as_signed())]
        m.d.sync += [
            found.eq(read.data),
            matched.eq(Mux(self.first, 0, matched) | Mux(self.matches, found, 0)),
        ]
        with m.If(self.keep | self.drop):
            m.d.sync += [own.eq(new) for own, new in zip(kept, [*kept[1:], matched], strict=True)]
        return m
