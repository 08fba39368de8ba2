"""Delays by whole clock cycles."""

from amaranth.hdl import Module, Signal, Value


def delayed(m: Module, value: Value, cycles: int, name: str, *, data: bool = False) -> Value:
    """``value`` as it was ``cycles`` clock edges ago; the registers are called <name>_<cycle>.

    A reset clears them, so that nothing from before it acts after it. Only ``data`` keep what they
    hold: words that are read when a register that resets says that they are there.

    Raises:
        ValueError: ``cycles`` is negative.
    """
    if cycles < 0:
        raise ValueError(f"{name} would be {-cycles} cycles ahead of what it is made of")
    for cycle in range(1, cycles + 1):
        register = Signal(value.shape(), name=f"{name}_{cycle}", reset_less=data)
        m.d.sync += register.eq(value)
        value = register
    return value
