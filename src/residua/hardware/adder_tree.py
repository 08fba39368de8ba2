"""Sums of many terms by trees of adders with registers, and sums modulo 4 in gates."""

from collections.abc import Callable, Collection, Sequence

from amaranth.hdl import Cat, Module, Signal, Value

from residua.hardware.delay import delayed

Adder = Callable[[Value, Value], Value]
"""A sum or anything like it, of which no more bits are kept than the first operand has."""


def tree_depth(terms: int) -> int:
    """Levels of adders for so many terms."""
    return max((terms - 1).bit_length(), 1)


def adder_tree(
    m: Module, name: str, terms: Sequence[Value], add: Adder, registers: Collection[int] = ()
) -> Value:
    """The sum of the terms, modulo a power of two; they have as many bits as it.

    ``registers`` has the levels of adders after each of which there is a register, one for each
    time that it is there; 0 is before the first. Signals are called <name>_...
    """
    level, values, levels = 0, list(terms), list(registers)
    while True:
        for _ in range(levels.count(level)):
            values = [
                delayed(m, v, 1, f"{name}_{level}_{i}", data=True) for i, v in enumerate(values)
            ]
        if level == tree_depth(len(terms)):
            return values[0]
        level += 1
        pairs = [values[i : i + 2] for i in range(0, len(values), 2)]
        values = [
            held(m, f"{name}_level_{level}_{i}", len(pair[0]), add(*pair) if pair[1:] else pair[0])
            for i, pair in enumerate(pairs)
        ]


def sum_mod_4(x: Value, y: Value) -> Value:
    """x + y of two bits each, in gates: a carry chain would be slower than these."""
    return Cat(x[0] ^ y[0], x[1] ^ y[1] ^ (x[0] & y[0]))


def difference_mod_4(x: Value, y: Value) -> Value:
    """x - y of two bits each."""
    return sum_mod_4(x, Cat(y[0], y[0] ^ y[1]))


def held(m: Module, name: str, bits: int, value: Value) -> Signal:
    """A signal of the name with the value, cut or extended to ``bits``."""
    signal = Signal(bits, name=name)
    m.d.comb += signal.eq(value)
    return signal
