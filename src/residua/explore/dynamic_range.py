"""The dynamic range that a formula needs in an RNS, by where it is reduced: `residua range`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from residua.algorithms.integer_program import IntegerProgram, parse
from residua.curves.jacobian import FORMULAS
from residua.errors import SpecificationError
from residua.machines.scheduling.reductions import Placement, PlacementSearch
from residua.numbers.catalogue import check_modulus, parse_modulus

REDUCTION_COST = 4
"""Products that a reduction takes as long as, by default: about as in the ECPM hardware."""

MOST = 6
"""Values beside the outputs that a search reduces, by default."""


def formula(name: str) -> IntegerProgram:
    """The formula of this name, or of this file.

    Raises:
        SpecificationError: there is neither, or the file holds no formula.
    """
    if name in FORMULAS:
        return FORMULAS[name]
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecificationError(
            f"no formula '{name}': give {', '.join(FORMULAS)} or a file with one"
        ) from error
    return parse(path.name, text)


def available_bits(bits: int | None, width: int | None, channels: int | None) -> int | None:
    """The range that there is: given, or that of some moduli; None if nothing says it.

    Raises:
        SpecificationError: it is given twice or in part, or is not positive.
    """
    if (width is None) != (channels is None):
        raise SpecificationError("width and channels say a range together: give both or neither")
    if bits is not None and width is not None:
        raise SpecificationError("bits and width with channels are both given: leave out one")
    found = bits if width is None or channels is None else width * channels
    if found is not None and found < 1:
        raise SpecificationError(f"a range has at least 1 bit, not {found}")
    return found


def dynamic_range(
    name: str,
    modulus: str,
    *,
    reduce: Sequence[str] | None = None,
    fixed: Sequence[str] = (),
    bits: int | None = None,
    most: int = MOST,
    cost: int = REDUCTION_COST,
) -> dict[str, Any]:
    """Placements of reductions with the range that each needs, and the cheapest of them.

    Args:
        name: of a formula or of its file.
        modulus: p, as a name or a number.
        reduce: only this placement: values beside the outputs. None to search.
        fixed: inputs with a small value, such as ``a=-3``.
        bits: the range that there is. Without one the cheapest placement is that with the least
            product of range and time.
        most: values beside the outputs that the search reduces.
        cost: products that a reduction takes as long as.

    Raises:
        SpecificationError: no such formula, value or input; a half that is not exact; or a range
            too narrow, with the bits that are missing.
    """
    if most < 0 or cost < 0:
        raise SpecificationError("the number of reductions and their cost cannot be negative")
    program, prime = formula(name), parse_modulus(modulus)
    check_modulus(prime)
    search = PlacementSearch(program, prime, dict(map(_fixed, fixed)))
    placements = search.front(most) if reduce is None else [search.placement(set(reduce))]
    rows = [_row(one, program.products, cost) for one in placements]
    return {
        "formula": program.name,
        "modulus": str(prime),
        "modulus_bits": prime.bit_length(),
        "inputs": list(program.inputs),
        "fixed": dict(map(_fixed, fixed)),
        "products": program.products,
        "reduction_cost": cost,
        "available": bits,
        "placements": rows,
        "cheapest": _cheapest(program.name, rows, bits),
    }


def _fixed(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), int(value.strip(), 0)
    except ValueError:
        raise SpecificationError(
            f"'{text}' fixes no input: give a name and a number such as a=-3"
        ) from None


def _row(one: Placement, products: int, cost: int) -> dict[str, Any]:
    return {
        "reductions": one.reductions,
        "reduced": list(one.names),
        "bits": one.bits,
        "widest": one.widest,
        "cost": one.bits * (products + cost * one.reductions),
    }


def _cheapest(name: str, rows: list[dict[str, Any]], bits: int | None) -> int:
    """The place of the cheapest among the rows."""
    if bits is None:
        return min(range(len(rows)), key=lambda place: (rows[place]["cost"], place))
    # A product of moduli of b bits in all is somewhat below 2^b.
    fitting = [place for place, row in enumerate(rows) if row["bits"] < bits]
    if fitting:
        return fitting[0]
    narrowest = min(rows, key=lambda row: int(row["bits"]))
    missing = narrowest["bits"] + 1 - bits
    raise SpecificationError(
        f"a range of {bits} bits is {missing} bit{'s' * (missing > 1)} too narrow for {name}: with "
        f"{narrowest['reductions']} reductions {narrowest['widest']} has {narrowest['bits']} bits, "
        "and the product of the moduli must have one more"
    )
