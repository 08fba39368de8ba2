"""Placement by constraint programming: start slots that the search of ``placement`` misses.

The slots of the steady state make a circle of as many slots as the interval has. On it the
sequences of one run must not overlap, wherever in the run they are. The first sequence of the
program cuts the circle open, so that none of the others wraps around: each has a phase, counted
from there, and a number of whole intervals.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from residua.machines.scheduling.placement import START_DELAY, Task
from residua.machines.slots import Placed, Sequence, Word
from residua.numbers import solver

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

CALL_EFFORT = 0.0005
"""Deterministic seconds, for each sequence, that a call costs before the solver begins."""


@dataclass
class Effort:
    """Rest of the solver's deterministic time, in its seconds, and the most for one call.

    A limit in these seconds does not depend on the machine.
    """

    left: float
    most: float


def solve(task: Task, interval: int, limit: int, effort: Effort) -> list[Placed] | None:
    """The placement with the earliest last slot that the solver finds; None if it finds none.

    Args:
        task: what is to be placed.
        interval: slots between runs.
        limit: the last slot that a sequence may have.
        effort: what the solver may spend; less is left afterwards.
    """
    # How many results are stored while operands come turns out when all is placed.
    for stored in range(len(task.choices) + 1):
        if effort.left <= 0:
            break
        placed = _Model(task, interval, limit, stored).solve(effort)
        if placed is None or task.reloads(placed, interval):
            return placed
    return None


class _Model:
    """Placements in which ``stored`` results are stored between the operands of the next run."""

    def __init__(self, task: Task, interval: int, limit: int, stored: int) -> None:
        # See `residua.numbers.solver`: loaded where it is needed.
        from ortools.sat.python import cp_model  # noqa: PLC0415

        self.task, self.choices, self.machine = task, task.choices, task.machine
        self.interval, self.limit = interval, limit
        self.last_input_read = interval - START_DELAY - len(task.inputs) - stored
        self.model = model = cp_model.CpModel()
        jobs = range(len(self.choices))
        self.starts = [model.new_int_var(0, limit, f"start_{job}") for job in jobs]
        self.phases = [model.new_int_var(0, interval - 1, f"phase_{job}") for job in jobs]
        self.takes = [
            [model.new_bool_var(f"order_{job}_{order}") for order in range(len(self.choices[job]))]
            for job in jobs
        ]
        self.last = model.new_int_var(0, limit, "last")
        self.producers = {
            order.result: job
            for job, orders in enumerate(self.choices)
            for order in orders
            if order.result
        }
        # First slot that can be forwarded the result of a job.
        self.ready = [
            self.starts[job]
            + cp_model.LinearExpr.weighted_sum(
                self.takes[job], [Placed(order, 0).finish(self.machine) for order in orders]
            )
            for job, orders in enumerate(self.choices)
        ]
        self._share_slots()
        for job, orders in enumerate(self.choices):
            for sequence, taken in zip(orders, self.takes[job], strict=True):
                self._order(job, sequence, taken)
        model.minimize(self.last)

    def _share_slots(self) -> None:
        """No two sequences in one slot of the steady state."""
        model, spans = self.model, []
        turns = self.limit // self.interval + 1
        for job, orders in enumerate(self.choices):
            model.add_exactly_one(self.takes[job])
            turn = model.new_int_var(-turns, turns, f"turn_{job}")
            model.add(self.starts[job] == self.starts[0] + self.phases[job] + self.interval * turn)
            for position, (order, taken) in enumerate(zip(orders, self.takes[job], strict=True)):
                slots = len(order.slots)
                spans.append(
                    model.new_optional_fixed_size_interval_var(
                        self.phases[job], slots, taken, f"slots_{job}_{position}"
                    )
                )
                model.add(self.phases[job] + slots <= self.interval).only_enforce_if(taken)
        model.add(self.phases[0] == 0)
        model.add_no_overlap(spans)

    def _order(self, job: int, sequence: Sequence, taken: "cp_model.IntVar") -> None:
        """Constrain a job whose slots come in this order."""
        model, start = self.model, self.starts[job]
        model.add(start + len(sequence.slots) - 1 <= self.last).only_enforce_if(taken)
        for offset, word, is_left in sequence.reads:
            self._read(start + offset, word, is_left, taken)
        last_binary_read = self.interval - START_DELAY - self.task.binary_words
        for offset, position in sequence.binary_reads:
            model.add(start + offset - position <= last_binary_read).only_enforce_if(taken)

    def _read(
        self, slot: "cp_model.LinearExpr", word: Word, is_left: bool, taken: "cp_model.IntVar"
    ) -> None:
        """A word is forwarded or stored, and the next run has not yet overwritten it."""
        model = self.model
        if word not in self.producers:
            model.add(slot <= self.last_input_read).only_enforce_if(taken)
            return
        delay = self.machine.storage_delay(word)
        distance = slot - self.ready[self.producers[word]]
        model.add(distance <= self.interval).only_enforce_if(taken)
        if not is_left:
            model.add(distance >= delay).only_enforce_if(taken)
            return
        forwarded = model.new_bool_var("forwarded")
        model.add(distance == 0).only_enforce_if(taken, forwarded)
        model.add(distance >= delay).only_enforce_if(taken, ~forwarded)

    def solve(self, effort: Effort) -> list[Placed] | None:
        answer = solver.solve(self.model, min(effort.most, effort.left))
        effort.left -= answer.time + CALL_EFFORT * len(self.choices)
        if answer.solution is None:
            return None
        return [
            Placed(
                next(s for s, t in zip(orders, taken, strict=True) if answer.value(t)),
                answer.value(start),
            )
            for orders, taken, start in zip(self.choices, self.takes, self.starts, strict=True)
        ]
