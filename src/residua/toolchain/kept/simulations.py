"""What simulations say, kept by all that they depend on."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from residua import cache
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.planted.mutation import VARIABLE


def keep_simulation(
    executable: Path,
    parts: Iterable[str | bytes],
    log: Path,
    run: Callable[[], object],
    outputs: Sequence[str] = (),
) -> str:
    """The log of a simulation, from the cache if the same one has been run before.

    Args:
        executable: the simulator, all of it; of one with mutants, which has the name of `VARIABLE`
            in it, the chosen one belongs to what is kept.
        parts: all that the simulator reads.
        log: what ``run`` writes.
        outputs: names of other files that it writes beside the log, kept as well.
        run: runs the simulator; if it fails, nothing is kept.
    """
    state = executable.stat()
    digest, has_mutants = _simulator(executable, (state.st_mtime_ns, state.st_size))
    chosen = os.environ.get(VARIABLE, "") if has_mutants else ""
    keep_run("simulator", [digest, chosen, *parts], [log.name, *outputs], log.parent, run)
    return log.read_text(encoding="utf-8", errors="replace")


@lru_cache(maxsize=64)
def _simulator(executable: Path, _state: tuple[int, int]) -> tuple[str, bool]:
    """The digest of a simulator as it is now, and whether it has mutants: both take a while."""
    data = executable.read_bytes()
    return cache.key([data]), VARIABLE.encode() in data
