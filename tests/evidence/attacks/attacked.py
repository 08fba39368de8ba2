"""A coprocessor that leaks, of which traces are taken."""

from tests.small_curves import TINY

BARE = {"curve": [TINY], "bus": "stream", "blinding": 0, "protections": "none"}
LADDER = BARE | {"formula": "xz-ladder"}
