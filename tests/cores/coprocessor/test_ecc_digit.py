"""Coprocessors on digits: in simulation, as directories, and what is refused."""

import functools
import tomllib

import pytest
from tests.cores.coprocessor.test_ecc_directory import contents
from tests.cores.generated import MONTGOMERY
from tests.cores.simulations import simulator
from tests.small_curves import EVEN, MIDDLE, TINY

from residua.cores.coprocessor.cases import all_cases
from residua.cores.coprocessor.digits.core import DigitCoprocessorCore
from residua.cores.coprocessor.digits.curve_core import DigitEccCore
from residua.cores.coprocessor.shipped import verification as shipped
from residua.cores.coprocessor.simulator import Request
from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any, load_any
from residua.cores.verification import verify_directory
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.formulas import Formula
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import MontgomeryCurve, curve_from_parameters
from residua.errors import SpecificationError
from residua.hardware.coprocessor.durations import operation_cycles
from residua.report import page
from residua.toolchain.verilator import lint

MIDDLE_CURVE, TINY_CURVE, EVEN_CURVE = map(curve_from_parameters, (MIDDLE, TINY, EVEN))

CORES = {
    "ladders": ([MIDDLE_CURVE, EVEN_CURVE], {"digit": 12, "blinding": 32}),
    "window": (
        [TINY_CURVE],
        {"digit": 17, "pipeline": 1, "formula": Formula.FIXED_WINDOW, "blinding": 70},
    ),
    "lanes, two curves": (
        [TINY_CURVE, MIDDLE_CURVE],
        {"digit": 8, "lanes": 2, "formula": Formula.XZ_LADDER},
    ),
}
"""Curves and options."""


def core_of(name, **other):
    """The core of a name, or one with other options."""
    curves, options = CORES[name]
    return DigitEccCore(curves, **{**options, **other})


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """The core of a name, and its simulator."""

    @functools.cache
    def made(name):
        core = core_of(name)
        return core, simulator(core, tmp_path_factory.mktemp("core"))

    return made


def test_an_operand_is_refused_for_bits_that_no_word_within_holds():
    """The lower ones are those of 0, of which the comparison alone says that it is in range."""
    found = {
        case.expected[0]
        for case in all_cases(core_of("window").design, 1, seed=5)
        if case.operands == (1 << 31, 1)
    }
    assert TINY_CURVE.prime.bit_length() < 17
    assert found == {Status.OPERAND_RANGE}


@pytest.mark.parametrize("name", list(CORES))
def test_simulated_operations_equal_plain_integers(name, simulated):
    """Every operation, with exceptional and invalid operands, with and without stalls."""
    core, own = simulated(name)
    cases = [
        case
        for index, case in enumerate(all_cases(core.design, 1, seed=5))
        if index % 3 == 0 or case.operation > Operation.DOUBLE_MULTIPLY
    ]
    assert {Operation.POINT_MULTIPLY, Operation.ORDER_INVERT} < {c.operation for c in cases}
    requests = [
        Request(case.operation, case.operands, curve=case.curve, seed=i, stalls=64 * (i % 2))
        for i, case in enumerate(cases)
    ]
    cycles: dict[tuple[int, int, Status], set[int]] = {}
    for case, request, answer in zip(cases, requests, own.run(requests), strict=True):
        assert (answer.status, answer.results) == case.expected, case
        if not request.stalls and case.operation != Operation.DOUBLE_MULTIPLY:
            kind = (case.curve, case.operation, answer.status)
            cycles.setdefault(kind, set()).add(answer.cycles)
    assert all(len(counts) == 1 for counts in cycles.values())
    assert all(
        counts == {operation_cycles(core.design, operation, curve)}
        for (curve, operation, status), counts in cycles.items()
        if status is Status.OK
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Numbers leave as one word each, before the controller waits for them."""
    asked = check_any({"algorithm": "iddmm", "curve": TINY, "digit": 16})
    return build(asked, tmp_path_factory.mktemp("built") / "core")


def test_a_directory_is_verified_and_reported(built):
    """Bus, driver and bench of such a core run in `test_shipped`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shipped, "directory_model", lambda *_arguments, **_options: None)
        patch.setattr(shipped, "_around", lambda *_arguments: (7, []))
        patch.setattr(shipped, "verify_bench", lambda *_arguments, **_options: [])
        found = verify_directory(built, vectors=1, seed=3, resets=2)
    assert found["passed"]
    assert found["constant_time"]
    assert found["mismatches"] == 0
    cycles = found["cycles"]["tiny"]["BASE_MULTIPLY"]
    assert cycles == built.manifest["cycles"]["operations"][0]["BASE_MULTIPLY"]
    shown = page.render(built)
    assert "digits × bits" in shown
    assert "recovery_fractions" in shown
    (blinded,) = built.manifest["blinding"]
    multiplied = found["cycles"]["tiny"]["POINT_MULTIPLY"]
    cells = f'<td class="n">{multiplied}</td><td class="n">{multiplied - blinded["cycles"]}</td>'
    assert cells in shown
    assert ">None<" not in shown


def test_a_directory_tells_how_scalars_are_blinded(built):
    """What was chosen, why, and what it costs."""
    (row,) = built.manifest["blinding"]
    step = built.manifest["cycles"]["ladder_step"]
    assert (row["bits"], row["run"], row["multiple"], row["bare"]) == (75, 11, "the order", 0)
    assert (row["steps"], row["steps_unblinded"]) == (92, 17)
    assert row["cycles"] > 75 * step
    cells = f"tiny | the order | 11 | 75 | 92 | 17 | {row['cycles']} |"
    assert cells in (built.path / "README.md").read_text()
    header = (built.path / f"rtl/{built.name}.v").read_text()[:1000]
    assert "Scalars:        blinded by 75 random bits\n" in header
    shown = page.render(built)
    assert f'<td class="n">17</td><td class="n">{row["cycles"]}</td>' in shown


def test_each_curve_of_a_core_has_its_own_blinding():
    asked = {"algorithm": "iddmm", "curve": "secp112r1,secp128r1", "formula": "xz-ladder"}

    def made(**keys):
        return DigitCoprocessorCore(check_any(asked | keys))

    auto = made()
    assert [row["bits"] for row in auto.blinding] == [70, 98]
    assert (auto.specification.blinding, auto.capabilities.blinding) == ("auto", True)
    assert auto.core.design.scalars.served == (182, 226)
    given = made(blinding="100")
    assert given.specification.blinding == 100
    assert given.core.design.scalars.served == (212, 228)
    without = made(blinding=0)
    assert [(row["cycles"], row["bare"]) for row in without.blinding] == [(0, 112), (0, 128)]
    assert not without.capabilities.blinding


def test_a_specification_gives_the_same_bytes(built, tmp_path):
    again = build(load_any(built.path / "spec.toml", {}), tmp_path / "again")
    assert contents(again.path).items() <= contents(built.path).items()
    resolved = tomllib.loads((built.path / "spec.toml").read_text())
    assert (resolved["digit"], resolved["lanes"]) == (16, 1)
    assert (resolved["formula"], resolved["blinding"]) == ("xz-ladder", 75)
    opened = Directory.open(built.path)
    assert opened.kind.name == "coprocessor-on-digits"
    assert isinstance(opened.made, DigitCoprocessorCore)
    assert {"driver/residua_ecc.c", "registers.html", "sim/bench.v"} <= set(contents(built.path))


def test_verilog_has_no_lint(built):
    assert lint(built.sources(), built.top) == []
    assert lint(built.sources(top=built.name), built.name) == []


def test_texts_tell_of_digits(built):
    text = (built.path / "README.md").read_text()
    assert "residue number" not in text
    header = (built.path / f"rtl/{built.name}.v").read_text()[:2000]
    assert "n = 2 of 16 bits, " in header
    assert " multipliers of digits" in header


def test_p256():
    """A multiplication takes no more than small cores are to take."""
    core = DigitEccCore([find_curve("P-256")], digit=17, blinding="auto")
    assert core.design.multipliers <= 8
    assert core.utilisation > 0.98
    assert operation_cycles(core.design, Operation.POINT_MULTIPLY, 0) <= 1_630_000


def test_formulas_of_ladders():
    formulas = core_of("ladders").design.formulas
    assert formulas == (Formula.DIFFERENCE_LADDER, Formula.XZ_LADDER)


@pytest.mark.parametrize("name", ["ladders", "window"])
def test_the_cost_of_blinding_is_computed(name, simulated):
    """Simulated cycles with it are those without it, as the design tells them, and its cost.

    Those that designs without it tell are simulated elsewhere. One of the curves has a cofactor.
    """
    core, own = simulated(name)
    bare = core_of(name, blinding=0)
    for number, curve in enumerate(core.curves):
        added = core.design.blinding_cycles(number)
        assert added > 0
        for operation in (Operation.POINT_MULTIPLY, Operation.BASE_MULTIPLY):
            point = curve.base_point if operation is Operation.POINT_MULTIPLY else ()
            answer = own.operate(operation, 12345, *point, curve=number)
            assert answer.results == affine.multiply(curve, 12345, curve.base_point)
            assert answer.cycles == operation_cycles(bare.design, operation, number) + added


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"digit": 3}, "digit = 3: expected 2 to 128, with curve 4 to 64"),
        ({"digit": 65}, "digit = 65: expected"),
        ({"lanes": 0}, "lanes = 0: expected"),
        ({"lanes": 2, "pipeline": 1}, "lanes = 2 has a datapath of its own"),
        ({"rowers": 4}, "rowers means nothing for a coprocessor on digits"),
        ({"inversion": "fermat"}, "inversion means nothing for a coprocessor on digits"),
        ({"modulus": "P-256"}, "modulus and curve are both given"),
        ({"variant": "closed"}, "variant means nothing for a coprocessor on digits"),
        ({"algorithm": "r2mm"}, "curve means nothing for a digit multiplier"),
        ({"algorithm": "rns-montgomery", "digit": 17}, "digit means nothing for a coprocessor"),
    ],
)
def test_requests_that_are_refused(keys, message):
    with pytest.raises(SpecificationError, match=message):
        check_any({"algorithm": "iddmm", "curve": "P-256", **keys})


def test_more_lanes_than_digits_are_refused():
    asked = check_any({"algorithm": "iddmm", "curve": MIDDLE, "digit": 17, "lanes": 9})
    with pytest.raises(SpecificationError, match="use for 1 to 3 lanes"):
        _ = DigitCoprocessorCore(asked).core


def test_montgomery_curves_have_their_ladder():
    core = DigitEccCore([curve_from_parameters(MONTGOMERY)], digit=17)
    assert isinstance(core.curves[0], MontgomeryCurve)
    assert core.design.formulas == (Formula.MONTGOMERY_LADDER,)
