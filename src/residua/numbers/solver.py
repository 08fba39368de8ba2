"""CP-SAT, with answers that depend on neither the machine nor the user's patience."""

import importlib.metadata
import json
import lzma
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Any

from residua import cache

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

GAP = 0.0025
"""The search ends when an answer is proved to be within so much of the best one: no cycle of a
ladder step of 400, one of a longer one."""


KIND = "answers"
"""Kind of the entries of the cache."""

SHIPPED = Path(__file__).with_name("answers.json.xz")


@dataclass(frozen=True)
class Answer:
    """Answer of a search.

    Attributes:
        solution: a value for each variable of the model, by its index; None without an answer.
        time: what the search spent, in CP-SAT's deterministic seconds.
    """

    solution: list[int] | None
    time: float

    def value(self, variable: "cp_model.IntVar") -> int:
        """Value of a variable in the answer, of which there is one."""
        assert self.solution is not None
        return self.solution[variable.index]


def solve(model: "cp_model.CpModel", effort: float) -> Answer:
    """The best answer of a search, which is kept (`residua.cache`) for the same model.

    Answers for the catalogue's cores are part of the package (`make answers`).

    The same model gets the same answer everywhere. An interrupt ends the search and is raised, so
    that nobody goes on with the half of an answer.

    Args:
        model: what to solve.
        effort: a limit in CP-SAT's deterministic time, about seconds.
    """
    key = cache.key([importlib.metadata.version("ortools"), str(model.proto), repr((effort, GAP))])
    if key in shipped():
        return Answer(**shipped()[key])

    def make(path: Path) -> None:
        path.write_text(json.dumps(asdict(_search(model, effort))), encoding="utf-8")

    kept = cache.kept(KIND, "solver", key, make)
    return Answer(**json.loads(kept.read_text(encoding="utf-8")))


@once
def shipped() -> dict[str, dict[str, Any]]:
    """The answers that are part of the package, by key."""
    if not SHIPPED.exists():
        return {}
    return dict(json.loads(lzma.decompress(SHIPPED.read_bytes())))


def _search(model: "cp_model.CpModel", effort: float) -> Answer:
    # Loaded where it is needed: it takes longer than most of what does without.
    from ortools.sat.python import cp_model  # noqa: PLC0415

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = effort
    solver.parameters.relative_gap_limit = GAP
    # Its own handler would end the search and hide the interrupt.
    solver.parameters.catch_sigint_signal = False
    # Python handles signals in its main thread alone, and not while that is in the search.
    with ThreadPoolExecutor(1) as beside:
        try:
            status = beside.submit(solver.solve, model).result()
        except BaseException:
            solver.stop_search()
            raise
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    response = solver.response_proto
    return Answer(list(response.solution) if found else None, response.deterministic_time)
