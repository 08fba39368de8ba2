"""Delays by whole clock cycles."""

from amaranth.hdl import Module, Signal, Value


def delayed(m: Module, value: Value, cycles: int, name: str, *, resets: bool = False) -> Value:
    """``value`` as it was ``cycles`` clock edges ago; the registers are called <name>_<cycle>.

    With ``resets`` a reset clears them.
    """
    for cycle in range(1, cycles + 1):
        register = Signal(value.shape(), name=f"{name}_{cycle}", reset_less=not resets)
        m.d.sync += register.eq(value)
        value = register
    return value
