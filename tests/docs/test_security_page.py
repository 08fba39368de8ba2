"""What the page on security claims of faults holds in every row of the campaign."""

import json
import re
from pathlib import Path

import pytest

from residua.curves.protections.protection import Level
from residua.evidence.attacks.victims.victim import HARMFUL
from residua.evidence.campaigns.faults import ATTACKS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = json.loads((ROOT / "results" / "faults.json").read_text(encoding="utf-8"))["rows"]


def claims():
    """The largest part of faults that is harmful, by level and kind, as the page has it."""
    found = {}
    for level, *parts in re.findall(r"^\| `(\w+)` \|" + r" ([\d.]+) % \|" * 3, PAGE, re.MULTILINE):
        found |= {
            (level, kind): float(part) / 100 for kind, part in zip(ATTACKS, parts, strict=True)
        }
    return found


def measured(level, kind):
    """The parts of faults that were harmful, of all rows at a level."""
    for row in ROWS:
        tried = row["figures"]["attacks"].get(kind)
        if row["specification"].get("protections") == level and tried:
            yield sum(tried["effects"].get(effect, 0) for effect in HARMFUL) / tried["faults"]


def test_every_level_that_protects_has_claims():
    assert claims().keys() == {
        (level, kind) for level in Level if level != "none" for kind in ATTACKS
    }


@pytest.mark.parametrize(("level", "kind"), claims())
def test_claims_hold_in_every_row(level, kind):
    assert max(measured(level, kind)) <= claims()[level, kind]
