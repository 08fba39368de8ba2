"""A multiplier with words in simulation, against plain integers."""

from collections.abc import Sequence
from pathlib import Path

from residua.cores.simulation.engine import is_long
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.simulation.words import build_word_simulator, verify_words
from residua.hardware.converters.word_core import WordDesign


def verify_word_core(
    design: WordDesign, top: str, sources: Sequence[Path], runs: Runs
) -> VerificationResult:
    """Compare the Verilog of a core with words, whose top module is ``top``."""
    simulator = build_word_simulator(
        design,
        sources,
        top=top,
        optimise=is_long(runs.vectors, design.interval, runs.resets),
    )
    return verify_words(simulator, **runs.choices)
