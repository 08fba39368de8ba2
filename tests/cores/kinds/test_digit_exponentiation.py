"""Exponentiators as cores: specification, verification."""

import pytest

from residua.cores.digit.core import DigitCore
from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.report import page

SMALL = {"algorithm": "modexp", "bits": 24, "digit": 8, "window": 2, "exponent_bits": 9}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(check_any(SMALL), tmp_path_factory.mktemp("modexp") / "core")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"variant": "closed"}, "variant = 'closed': an exponentiator has numbers below p"),
        ({"operand_check": "flag"}, "operand_check = 'flag': any base and exponent will do; leave"),
        ({"window": 9}, "window = 9: expected 1 to 8 (bits of the exponent that"),
        ({"exponent_bits": 25}, "exponent_bits = 25: the words of an operand hold 1 to 24"),
        ({"algorithm": "iddmm"}, "window = 2: algorithm = 'iddmm' has no exponents; leave it out"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError) as caught:
        DigitCore.of(check_any({**SMALL, **values}))
    assert str(caught.value).startswith(message)


def test_choices_are_written_down():
    made = DigitCore.of(check_any({"algorithm": "modexp", "bits": 2048, "lanes": 4}))
    assert made.parameters["window"] == 5
    assert made.cycles["products"] == 33 + 2048 + 410 + 1
    assert made.cycles["compute"] == made.cycles["products"] * made.cycles["product_cycles"]
    # A public exponent is short, and its window narrow.
    public = DigitCore.of(
        check_any({"algorithm": "modexp", "bits": 2048, "lanes": 4, "exponent_bits": 17})
    )
    assert public.cycles["products"] < made.cycles["products"] // 60
    assert public.specification.items()["exponent_bits"] == 17


def test_verification(built):
    """Several moduli; the cycles are the same for all bases and exponents."""
    found = verify_directory(built, vectors=260, seed=2)
    assert found["failures"] == []
    assert (found["vectors"], found["passed"]) == (260, True)
    assert found["cycles"] == {k: built.manifest["cycles"][k] for k in ("latency", "interval")}
    assert "Z = X<sup>Y</sup> modulo p" in page.render(built)
    assert "then the words of R^2 modulo p" in (built.path / "README.md").read_text()
    assert built.manifest["ranges"]["y"] == ["0", str(2**9 - 1)]
