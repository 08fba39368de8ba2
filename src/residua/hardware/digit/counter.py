"""Counts through the iterations of a run, each of the same number of cycles."""

from amaranth.hdl import Module, Signal, Value


class Counter:
    """``slot`` of an iteration and ``iteration`` of a run, while ``running``.

    ``start`` is set in the cycle before a run, the last one of the run before it at the earliest.
    ``end_of_iteration`` and ``end`` are set in the last cycles of an iteration and of a run,
    ``final`` in all of the last iteration.
    """

    def __init__(self, m: Module, period: int, iterations: int) -> None:
        self.running, self.start = Signal(name="running"), Signal(name="start")
        self.slot = Signal(range(period), name="slot")
        self.iteration = Signal(range(iterations), name="iteration")
        self.end_of_iteration, self.end = Signal(name="end_of_iteration"), Signal(name="end")
        self.final = Signal(name="final")
        m.d.comb += [
            self.end_of_iteration.eq(self.running & (self.slot == period - 1)),
            self.final.eq(self.running & (self.iteration == iterations - 1)),
            self.end.eq(self.end_of_iteration & self.final),
        ]
        with m.If(self.start):
            m.d.sync += self.running.eq(1)
        with m.Elif(self.end):
            m.d.sync += self.running.eq(0)
        with m.If(self.end_of_iteration):
            m.d.sync += self.slot.eq(0)
        with m.Elif(self.running):
            m.d.sync += self.slot.eq(self.slot + 1)
        with m.If(self.end):
            m.d.sync += self.iteration.eq(0)
        with m.Elif(self.end_of_iteration):
            m.d.sync += self.iteration.eq(self.iteration + 1)

    def start_when(self, m: Module, ready: Value) -> None:
        """Begin runs where ``ready`` is set."""
        m.d.comb += self.start.eq(ready & (~self.running | self.end))
