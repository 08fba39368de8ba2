"""Vectors of a test bench: operations of a core on a bus, and what they must give."""

from collections.abc import Iterable
from dataclasses import dataclass

from residua.algorithms.conversion import split_words

END = 0xFFFFFFFF
"""The word in the place of a record after the last one."""

HEADER = 6
"""Words of a record before its operands."""


@dataclass(frozen=True)
class Vector:
    """An operation and what it must give; ``abort`` is the cycle of a zeroisation, 0 for none."""

    note: str
    curve: int
    operation: int
    operands: tuple[int, ...]
    status: int
    results: tuple[int, ...] = ()
    abort: int = 0

    def record(self, words: int) -> list[int]:
        """The 32-bit words of the vector, whose numbers have ``words`` words each."""
        operands, results = _words(self.operands, words), _words(self.results, words)
        head = [self.operation, self.curve, self.abort, self.status, len(operands), len(results)]
        return [*head, *operands, *results]


def hex_file(found: Iterable[Vector], words: int) -> tuple[str, int]:
    """The vectors as a file for ``$readmemh``, and the number of its words."""
    lines = [
        "// Words of 32 bits. A record: operation, curve, cycle of a zeroisation or 0, status,",
        "// numbers of operand words and of result words; then those words, the lowest first.",
    ]
    size = 1
    for vector in found:
        record = vector.record(words)
        size += len(record)
        lines += [f"// {vector.note}", " ".join(f"{word:08x}" for word in record)]
    return "\n".join([*lines, f"{END:08x}", ""]), size


def _words(numbers: tuple[int, ...], words: int) -> list[int]:
    return [word for number in numbers for word in split_words(number, words, 32)]
