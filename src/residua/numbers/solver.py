"""CP-SAT, with answers that depend on neither the machine nor the user's patience."""

import importlib.metadata
import json
import lzma
import math
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

_FIRST, _SECOND = 0.05, 0.2
"""Shares of its effort that the search for a schedule takes without relaxations, then with them."""

KIND = "answers"
"""Kind of the entries of the cache."""

SEARCHED, SCHEDULED = "solver", "schedule"
"""How their names begin: of a search with relaxations alone, and of one for a schedule."""

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


def solve(model: "cp_model.CpModel", effort: float, *, schedule: bool = False) -> Answer:
    """The best answer of a search, which is kept (`residua.cache`) for the same model.

    Answers for the catalogue's cores are part of the package (`make answers`).

    The same model gets the same answer everywhere. An interrupt ends the search and is raised, so
    that nobody goes on with the half of an answer.

    Args:
        model: what to solve.
        effort: a limit in CP-SAT's deterministic time, about seconds.
        schedule: the model is one of jobs that wait for one another. Linear relaxations tell little
            of most of these, so that they are left out at first: that takes a few seconds where a
            search with them finds no more in minutes. What it does not settle they may.
    """
    key = cache.key([importlib.metadata.version("ortools"), str(model.proto), repr((effort, GAP))])
    if key in shipped():
        return Answer(**shipped()[key])

    def make(path: Path) -> None:
        found = _scheduled(model, effort) if schedule else _search(model, effort).answer
        path.write_text(json.dumps(asdict(found)), encoding="utf-8")

    kept = cache.kept(KIND, SCHEDULED if schedule else SEARCHED, key, make)
    return Answer(**json.loads(kept.read_text(encoding="utf-8")))


@once
def shipped() -> dict[str, dict[str, Any]]:
    """The answers that are part of the package, by key."""
    if not SHIPPED.exists():
        return {}
    return dict(json.loads(lzma.decompress(SHIPPED.read_bytes())))


@dataclass(frozen=True)
class _Found:
    """What a search ends with: an answer, what it is worth, and whether there is no better one."""

    answer: Answer
    objective: float
    settled: bool


def _scheduled(model: "cp_model.CpModel", effort: float) -> Answer:
    """Search without relaxations, then with them from there on."""
    first = _search(model, effort * _FIRST, relaxed=False)
    if first.settled:
        return first.answer
    model = model.clone()
    if first.answer.solution is not None:
        model.proto.clear_solution_hint()
        for index, value in enumerate(first.answer.solution):
            model.add_hint(model.get_int_var_from_proto_index(index), value)
    second = _search(model, effort * _SECOND)
    best = min(first, second, key=lambda found: found.objective).answer
    return Answer(best.solution, first.answer.time + second.answer.time)


def _search(model: "cp_model.CpModel", effort: float, *, relaxed: bool = True) -> _Found:
    # Loaded where it is needed: it takes longer than most of what does without.
    from ortools.sat.python import cp_model  # noqa: PLC0415

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = effort
    solver.parameters.relative_gap_limit = GAP
    if not relaxed:
        solver.parameters.linearization_level = 0
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
    answer = Answer(list(response.solution) if found else None, response.deterministic_time)
    settled = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return _Found(answer, response.objective_value if found else math.inf, settled)
