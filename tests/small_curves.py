"""Parameters of curves that are small enough for a test, beside those of campaigns."""

from residua.evidence.small_curves import MONTGOMERY_TINY, SBMM_TINY, SMALL, TINY

EVEN = TINY | {"name": "even", "b": 29458, "x": 62927, "y": 40846, "order": 16363, "cofactor": 4}
"""With points of order 2 or 4."""

WITHOUT_A = TINY | {
    "name": "small", "prime": 65287, "a": 0, "b": 5, "x": 2, "y": 28347, "order": 65539,
}  # fmt: skip
"""With formulas for a = 0 and a small b."""

LARGE_B = TINY | {
    "name": "large-b", "prime": 65437, "a": 0, "b": 71, "x": 2, "y": 3707, "order": 65929,
}  # fmt: skip
"""With an endomorphism, too, but with the formulas for a = 0 and any b."""

LEAST = TINY | {
    "name": "least", "prime": 283, "a": 0, "b": 3, "x": 1, "y": 2, "order": 277,
}  # fmt: skip
"""With an endomorphism, too, and just enough points for the windows of signatures."""

THREE_WORDS = TINY | {
    "name": "three-words", "prime": 79228161169958014198178046949, "a": 0, "b": 10, "x": 4,
    "y": 16339671817061445741294426480, "order": 79228161169957464293384785189,
}  # fmt: skip
"""With an endomorphism, and scalars that fill their words."""

NEARLY_THREE_WORDS = TINY | {
    "name": "nearly-three-words", "prime": 2914633867314056147269, "a": 0, "b": 10, "x": 1,
    "y": 709748509889658405702, "order": 2914633867212002471521,
}  # fmt: skip
"""With an endomorphism, and scalars of 72 bits."""

MONTGOMERY = MONTGOMERY_TINY
"""The one of campaigns."""

MIDDLE = SMALL
"""Of 40 bits, which take two words."""

SQUARE = SBMM_TINY | {"name": "square"}
"""Of even order: it has no complete addition."""
