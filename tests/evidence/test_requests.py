"""Random requests: what is drawn, and that what is wrong with an answer is found."""

import time

import pytest

from residua.cores.kinds import KINDS
from residua.errors import SpecificationError
from residua.evidence.campaign import Task
from residua.evidence.campaigns import requests
from residua.evidence.random_requests import NUMBERS, RandomRequest, choices
from residua.report import documents

UNDRAWN = {"algorithm", "curve", "base_a", "base_b", "name"}
"""Keys with values of their own, or that say nothing about a core."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_requests_end_in_a_core_or_in_words_that_help(kind):
    made = [RandomRequest(kind, f"test {number}", requests.LARGEST) for number in range(25)]
    cores = [request.core() for request in made]
    assert [request.faults for request in made] == [[]] * 25
    assert sum(core is not None for core in cores) > 5
    assert sum(len(request.refusals) for request in made) > 5


def test_all_keys_are_drawn():
    for kind in KINDS:
        fields = kind.specification.model_fields
        drawn = {name for name, field in fields.items() if list(choices(field.annotation, 9))}
        assert fields.keys() - drawn == fields.keys() & UNDRAWN
    first, same, other = (RandomRequest(KINDS[0], seed, NUMBERS[-1]).values for seed in "aab")
    assert first == same != other


@pytest.fixture
def row(monkeypatch, tmp_path):
    """Makes the row of digit multipliers, after few requests."""

    def row():
        monkeypatch.setattr(requests, "_ASKED", 8)
        return requests.CAMPAIGN.row(Task("digit", 1, "abc", None, tmp_path))

    return row


def test_a_row(row):
    made = row()
    assert made.failures == []
    assert (made["cores"], made["asked"] > 8) == (1, True)
    assert 0 < made["met"] <= made["asked"]
    assert made["refusals"] > 0
    documents.markdown(requests.CAMPAIGN.page.document([made]))


def answer(monkeypatch, answers):
    monkeypatch.setattr("residua.evidence.random_requests.check_any", answers)


def raising(error):
    def answers(_values):
        raise error

    return answers


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TypeError("no such thing"), "TypeError: no such thing"),
        (SpecificationError("digit = None is too small"), "digit = None is too small"),
        (SpecificationError("digit is\ntoo small"), "digit is\ntoo small"),
    ],
)
def test_what_is_no_refusal_that_helps_is_a_fault(row, monkeypatch, error, text):
    answer(monkeypatch, raising(error))
    made = row()
    assert made["met"] == made["cores"] == 0
    (failure,) = made.failures
    assert failure.startswith(f"{text} (")
    assert "times, first for {'algorithm': " in failure


def test_a_request_that_does_not_end_is_a_fault(row, monkeypatch):
    monkeypatch.setattr(requests, "_SECONDS_TO_ASK", 0.01)
    answer(monkeypatch, lambda _values: time.sleep(60))
    (failure,) = row().failures
    assert failure.startswith("LateError: takes longer than 0.01 s (16 times")


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ({"passed": False, "failures": ["run 3 is wrong"]}, "run 3 is wrong"),
        ({"passed": False, "failures": []}, "mismatches"),
    ],
)
def test_a_core_that_fails_its_verification_is_a_fault(row, monkeypatch, outcome, text):
    monkeypatch.setattr(requests, "verify_directory", lambda *_, **__: outcome)
    made = row()
    assert made["cores"] == 1
    (failure,) = made.failures
    assert failure.startswith(f"{text} (1 times")
