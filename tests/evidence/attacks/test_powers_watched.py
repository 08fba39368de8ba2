"""Recordings of RSA cores and exponentiators, names of what happens in them, and their leakage."""

import numpy as np
import pytest
from tests.evidence.attacks.powers import made_in

from residua.errors import SpecificationError
from residua.evidence.attacks.groups import Compared
from residua.evidence.attacks.leakage import leakage
from residua.evidence.attacks.victims.choice import victim_of
from residua.evidence.traces.recording import Recording, record
from residua.evidence.traces.runs import Operation

TRACES, SEED = 40, 2
"""Traces that show what is not hidden."""


def compared(**keys):
    return Compared(traces=TRACES, seed=SEED, **keys)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with made_in(tmp_path_factory.mktemp("watched")) as found:
        yield found


def recorded(directory, tmp_path, operation=None, **keys):
    """The arrays of a recording, and what is told of it."""
    file = tmp_path / "run.npz"
    told = record(directory, Recording(operation or Operation(), **keys), arrays=file)
    with np.load(file) as found:
        return dict(found), told


def program(found, name):
    """Whether each cycle is one of a program."""
    return found["program"] == list(found["programs"]).index(name)


@pytest.mark.parametrize("name", ["engine", "digits", "power", "public"])
def test_results_are_those_of_plain_integers(made, tmp_path, name):
    found, told = recorded(made(name), tmp_path)
    asked = victim_of(made(name), 0, 1, keys=1).asked[0]
    assert told["operands"] == [hex(number) for number in asked.operands]
    assert (told["status"], told["results"]) == ("OK", [hex(asked.right)])
    assert len(found["states"]) == told["cycles"] == len(found["program"])
    assert (found["program"] > 0).all()


def test_slots_are_those_of_the_control_store(made, tmp_path):
    """Beside a count of them: a block begins anew in each round."""
    found, _ = recorded(made("engine"), tmp_path)
    blocks = made("engine").made.design.processor.store.blocks
    step = program(found, "root: step")
    slots, rounds = found["slot"][step], found["round"][step]
    assert set(slots[slots >= 0]) == set(range(blocks["step"].length))
    assert rounds.max() == made("engine").made.design.digits - 2
    assert (found["slot"] >= 0).sum() == sum(
        own.rounds * blocks[own.routine].length
        for own in made("engine").made.design.steps
        if own.routine
    )


def test_parts_of_an_operation_have_names_of_their_own(made, tmp_path):
    programs = list(recorded(made("engine"), tmp_path)[0]["programs"])
    wanted = ["read key", "root: step", "root: join", "check: square", "verdict: verdict"]
    assert [name for name in programs if name in wanted] == wanted
    assert programs[-1].endswith("give")


def test_transfers_are_those_of_the_list(made, tmp_path):
    programs = list(recorded(made("digits"), tmp_path)[0]["programs"])
    assert programs[:3] == ["", "read key", "read x"]
    assert programs[-2:] == ["power modulo n", "give"]


def test_operands_can_be_given(made, tmp_path):
    _, told = recorded(made("power"), tmp_path, Operation("power", (3, 5)))
    assert told["results"] == [hex(3**5)]
    found, told = recorded(made("public"), tmp_path, Operation(operands=((1 << 24) - 1,)))
    assert (told["status"], told["results"]) == ("withheld", [])
    assert {"read modulus", "load_n", "read operands", "give"} <= set(found["programs"])


def test_a_part_is_that_of_the_whole(made, tmp_path):
    whole, _ = recorded(made("digits"), tmp_path)
    part, told = recorded(made("digits"), tmp_path, cycles=(30, 90))
    for name in ("states", "program"):
        assert (part[name] == whole[name][30:90]).all()
    assert told["span"] == [30, 90]


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (Operation("PUBLIC"), "has no operation 'PUBLIC': it has PRIVATE"),
        (Operation(operands=(1, 2)), "PRIVATE takes 1 operands, x, not 2"),
        (Operation(operands=(1 << 32,)), "x = 4294967296: PRIVATE takes 0 to 4294967295"),
        (Operation(operands=(-1,)), "x = -1: PRIVATE takes 0 to"),
        (Operation(curve=1), "curve = 1: rsa_crt_32x8_.* has no curves"),
    ],
)
def test_what_cannot_be_is_refused(made, tmp_path, operation, message):
    with pytest.raises(SpecificationError, match=message):
        recorded(made("digits"), tmp_path, operation)
    assert not list(tmp_path.iterdir())


def largest(found, names):
    return max(found["first"]["phases"][name] for name in names)


POWER = ("root: start", "root: table_step", "root: first", "root: step")


def test_exponents_show_unless_they_are_blinded(made):
    """A planted fault among them: random words that are all the same blind nothing."""
    bare = leakage(made("digits"), compared())
    assert largest(bare, ["power modulo p"]) > 2 * bare["threshold"]
    assert (bare["operation"], bare["operand"], bare["size"]) == ("PRIVATE", "d", "32 bits")
    blinded = leakage(made("blinded"), compared())
    assert largest(blinded, (*POWER, "pair: step")) < blinded["threshold"]
    stuck = leakage(made("blinded"), compared(random_word=0x123))
    assert largest(stuck, POWER) > 2 * stuck["threshold"]


def test_messages_show_unless_they_are_blinded(made):
    blinded = leakage(made("blinded"), compared(operand=1))
    assert largest(blinded, POWER) < blinded["threshold"] < largest(blinded, ["root: take"])
    bare = leakage(made("digits"), compared(operand=1))
    assert largest(bare, ["power modulo p"]) > bare["threshold"]
    control = leakage(made("digits"), compared(control=True))
    assert control["first"]["t"] < control["threshold"]


def test_an_exponentiator_has_an_exponent_and_a_base(made, tmp_path):
    kept = tmp_path / "traces.npz"
    found = leakage(made("power"), compared(), keep=kept)
    assert (found["operand"], found["first"]["t"] > found["threshold"]) == ("y", True)
    with np.load(kept) as arrays:
        values = [int(str(value), 16) for value in arrays["scalars"]]
        assert len({v for v, fixed in zip(values, arrays["fixed"], strict=True) if fixed}) == 1
        assert len(arrays["traces"]) == TRACES


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        ("public", Compared(), "PUBLIC is for public data: nothing of it is secret"),
        ("digits", Compared(operand=2), r"operand = 2: of PRIVATE it is 0 \(d\), 1 \(x\)"),
        ("digits", Compared(random_word=1), "random words: rsa_crt_.* takes none"),
        ("digits", Compared(operation="SIGN"), "has no operation 'SIGN': it has PRIVATE"),
    ],
)
def test_comparisons_that_are_refused(made, name, asked, message):
    with pytest.raises(SpecificationError, match=message):
        leakage(made(name), asked)
