"""How the rows of a store stand to what the sources make now."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from residua.evidence.campaign import Campaign, Task
from residua.evidence.rows import PUBLISHED_SEEDS, Row, Store
from residua.output import Progress


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
    campaign: Campaign,
    store: Store,
    *,
    parts: Iterable[str] = (),
    progress: Progress = lambda step: None,
) -> list[Standing]:
    """Compare the rows of a campaign with what its hardware is now.

    Args:
        campaign: whose rows are looked at, those that it has no more left out.
        store: of the rows.
        parts: only rows with one of these in their names.
        progress: called with the name of each row.

    Raises:
        SpecificationError: no row has such a part in its name, or the store is of another form.
    """
    found = []
    for task in campaign.tasks(campaign.rows(store), Path(), parts=parts):
        progress(f"{campaign.name}: {task.name}")
        found.append(_standing(campaign, task))
    return found


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
