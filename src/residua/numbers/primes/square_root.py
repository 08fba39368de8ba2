"""Square roots modulo an integer."""


def square_root(value: int, modulus: int) -> int | None:
    """The smaller one of a pair of roots of ``value``; None if it is no square."""
    # SymPy takes longer to load than a root to find, and most programs need none.
    from sympy.ntheory import sqrt_mod  # noqa: PLC0415

    found = sqrt_mod(value, modulus)
    return None if found is None else int(found)
