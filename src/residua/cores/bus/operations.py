"""Operations of a core through its bus, for the verification of any kind of core."""

from collections.abc import Iterable, Iterator, Sequence

from residua.algorithms.conversion import split_words
from residua.cores.bus.host import Case, Fault, Host
from residua.cores.bus.simulator import BusError

STALLS = 96
"""Cycles of 256 in which a channel pauses when stalls are asked for."""

RESETS = (1, 2, 3)
"""Cycles of the resets in mid-operation."""


def run_all(runs: Iterable[Iterator[None]]) -> tuple[int, list[str]]:
    """Make each step of some runs; how many there were, and the fault that ended them."""
    count = 0
    try:
        for run in runs:
            for _ in run:
                count += 1
    except (Fault, BusError) as error:
        return count, [f"through the bus, after {count} operations: {error}"]
    return count, []


def compare(host: Host, case: Case, *, interrupts: bool) -> None:
    """Run an operation, and raise a fault unless it ends as it has to."""
    ended = host.execute(case, interrupts=interrupts)
    if ended != (host.code(case.expected[0]), case.expected[1]):
        curve = f" on curve {case.curve}" if "curve" in host.map["CONTROL"].fields else ""
        status, results = case.expected
        raise Fault(
            f"operation {case.operation}{curve} of {_hexes(case.operands)}: "
            f"status {ended[0]}, {_hexes(ended[1])} instead of {host.code(status)}, "
            f"{_hexes(results)}"
        )


def _hexes(numbers: Sequence[int]) -> str:
    return f"({', '.join(map(hex, numbers))})"


def check_refusals(host: Host, case: Case) -> None:
    """Check refusals of an idle and of a running core, which must leave its result alone."""
    host.refused("ZEROISE", host.map.zeroise_key ^ 1)
    if not host.streams:
        host.refused("RESULT", None)
    # Without operands also a short operation runs as long as it takes.
    host.order(case)
    host.refused("CONTROL", host.command(case))
    waiting = host.give(case)
    host.refused("ZEROISE", host.map.zeroise_key ^ 1 << 31)
    found = host.moved(waiting, host.patience)
    code = host.ended(interrupts=False)
    if host.streams:
        found = host.received(len(case.expected[1]) * host.words)
    else:
        found += host.rest()
    numbers = [split_words(number, host.words, 32) for number in case.expected[1]]
    if code != host.code(case.expected[0]) or found != [w for n in numbers for w in n]:
        raise Fault("refused accesses change the operation that runs")


def start(host: Host, case: Case, cycles: int) -> None:
    """An operation that runs for so many cycles."""
    waiting = host.begin(case)
    if host.streams:
        host.simulator.run(cycles)
    else:
        host.moved(waiting, cycles)
