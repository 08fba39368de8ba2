"""Curves so small that everything about a core of theirs can be tried."""

TINY = {
    "form": "weierstrass", "name": "tiny", "prime": 65521, "a": -3, "b": 3,
    "x": 0, "y": 627, "order": 65563, "cofactor": 1,
}  # fmt: skip
"""The smallest curve that a coprocessor takes."""

SMALL = {
    "form": "weierstrass", "name": "tiny", "prime": 1099511627689, "a": -3, "b": 763635782919,
    "x": 496140017063, "y": 273082098879, "order": 1099510235093, "cofactor": 1,
}  # fmt: skip
"""A curve of 40 bits, whose numbers take two words."""

MONTGOMERY_TINY = {
    "form": "montgomery", "name": "little", "prime": 65539, "a": 7, "b": 1, "x": 9, "y": 21939,
    "order": 8209, "cofactor": 8,
}  # fmt: skip
"""A curve of which x alone is computed."""

SBMM_TINY = {
    "form": "weierstrass", "name": "tiny", "prime": 0xFFEFFD8E1591D0EF,
    "a": 0x9C5BAAA890D7FE93, "b": 0x2DAAC36F3189B8D9, "x": 0x52E91B813FD76BC0,
    "y": 0xA1DCE732593AF8DD, "order": 0x7FF7FEC6F95D826F, "cofactor": 2,
}  # fmt: skip
"""A curve over the prime (65551 * 65513)^2 - 2, for field units of SBMM."""
