"""Fixtures for kinds of cores."""

import pytest

from residua.cores.exponentiation import verification
from residua.cores.simulation.runs import Runs
from residua.cores.simulation.words import build_word_simulator, verify_words


@pytest.fixture(scope="module")
def few_model_powers():
    """The model of exponentiation is asked for few powers: it takes longer than the Verilog."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "MODEL_PRODUCTS", 60_000)
        yield


@pytest.fixture(scope="module")
def measured_interval():
    """Measures cycles between results of a core with one key, which takes more than 32 of them."""

    def measure(directory, operations, **options):
        simulator = build_word_simulator(
            operations,
            directory.sources(top=directory.name),
            top=directory.name,
            modulus=operations.modulus_words,
            **options,
        )
        found = verify_words(simulator, Runs(36, stalls=False, resets=0))
        assert found.failures == ()
        return found.interval

    return measure
