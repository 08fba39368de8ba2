from dataclasses import dataclass

import pytest

from residua.numbers.names import Names


@dataclass(frozen=True)
class Entry:
    name: str
    aliases: tuple[str, ...] = ()


FIRST, SECOND = Entry("P-256", ("secp256r1",)), Entry("P-384")
NAMES = Names((FIRST, SECOND))


@pytest.mark.parametrize("name", ["P-256", " p256", "P_256", "SECP256R1", "secp-256.r1"])
def test_names_as_people_write_them(name):
    assert NAMES.find(name) is FIRST


def test_unknown_names():
    assert NAMES.find("P-521") is None
    assert NAMES.suggestion("P-385") == " (did you mean P-384?)"
    assert NAMES.suggestion("secp256k1 P-256") == " (did you mean P-256?)"
    assert NAMES.suggestion("elephant") == ""
