"""Counts through the iterations of a run, each of the same number of cycles."""

from amaranth.hdl import Module, Mux, Signal, Value


class Counter:
    """``slot`` of an iteration and ``iteration`` of a run, while ``running``.

    ``start`` is set in the cycle before a run, the last one of the run before it at the earliest.
    ``end_of_iteration`` and ``end`` are set in the last cycles of an iteration and of a run,
    ``final`` in all of the last iteration. Registers tell of the last slot and iteration.
    """

    def __init__(self, m: Module, period: int, iterations: int) -> None:
        self.running, self.start = Signal(name="running"), Signal(name="start")
        self.slot = Signal(range(period), name="slot")
        self.iteration = Signal(range(iterations), name="iteration")
        self.end_of_iteration, self.end = Signal(name="end_of_iteration"), Signal(name="end")
        self.final = Signal(name="final")
        last_slot = _step(m, self.slot, period, self.running)
        last_iteration = _step(m, self.iteration, iterations, self.end_of_iteration)
        m.d.comb += [
            self.end_of_iteration.eq(self.running & last_slot),
            self.final.eq(self.running & last_iteration),
            self.end.eq(self.end_of_iteration & self.final),
        ]
        with m.If(self.start):
            m.d.sync += self.running.eq(1)
        with m.Elif(self.end):
            m.d.sync += self.running.eq(0)

    def start_when(self, m: Module, ready: Value) -> None:
        """Begin runs where ``ready`` is set."""
        m.d.comb += self.start.eq(ready & (~self.running | self.end))


def _step(m: Module, number: Signal, count: int, step: Value) -> Signal:
    """Count ``number`` through ``count`` numbers, round and round; a register is set at the last.

    Returns:
        The register.
    """
    at_last = Signal(name=f"last_{number.name}", init=count == 1)
    with m.If(step):
        m.d.sync += [
            number.eq(Mux(at_last, 0, number + 1)),
            at_last.eq(number == count - 2 if count > 1 else 1),
        ]
    return at_last
