"""A coprocessor's top module on its bus: every operation through registers and streams.

The volume of operations runs on the core inside, which the bus instantiates. Here each operation
ends once in each way that it can end, with and without interrupts, with and without stalls; then
it is refused, zeroised and reset in its midst.
"""

import random
from collections.abc import Iterator
from itertools import cycle

from residua.cores.bus.host import Host
from residua.cores.bus.operations import (
    RESETS,
    STALLS,
    check_refusals,
    compare,
    run_all,
    start,
)
from residua.cores.bus.simulator import BusModel, BusSimulator
from residua.cores.coprocessor.cases import Case, all_cases
from residua.curves.operations.codes import MULTIPLICATIONS, Operation, Status, point_operation
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import patience

_INSTANTS = 6
"""Zeroisations, and resets, of one operation."""


def verify_bus(model: BusModel, design: CurveDesign, seed: int) -> tuple[int, list[str]]:
    """Run every operation through the bus; how many ran, and what went wrong.

    The first fault ends it: the state of the core is unknown after it.
    """
    return run_all(run(model, design, seed) for run in (_operations, _aborted))


def _operations(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Every way in which every operation ends; those without a ladder with stalls, too."""
    cases = list(sample(design, seed))
    short = [case for case in cases if case.operation not in MULTIPLICATIONS or not full(case)]
    long = next(case for case in cases if case.operation in MULTIPLICATIONS and full(case))
    for stalls, chosen in ((0, cases), (STALLS, [*short, long])):
        host = Host(BusSimulator(model, seed=seed, stalls=stalls), patience(design))
        host.check_reset()
        for case, interrupts in zip(chosen, cycle((False, True)), strict=False):
            compare(host, case, interrupts=interrupts)
            yield
        check_refusals(host, long)
        yield


def full(case: Case) -> bool:
    """Whether an operation with a ladder runs it."""
    return case.expected[0] in (Status.OK, Status.NEUTRAL, Status.INVALID)


def sample(design: CurveDesign, seed: int) -> Iterator[Case]:
    """The first case of each operation with each outcome, on each curve."""
    seen = set()
    for case in all_cases(design, 1, seed):
        key = (case.curve, case.operation, case.expected[0])
        if key not in seen:
            seen.add(key)
            yield case


def _aborted(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Multiplications that are zeroised or reset; what follows is as if they had not been."""
    draw = random.Random(f"bus {seed}")
    for number, curve in enumerate(design.curves):
        cases = [case for case in sample(design, seed) if case.curve == number]
        long = next(
            case for case in cases if case.operation == point_operation(curve) and full(case)
        )
        after = next(case for case in cases if case.operation >= Operation.FIELD_MULTIPLY)
        ladder = design.scalars.rounds[number] * design.step_cycles(number)
        host = Host(BusSimulator(model, seed=seed, stalls=STALLS // 2, pause=4), patience(design))
        host.idle()
        for index in range(2 * _INSTANTS):
            start(host, long, min(draw.randrange(ladder), draw.randrange(ladder)))
            if index % 2:
                host.zeroise()
            else:
                host.simulator.reset(
                    host.map["CONTROL"].address,
                    host.command(long),
                    after=draw.randrange(4),
                    cycles=RESETS[index // 2 % len(RESETS)],
                )
                host.check_reset()
            compare(host, after, interrupts=bool(index & 2))
            yield
