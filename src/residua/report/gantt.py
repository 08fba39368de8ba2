"""Pipeline occupancy: a schedule as a Gantt chart, for one run and for interleaved ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from residua.machines.schedule import Schedule
from residua.machines.slots import Left, Placed, Slot
from residua.report import svg

LABELS = 150
"""Width of the column of names."""

WIDTH = 1040
ROW = 26
BAR = 18

KINDS = {
    "product": "product of operands",
    "scaled": "product with a constant",
    "broadcast": "broadcast: one pass around the ring",
    "quotient": "quotient of the Cox",
    "binary": "operand word on the bus",
    "wait": "waiting for the Cox",
    "pipeline": "accumulator and reducer",
    "cox": "Cox listens",
}
"""What a bar can mean; its keys are classes of the page's style sheet."""


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
        if slot.left == Left.NEIGHBOUR or slot.tap_weights:
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


def legend(schedule: Schedule) -> list[tuple[str, str]]:
    """Class and meaning of every kind of bar that the schedule's charts can have."""
    absent = () if schedule.binary_words else ("binary",)
    return [(kind, meaning) for kind, meaning in KINDS.items() if kind not in absent]


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
        elements.append(svg.text(LABELS - 8, top + 13, name, "label", anchor="end"))
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
