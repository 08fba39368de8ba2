"""Faults in RSA cores and exponentiators: what is released, and what that gives away."""

import re

import pytest
from tests.evidence.attacks.powers import made_in

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.choice import has_invalid, victim_of
from residua.evidence.attacks.victims.victim import HARMFUL, Answer, Effect
from residua.evidence.changed import with_top
from residua.numbers.digits import split_digits

UNCHECKED = (r"assign withholds = [^;]*;", "assign withholds = 1'h0;")
"""What takes the check of a root out of the Verilog."""


FAULTS = 80


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with made_in(tmp_path_factory.mktemp("powers")) as found:
        yield found


def unchecked(directory, path):
    """The core of a directory without its check."""
    text = (directory.path / f"rtl/{directory.name}.v").read_text()
    broken, count = re.subn(*UNCHECKED, text)
    assert count == 1
    return with_top(directory, broken + (directory.path / "rtl/primitives.v").read_text(), path)


def harmful(found):
    return sum(found["effects"].get(effect, 0) for effect in HARMFUL)


@pytest.mark.parametrize("name", ["engine", "digits"])
def test_what_a_fault_makes_wrong_is_withheld(made, name):
    checked = attack(made(name), Attack(count=FAULTS))
    assert not harmful(checked)
    assert checked["effects"][Effect.DETECTED] == checked["statuses"]["withheld"] > 10


def test_a_core_without_its_check_gives_factors_away(made, tmp_path):
    """Of the same faults, which are noticed with it."""
    asked = Attack(count=FAULTS)
    broken = attack(unchecked(made("digits"), tmp_path / "core"), asked)
    assert broken["effects"][Effect.FACTOR] > 5
    assert broken["cycles"] == attack(made("digits"), asked)["cycles"]
    assert "withheld" not in broken["statuses"]


def test_a_core_that_admits_wrong_keys_is_no_subject(made, tmp_path):
    broken = unchecked(made("digits"), tmp_path / "core")
    with pytest.raises(SpecificationError, match="without a fault PRIVATE is silent, gives a fact"):
        attack(broken, Attack(count=10, invalid=True))


@pytest.mark.parametrize("name", ["engine", "digits", "public"])
def test_what_is_refused_stays_refused(made, name):
    found = attack(made(name), Attack(count=40, invalid=True))
    assert found["effects"][Effect.HARMLESS] > 30
    assert not harmful(found)
    assert "faults-flip-invalid" in made(name).results()


def test_a_plain_exponentiator_checks_nothing(made):
    found = attack(made("loaded"), Attack(FaultKind.FLIP, count=60))
    assert (found["operation"], found["size"]) == ("POWER", "20 bits")
    assert found["effects"][Effect.SILENT] > 5
    assert Effect.DETECTED not in found["effects"]
    with pytest.raises(SpecificationError, match="takes all numbers: none has to be refused"):
        attack(made("loaded"), Attack(invalid=True))


def test_memories_of_a_public_operation(made):
    found = attack(made("public"), Attack(FaultKind.MEMORY, count=60))
    assert found["operation"] == "PUBLIC"
    assert Effect.FACTOR not in found["effects"]


def test_faults_can_be_aimed(made):
    found = attack(made("digits"), Attack(count=30, where="modulo_p.*", cycles=(100, 200)))
    assert found["span"] == [100, 200]
    with pytest.raises(SpecificationError, match=r"no register has a name like 'rower\*'"):
        attack(made("digits"), Attack(where="rower*"))


def test_which_cores_have_something_to_refuse(made):
    assert {name: has_invalid(made(name)) for name in ("engine", "digits", "power", "public")} == {
        "engine": True, "digits": True, "power": False, "public": True,
    }  # fmt: skip


def given(asked, number, *, error=False, words=None):
    """Words of a result as the bench tells of them, the last one with its flag."""
    design = asked.design
    own = split_digits(number, design.words, design.width)[:words]
    for place, word in enumerate(own):
        is_last = place == len(own) - 1
        yield f"{word | is_last << design.width | error << design.width + 1:08x}"


@pytest.mark.parametrize(
    ("what", "error", "hangs", "effect"),
    [
        ("right", False, False, Effect.HARMLESS),
        ("right", True, False, Effect.DETECTED),
        ("nothing", True, False, Effect.DETECTED),
        ("nothing", False, False, Effect.SILENT),
        ("other", False, False, Effect.SILENT),
        ("other", True, False, Effect.WORDS),
        ("half right", False, False, Effect.FACTOR),
        ("half right", True, False, Effect.FACTOR),
        ("half right", False, True, Effect.FACTOR),
        ("other", False, True, Effect.SILENT),
        ("right", False, True, Effect.HANG),
    ],
)
def test_answers_are_judged(made, what, error, hangs, effect):
    victim = victim_of(made("digits"), 0, 1, keys=1)
    asked = victim.asked[0]
    key, right = asked.design.key, asked.right
    number = {
        "right": right,
        "nothing": 0,
        "other": (right + 1) % key.modulus,
        "half right": (right + key.p) % key.modulus,
    }[what]
    answer = Answer(hangs, 0, 1, tuple(given(asked, number, error=error)))
    assert victim.judged(0, answer)[0] is effect


def test_a_part_of_a_root_tells_nothing_wrong(made):
    victim = victim_of(made("digits"), 0, 1, keys=1)
    words = tuple(given(victim.asked[0], victim.asked[0].right, words=2))
    assert victim.judged(0, Answer(True, 0, 1, words)) == (Effect.HANG, "OK")
    assert victim.judged(0, Answer(False, 0, 1, words))[0] is Effect.SILENT
    assert victim.judged(0, Answer(True, 1, 1, ())) == (Effect.DETECTED, "modulus_error")


def test_wrong_keys_have_to_be_withheld(made):
    victim = victim_of(made("engine"), 0, 1, keys=2, invalid=True)
    for key, asked in enumerate(victim.asked):
        root = asked.design.key.root(asked.x)
        withheld = tuple(given(asked, 0, error=True))
        assert asked.design.wrong
        assert victim.judged(key, Answer(False, 0, 1, withheld)) == (Effect.HARMLESS, "withheld")
        admitted = tuple(given(asked, root, error=False))
        assert victim.judged(key, Answer(False, 0, 1, admitted))[0] is Effect.ADMITTED


def test_bad_requests_are_named(made, tmp_path):
    with pytest.raises(SpecificationError, match=r"curve = 1: rsa_crt_.* has no curves"):
        attack(made("digits"), Attack(curve=1))
    other = build(check_any({"modulus": 65537, "algorithm": "r2mm"}), tmp_path / "other")
    with pytest.raises(SpecificationError, match="exponentiators and RSA cores are what is"):
        attack(other, Attack())
