"""Finding a standard curve by its name."""

import difflib
import re

from residua.curves.parameters import Curve
from residua.curves.standard import CATALOGUE
from residua.errors import SpecificationError


def _key(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name).lower()


_BY_NAME = {_key(name): entry for entry in CATALOGUE for name in (entry.name, *entry.aliases)}


def find_curve(name: str) -> Curve:
    """The standard curve of this name or alias; case, spaces and ``-_.`` do not count.

    Raises:
        SpecificationError: no curve has the name; the message offers the nearest ones.
    """
    entry = _BY_NAME.get(_key(name))
    if entry is None:
        raise SpecificationError(
            f"unknown curve {name.strip()!r}{_suggestion(name)}; a curve is a name of the "
            "catalogue, or a table of its parameters with the keys form, name, prime, a, b, x, y, "
            "order, cofactor"
        )
    return entry.curve


def _suggestion(name: str) -> str:
    near = difflib.get_close_matches(_key(name), _BY_NAME, n=3, cutoff=0.6)
    names = list(dict.fromkeys(_BY_NAME[key].name for key in near))
    return f"; did you mean {' or '.join(names)}?" if names else ""
