"""Cores whose base points have a comb, in simulation: results, cycles, secrets, faults."""

import random
from functools import cache
from itertools import product

import pytest
from tests import kept_verilog
from tests.cores.simulations import SimulatedCore
from tests.schedules import quick_schedules
from tests.small_curves import EVEN, MIDDLE, TINY

from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.coprocessor.simulator import Request
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.coprocessor.verification import verify_coprocessor
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.netlist import read_netlist
from residua.cores.specification.reading import check, check_any
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.coprocessor.scalars.parts import ScalarParts
from residua.hardware.engine.entry_keeper import EntryTables

CORES = {
    "carry lost, one table, rows": lambda: EccCore(
        [curve_from_parameters(TINY)],
        fixed_base=(2, 1),
        formula=Formula.DIFFERENCE_LADDER,
        columns=2,
        inversion=Inversion.PLUS_MINUS,
    ),
    "two curves, one without": lambda: EccCore(
        [curve_from_parameters(EVEN), curve_from_parameters(MIDDLE)],
        blinding=32,
        fixed_base=(5, 4),
        formula=Formula.XZ_LADDER,
    ),
}
"""Beside these, `test_endomorphism` has a core whose curves have combs, and halves of scalars."""


@cache
def named(name):
    """The core of this name, once for all tests."""
    return CORES[name]()


@pytest.fixture(scope="module", params=list(CORES))
def small(request, tmp_path_factory):
    with quick_schedules():
        return SimulatedCore(named(request.param), tmp_path_factory.mktemp("small"))


def test_all_operations(small):
    """Each is reset in the middle; less often where there are two curves."""
    resets = 3 if len(small.design.curves) > 1 else None
    result = verify_coprocessor(
        small.design, small.sources, small.top, vectors=4, seed=1, stalls=None, resets=resets
    )
    assert result.passed, result.failures
    assert result.constant_time
    assert result.resets > 0


def test_exceptional_scalars(small):
    for number, curve in enumerate(small.design.curves):
        n, most = curve.order, (1 << small.design.scalars.bits[number]) - 1
        edges = [0, 1, 2, 3, n // 2, n // 2 + 1, n - 2, n - 1, n, n + 1, n + 2, most - 1, most]
        edges = [k for k in edges if k <= most]
        edges += [1 << place for place in range(0, most.bit_length(), 3)]
        requests = [
            Request(Operation.BASE_MULTIPLY, (k,), curve=number, seed=seed, stalls=64 * (seed % 2))
            for seed, k in enumerate(edges * 2)
        ]
        for request, answer in zip(requests, small.simulator.run(requests), strict=True):
            expected = affine.multiply(curve, request.operands[0], curve.base_point)
            assert answer.status == (Status.OK if expected else Status.NEUTRAL)
            assert answer.results == (expected or ())


def test_cycles_depend_on_nothing_secret(tmp_path):
    with quick_schedules():
        core = SimulatedCore(named("two curves, one without"), tmp_path)
    (_, curve), (_, bits) = core.design.curves, core.design.scalars.bits
    n, draw = curve.order, random.Random(3)
    scalars = [1, 2, n - 1, n + 1, (1 << bits) - 1, n // 2, *(draw.randrange(n) for _ in range(6))]
    answers = core.simulator.run(
        Request(Operation.BASE_MULTIPLY, (k,), curve=1, seed=seed) for seed, k in enumerate(scalars)
    )
    for k, answer in zip(scalars, answers, strict=True):
        assert answer.results == affine.multiply(curve, k, curve.base_point)
    assert len({(answer.cycles, answer.random_words) for answer in answers}) == 1
    own = core.simulator.operate(Operation.POINT_MULTIPLY, scalars[-1], *curve.base_point, curve=1)
    assert answers[0].cycles < own.cycles / 2


def netlist_of(core, folder):
    sources, top = kept_verilog.write(Coprocessor, core.design, folder)
    return read_netlist(sources, top, folder, coprocessor_boundary(core.design))


@pytest.fixture(scope="module")
def least():
    """Two teeth on the smallest curve: it has all that a comb has."""
    with quick_schedules():
        core = EccCore([curve_from_parameters(TINY)], blinding=32, fixed_base=(2, 2))
        _ = core.design.blocks
        return core


def test_nothing_seen_depends_on_secrets(least, tmp_path):
    """The bits of columns and what they keep of tables are secrets, addresses are none of them."""
    netlist = netlist_of(least, tmp_path)
    assert netlist.leaks == ()
    secrets = {*netlist.secrets}
    assert {netlist.wire("comb_reader.bits"), netlist.wire("comb_reader.matches_1")} <= secrets
    assert netlist.wire("processor.entries_0.word") in secrets
    public = ("state", "count", "column", "address", "place", "first", "keep", "loading", "done")
    assert not {netlist.wire(f"comb_reader.{name}") for name in public} & secrets
    assert prove_netlist(netlist, out_dir=tmp_path).passed


def test_an_address_that_takes_the_scalar_is_found_out(least, tmp_path, monkeypatch):
    """A table that is read where the entry lies, and nowhere else, is no constant time here."""
    elaborate = ScalarParts._read_comb

    def short_cut(self, m):
        elaborate(self, m)
        m.d.comb += self._processor.entry_address.eq(self._comb.address ^ self._units[0].bit)

    monkeypatch.setattr(ScalarParts, "_read_comb", short_cut)
    assert netlist_of(least, tmp_path).leaks


def test_a_wait_for_the_entry_is_found_out(least, tmp_path, monkeypatch):
    """A reader that goes on as soon as an entry has matched takes a time that tells which."""
    elaborate = ScalarParts._read_comb

    def impatient(self, m):
        elaborate(self, m)
        matched = ~self._comb.matches & ~self._units[0].bit
        m.d.comb += self._comb.loaded.eq(self._processor.entry_loaded & matched)

    monkeypatch.setattr(ScalarParts, "_read_comb", impatient)
    netlist = netlist_of(least, tmp_path)
    assert netlist.leaks or not prove_netlist(netlist, out_dir=tmp_path).passed


def test_a_wrong_word_of_a_table_is_found_out(least, tmp_path):
    sources, top = kept_verilog.write(Coprocessor, least.design, tmp_path)
    module, word = "module core_entries_0 (", least.design.entries.memories[0][0]
    before, _, own = sources[0].read_text().partition(module)
    right, wrong = (f"tables[0] = 18'h{each & 0x3FFFF:05x};" for each in (word, word ^ 1))
    assert right in own
    sources[0].write_text(before + module + own.replace(right, wrong, 1))
    result = verify_coprocessor(
        least.design, sources, top, vectors=1, seed=1, stalls=False, resets=0
    )
    assert not result.passed
    assert "BASE_MULTIPLY" in result.failures[0]


@pytest.fixture(scope="module")
def p192():
    return EccCore(
        [find_curve("P-192")],
        blinding="auto",
        columns=2,
        formula=Formula.XZ_LADDER,
        fixed_base=(5, 4),
    )


@pytest.mark.parametrize("name", ["least", "p192"])
def test_tables_are_the_residues_of_points(name, request):
    """Every word, by the base's own moduli, from points that plain arithmetic gives."""
    design = request.getfixturevalue(name).design
    comb = design.scalars.combs[0]
    domain, curve, entries = design.domains[0], design.curves[0], design.entries
    assert isinstance(entries, EntryTables)
    half, rowers = pow(2, -1, curve.order), design.options.rowers
    parts = [(list(domain.base_a), domain.factor_a), (list(domain.base_b), domain.factor_b)]
    for table, index in product(range(comb.tables), range(comb.entries)):
        teeth = [1 if index >> j & 1 else -1 for j in range(comb.teeth - 1)] + [1]
        places = [table * comb.spacing + j * comb.columns for j in range(comb.teeth)]
        multiple = sum(sign << place for sign, place in zip(teeth, places, strict=True))
        x, y = affine.multiply(curve, multiple * half % curve.order, curve.base_point)
        values = {"entry_x": x, "entry_y": y, "entry_c": 3 * curve.b * x - curve.a**2}
        numbers = [values[name] * domain.montgomery_factor % curve.prime for name in entries.names]
        for rower, memory in enumerate(entries.memories):
            first = table * comb.entries * entries.words + index
            words = iter(memory[first : first + comb.entries * entries.words : comb.entries])
            for number, (base, factor) in product(numbers, parts):
                for channel in range(rower, len(base), rowers):
                    modulus = base[channel].value
                    assert (next(words) - number * factor[channel]) % modulus == 0
            assert next(words, None) is None


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"comb_teeth": 5}, "comb_teeth = 5: there is no comb without fixed_base = 'comb'"),
        ({"comb_tables": 5}, "comb_tables = 5: there is no comb without fixed_base = 'comb'"),
        ({"fixed_base": "window"}, "fixed_base"),
        ({"fixed_base": "comb", "comb_teeth": 9}, "comb_teeth"),
        ({"fixed_base": "comb", "comb_tables": 0}, "comb_tables"),
        ({"fixed_base": "comb", "algorithm": "sbmm"}, "not of the pairs of SBMM; leave it out"),
        ({"fixed_base": "comb", "curve": "Curve25519"}, "which Curve25519 is not; leave it out"),
        (
            {"fixed_base": "comb", "curve": "Curve25519,secp112r2"},
            "which Curve25519 and secp112r2 are not; leave it out",
        ),
        ({"fixed_base": "comb", "algorithm": "iddmm"}, "fixed_base"),
    ],
)
def test_what_cannot_be_is_refused(keys, message):
    with pytest.raises(SpecificationError, match=message):
        check_any({"curve": "P-256"} | keys)


def test_a_table_too_long_for_an_addition_is_refused():
    with quick_schedules():
        core = EccCore([curve_from_parameters(TINY)], blinding=32, fixed_base=(8, 1))
        with pytest.raises(SpecificationError, match="a table of 8 teeth, which takes"):
            _ = core.design.controller


def test_a_build_tells_the_comb():
    asked = {"curve": [MIDDLE], "fixed_base": "comb", "comb_teeth": 5, "comb_tables": 4}
    with quick_schedules():
        made = EngineCoprocessorCore(check(CoprocessorSpecification, asked))
        (comb,) = made.cycles["comb"]
    shape = made.core.design.scalars.combs[0]
    assert (comb["teeth"], comb["tables"]) == (5, shape.tables)
    assert comb["additions"] == shape.columns
    assert comb["words"] == shape.tables * 16 * 6
    assert comb["addition"] < made.cycles["ladder_step"]
    assert made.specification.comb == (5, 4)
    assert {"fixed_base": "comb", "comb_teeth": 5, "comb_tables": 4}.items() <= (
        made.parameters.items()
    )
