"""Constants that are selected at run time: a table, and the port that chooses its row."""

from collections.abc import Sequence

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Member
from amaranth.utils import ceil_log2


def selector(rows: int) -> dict[str, Member]:
    """The port ``select`` that chooses one of ``rows``, if there are several."""
    return {"select": In(range(rows))} if rows > 1 else {}


def selected(numbers: Sequence[int], row: Value) -> Value:
    """``numbers[row]``; a constant if all are the same."""
    width = max(numbers).bit_length()
    if len({*numbers}) == 1:
        return Const(numbers[0], width)
    own: Value = Array([Const(number, width) for number in numbers])[row]
    return own


def constant_table(
    m: Module, name: str, rows: Sequence[Sequence[int]], width: int, row: Value, column: Value
) -> Value:
    """``rows[row][column]`` as ``width`` bits; words are taken modulo 2^width.

    ``row`` must be within the table; beyond its last column there may be any word of it. One row
    becomes logic, several become a memory called ``name`` in ``m``.
    """
    mask = (1 << width) - 1
    words = [[word & mask for word in words] for words in rows]
    if not any(map(any, words)):
        return Const(0, width)
    if len(words) == 1:
        return Array([Const(word, width) for word in words[0]])[column]
    offset = Signal(ceil_log2(max(map(len, words))), name=f"{name}_offset")
    stride = 1 << len(offset)
    padded = [word for line in words for word in [*line, *[0] * (stride - len(line))]]
    m.submodules[name] = memory = Memory(shape=width, depth=len(padded), init=padded)
    read = memory.read_port(domain="comb")
    m.d.comb += [offset.eq(column), read.addr.eq(Cat(offset, row))]
    word: Value = read.data
    return word
