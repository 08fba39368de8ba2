"""CP-SAT, with answers that depend on neither the machine nor the user's patience."""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


def run_solver(model: "cp_model.CpModel", effort: float) -> "tuple[cp_model.CpSolver, bool]":
    """The solver after its search, which holds the best answer, and whether there is an answer.

    The same model gets the same answer everywhere. An interrupt ends the search and is raised, so
    that nobody goes on with the half of an answer.

    Args:
        model: what to solve.
        effort: a limit in CP-SAT's deterministic time, about seconds.
    """
    # Loaded where it is needed: it takes longer than most of what does without.
    from ortools.sat.python import cp_model  # noqa: PLC0415

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = effort
    # Its own handler would end the search and hide the interrupt.
    solver.parameters.catch_sigint_signal = False
    # Python handles signals in its main thread alone, and not while that is in the search.
    with ThreadPoolExecutor(1) as beside:
        search = beside.submit(solver.solve, model)
        try:
            status = search.result()
        except BaseException:
            solver.stop_search()
            raise
    return solver, status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
