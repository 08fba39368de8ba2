"""Faults in coprocessors: drawn, simulated and judged."""

from collections import Counter

import pytest
from tests.evidence.attacks.attacked import LADDER
from tests.schedules import quick_schedules

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import Status
from residua.errors import SpecificationError
from residua.evidence.attacks import faults
from residua.evidence.attacks.drawing import FaultKind, Target, kind_of, span_of
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.coprocessor import PointVictim
from residua.evidence.attacks.victims.victim import HARMFUL, Answer, Effect
from residua.toolchain.planted.injection import Memory, OpenDesign
from residua.toolchain.planted.registers import Register


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    with quick_schedules():
        yield build(check_any(LADDER), tmp_path_factory.mktemp("attack") / "core")


FLIPS = 150
"""Faults that are enough to see most effects."""

DESIGN = OpenDesign(
    verilog=None,
    registers=(Register("a.one", 0, 3), Register("b.two", 3, 1)),
    memories=(Memory("a.words", 0, 2, 4, is_written=True),),
)


def drawn(kind, count=4000, **choices):
    return Target(DESIGN, range(10, 14), **choices).faults(kind, count, seed=1)


def test_every_bit_and_cycle_is_as_likely():
    hits = Counter(fault.effects[0][1] for fault in drawn(FaultKind.FLIP))
    wanted = {f"flip {cycle} {bit} 1 0" for cycle in range(10, 14) for bit in range(4)}
    assert hits.keys() == wanted
    assert min(hits.values()) > 180
    assert max(hits.values()) < 320
    assert len({fault.effects for fault in drawn(FaultKind.MEMORY)}) == 4 * 8


def test_faults_of_each_kind():
    assert {fault.effects[0][1][-6:] for fault in drawn(FaultKind.SKIP)} >= {" 0 3 0", " 3 1 0"}
    assert {fault.effects[0][1][-1] for fault in drawn(FaultKind.STUCK)} == {"0", "1"}
    for fault in drawn(FaultKind.DOUBLE, 50):
        assert len(fault.places) == len(fault.effects) == 2
        assert fault.cycle == min(cycle for cycle, _ in fault.effects)
    assert {fault.places for fault in drawn(FaultKind.FLIP, where="b.*")} == {("b.two",)}
    assert drawn(FaultKind.FLIP, 9) == drawn(FaultKind.FLIP, 9)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(SpecificationError, match=r"no register has a name like 'c\*'; .* a, b"):
        drawn(FaultKind.FLIP, where="c*")
    with pytest.raises(SpecificationError, match="no cycle from 5 to before 5"):
        Target(DESIGN, range(5, 5))
    with pytest.raises(SpecificationError, match="no faults of the kind 'zap': one of flip, "):
        kind_of("zap")
    assert span_of("3:70") == (3, 70)
    for text in ("3", "3:", "a:9", "-3:9"):
        with pytest.raises(SpecificationError, match="give them as FROM:TO"):
            span_of(text)


def test_flips_come_to_all_that_they_may(tiny):
    found = attack(tiny, Attack(count=FLIPS))
    assert sum(found["effects"].values()) == FLIPS
    assert {Effect.HARMLESS, Effect.OFF_CURVE} <= found["effects"].keys()
    assert sum(found["harmful"].values()) == sum(
        count for effect, count in found["effects"].items() if effect in HARMFUL
    )
    assert tiny.results()["faults-flip"]["effects"] == found["effects"]


def test_an_operand_that_is_changed_before_its_check_is_detected(tiny):
    found = attack(tiny, Attack(count=60, where="operand_reader*", cycles=(0, 60)))
    assert found["effects"][Effect.DETECTED] == sum(found["statuses"].values()) > 3
    assert found["statuses"].keys() == {"NOT_ON_CURVE", "OPERAND_RANGE"}


def test_simulations_at_once_find_the_same(tiny, monkeypatch):
    asked = Attack(count=FLIPS // 6)
    found = attack(tiny, asked)
    started = []

    def simulated(simulator, _parts, log, run):
        """Simulate, whatever is kept."""
        started.append(simulator)
        run()
        return log.read_text()

    monkeypatch.setattr(faults, "keep_simulation", simulated)
    assert attack(tiny, asked, jobs=2) == found
    assert started


def test_a_wrong_bit_of_the_scalar_gives_another_point(tiny):
    aimed = Attack(count=40, where="scalar_unit.words*", cycles=(800, 1200), keys=2)
    found = attack(tiny, aimed)
    # Few hit a bit while it is in use.
    effects = found["effects"]
    assert effects[Effect.ON_CURVE] > 12 > 4 * effects.get(Effect.OFF_CURVE, 0)
    assert set(found["harmful"]) == {"scalar_unit.words[0]"}


def test_a_wrong_product_leaves_the_curve(tiny):
    aimed = Attack(count=40, where="*.multiplier_0_0.product", cycles=(800, 4000))
    effects = attack(tiny, aimed)["effects"]
    assert effects[Effect.OFF_CURVE] > 12
    assert not effects.get(Effect.ON_CURVE)


def test_other_kinds_do_more(tiny):
    counts = dict.fromkeys(FaultKind, 40) | {FaultKind.FLIP: FLIPS, FaultKind.DOUBLE: 80}
    harmless = {
        kind: attack(tiny, Attack(kind, count=count))["effects"].get(Effect.HARMLESS, 0) / count
        for kind, count in counts.items()
    }
    assert harmless[FaultKind.STUCK] < harmless[FaultKind.DOUBLE] < harmless[FaultKind.FLIP] < 1
    assert harmless[FaultKind.SKIP] < 1
    assert harmless[FaultKind.MEMORY] < 1


def test_a_point_that_is_none_is_refused_early(tiny):
    found = attack(tiny, Attack(count=300, invalid=True))
    assert found["cycles"] < 1000
    assert found["effects"][Effect.HARMLESS] > 250
    assert Effect.ADMITTED not in found["effects"]


@pytest.mark.parametrize(
    ("status", "words", "hangs", "effect"),
    [
        (0, "right", False, Effect.HARMLESS),
        (0, "wrong", False, Effect.OFF_CURVE),
        (0, "other", False, Effect.ON_CURVE),
        (0, "none", False, Effect.OFF_CURVE),
        (4, "none", False, Effect.DETECTED),
        (4, "right", False, Effect.WORDS),
        (77, "none", False, Effect.DETECTED),
        (0, "right", True, Effect.HANG),
    ],
)
def test_answers_are_judged(tiny, status, words, hangs, effect):
    victim = PointVictim(tiny.made, 0, 1, keys=1)
    x, y = victim.expected(0)[1]
    texts = {
        "right": (x, y), "wrong": (x, y ^ 1), "other": (x, -y % victim.curve.prime), "none": (),
    }  # fmt: skip
    given = tuple(f"{number:08x}" for number in texts[words])
    assert victim.judged(0, Answer(hangs, status, 1, given))[0] is effect


def test_operands_that_are_admitted_are_noticed(tiny):
    victim = PointVictim(tiny.made, 0, 1, keys=1, invalid=True)
    assert victim.expected(0)[0] is Status.NOT_ON_CURVE
    for words in ((), ("00000001", "00000002")):
        assert victim.judged(0, Answer(False, 0, 1, words))[0] is Effect.ADMITTED


def test_bad_requests_are_named(tiny, tmp_path):
    with pytest.raises(SpecificationError, match=r"curve = 3: the core has 0 \(tiny\)"):
        attack(tiny, Attack(curve=3))
    with pytest.raises(SpecificationError, match="cycles 5 to 99999: the operation has "):
        attack(tiny, Attack(cycles=(5, 99999)))
    other = build(check_any({"modulus": 65537, "algorithm": "r2mm"}), tmp_path / "other")
    with pytest.raises(SpecificationError, match="RSA cores are what is attacked"):
        attack(other, Attack())
