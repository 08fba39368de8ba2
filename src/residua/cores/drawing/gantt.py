"""Pipeline occupancy: a schedule or a routine as a Gantt chart."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from residua.cores.drawing import svg
from residua.machines.routine import Routine
from residua.machines.schedule import Schedule
from residua.machines.slots import Left, Placed, Slot

LABELS = 150
"""Width of the column of names."""

WIDTH = 1040
ROW = 26
BAR = 18

KINDS = {
    "product": "product of operands",
    "scaled": "product with a constant",
    "broadcast": "broadcast: one pass around the ring",
    "gate": "selected by a bit of the scalar",
    "quotient": "quotient of the Cox",
    "binary": "operand word on the bus",
    "wait": "waiting for the Cox",
    "pipeline": "accumulator and reducer",
    "cox": "Cox listens",
}
"""Meanings of bars; the keys are classes of the page's style sheet."""


_END = re.compile("s_[ab]")
"""Sequences that end a reduction."""

_LONGEST = 22
"""Letters of a name that the column has room for."""


@dataclass(frozen=True)
class Bar:
    """A run of equal cycles: the first one, their number, and one of `KINDS`."""

    start: int
    length: int
    kind: str


def slot_bars(placed: Placed) -> list[Bar]:
    """The slots of a sequence, equal neighbours joined."""
    kinds = list(_kinds(placed.sequence.slots))
    bars, start = [], placed.start
    for kind, group in groupby(kinds):
        length = len(list(group))
        bars.append(Bar(start, length, kind))
        start += length
    return bars


def _kinds(slots: tuple[Slot, ...]) -> Iterator[str]:
    for slot, following in zip(slots, (*slots[1:], None), strict=True):
        if slot.gate:
            yield "gate"
        elif slot.left == Left.NEIGHBOUR or slot.tap_weights:
            yield "broadcast"
        elif slot.binary_word is not None:
            yield "binary"
        elif slot.left == Left.BUS:
            yield "quotient"
        elif slot.right_word:
            yield "product"
        elif slot.left_word is None:
            yield "wait"
        elif following is not None and following.left == Left.NEIGHBOUR:
            yield "broadcast"
        else:
            yield "scaled"


def one_run(schedule: Schedule) -> str:
    """One row for each sequence, with its way through the pipeline, and one for the Cox."""
    latency = schedule.machine.rower_latency
    rows = []
    for placed in schedule.placed:
        tail = Bar(placed.last + 1, latency - 1, "pipeline")
        rows.append((name_of(placed), [*slot_bars(placed), tail]))
    rows.append(("Cox", _cox_bars(schedule)))
    label = "Slots of one run, by sequence, with the pipeline behind each"
    return _chart(rows, schedule.latency, label)


def interleaved(schedule: Schedule, runs: int = 4) -> str:
    """One row for each of several runs, and how busy the multipliers are with all of them."""
    bars = [bar for placed in schedule.placed for bar in slot_bars(placed)]
    rows = []
    for run in range(runs):
        shift = run * schedule.interval
        rows.append(
            (f"run {run + 1}", [Bar(bar.start + shift, bar.length, bar.kind) for bar in bars])
        )
    rows.append(("multipliers", [bar for _, each in rows for bar in each]))
    end = (runs - 1) * schedule.interval + schedule.latency
    return _chart(rows, end, f"Slots of {runs} runs, started {schedule.interval} cycles apart")


def one_routine(routine: Routine) -> str:
    """One row for each element that a routine computes, with the reduction that leads to it."""
    latency = routine.machine.rower_latency
    rows = []
    for name, members in _elements(routine):
        tails = [Bar(placed.last + 1, latency - 1, "pipeline") for placed in members]
        # Slots cover the pipeline of the sequence before them.
        rows.append((name, [*tails, *(bar for placed in members for bar in slot_bars(placed))]))
    slots = [bar for placed in routine.placed for bar in slot_bars(placed)]
    rows.append(("multipliers", slots))
    end = max(placed.last for placed in routine.placed) + latency
    return _chart(rows, end, f"Slots of {routine.name}, by element, with the pipeline behind them")


def _elements(routine: Routine) -> list[tuple[str, list[Placed]]]:
    """The sequences of a routine by the element that they lead to.

    A reduction begins with the sequences of its product and ends with those of its result; each has
    one for every word of either base.
    """
    found: list[tuple[str, list[Placed]]] = []
    last = ""
    for placed in routine.placed:
        name, _, part = placed.sequence.name.partition(":")
        ends = _END.fullmatch(name) is not None
        element = name if part else name.removesuffix("_a").removesuffix("_b")
        if found and (ends or element == last):
            found[-1][1].append(placed)
        else:
            found.append((element, [placed]))
        last = "" if ends else element
    return found


def legend(schedule: Schedule | Routine) -> list[tuple[str, str]]:
    """Class and meaning of every kind of bar that the charts of a schedule or a routine have."""
    used = {bar.kind for placed in schedule.placed for bar in slot_bars(placed)} | {"pipeline"}
    if isinstance(schedule, Schedule):
        used.add("cox")
    return [(kind, meaning) for kind, meaning in KINDS.items() if kind in used]


def name_of(placed: Placed) -> str:
    """The vector that a sequence computes and which of its channels."""
    sequence, rowers = placed.sequence, len(placed.sequence.moduli)
    if sequence.result is None:
        return sequence.name
    first = sequence.result.group * rowers
    return f"{sequence.name} [{first}..{first + rowers - 1}]"


def _cox_bars(schedule: Schedule) -> list[Bar]:
    return [
        Bar(placed.start + start, length, "cox")
        for placed in schedule.placed
        for start, length in _stretches([bool(slot.tap_weights) for slot in placed.sequence.slots])
    ]


def _stretches(flags: list[bool]) -> Iterator[tuple[int, int]]:
    start = 0
    for flag, group in groupby(flags):
        length = len(list(group))
        if flag:
            yield start, length
        start += length


def _chart(rows: list[tuple[str, list[Bar]]], cycles: int, label: str) -> str:
    scale = (WIDTH - LABELS - 10) / cycles
    bottom = len(rows) * ROW + 4
    elements = list(_axis(cycles, scale, bottom))
    for index, (name, bars) in enumerate(rows):
        top = index * ROW + (ROW - BAR) / 2
        shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        elements.append(svg.text(LABELS - 8, top + 13, shown, anchor="end"))
        elements += [
            svg.rect(
                LABELS + bar.start * scale,
                top,
                max(bar.length * scale - 0.6, 0.6),
                BAR,
                bar.kind,
                title=f"{name}: {KINDS[bar.kind]}, {_span(bar)}",
            )
            for bar in bars
        ]
    return svg.drawing(WIDTH, bottom + 20, elements, label)


def _span(bar: Bar) -> str:
    if bar.length == 1:
        return f"cycle {bar.start}"
    return f"cycles {bar.start} to {bar.start + bar.length - 1}"


def _axis(cycles: int, scale: float, bottom: float) -> Iterator[str]:
    step = next((s for s in (5, 10, 20, 50, 100, 200, 500) if cycles / s <= 16), 1000)
    for cycle in range(0, cycles + 1, step):
        x = LABELS + cycle * scale
        yield svg.line(x, 0, x, bottom, "grid")
        yield svg.text(x, bottom + 14, str(cycle), "axis", anchor="middle")
