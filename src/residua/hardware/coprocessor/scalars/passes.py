"""Passes over the words of a scalar unit's memory: in which of their cycles they are."""

from amaranth.hdl import Module, Signal, Value

from residua.hardware.coprocessor.scalars.layout import WRITTEN
from residua.hardware.delay import delayed


class Passes:
    """Registers that tell where passes are: to compare places takes too long for what waits for it.

    While ``runs`` is set ``index`` counts up to ``end`` - 1, again and again from the same place,
    at least `WRITTEN` + 1 below ``end``, where it is in the first cycle of ``runs``.

    Attributes:
        begins: in the first cycle of a pass; also while none runs.
        nearly_ends: in the last cycle but one.
        ends: in the last cycle.
        made: there is a word to write in the next cycle, which was read `WRITTEN` - 1 cycles ago.
        place: the index `WRITTEN` cycles ago, at which a word is written.
    """

    def __init__(self, m: Module, index: Signal, end: int, runs: Value) -> None:
        self.begins, self.ends = Signal(name="pass_begins"), Signal(name="pass_ends")
        self.nearly_ends, holds = Signal(name="pass_nearly_ends"), Signal(name="pass_holds")
        begun = delayed(m, runs & self.begins, WRITTEN - 2, "pass_begun")
        m.d.sync += [
            self.begins.eq(~runs | self.ends),
            self.nearly_ends.eq(runs & (index == end - 3)),
            self.ends.eq(runs & self.nearly_ends),
            holds.eq(runs & ~self.ends & (holds | begun)),
        ]
        self.made = holds & ~self.ends
        self.place = delayed(m, index, WRITTEN, "place")
