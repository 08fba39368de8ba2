"""Division stepper: the matrix of a batch of division steps, one step a cycle."""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.primitives import AddSubtract


class DivisionStepper(Component):
    """Computes ``steps`` division steps from the lowest bits of f and g.

    ``take_f`` takes ``f``; ``take_g`` takes ``g`` and starts; ``first`` comes with it when delta is
    to be 1/2 again. ``latency`` cycles after ``take_g``, and until the next one, ``u``,
    ``v``, ``q`` and ``r`` are those of `residua.algorithms.division_steps.Transition`. ``counts``
    is an upper bound for the steps of an inversion, which delta never exceeds.
    """

    def __init__(self, steps: int, counts: int) -> None:
        self.steps, self.counts = steps, counts
        self.latency = steps + 1
        entry = signed(steps + 2)
        super().__init__(
            {
                "f": In(steps),
                "g": In(steps),
                "take_f": In(1),
                "take_g": In(1),
                "first": In(1),
                "u": Out(entry),
                "v": Out(entry),
                "q": Out(entry),
                "r": Out(entry),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Two words, four entries, delta - 1/2, and a count of the steps that are left.

        What is added is subtracted when there is an exchange. Everything waits to know whether g is
        odd and whether there is one, so both are found in the step before, without its sums.
        """
        m = Module()
        f, g = Signal(self.steps, name="f"), Signal(self.steps, name="g")
        above = Signal(signed(self.counts.bit_length() + 2), name="delta_above_half")
        # Whether steps are left is in a register of its own: everything waits for it.
        left, steps = Signal(range(self.steps + 1), name="left"), Signal(name="is_stepping")
        odd, swap = Signal(name="odd"), Signal(name="swap")
        with m.If(self.take_f):
            m.d.sync += f.eq(self.f)
        with m.If(self.take_g):
            m.d.sync += [
                g.eq(self.g),
                left.eq(self.steps),
                steps.eq(1),
                above.eq(Mux(self.first, 0, above)),
                odd.eq(self.g[0]),
                swap.eq(self.g[0] & (self.first | ~above[-1])),
                self.u.eq(1),
                self.v.eq(0),
                self.q.eq(0),
                self.r.eq(1),
            ]
        with m.Elif(steps):
            # The second bit of g, g + f or g - f, as both are odd if f counts.
            next_odd = g[1] ^ (odd & (f[1] ^ ~swap))
            # The sign of delta - 1/2 after 0 - it, if it is not negative, or it + 1.
            next_below = Mux(swap, above.any(), above[-1] & ~above.all())
            m.d.sync += [
                left.eq(left - 1),
                odd.eq(next_odd),
                swap.eq(next_odd & ~next_below),
                steps.eq(left != 1),
                above.eq(self._sum(m, "above", ~swap, above, swap)),
                f.eq(Mux(swap, g, f)),
                g.eq(self._sum(m, "g", Cat(g, 0), Mux(odd, f, 0), swap)[1:]),
                self.u.eq(Mux(swap, self.q, self.u) << 1),
                self.v.eq(Mux(swap, self.r, self.v) << 1),
                self.q.eq(self._sum(m, "q", self.q, Mux(odd, self.u, 0), swap)),
                self.r.eq(self._sum(m, "r", self.r, Mux(odd, self.v, 0), swap)),
            ]
        return m

    @staticmethod
    def _sum(m: Module, name: str, augend: Value, addend: Value, subtract: Value) -> Value:
        m.submodules[f"next_{name}"] = adder = AddSubtract(max(len(augend), len(addend)))
        m.d.comb += [
            adder.augend.eq(augend),
            adder.addend.eq(addend),
            adder.subtract.eq(subtract),
        ]
        total: Value = adder.sum
        return total
