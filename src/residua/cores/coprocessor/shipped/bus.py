"""A coprocessor's top module on its bus: every operation through registers and streams.

The volume of operations runs on the core inside, which the bus instantiates. Here each operation
ends once in each way that it can end, with and without interrupts, with and without stalls; then
it is refused, zeroised and reset in its midst.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import cycle

from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.cases import Case, all_cases
from residua.cores.coprocessor.shipped.bus_simulator import BusError, BusModel, BusSimulator
from residua.cores.coprocessor.shipped.host import Fault, Host
from residua.curves.operations import MULTIPLICATIONS, Operation, Status, point_operation
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import patience

STALLS = 96
"""Cycles of 256 in which a channel pauses when stalls are asked for."""

RESETS = (1, 2, 3)
"""Cycles of the resets in mid-operation."""

_INSTANTS = 6
"""Zeroisations, and resets, of one operation."""


def verify_bus(model: BusModel, design: CurveDesign, seed: int) -> tuple[int, list[str]]:
    """Run every operation through the bus; how many ran, and what went wrong.

    The first fault ends it: the state of the core is unknown after it.
    """
    count = 0
    for run in (_operations, _aborted):
        try:
            for _ in run(model, design, seed):
                count += 1
        except (Fault, BusError) as error:
            return count, [f"through the bus, after {count} operations: {error}"]
    return count, []


def _operations(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Every way in which every operation ends; those without a ladder with stalls, too."""
    cases = list(_sample(design, seed))
    short = [case for case in cases if case.operation not in MULTIPLICATIONS or not _full(case)]
    long = next(case for case in cases if case.operation in MULTIPLICATIONS and _full(case))
    for stalls, chosen in ((0, cases), (STALLS, [*short, long])):
        host = Host(BusSimulator(model, seed=seed, stalls=stalls), patience(design))
        host.check_reset()
        for case, interrupts in zip(chosen, cycle((False, True)), strict=False):
            _compare(host, case, interrupts=interrupts)
            yield
        _refusals(host, long)
        yield


def _full(case: Case) -> bool:
    """Whether an operation with a ladder runs it."""
    return case.expected[0] in (Status.OK, Status.NEUTRAL, Status.INVALID)


def _sample(design: CurveDesign, seed: int) -> Iterator[Case]:
    """The first case of each operation with each outcome, on each curve."""
    seen = set()
    for case in all_cases(design, 1, seed):
        key = (case.curve, case.operation, case.expected[0])
        if key not in seen:
            seen.add(key)
            yield case


def _compare(host: Host, case: Case, *, interrupts: bool) -> None:
    ended = host.execute(case, interrupts=interrupts)
    status, results = case.expected
    if ended != (host.code(status), results):
        name = f"operation {case.operation} on curve {case.curve} of {_hexes(case.operands)}"
        raise Fault(
            f"{name}: status {ended[0]}, {_hexes(ended[1])} instead of {host.code(status)}, "
            f"{_hexes(results)}"
        )


def _hexes(numbers: Sequence[int]) -> str:
    return f"({', '.join(map(hex, numbers))})"


def _refusals(host: Host, case: Case) -> None:
    """Check refusals of an idle and of a running core, which must leave its result alone."""
    host.refused("ZEROISE", host.map.zeroise_key ^ 1)
    if not host.streams:
        host.refused("RESULT", None)
    waiting = host.begin(case)
    host.refused("CONTROL", host.command(case))
    host.refused("ZEROISE", host.map.zeroise_key ^ 1 << 31)
    found = host.moved(waiting, host.patience)
    code = host.ended(interrupts=False)
    if host.streams:
        found = host.simulator.received(len(case.expected[1]) * host.words)
    else:
        found += host.rest()
    numbers = [split_words(number, host.words, 32) for number in case.expected[1]]
    if code != host.code(case.expected[0]) or found != [w for n in numbers for w in n]:
        raise Fault("refused accesses change the operation that runs")


def _aborted(model: BusModel, design: CurveDesign, seed: int) -> Iterator[None]:
    """Multiplications that are zeroised or reset; what follows is as if they had not been."""
    draw = random.Random(f"bus {seed}")
    for number, curve in enumerate(design.curves):
        cases = [case for case in _sample(design, seed) if case.curve == number]
        long = next(
            case for case in cases if case.operation == point_operation(curve) and _full(case)
        )
        after = next(case for case in cases if case.operation >= Operation.FIELD_MULTIPLY)
        ladder = design.rounds[number] * design.step_cycles(number)
        host = Host(BusSimulator(model, seed=seed, stalls=STALLS // 2, pause=4), patience(design))
        host.idle()
        for index in range(2 * _INSTANTS):
            _start(host, long, min(draw.randrange(ladder), draw.randrange(ladder)))
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
            _compare(host, after, interrupts=bool(index & 2))
            yield


def _start(host: Host, case: Case, cycles: int) -> None:
    """An operation that runs for so many cycles."""
    waiting = host.begin(case)
    if host.streams:
        host.simulator.run(cycles)
    else:
        host.moved(waiting, cycles)
