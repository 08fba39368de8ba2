"""Finding a standard curve by its name."""

from residua.curves.parameters import Curve
from residua.curves.standard import CATALOGUE
from residua.errors import SpecificationError
from residua.numbers.names import Names

_NAMES = Names(CATALOGUE)


def find_curve(name: str) -> Curve:
    """The standard curve of this name or alias; case, spaces and ``-_.`` do not count.

    Raises:
        SpecificationError: no curve has the name; the message offers the nearest ones.
    """
    entry = _NAMES.find(name)
    if entry is None:
        raise SpecificationError(
            f"unknown curve {name.strip()!r}{_NAMES.suggestion(name)}; a curve is a name of the "
            "catalogue, or a table of its parameters with the keys form, name, prime, a, b, x, y, "
            "order, cofactor"
        )
    return entry.curve
