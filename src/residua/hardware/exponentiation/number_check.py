"""A check of numbers that come word by word: odd, and not below the smallest that is served."""

from amaranth.hdl import Module, Signal, Value

from residua.algorithms.fields.loaded_field import SMALLEST


def check_numbers(
    m: Module,
    error: Signal,
    word: Value,
    index: Value,
    *,
    width: int,
    moves: Value,
    last: Value,
    begins: Value,
) -> None:
    """Set ``error`` from the cycle on after one with a word that shows a number to be wrong.

    Args:
        m: gets the statements.
        error: stays until the first word of a number that ``begins`` anew.
        word: of a number, the lowest comes first.
        index: its place in the number.
        width: bits of a word.
        moves: there is a word.
        last: it is the highest one.
        begins: the number is the first one of those that are checked together.
    """
    bits = SMALLEST.bit_length() - 1
    high, large = Signal(name="high"), Signal(name="large")
    with m.Switch(index):
        for place in range(-(-bits // width)):
            with m.Case(place):
                m.d.comb += high.eq((word >> bits - place * width).any())
        with m.Default():
            m.d.comb += high.eq(word.any())
    with m.If(moves):
        first = index == 0
        enough = high | (large & ~first)
        m.d.sync += [
            large.eq(enough),
            error.eq((error & ~(first & begins)) | (first & ~word[0]) | (last & ~enough)),
        ]
