"""Cycles over secrets: what is measured, and that a core that leaks would be noticed."""

import random
from dataclasses import replace

import pytest
from tests import kept_verilog

from formal.tiny import tiny_core
from residua.cores.coprocessor.simulator import build_coprocessor_simulator
from residua.cores.coprocessor.timing import measure_timing, secret_scalars
from residua.curves.catalogue import find_curve
from residua.curves.operations.codes import Operation, Status
from residua.errors import SpecificationError
from residua.hardware.coprocessor.coprocessor import Coprocessor

RUNS = 12


@pytest.fixture(scope="module")
def core():
    return tiny_core()


@pytest.fixture(scope="module")
def simulator(core, tmp_path_factory):
    folder = tmp_path_factory.mktemp("core")
    sources, top = kept_verilog.write(Coprocessor, core.design, folder)
    return build_coprocessor_simulator(sources, top, core.design)


class Disturbed:
    """A simulator of which the answers are changed."""

    def __init__(self, simulator, change):
        self.simulator, self.change = simulator, change

    def run(self, requests):
        answers = self.simulator.run(requests)
        return [self.change(r, a) for r, a in zip(requests, answers, strict=True)]


def test_all_secrets_take_the_same_time(core, simulator):
    result = measure_timing(simulator, core.design, runs=RUNS, seed=1)
    assert result.passed
    assert (result.runs, result.mismatches, result.refused) == (RUNS, 0, 0)
    assert result.operation is Operation.POINT_MULTIPLY
    assert len(result.cycles) == len(result.random_words) == 1


def test_differences_are_found(core, simulator):
    def slower(request, answer):
        return replace(answer, cycles=answer.cycles + (request.operands[0] & 1))

    def greedy(request, answer):
        return replace(answer, random_words=answer.random_words + (request.operands[0] == 1))

    def wrong(request, answer):
        return replace(answer, results=(0, 0)) if request.operands[0] == 1 else answer

    def refused(request, answer):
        return replace(answer, status=Status.NEUTRAL) if request.operands[0] == 1 else answer

    found = [
        measure_timing(Disturbed(simulator, change), core.design, runs=4, seed=2)
        for change in (slower, greedy, wrong, refused)
    ]
    assert not any(result.passed for result in found)
    assert len(found[0].cycles) == 2
    assert len(found[1].random_words) == 2
    assert [result.mismatches for result in found] == [0, 0, 1, 1]
    assert found[3].refused == 1


def test_a_single_run_compares_nothing(core, simulator):
    with pytest.raises(SpecificationError, match="runs = 1: at least 2"):
        measure_timing(simulator, core.design, runs=1, seed=1)


@pytest.mark.parametrize("name", ["P-256", "secp112r1", "P-521", "Curve25519"])
def test_scalars(name):
    curve = find_curve(name)
    scalars = secret_scalars(curve, 300, random.Random(1))
    n, top = curve.order, 1 << (curve.order_bits - 1)
    assert len(scalars) == 300
    assert all(0 < k < n for k in scalars)
    assert {1, 2, n - 1, n - 2, top} <= set(scalars)
    assert len(set(scalars)) == 300
    weights = sorted(k.bit_count() for k in scalars)
    assert weights[:5] == [1] * 5
    assert weights[-1] >= curve.order_bits - 2
    assert scalars == secret_scalars(curve, 300, random.Random(1))
    assert secret_scalars(curve, 3, random.Random(1)) == scalars[:3]
