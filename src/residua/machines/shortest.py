"""The shortest latency of a program, by constraint programming.

For programs of a few dozen sequences whose slots leave an engine little idle: where `placement`
takes sequences in program order, a solver permutes them, too.
"""

from ortools.sat.python import cp_model

from residua.machines.placement import last_slot
from residua.machines.slots import Machine, Placed, Sequence, Word
from residua.numbers.packing import deterministic_solver

_EFFORT = 1.0
"""Deterministic seconds that the solver gets; it is done long before with a dozen sequences."""


def shortest(choices: list[list[Sequence]], machine: Machine, known: list[Placed]) -> list[Placed]:
    """Start slots and orders of slots with the earliest last result; ``known`` if none is better.

    A result is forwarded in the slot in which it is ready, or read from where it is stored; no two
    sequences share a slot. Nothing is said of an interval.
    """
    model = cp_model.CpModel()
    horizon = last_slot(known) + 1
    jobs = [_Job(model, orders, horizon, f"job_{i}") for i, orders in enumerate(choices)]
    model.add_no_overlap([interval for job in jobs for interval in job.intervals])
    producers = {job.orders[0].result: job for job in jobs if job.orders[0].result}
    for job in jobs:
        for order, taken in zip(job.orders, job.taken, strict=True):
            for offset, word, forwards in order.reads:
                if word in producers:
                    read = job.start + offset - producers[word].last
                    _follow(model, machine, word, read, taken, forwards=forwards)
    latency = model.new_int_var(0, max(p.finish(machine) for p in known), "latency")
    for job in jobs:
        result = job.orders[0].result
        model.add(latency >= job.last + (machine.latency(result) if result else 1))
    model.minimize(latency)
    solver = deterministic_solver(_EFFORT)
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return known
    placed = [job.placed(solver) for job in jobs]
    finished, before = (max(p.finish(machine) for p in each) for each in (placed, known))
    return placed if finished < before else known


class _Job:
    """A sequence to place, in one of its orders."""

    def __init__(
        self, model: cp_model.CpModel, orders: list[Sequence], horizon: int, name: str
    ) -> None:
        self.orders = orders
        self.start = model.new_int_var(0, horizon, f"{name}_start")
        self.last = model.new_int_var(0, horizon, f"{name}_last")
        self.taken = [model.new_bool_var(f"{name}_{i}") for i in range(len(orders))]
        model.add_exactly_one(self.taken)
        self.intervals = []
        for order, taken in zip(orders, self.taken, strict=True):
            length = len(order.slots)
            self.intervals.append(
                model.new_optional_fixed_size_interval_var(self.start, length, taken, name)
            )
            model.add(self.last == self.start + length - 1).only_enforce_if(taken)

    def placed(self, solver: cp_model.CpSolver) -> Placed:
        """What the solver found."""
        chosen = next(
            order
            for order, taken in zip(self.orders, self.taken, strict=True)
            if solver.boolean_value(taken)
        )
        return Placed(chosen, solver.value(self.start))


def _follow(
    model: cp_model.CpModel,
    machine: Machine,
    word: Word,
    distance: cp_model.LinearExpr,
    taken: cp_model.IntVar,
    *,
    forwards: bool,
) -> None:
    """Let a read be so many slots after the last one of what makes the word."""
    stored = machine.latency(word) + machine.storage_delay(word)
    if not forwards:
        model.add(distance >= stored).only_enforce_if(taken)
        return
    forwarded = model.new_bool_var("")
    model.add(distance == machine.latency(word)).only_enforce_if(taken, forwarded)
    model.add(distance >= stored).only_enforce_if(taken, ~forwarded)
