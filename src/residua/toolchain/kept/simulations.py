"""What simulations say, kept by all that they depend on."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

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
        executable: the simulator; of one with mutants the chosen one belongs to what is kept.
        parts: all that the simulator reads.
        log: what ``run`` writes.
        outputs: names of other files that it writes beside the log, kept as well.
        run: runs the simulator; if it fails, nothing is kept.
    """
    chosen = os.environ.get(VARIABLE, "")
    read, written = [executable.read_bytes(), chosen, *parts], [log.name, *outputs]
    keep_run("simulator", read, written, log.parent, run)
    return log.read_text(encoding="utf-8", errors="replace")
