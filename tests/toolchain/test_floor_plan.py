"""Floor plans: the tiles of a placement by what has most of them."""

import json

from residua.toolchain.floor_plan import FloorPlan, family_within, floor_plan
from residua.toolchain.utilisation import Instances

SITES = {
    "core.rower_0.a": "X1/Y2/SLICEA.K0",
    "core.rower_0.b": "X1/Y2/SLICEA.K1",
    "core.rower_1.mac.a": "X3/Y2/SLICEB.FF0",
    "core.cox.a": "X1/Y2/SLICEC.K0",
    "core.cox.b": "X0/Y0/MULT",
    "core.top": "X2/Y0/SLICED.K0",
    "chain_3": "X9/Y9/SLICEA.FF1",
    "core.rower_0.unplaced": None,
}


def test_what_has_most_of_a_tile(tmp_path):
    """Of what is outside there is nothing; what is in the core alone has no name."""
    cells = {
        name: {"attributes": {"NEXTPNR_BEL": site} if site else {}} for name, site in SITES.items()
    }
    path = tmp_path / "placed.json"
    path.write_text(json.dumps({"modules": {"top": {"cells": cells}}}))
    instances = Instances(["core", "core.rower_0", "core.rower_1", "core.rower_1.mac", "core.cox"])
    found = floor_plan(path, instances, family_within("core"))
    assert found == FloorPlan({"a": "rower_*", "b": "cox", "c": ""}, ("b.c.", "....", ".a.a"))


def test_nothing_is_placed(tmp_path):
    path = tmp_path / "placed.json"
    path.write_text(json.dumps({"modules": {"top": {"cells": {}}}}))
    assert floor_plan(path, Instances(["core"]), family_within("core")) == FloorPlan({}, ())
