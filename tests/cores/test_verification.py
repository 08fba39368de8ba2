"""Verification of an engine's RTL: what it accepts, what it finds."""

import re
from pathlib import Path

import pytest

from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.simulation.engine import build_simulator, control_cycles, verify
from residua.cores.simulation.runs import MOST_RESETS, Runs
from residua.cores.simulation.workload import decode, montgomery_workload
from residua.errors import SpecificationError
from residua.hardware.rtl import emit
from residua.machines.values import run
from residua.toolchain.targets import PRIMITIVE_FILE

SEED = 11


@pytest.fixture(scope="module")
def core():
    return RnsMontgomeryCore(RnsMontgomerySpecification(modulus=0x1000B, width=12))


@pytest.fixture(scope="module")
def rtl(core, tmp_path_factory):
    return _written(core, "engine", tmp_path_factory.mktemp("rtl"))


def _written(core, top, folder):
    files = emit(core.component(), top)
    paths = []
    for name in (f"rtl/{top}.v", PRIMITIVE_FILE):
        paths.append(folder / Path(name).name)
        paths[-1].write_text(files[name])
    return paths


@pytest.fixture(scope="module")
def simulator(core, rtl):
    return build_simulator(
        core.design,
        montgomery_workload(core.program, core.domain, SEED),
        rtl,
    )


@pytest.mark.parametrize("stalls", [False, True])
def test_engine_is_right(core, simulator, stalls):
    reports = []
    found = verify(
        simulator,
        vectors=12_000,
        seed=SEED,
        stalls=stalls,
        progress=lambda done, total: reports.append((done, total)),
    )
    assert found.failures == ()
    assert found.passed
    assert (found.vectors, found.mismatches) == (12_000, 0)
    assert found.resets == MOST_RESETS
    assert found.latency == core.cycles["latency"]
    assert found.interval == (None if stalls else core.cycles["interval"])
    assert found.oracle_checks > len(simulator.workload.cases)
    assert found.model_checks > 100
    first, second = found.cox_edges
    assert first.clear > 0
    assert first.full > 0
    assert 0 <= second.low <= second.high < 2**core.domain.second.truncation
    assert reports[-1] == (12_000, 12_000)


def test_an_engine_that_finishes_a_round_after_a_reset_is_found(core, tmp_path):
    """Results are right, but the first one comes late: the sequencer is not waiting."""
    rtl = _written(core, "engine", tmp_path)
    text = rtl[0].read_text()
    planted = re.sub(r"(if \(rst\) begin\n) +signal_signal <= 1'b1;\n", r"\1", text)
    assert planted != text
    rtl[0].write_text(planted)
    workload = montgomery_workload(core.program, core.domain, SEED)
    simulator = build_simulator(core.design, workload, rtl)
    found = verify(simulator, vectors=100, seed=SEED, stalls=False)
    assert not found.passed
    assert "a first result at another time than ever" in found.failures[0]


LARGE = (2**17 - 453, 2**17 + 431, 2**17 - 511, 2**17 - 619)
LARGER = (2**17 - 489, 2**17 - 555, 2**17 - 595, 2**17 - 603)


@pytest.mark.parametrize(
    ("channels", "modulus", "choices"),
    [
        (2, 2**26 - 5, {"reduction": "multiply"}),
        (4, 2**61 - 1, {"reduction": "shift", "extension": "hierarchical", "columns": 2}),
    ],
    ids=["kawamura", "hierarchical"],
)
def test_moduli_of_large_h(channels, modulus, choices, tmp_path):
    """Three folds where small h need two; bases of many channels have such moduli."""
    bases = {"base_a": LARGE[:channels], "base_b": LARGER[:channels]}
    core = RnsMontgomeryCore(
        RnsMontgomerySpecification(
            modulus=modulus, width=17, schedule="interval", **bases, **choices
        )
    )
    assert core.design.bounds.folds == 3
    found = core.simulate(_written(core, core.name, tmp_path), Runs(6_000, SEED, stalls=False))
    assert found.failures == ()
    assert (found.vectors, found.mismatches) == (6_000, 0)
    assert found.interval == core.cycles["interval"]


def test_intervals_of_a_thousand_bits():
    """A hierarchical extension saves two fifths of the cycles; nothing but slots limits either."""
    intervals = {}
    for choices in ({}, {"extension": "hierarchical", "columns": 2}):
        core = RnsMontgomeryCore(
            RnsMontgomerySpecification(
                modulus=2**1024 - 105, width=17, channels=64, schedule="interval", **choices
            )
        )
        placed = core.design.schedule.placed
        found = core.cycles["interval"]
        assert found == sum(len(p.sequence.slots) for p in placed)
        intervals[core.design.machine.columns] = found
    assert intervals[1] == 2 * 64 + 5
    assert intervals[2] <= 0.6 * intervals[1]


def test_same_seed_same_runs(simulator):
    runs = [verify(simulator, vectors=5000, seed=3, stalls=True) for _ in range(2)]
    assert runs[0].cox_edges == runs[1].cox_edges
    assert runs[0].cox_edges != verify(simulator, vectors=5000, seed=4, stalls=True).cox_edges


def test_few_vectors(simulator):
    assert verify(simulator, vectors=1, seed=SEED, stalls=False).vectors == 1
    with pytest.raises(SpecificationError, match="at least 1 run, not 0"):
        verify(simulator, vectors=0, seed=SEED, stalls=False)


def test_finds_a_wrong_constant(core, rtl, tmp_path):
    """One bit of one constant of one rower."""
    text = rtl[0].read_text()
    memories = list(re.finditer(r"(constants?\w*\[\d+\] = \d+'[bdh])([0-9a-f]+);", text))
    assert memories
    chosen = memories[len(memories) // 2]
    digit = "1" if chosen[2][-1] == "0" else "0"
    broken = tmp_path / "engine.v"
    broken.write_text(text[: chosen.end(2) - 1] + digit + text[chosen.end(2) :])
    workload = montgomery_workload(core.program, core.domain, SEED)
    simulator = build_simulator(core.design, workload, [broken, rtl[1]])
    found = verify(simulator, vectors=5000, seed=SEED, stalls=False)
    assert not found.passed
    assert found.mismatches > 0
    assert "expected" in found.failures[0]
    assert "'x_a'" in found.failures[0]
    assert any(failure.startswith("oracle: ") for failure in found.failures)


def test_workload_is_made_of_elements(core):
    domain, channels = core.domain, core.channels
    workload = montgomery_workload(core.program, domain, SEED)
    (pool,) = workload.pools
    numbers = [decode(domain, e[:channels], e[channels:]) for e in pool.elements]
    assert None not in numbers
    assert {0, 1, -1, domain.bound, -domain.bound, domain.bound - 1} <= set(numbers)
    words = {word for element in pool.elements for word in element}
    assert min(words) < -(2**core.width) + 2 ** (core.width // 2)
    assert max(words) >= 2**core.width - 2 ** (core.width // 2)
    assert all(len(case) == 2 and max(case) < len(pool.fixed) for case in workload.cases)
    again = montgomery_workload(core.program, domain, SEED)
    assert (workload.pools, workload.cases) == (again.pools, again.cases)


def test_oracle_judges(core):
    workload = montgomery_workload(core.program, core.domain, SEED)
    x, y = workload.pools[0].elements[1:3]
    n = core.channels
    inputs = {"x_a": x[:n], "x_b": x[n:], "y_a": y[:n], "y_b": y[n:]}
    outputs = run(core.program, inputs)
    assert workload.oracle(inputs, outputs) is None
    wrong = {**outputs, "s_a": (outputs["s_a"][0] + 1, *outputs["s_a"][1:])}
    assert "different numbers" in workload.oracle(inputs, wrong)
    assert "modulo P" in workload.oracle({**inputs, "x_a": y[:n], "x_b": y[n:]}, outputs)
    assert "no elements" in workload.oracle({**inputs, "x_a": y[:n]}, outputs)


def test_control_cycles_are_few(core):
    assert 2 <= control_cycles(core.design) <= 6
