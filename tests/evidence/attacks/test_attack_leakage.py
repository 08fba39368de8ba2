"""Traces of coprocessors, and what tells two groups of them apart."""

import numpy as np
import pytest
from scipy import stats
from tests.evidence.attacks.attacked import LADDER
from tests.schedules import quick_schedules

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Operation
from residua.errors import SpecificationError
from residua.evidence.attacks.groups import Compared
from residua.evidence.attacks.leakage import leakage
from residua.evidence.attacks.welch import Moments, threshold
from residua.hardware.coprocessor.durations import operation_cycles


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    with quick_schedules():
        yield build(check_any(LADDER), tmp_path_factory.mktemp("attack") / "core")


def cycles_of(directory, operation):
    return operation_cycles(directory.made.core.design, operation, 0)


def moments(traces):
    found = Moments(traces.shape[1])
    for part in np.array_split(traces, 3):
        found.add(part)
    return found


def groups():
    draw = np.random.default_rng(1)
    shape = 800, 60
    one, other = draw.poisson(900, shape), draw.poisson(900, shape)
    one[:, 7] += draw.integers(0, 9, 800)
    other[:, 9] = 900 + 3 * (draw.poisson(900, 800) - 900)
    return one.astype(np.uint16), other.astype(np.uint16)


def test_t_is_that_of_scipy():
    one, other = groups()
    found = moments(one).first(moments(other))
    wanted = stats.ttest_ind(one, other, equal_var=False).statistic
    assert np.allclose(found, wanted, rtol=2e-3)
    assert np.abs(found).argmax() == 7


def test_the_second_order_sees_variances():
    one, other = groups()
    found = moments(one).second(moments(other))
    squares = [(group - group.mean(axis=0)) ** 2 for group in (one, other)]
    wanted = stats.ttest_ind(*squares, equal_var=False).statistic
    assert np.allclose(found, wanted, rtol=5e-3, atol=5e-3)
    assert np.abs(found).argmax() == 9


def test_constants():
    one, other = np.full((5, 3), 7, np.uint16), np.full((9, 3), 7, np.uint16)
    other[:, 1] = 8
    t = moments(one).first(moments(other))
    assert list(t) == [0, -np.inf, 0]


def test_thresholds():
    assert threshold(72_490) == pytest.approx(6.42, abs=0.005)
    assert threshold(1) == pytest.approx(4.417, abs=0.001)


def test_a_scalar_that_is_not_blinded_tells_itself_when_it_is_read(tiny):
    found = leakage(tiny, Compared(traces=80))
    first = found["first"]
    assert found["cycles"] == cycles_of(tiny, Operation.POINT_MULTIPLY)
    assert first["phases"]["read scalar"] > found["threshold"] < first["t"]
    assert first["phases"]["read operand"] < found["usual"]
    assert first["above"] > 20
    assert tiny.results()["leakage"]["first"] == first


def test_groups_that_are_alike_are_not_told_apart(tiny):
    found = leakage(tiny, Compared(traces=80, control=True))
    for order in (found["first"], found["second"]):
        assert order["t"] < found["threshold"]
        assert order["above"] == 0


def test_registers_and_arrays_are_chosen(tiny, tmp_path):
    file = tmp_path / "traces.npz"
    found = leakage(tiny, Compared(traces=20, where="scalar_unit.*"), keep=file)
    with np.load(file) as archive:
        kept = dict(archive)
    assert kept["traces"].shape == (20, found["cycles"])
    assert kept["traces"].max() <= found["bits"] < 250
    own = kept["scalars"][kept["fixed"]]
    assert len(set(own)) == 1
    assert len(set(kept["scalars"])) == 20 - len(own) + 1
    assert len(kept["starts"]) == len(kept["phases"])
    assert set(kept["phases"]) == found["first"]["phases"].keys()
    assert np.isinf(kept["t1"]).any() or np.nanmax(np.abs(kept["t1"])) > 3


def test_bad_requests_are_named(tiny, tmp_path):
    with pytest.raises(SpecificationError, match="traces = 3: two of each group"):
        leakage(tiny, Compared(traces=3))
    with pytest.raises(SpecificationError, match=r"no register has a name like 'x\*'"):
        leakage(tiny, Compared(traces=20, where="x*"))
    with pytest.raises(SpecificationError, match="cannot write"):
        leakage(tiny, Compared(traces=20), keep=tmp_path / "none" / "file.npz")


def test_arithmetic_is_compared_too(tiny, tmp_path):
    """One number is fixed or random, all others are random: the other group tells nothing."""
    file = tmp_path / "traces.npz"
    asked = Compared(traces=200, operation="order_multiply_add", operand=1)
    found = leakage(tiny, asked, keep=file)
    assert (found["operation"], found["operand"], found["cycles"]) == (
        "ORDER_MULTIPLY_ADD",
        "b",
        cycles_of(tiny, Operation.ORDER_MULTIPLY_ADD),
    )
    phases = found["first"]["phases"]
    assert min(phases["load"], phases["multiply_add"]) > found["threshold"]
    # The sum is as random as what is added.
    assert max(phases["unload"], phases["receive"]) < found["usual"]
    with np.load(file) as archive:
        own = archive["scalars"][archive["fixed"]]
    assert len(set(own)) == 1


def test_a_stuck_random_port_hides_nothing(tiny):
    """The coordinates of both points of a ladder are in a scaling that does not change."""
    fresh, stuck = (leakage(tiny, Compared(traces=30, random_word=w)) for w in (None, 1))
    assert stuck["first"]["above"] > 3 * fresh["first"]["above"]


def test_the_same_multiplications_are_drawn_as_without_a_name(tiny):
    named = leakage(tiny, Compared(traces=20, operation="POINT_MULTIPLY"))
    assert named == leakage(tiny, Compared(traces=20))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Compared(operation="FLY"), "tiny has no operation 'FLY': one of POINT_MULTIPLY"),
        (Compared(operation="VALIDATE"), "VALIDATE is for public data"),
        (Compared(operation="DOUBLE_MULTIPLY"), "DOUBLE_MULTIPLY is for public data"),
        (Compared(operand=1), r"operand = 1: of POINT_MULTIPLY it is 0 \(k\)"),
        (
            Compared(operation="ORDER_MULTIPLY", operand=2),
            r"operand = 2: of ORDER_MULTIPLY it is 0 \(a\), 1 \(b\)",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(tiny, asked, message):
    with pytest.raises(SpecificationError, match=message):
        leakage(tiny, asked)
