"""The relations that hold at the end of a multiplication, and what they refuse."""

import pytest

from curves.plain import Ladder, PlainCurve, Prefixes, inverse
from residua.curves import montgomery_ladder
from residua.curves.catalogue import find_curve
from residua.curves.comb import comb_for
from residua.curves.formulas import Formula
from residua.curves.ladder import final_select
from residua.curves.operations.codes import Operation, Status
from residua.curves.operations.instructions import Invert, Receive, Run
from residua.curves.operations.sequences import operations
from residua.curves.protections.exit_check import (
    DEFECT,
    ladder_relation,
    quotient_defect,
    scaled_point_defect,
)

FINAL, RELATION = final_select(), ladder_relation()


def begun(prime, a, u):
    """The ladder of a point."""
    ladder = Ladder(prime, montgomery_ladder.constants(prime, a), u=u, l=3, m=5)
    ladder.run(montgomery_ladder.initial_state())
    return Prefixes(ladder, montgomery_ladder.step())


def ended(ladders, k):
    """The end of a ladder, with the places of the projective k P as a coprocessor has them."""
    ladder = ladders.after(f"{k:08b}")
    ladder.run(FINAL, last=k % 2 == 1)
    state = ladder.state
    state |= {"x": state["u"], "y": state["x0"], "d": state["z0"]}
    return ladder


def defect(ladder):
    ladder.run(RELATION)
    return ladder.state[DEFECT]


@pytest.mark.parametrize("prime", [7, 11, 13, 17])
def test_the_relation_holds_for_every_scalar_point_and_curve(prime):
    for a in range(prime):
        if (a * a - 4) % prime == 0:
            continue
        curve = PlainCurve(prime, 1, 0, a)
        for point in curve.points:
            ladders = begun(prime, a, point[0])
            for k in range(2 * curve.order_of(point) + 4):
                ladder = ended(ladders, k)
                if ladder.state["z0"]:
                    assert defect(ladder) == 0


def test_it_holds_on_the_twist():
    for u in range(23):
        ladders = begun(23, 5, u)
        for k in range(30):
            ladder = ended(ladders, k)
            assert defect(ladder) == 0 or ladder.state["z0"] == 0


@pytest.mark.parametrize("place", ["x", "y", "d", "x1", "z1"])
def test_it_refuses_nearly_every_other_state(place):
    curve = find_curve("Curve25519")
    ladders = begun(curve.prime, curve.a, curve.x)
    for k in range(20, 40):
        ladder = ended(ladders, k)
        ladder.state[place] = (ladder.state[place] + k) % curve.prime
        assert defect(ladder) != 0


def test_it_is_no_other_equation():
    """Over a small field it holds for just those x of differences that are one, or the sum."""
    prime, a = 1009, 5
    for k in (3, 6, 11):
        ladder = ended(begun(prime, a, 9), k)
        zeros = []
        for x in range(prime):
            ladder.state["x"] = x
            zeros += [x] if defect(ladder) == 0 else []
        assert 9 in zeros
        assert len(zeros) <= 2


def test_a_quotient_is_held_against_its_parts():
    ladder = Ladder(1009, {}, x=0, y=77, d=5)
    ladder.state["x"] = 77 * inverse(5, 1009) % 1009
    ladder.run(quotient_defect())
    assert ladder.state[DEFECT] == 0
    ladder.state["x"] += 1
    ladder.run(quotient_defect())
    assert ladder.state[DEFECT] != 0


MULTIPLYING = (
    Operation.POINT_MULTIPLY,
    Operation.BASE_MULTIPLY,
    Operation.X_MULTIPLY,
    Operation.DOUBLE_MULTIPLY,
)

CHOICES = [
    *(("P-256", f) for f in Formula if f not in (Formula.MONTGOMERY_LADDER, Formula.ENDOMORPHISM)),
    ("secp256k1", Formula.ENDOMORPHISM),
    ("Curve25519", Formula.MONTGOMERY_LADDER),
]


@pytest.mark.parametrize(("name", "formula"), CHOICES)
@pytest.mark.parametrize("with_comb", [False, True])
def test_no_multiple_leaves_before_a_check(name, formula, with_comb):
    curve = find_curve(name)
    comb = (
        comb_for(256, 4, 2, -1) if with_comb and formula is not Formula.MONTGOMERY_LADDER else None
    )
    checked = operations(curve, formula, 256, comb, checked=True)
    plain = operations(curve, formula, 256, comb)
    for operation in MULTIPLYING:
        if operation not in checked:
            continue
        flow = checked[operation]
        last = max(i for i, one in enumerate(flow) if isinstance(one, Invert))
        refusals = [
            i for i, one in enumerate(flow)
            if isinstance(one, Receive) and one.status is Status.FAULT and one.stop == "nonzero"
        ]  # fmt: skip
        kept = [
            i
            for i, one in enumerate(flow)
            if isinstance(one, Receive) and not one.stop and one.kept
        ]
        assert last < refusals[-1] < kept[0]
        loops = [i for i, one in enumerate(flow) if isinstance(one, Run) and one.rounds is None]
        if loops:
            assert any(loops[-1] < i < last for i in refusals)
        assert Status.FAULT not in {getattr(one, "status", None) for one in plain[operation]}
    for operation in checked.keys() - set(MULTIPLYING):
        assert checked[operation] == plain[operation]


@pytest.mark.parametrize("name", ["P-256", "secp256k1", "brainpoolP256r1"])
def test_a_scaled_point_is_held_against_the_curve(name):
    curve = find_curve(name)
    for m in (1, 5, curve.prime - 1):
        x, y = curve.x * m % curve.prime, curve.y * m % curve.prime
        ladder = Ladder(curve.prime, {"a": curve.a, "b": curve.b}, x=x, y=y, m=m)
        ladder.run(scaled_point_defect())
        assert ladder.state[DEFECT] == 0
        for place in ("x", "y", "m"):
            ladder = Ladder(curve.prime, {"a": curve.a, "b": curve.b}, x=x, y=y, m=m)
            ladder.state[place] ^= 2
            ladder.run(scaled_point_defect())
            assert ladder.state[DEFECT] != 0
