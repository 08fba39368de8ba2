"""Generated files stay as they are, byte for byte, unless someone says that they are to change."""

import enum
import re
import typing
from collections import defaultdict

import pytest
import yaml
from tests.cores.generated import SPECIFICATIONS, digests, files, known, request

from residua.cores.kinds import KINDS

KNOWN = known()

REGISTERS = {"axi-lite", "wishbone"}
"""Buses on which words go through registers: no kind of core knows which of them it is on."""

REFUSED = {("DigitCoprocessorSpecification", "protections", "random-bases", "redundant-residue")}
"""Values of a key that a kind refuses, whatever else is asked of it."""


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_files(name):
    """After a change that is meant: `make digests`, and a look at which of them differ."""
    assert digests(name) == KNOWN[name]


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_readme_tells_the_targets_that_there_are(name):
    made = files(name)
    (path,) = (path for path in made if path.endswith(".core"))
    targets = set(yaml.safe_load(made[path].partition("\n")[2])["targets"]) - {"default"}
    table = made["README.md"].partition("| target | what it does |")[2].partition("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines()[2:]]
    told = {target for cell in cells for target in re.findall(r"`(\w+)`", cell)}
    # A core may have too many ports for any device, which the table says.
    assert told - {"ecp5"} == targets - {"ecp5"}
    assert targets <= told


def test_no_digests_of_nothing():
    assert list(KNOWN) == list(SPECIFICATIONS)


def test_every_key_and_value_of_every_kind():
    """So that who adds a key or a value has to say what it gives.

    Of the buses with registers each kind has one.
    """
    requests = defaultdict(list)
    for name in SPECIFICATIONS:
        made = request(name)
        requests[type(made)].append(made)
    assert set(requests) == {kind.specification for kind in KINDS}
    missing = {
        (kind.__name__, key, *sorted(map(str, lacking)))
        for kind, made in requests.items()
        for key, field in kind.model_fields.items()
        if key not in ("algorithm", "unit")  # They tell the kind.
        and (lacking := _lacking(key, field, made)) is not None
    }
    assert missing == REFUSED


def _lacking(key, field, requests):
    """Values of a key that no request has; None if there is none and some request gives the key."""
    given = any(key in request.model_fields_set for request in requests)
    own = [getattr(request, key) for request in requests]
    values = [field.default, *own]
    values += [part for value in own if isinstance(value, tuple) for part in value]
    lacking = {value for value in _choices(field.annotation) if value not in values}
    if key == "bus" and REGISTERS - lacking:
        lacking -= REGISTERS
    return None if given and not lacking else lacking


def _choices(annotation):
    """The values among which an annotation lets one choose."""
    if typing.get_origin(annotation) is typing.Literal:
        return set(typing.get_args(annotation))
    if annotation is bool:
        return {False, True}
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return set(annotation)
    return {value for part in typing.get_args(annotation) for value in _choices(part)}
