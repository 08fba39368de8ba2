"""Coprocessors whose field unit is SBMM: in simulation, in models, and what is refused."""

import random
import tomllib
from functools import cache

import pytest
from tests.cores.simulations import simulator
from tests.small_curves import SQUARE

from residua.algorithms.conversion import encode
from residua.algorithms.fields import field_unit, single_base_field
from residua.algorithms.single_base import compressed_ranges
from residua.cores.coprocessor.cases import all_cases
from residua.cores.coprocessor.engine.core import EngineCoprocessorCore
from residua.cores.coprocessor.engine.single_base import SingleBaseEccCore
from residua.cores.coprocessor.simulator import Request
from residua.cores.specification.reading import check_any
from residua.curves.catalogue import find_curve
from residua.curves.formulas import Formula
from residua.curves.operations.codes import ORDER_OPERATIONS, Operation, Status
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError
from residua.hardware.converters.conversion import conversion_cox
from residua.hardware.coprocessor.durations import operation_cycles
from residua.machines.bounds import analyse
from residua.machines.values import run
from residua.numbers.residues import Redundant
from residua.papers.sbmm.ladder_comparison import ladder_step

CURVE = curve_from_parameters(SQUARE)


@cache
def core():
    return SingleBaseEccCore([CURVE], blinding="auto")


def test_simulated_operations_equal_plain_integers(tmp_path):
    """Every operation, with exceptional and invalid operands, with and without stalls."""
    design = core().design
    assert design.formulas == (Formula.XZ_LADDER,)
    # A third of the multiplications, which take long.
    cases = [
        case
        for index, case in enumerate(all_cases(design, 2, seed=5))
        if index % 3 == 0 or case.operation > Operation.X_MULTIPLY
    ]
    assert {case.operation for case in cases} > {
        Operation.POINT_MULTIPLY,
        Operation.X_MULTIPLY,
        Operation.FIELD_INVERT,
    }
    simulated = simulator(core(), tmp_path)
    requests = [
        Request(case.operation, case.operands, curve=case.curve, seed=i, stalls=64 * (i % 2))
        for i, case in enumerate(cases)
    ]
    cycles: dict[tuple[int, Status], set[int]] = {}
    for case, request, answer in zip(cases, requests, simulated.run(requests), strict=True):
        assert (answer.status, answer.results) == case.expected, case
        if not request.stalls:
            cycles.setdefault((case.operation, answer.status), set()).add(answer.cycles)
    assert all(len(counts) == 1 for counts in cycles.values())
    assert all(
        counts == {operation_cycles(design, operation, 0)}
        for (operation, status), counts in cycles.items()
        if status is Status.OK
    )


def test_orders_have_no_operations():
    """Orders are no M_a^2 - 2; the core says BAD_OPERATION, drivers know from its registers."""
    assert not ORDER_OPERATIONS & core().design.operation_codes
    assert core().design.moduli == (CURVE.prime,)


def test_numbers_become_pairs_and_numbers_again():
    """load makes a pair within the ranges of elements, unload a number congruent to it."""
    domain = core().design.domains[0]
    representation = Redundant(1)
    load = single_base_field.load("n", domain, 4, 16, representation).program
    load.representation = Redundant(analyse(load).folds)
    lowered = single_base_field.load("n", domain, 4, 16, load.representation)
    unload = single_base_field.unload("n", domain, load.representation).program
    base = field_unit.number_base(domain)
    low, high = field_unit.number_range(domain, representation)
    cox = conversion_cox(domain, max(-low, high))
    draw = random.Random(3)
    ranges = compressed_ranges(domain, representation)
    for number in (0, 1, CURVE.prime - 1, CURVE.prime, (1 << 64) - 1, *(draw.getrandbits(64),) * 9):
        words = [number >> 16 * i & 0xFFFF for i in range(4)]
        outputs = run(lowered.program, {"n": words})
        pair = [lowered.outputs[f"n:{part}"] for part in "rk"]
        values = {}
        for element, bound, name in zip(pair, ranges, ("n:0", "n:1"), strict=True):
            assert element.b.range.within(bound)
            for part, end in ((element.a, "a"), (element.b, "b")):
                values[f"{name}_{end}"] = outputs[part.name]
        xi = run(unload, values)
        residues = [word for output in unload.outputs for word in xi[output.name]]
        found = from_cofactors_of(base, residues, cox)
        assert low <= found <= high
        assert found % CURVE.prime == number % CURVE.prime


def from_cofactors_of(base, residues, cox):
    """`from_cofactors`, where the last modulus is narrower."""
    total = sum(x * cofactor for x, cofactor in zip(residues, base.cofactors, strict=True))
    widths = [modulus.width for modulus in base]
    return total - cox.quotient(residues, [1] * len(base), widths) * base.product


def test_elements_at_the_ends_of_their_ranges_leave_as_numbers():
    domain = core().design.domains[0]
    unload = single_base_field.unload("n", domain, Redundant(1)).program
    unload.representation = Redundant(analyse(unload).folds)
    base = field_unit.number_base(domain)
    low, high = field_unit.number_range(domain, Redundant(1))
    cox = conversion_cox(domain, max(-low, high))
    for end in ("low", "high"):
        words, number = {}, 0
        for value in unload.inputs:
            integer = int(getattr(value.range, end))
            words[value.name] = encode(value, integer, unload.representation)
            radix = domain.split.base_a.product if value.name.startswith("n:1") else 1
            number += integer * radix * value.name.endswith("_b")
        xi = run(unload, words)
        residues = [word for output in unload.outputs for word in xi[output.name]]
        assert from_cofactors_of(base, residues, cox) == number


def specified(**keys):
    return check_any({"algorithm": "sbmm", "curve": [SQUARE], **keys})


def test_a_specification_names_every_choice():
    made = EngineCoprocessorCore(specified())
    chosen = made.specification
    assert made.name.startswith("ecc_sbmm_square_4x16_")
    assert (chosen.base_a, chosen.channels, chosen.width) == ((65551, 65513), 4, 16)
    again = EngineCoprocessorCore(check_any(tomllib.loads(chosen.toml())))
    assert again.core.bases == made.core.bases
    assert again.core.extra_bits == made.core.extra_bits == chosen.extra_bits


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"curve": "P-256"}, "P \\+ 2 is no square for P-256: find a prime with `residua primes`"),
        ({"width": 17}, "no product of moduli 2\\^w - h of w = 17: give base_a"),
        ({"base_a": [65551, 65521]}, "another product than M_a"),
        ({"channels": 6}, "n = 6 channels: give base_a"),
        ({"extension": "hierarchical", "columns": 3}, "do not make rows of c = 3"),
        ({"rowers": 3}, "rowers = 3 cannot share the 2 moduli of a half-base evenly: 1, 2 can"),
    ],
)
def test_cores_that_cannot_be(keys, message):
    with pytest.raises(SpecificationError, match=message):
        _ = EngineCoprocessorCore(specified(**keys)).core


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"channels": 5}, "n has to be even"),
        ({"base_b": [65521, 65519]}, "base_a is missing"),
        ({"columns": 2}, "has no rows"),
        ({"width": 15, "extra_bits": 16}, "the extra modulus has no more bits"),
        ({"algorithm": "rns-montgomery", "extra_bits": 9}, "only algorithm = 'sbmm'"),
    ],
)
def test_requests_that_are_refused(keys, message):
    with pytest.raises(SpecificationError, match=message):
        specified(**keys)


def test_curves_of_a_core_share_a_prime():
    with pytest.raises(SpecificationError, match="square and P-256 are not"):
        SingleBaseEccCore([CURVE, find_curve("P-256")])


def test_a_ladder_step_takes_as_many_cycles_as_it_has_slots():
    step = ladder_step(12, 16)
    assert step.rowers == 6
    assert step.sbmm >= step.sbmm_full > 0
    assert step.montgomery >= step.montgomery_full > 0
    assert 4 <= step.compressions <= 7
    assert step.saved == 1 - step.sbmm / step.montgomery
