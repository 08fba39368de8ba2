"""Parameters of curves that are small enough for a test."""

TINY = {
    "form": "weierstrass", "name": "tiny", "prime": 65521, "a": -3, "b": 3, "x": 0, "y": 627,
    "order": 65563, "cofactor": 1,
}  # fmt: skip
"""Two channels, for the prime next to the smallest modulus."""

EVEN = TINY | {"name": "even", "b": 29458, "x": 62927, "y": 40846, "order": 16363, "cofactor": 4}
"""With points of order 2 or 4."""

WITHOUT_A = TINY | {
    "name": "small", "prime": 65287, "a": 0, "b": 5, "x": 2, "y": 28347, "order": 65539,
}  # fmt: skip
"""With formulas for a = 0 and a small b."""

MIDDLE = {
    "form": "weierstrass", "name": "tiny", "prime": 1099511627689, "a": -3, "b": 763635782919,
    "x": 496140017063, "y": 273082098879, "order": 1099510235093, "cofactor": 1,
}  # fmt: skip
"""Of 40 bits, which take two words."""

SQUARE = {
    "form": "weierstrass", "name": "square", "prime": 0xFFEFFD8E1591D0EF, "a": 0x9C5BAAA890D7FE93,
    "b": 0x2DAAC36F3189B8D9, "x": 0x52E91B813FD76BC0, "y": 0xA1DCE732593AF8DD,
    "order": 0x7FF7FEC6F95D826F, "cofactor": 2,
}  # fmt: skip
"""Over (65551 * 65513)^2 - 2, as SBMM needs it; of even order: it has no complete addition."""
