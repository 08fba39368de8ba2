"""The rows that come with Residua: cores that were placed for the published pages, and explored.

``python -m residua.explore.designs.shipped results`` writes them (`make shipped`).
"""

import sys
from pathlib import Path

from residua.evidence.rows import Row, Store
from residua.explore.designs.choice import SHIPPED
from residua.explore.designs.figures import MAPPED, Step
from residua.explore.designs.measures import Task, measure
from residua.explore.designs.results import row_figures
from residua.explore.designs.space import TARGET
from residua.report.clocks import clock_of

PLACED = "measured"
"""The campaign of clocks, whose rows have cores that were placed."""

EXPLORED = "explored"
"""The folder of a store with the rows of explorations."""


def write(store: Store) -> list[Path]:
    """Write the rows of a store that users choose from; the files."""
    shipped, explored = Store(SHIPPED), Store(store.directory / EXPLORED)
    placed = [found for row in store.read(PLACED).values() if (found := _explored(row))]
    return [
        shipped.write(PLACED, placed),
        *(shipped.write(name, explored.read(name).values()) for name in explored.campaigns()),
    ]


def _explored(row: Row) -> Row | None:
    """A row of a campaign as an exploration would have made it; None if it has no clocks."""
    placed = row.get(TARGET, {})
    clock = clock_of(placed)
    if clock is None or not clock.placements or row.specification is None:
        return None
    model = measure(Task(row.specification, Step.MODEL, TARGET, row.amount))
    assert not model.refusal
    resources = {name: placed["resources"][name] for name in MAPPED}
    figures = model.figures | resources | {"mhz": clock.median}
    return row.model_copy(
        update={
            "name": model.name,
            "figures": row_figures(model, figures, TARGET, clock.placements, is_best=False),
        }
    )


if __name__ == "__main__":
    write(Store(Path(sys.argv[1])))
