"""How the rows of a store stand to what the sources make now."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from residua.evidence.campaign import Campaign, Task
from residua.evidence.rows import PUBLISHED_SEEDS, Row, Store
from residua.output import Progress
from residua.toolchain import executors


class State(StrEnum):
    """What is to be said of a row."""

    HOLDS = "holds"
    MISSING = "missing"
    STALE = "stale"
    SHORT = "short"
    FAULTY = "faulty"


MEANINGS = {
    State.HOLDS: "measured on the hardware that the sources make now",
    State.MISSING: "never measured",
    State.STALE: "measured on other hardware, or on sources that were no commit",
    State.SHORT: "measured with fewer runs or placements than are asked for, or on fewer targets",
    State.FAULTY: "measured, and something was wrong",
}


@dataclass(frozen=True)
class Standing:
    """A row and its state.

    Attributes:
        name: of the row.
        state: what is to be said of it.
        commit: at which it was measured; None if it never was.
        few_seeds: whether a clock of it is the median of fewer than `PUBLISHED_SEEDS` placements.
        seconds: that it took; None where that is not known.
    """

    name: str
    state: State
    commit: str | None
    few_seeds: bool
    seconds: float | None


def standings(
    campaigns: Mapping[str, Campaign],
    store: Store,
    *,
    parts: Iterable[str] = (),
    jobs: int = 1,
    progress: Progress = lambda step: None,
) -> dict[str, list[Standing]]:
    """Compare the rows of campaigns with what their hardware is now.

    Args:
        campaigns: whose rows are looked at, by name; those that they have no more are left out.
        store: of the rows.
        parts: only rows of these names, or with one of these in them.
        jobs: rows that are looked at at once.
        progress: called with the name of each row.

    Returns:
        The standings of the rows of each campaign, in order.

    Raises:
        SpecificationError: no row has such a part in its name, or the store is of another form.
    """
    looked_at = [
        (name, campaign, task)
        for name, campaign in campaigns.items()
        for task in campaign.tasks(campaign.rows(store), Path(), parts=parts)
    ]
    rows = [(campaign, task) for _, campaign, task in looked_at]
    found: dict[str, list[Standing]] = {name: [] for name in campaigns}
    for (name, _, task), standing in zip(looked_at, _found(rows, jobs), strict=True):
        progress(f"{name}: {task.name}")
        found[name].append(standing)
    return found


_rows: list[tuple[Campaign, Task]] = []
"""What a worker looks at, which it has from the process that it was forked from."""


def _found(rows: Sequence[tuple[Campaign, Task]], jobs: int) -> Iterator[Standing]:
    """The standing of each row, in order."""
    if jobs == 1 or len(rows) < 2:
        yield from (_standing(*row) for row in rows)
        return
    with executors.tool_workers(jobs, _begin, (rows,)) as pool:
        yield from executors.in_order(pool, jobs, _look, range(len(rows)))


def _begin(rows: Sequence[tuple[Campaign, Task]]) -> None:
    _rows[:] = rows


def _look(number: int) -> Standing:
    return executors.ended_by_interrupts(lambda row: _standing(*row), _rows[number])


def _standing(campaign: Campaign, task: Task) -> Standing:
    row = task.known
    if row is None:
        return Standing(task.name, State.MISSING, None, False, None)
    placements = row.placements
    few = placements is not None and placements < PUBLISHED_SEEDS
    return Standing(task.name, _state(campaign, task, row), row.commit, few, row.seconds)


def _state(campaign: Campaign, task: Task, row: Row) -> State:
    if campaign.faults(row):
        return State.FAULTY
    if row.is_dirty or row.verilog != campaign.subject(task.name).digest():
        return State.STALE
    complete = task.is_enough(row) and campaign.is_complete(row)
    return State.HOLDS if complete else State.SHORT
