"""Traces of coprocessors, and what tells two groups of them apart."""

import numpy as np
import pytest
from scipy import stats

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.attacks.leakage import Leakage, leakage
from residua.evidence.attacks.welch import Moments, threshold
from residua.evidence.small_curves import TINY


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    keys = {"curve": [TINY], "bus": "stream", "blinding": 0}
    return build(check_any(keys), tmp_path_factory.mktemp("attack") / "core")


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
    found = leakage(tiny, Leakage(traces=120))
    first = found["first"]
    assert found["cycles"] == 4905
    assert first["phases"]["read scalar"] > found["threshold"] < first["t"]
    assert first["phases"]["read operand"] < found["usual"]
    assert first["above"] > 20
    assert tiny.results()["leakage"]["first"] == first


def test_groups_that_are_alike_are_not_told_apart(tiny):
    found = leakage(tiny, Leakage(traces=120, control=True))
    for order in (found["first"], found["second"]):
        assert order["t"] < found["threshold"]
        assert order["above"] == 0


def test_registers_and_arrays_are_chosen(tiny, tmp_path):
    file = tmp_path / "traces.npz"
    found = leakage(tiny, Leakage(traces=60, where="scalar_unit.*"), keep=file)
    with np.load(file) as archive:
        kept = dict(archive)
    assert kept["traces"].shape == (60, found["cycles"])
    assert kept["traces"].max() <= found["bits"] < 200
    own = kept["scalars"][kept["fixed"]]
    assert len(set(own)) == 1
    assert len(set(kept["scalars"])) == 60 - len(own) + 1
    assert len(kept["starts"]) == len(kept["phases"])
    assert set(kept["phases"]) == found["first"]["phases"].keys()
    assert np.isinf(kept["t1"]).any() or np.nanmax(np.abs(kept["t1"])) > 3


def test_bad_requests_are_named(tiny, tmp_path):
    with pytest.raises(SpecificationError, match="traces = 3: two of each group"):
        leakage(tiny, Leakage(traces=3))
    with pytest.raises(SpecificationError, match=r"no register has a name like 'x\*'"):
        leakage(tiny, Leakage(where="x*"))
    with pytest.raises(SpecificationError, match="cannot write"):
        leakage(tiny, Leakage(traces=20), keep=tmp_path / "none" / "file.npz")
