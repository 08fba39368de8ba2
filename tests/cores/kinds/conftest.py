"""Fixtures for kinds of cores."""

import pytest

from residua.cores.exponentiation import verification


@pytest.fixture(scope="module")
def few_model_powers():
    """The model of exponentiation is asked for few powers: it takes longer than the Verilog."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "MODEL_PRODUCTS", 200_000)
        yield
