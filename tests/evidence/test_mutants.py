"""Mutants of a core, judged by its verification and by a check that sees nothing."""

import os
from functools import partial

import pytest

from residua.cores.directory import build
from residua.cores.proofs.difference import unseen
from residua.cores.specification.reading import check_any
from residua.cores.verification import run_directory
from residua.errors import SpecificationError
from residua.evidence import subjects
from residua.evidence.campaign import Request, Task
from residua.evidence.campaigns import mutants as campaigns
from residua.evidence.mutants import DIFFERS, run_mutants, tally
from residua.evidence.rows import Row
from residua.report import documents
from residua.toolchain.planted.mutation import VARIABLE, equivalent

COUNT = 3
SPECIFICATION = {"algorithm": "r2mm", "modulus": "0x1000b"}


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    return build(check_any(SPECIFICATION), tmp_path_factory.mktemp("mutants") / "core")


def row_of(figures):
    """A row of other hardware than the sources make now."""
    return Row(
        name="R2MM",
        specification=SPECIFICATION,
        verilog="",
        commit="x",
        tools={},
        amount=COUNT,
        seconds=None,
        failures=[],
        figures=figures,
    )


def blind(_directory):
    """A check that is off."""
    return {"passed": True, "failures": []}


@pytest.mark.slow
def test_verification_kills_and_a_check_that_is_off_leaves_them_open(core, monkeypatch):
    monkeypatch.setattr("residua.cores.proofs.difference._ATTEMPTS", 1)
    monkeypatch.setattr("residua.cores.proofs.traffic._CYCLES", 150)
    for name, proof in {"equivalent": equivalent, "unseen": unseen}.items():
        monkeypatch.setattr(f"residua.evidence.mutants.{name}", partial(proof, cpu_seconds=1))
    seen = run_mutants(core, COUNT, check=partial(run_directory, vectors=500))
    missed = run_mutants(core, COUNT, check=blind)
    assert seen["digest"] == missed["digest"]
    assert tally(seen)["killed"] >= COUNT // 2
    assert tally(missed)["killed"] == 0
    assert tally(missed)["open"] > 0
    # A fault that random products find is seen at the gates, too.
    assert any(one["reason"] == DIFFERS for one in missed["mutants"])
    for one, other in zip(seen["mutants"], missed["mutants"], strict=True):
        assert one["command"] == other["command"]
        # What verification finds is no equivalent mutant.
        assert (one["verdict"], other["verdict"]) != ("killed", "equivalent")
    row = row_of({"core": core.name, **missed})
    text = documents.markdown(campaigns.CAMPAIGN.page.document([row]))
    assert f"| R2MM | `{core.name}` | {COUNT} | 0 |" in text
    for mutant in missed["mutants"]:
        assert (f"| R2MM | {mutant['number']} |" in text) == (mutant["verdict"] == "open")


@pytest.mark.parametrize(("reason", "verdict"), [("", "equivalent"), ("too many states", "open")])
def test_all_operands_where_they_can_be_counted(core, monkeypatch, reason, verdict):
    monkeypatch.setattr("residua.evidence.mutants.countable", lambda *_: True)
    monkeypatch.setattr("residua.evidence.mutants.difference", lambda *_: reason)
    for name in ("unseen", "equivalent"):
        monkeypatch.setattr(f"residua.evidence.mutants.{name}", lambda *_, **__: False)
    (mutant,) = run_mutants(core, 1, check=blind)["mutants"]
    assert mutant["verdict"] == verdict


def test_a_run_is_continued(core, monkeypatch):
    monkeypatch.setattr("residua.evidence.mutants.unseen", lambda *_, **__: True)
    rows = []
    whole = run_mutants(core, 4, check=blind, keep=lambda row: rows.append(len(row["mutants"])))
    assert rows == [1, 2, 3, 4]
    numbers = []

    def check(directory):
        numbers.append(int(os.environ[VARIABLE]))
        return blind(directory)

    half = whole | {"mutants": whole["mutants"][:2]}
    assert run_mutants(core, 4, check=check, kept=half) == whole
    assert numbers == [0, 3, 4]
    # Another Verilog is begun again.
    run_mutants(core, 4, check=check, kept=half | {"digest": ""})
    assert numbers[3:] == [0, 1, 2, 3, 4]
    # For an open one there may be a proof or a check by now.
    opened = [one | {"verdict": "open"} if one["number"] == 2 else one for one in whole["mutants"]]
    assert run_mutants(core, 4, check=check, kept=whole | {"mutants": opened}) == whole
    assert numbers[8:] == [0, 2]
    row = run_mutants(core, 4, check=check, kept=whole | {"mutants": opened}, again=False)
    assert row["mutants"] == opened
    assert len(numbers) == 10
    assert VARIABLE not in os.environ


def test_an_open_mutant_is_judged_again_by_another_package(core, monkeypatch, tmp_path):
    """A campaign that goes on where it stopped judges none twice."""
    asked = []

    def run(*_, again, keep, **__):
        asked.append(again)
        row = {"digest": "", "asked": 1, "mutants": []}
        keep(row)
        return row

    monkeypatch.setattr(campaigns, "run_mutants", run)
    request = Request("R2MM", 1, None, tmp_path, subjects.core(SPECIFICATION))
    assert campaigns.measure(request)["core"] == core.name
    campaigns.measure(request)
    monkeypatch.setattr(campaigns, "STATE", "another")
    campaigns.measure(request)
    assert asked == [True, False, True]


def test_a_row_of_other_hardware_is_gone_on_with(monkeypatch, tmp_path):
    """What is not mutated may have changed: `run_mutants` sees whether the Verilog is the same."""
    taken = []

    def run(*_, kept, **__):
        taken.append(kept)
        return kept

    monkeypatch.setattr(campaigns, "run_mutants", run)
    row = row_of({"core": "r2mm", "digest": "", "asked": COUNT, "mutants": []})
    made = campaigns.CAMPAIGN.row(Task("R2MM", COUNT, "y", row, tmp_path))
    assert taken == [row.figures]
    assert (made.commit, made.verilog == row.verilog) == ("y", False)


def test_a_check_that_fails_on_the_core_is_no_judge(core):
    message = f"the check fails on {core.name} itself: wrong"
    with pytest.raises(SpecificationError, match=message):
        run_mutants(core, 1, check=lambda _: {"passed": False, "failures": ["wrong"]})


def test_a_mutant_that_hangs_is_killed(core):
    def check(directory):
        while os.environ[VARIABLE] != "0":
            pass
        return blind(directory)

    (mutant,) = run_mutants(core, 1, check=check, seconds=0.2)["mutants"]
    assert (mutant["verdict"], mutant["reason"]) == ("killed", "takes longer than 0.2 s")
