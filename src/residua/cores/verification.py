"""Verification of a core's directory."""

from functools import partial
from typing import Any

from residua.cores.directory import Directory
from residua.cores.simulation.runs import Resets, Runs, Stalls, Steps


def verify_directory(
    directory: Directory,
    *,
    vectors: int | None = None,
    seed: int = 1,
    stalls: Stalls = None,
    resets: Resets = None,
    progress: Steps = lambda done, total: None,
    intact: bool = True,
) -> dict[str, Any]:
    """Compare all that a directory ships with its model, and keep the outcome in its results.

    First every file is held against what the specification gives, byte for byte. Then the files
    are run as they lie there, so that a fault that the specification gives again is found, too:
    the Verilog with the primitives for any target and, for a part of the runs, with those for the
    ECP5; the files that take it into a design are read back. Of a coprocessor, operations also run
    through the registers and streams of its bus, in its test bench, and by its C driver; and the
    bus passes on each bit, also those on which no result depends, as random words, answers accesses
    that do not wait for one another, and refuses what comes near to a key.

    A core with binary words, a digit multiplier and a coprocessor are compared with plain integers,
    which judge every result then.

    Args:
        directory: what ``residua build`` wrote.
        vectors: runs, at least 1; of a coprocessor, multiplications of random points on each curve,
            beside which all other operations run. None for a default.
        seed: chooses the operands; the same seed, the same operands.
        stalls: in which runs there are random gaps between operands, and with streams results that
            have to wait; see `Stalls`.
        resets: how many come in mid-run, of a coprocessor for each operation; see `Resets`.
        progress: called now and then.
        intact: refuse files that the specification does not give.

    Raises:
        SpecificationError: no runs, or a file is not what this version of Residua makes of the
            specification.
        ToolError: the simulator cannot be built or run.
    """
    if intact:
        directory.check()
    core = directory.made
    count = core.default_runs if vectors is None else vectors
    result, times = core.verify(directory, Runs(count, seed, stalls, resets, progress))
    directory.store("verify-stalls" if stalls else "verify", result)
    return {"name": directory.name, **result, **times}


run_directory = partial(verify_directory, intact=False)
"""The part of `verify_directory` that runs the files, whatever they are."""
