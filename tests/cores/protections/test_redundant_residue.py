"""Coprocessors with a redundant residue: every reduction is checked, and faults are found."""

import pytest
from amaranth.hdl import Const
from tests.cores.generated import MONTGOMERY
from tests.cores.protections.test_random_bases import check_all_operations, requests
from tests.cores.simulations import simulator
from tests.small_curves import SQUARE, TINY, WITHOUT_A

from residua.cores.coprocessor.simulator import FRESH_WORDS
from residua.cores.directory import build
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.curves.operations.codes import MULTIPLICATIONS, Operation, Status
from residua.curves.operations.instructions import Run
from residua.curves.protections.protection import Level, Protection
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import FaultKind
from residua.evidence.attacks.faults import Attack, attack
from residua.evidence.attacks.victims.coprocessor import PointVictim
from residua.evidence.attacks.victims.victim import HARMFUL, Effect
from residua.hardware.coprocessor.durations import operation_cycles, timeline
from residua.hardware.residue_check import ResidueCheck
from residua.machines.control_store import ControlStore

KEYS = {
    "curve": [TINY], "bus": "stream", "blinding": 0, "protections": "redundant-residue",
    "formula": "xz-ladder",
}  # fmt: skip
TWO = KEYS | {"curve": [MONTGOMERY, WITHOUT_A], "formula": "auto", "inversion": "division-steps"}
"""A ladder of Montgomery's beside windows, with pages of two curves."""

SHARED = KEYS | {"channels": 4, "rowers": 2, "register_memory": "block"}
"""Rowers with several channels, and registers in block memories."""


@pytest.mark.parametrize("keys", [KEYS, TWO, SHARED], ids=["one curve", "two curves", "shared"])
def test_all_operations(keys, tmp_path):
    core = core_of(check_any(keys)).core
    design = core.design
    assert design.processor.checks
    engine = simulator(core, tmp_path)
    for curve in range(len(design.curves)):
        check_all_operations(engine, design, curve, FRESH_WORDS)


def test_every_reduction_is_compared_with_what_was_kept_for_it():
    design = core_of(check_any(TWO)).core.design
    store: ControlStore = design.processor.store
    for name, block in store.blocks.items():
        routine = design.processor.routines[name]
        kept: dict[int, int] = {}
        compared = 0
        for slot in range(block.start, block.start + block.length):
            place = store.fields["kept_register"][slot]
            if store.fields["keeps"][slot]:
                assert place not in kept, "what is there has not been compared yet"
                kept[place] = slot
            if store.fields["compares"][slot]:
                assert kept.pop(place) < slot
                compared += 1
        assert not kept
        assert compared == len(routine.program.checks)
    reductions = {
        name: sum(page.reductions for page in pages if page is not None)
        for name, pages in design._programs.items()
    }
    for name, count in reductions.items():
        pages = sum(page is not None for page in design._programs[name])
        assert len(design.processor.routines[name].program.checks) * pages == count


def test_the_cycles_are_those_without_it():
    """The small rower works in the slots of the others."""
    bases = core_of(check_any(KEYS)).core.bases
    moduli = [[modulus.value for modulus in base] for base in bases]
    given = dict(zip(("base_a", "base_b"), moduli, strict=True))
    steps = [
        core_of(check_any(KEYS | given | {"protections": own})).core.design.step_cycles(0)
        for own in ("none", "redundant-residue")
    ]
    assert steps[0] == steps[1]


FLIPS = 400


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    return build(check_any(KEYS), tmp_path_factory.mktemp("checked") / "core")


def ladder(directory):
    """The cycles of the ladder."""
    victim = PointVictim(directory.made, 0, 1, keys=1)
    starts = timeline(victim.design, victim.code, 0)
    place = next(i for i, (_, one) in enumerate(starts) if one == Run("ladder_step", rounds=None))
    return starts[place][0], starts[place + 1][0]


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        *((FaultKind.FLIP, part) for part in ("rower_*", "narrow_rower.*", "cox.*")),
        *((FaultKind.MEMORY, part) for part in ("rower_*", "narrow_rower.*", "residue_check.*")),
    ],
)
def test_wrong_residues_are_found(checked, kind, where):
    """All but one in 2^17 of them, without any other check."""
    asked = Attack(kind, FLIPS, where=f"processor.{where}", cycles=ladder(checked))
    found = attack(checked, asked)
    assert found["effects"].keys() == {Effect.HARMLESS, Effect.DETECTED}
    assert found["effects"][Effect.DETECTED] > FLIPS / 50
    assert found["statuses"].keys() == {"FAULT"}


def test_what_differs_ends_an_operation_at_once(tmp_path, monkeypatch):
    """A check that finds fault with all it sees: the first reduction is the last one."""
    monkeypatch.setattr(ResidueCheck, "finding", staticmethod(lambda word, kept: Const(1)))
    core = core_of(check_any(KEYS)).core
    engine = simulator(core, tmp_path)
    asked = [request for request, _ in requests(core.design, 0, FRESH_WORDS)]
    for request, answer in zip(asked, engine.run(asked), strict=True):
        assert (answer.status, answer.results) == (Status.FAULT, ())
        if request.operation in MULTIPLICATIONS:
            whole = operation_cycles(core.design, Operation(request.operation), 0)
            assert answer.cycles < whole / 10


def test_without_the_comparison_they_get_out(tmp_path, monkeypatch):
    """The same faults, with a check that says nothing."""
    monkeypatch.setattr(ResidueCheck, "finding", staticmethod(lambda word, kept: Const(0)))
    blind = build(check_any(KEYS), tmp_path / "core")
    found = attack(blind, Attack(FaultKind.FLIP, FLIPS, where="processor.rower_*"))
    assert sum(found["effects"].get(effect, 0) for effect in HARMFUL) > FLIPS / 20


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"extension": "hierarchical", "channels": 4}, "extension = 'kawamura'"),
        ({"fixed_base": "comb"}, "fixed_base = 'comb' has tables without"),
        ({"inversion": "plus-minus-ct"}, "gives residues back without this one"),
        ({"protections": "redundant-residue,random-bases"}, "no modulus that stays where it is"),
        ({"algorithm": "iddmm", "digit": 8}, "algorithm = 'rns-montgomery'"),
        ({"algorithm": "sbmm", "curve": [SQUARE]}, "algorithm = 'rns-montgomery'"),
        ({"base_a": [1 << 17, 131063], "base_b": [131059, 131067]}, "is even, and so is the check"),
    ],
)
def test_where_it_cannot_be_it_is_refused(more, reason):
    asked = {key: value for key, value in KEYS.items() if key != "formula"} | more
    with pytest.raises(SpecificationError, match=reason):
        _ = core_of(check_any(asked)).core.design.controller


def test_no_level_has_it():
    assert not any(Protection.REDUNDANT_RESIDUE in level.protections for level in Level)
