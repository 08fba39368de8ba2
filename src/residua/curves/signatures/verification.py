"""Verification of an ECDSA signature as one operation, from digest, signature and key to a status.

The operands are e (the digest as a number below the order n), r, s, and x and y of the key Q. All
of them are public. With u = e / s and v = r / s modulo n the signature is valid if x of the point
u G + v Q is r modulo n.

The point comes from the windows of `residua.curves.signatures.sliding_windows`, as (X : Y : Z).
Where these fail, which Z = 0 tells, it comes from complete formulas instead, those of
`residua.curves.joint` or of `residua.curves.endomorphism.joint`, so that no key and no signature is
an exception. x = r is a comparison without a division,
X = r Z^2; only if that fails is x made, and compared modulo n. A valid signature gives its r as the
result, so that a host that has it back knows that the core has answered.
"""

from residua.algorithms.fields.field import Constant, FieldProgram
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import Status
from residua.curves.operations.instructions import (
    NUMBER,
    Deliver,
    Follow,
    Instruction,
    Invert,
    Modulus,
    Receive,
    Run,
    When,
    give_results,
    load_number,
    stop_if,
    unload_number,
)
from residua.curves.operations.sequences import joint_sum, read_point, validate_point
from residua.curves.parameters import Curve, WeierstrassCurve
from residua.curves.signatures import sliding_windows
from residua.curves.signatures.sliding_windows import (
    BASE_ENTRIES,
    DENOMINATORS,
    LEAST_ORDER,
    STATE,
    TABLE,
)

BASE_ROUTINES = tuple(f"window_base_{index}" for index in range(BASE_ENTRIES))
"""The routines that make odd multiples of the base point the entry, in their order."""

POINT_ROUTINES = tuple(f"window_point_{index}" for index in range(len(TABLE)))
"""The routines that make odd multiples of the key the entry, in their order."""

IMAGE_ROUTINES = tuple(f"window_image_{index}" for index in range(len(TABLE)))
"""The routines that make images of these the entry, in their order."""

OWN_ROUTINES = (
    "window_begin",
    "window_doubling",
    "window_addition",
    "window_table_product",
    "window_table",
    "window_difference",
    *POINT_ROUTINES,
    *BASE_ROUTINES,
)
"""The routines that every curve has for itself."""

HALVES_ROUTINES = ("window_table_images", "window_image", *IMAGE_ROUTINES)
"""Those of a curve besides whose scalars an endomorphism splits."""

_ORDER, _FIELD = Modulus(order=True), Modulus(order=False)


def refusal(curve: Curve, inversion: Inversion) -> str:
    """The reason why signatures on a curve are not verified as one operation, empty if they are."""
    if not isinstance(curve, WeierstrassCurve):
        return "it is no short Weierstrass curve"
    if curve.cofactor != 1 or curve.order < LEAST_ORDER:
        return f"its order is not a prime of at least {LEAST_ORDER} alone"
    if inversion is Inversion.FERMAT:
        return "inversion = 'fermat' needs the registers; take 'plus-minus-ct'"
    return ""


def instructions(curve: WeierstrassCurve, bits: int, *, splits: bool) -> list[Instruction]:
    """The instructions of a curve with scalars of ``bits`` bits.

    If an endomorphism ``splits`` scalars, they are those of a half.
    """
    own_r: list[Instruction] = [_FIELD, Run("load"), _copy("rp", NUMBER), _ORDER]
    return [
        _ORDER,
        *load_number("operand", "x0"),
        *load_number("operand", "r"),
        *(own_r if curve.order < curve.prime else []),
        *load_number("operand", "m"),
        _FIELD,
        *read_point(),
        _ORDER,
        *stop_if("r", "zero", Status.INVALID),
        *stop_if("m", "zero", Status.INVALID),
        _FIELD,
        *validate_point(),
        *_scalars(splits=splits),
        *_table(splits=splits),
        _follow(splits=splits),
        *unload_number("z0"),
        When("zero", tuple(_completely(bits, splits=splits))),
        *_comparison(curve),
        _ORDER,
        *give_results("r"),
    ]


def _scalars(*, splits: bool) -> list[Instruction]:
    """e / s and r / s."""
    first, second = Deliver("first scalar"), Deliver("second scalar")
    if splits:
        first, second = Deliver("first split scalar"), Deliver("second split scalar")
    return [
        _ORDER,
        _copy("d", "m"),
        Invert(),
        Run("window_scalars"),
        *_deliver("x0", first),
        *_deliver("y0", second),
        _FIELD,
    ]


def _table(*, splits: bool) -> list[Instruction]:
    """Q, 3 Q, 5 Q and 7 Q; 5 Q is 4 Q + Q, 7 Q is 2 (3 Q) + Q.

    With them come their images if an endomorphism ``splits`` scalars.
    """
    made: list[Instruction] = [Run(POINT_ROUTINES[0])]
    for index, doublings in ((2, 2), (1, 1)):
        sums = (Run("window_begin"), Run("window_doubling", doublings), Run("window_addition"))
        places = (*TABLE[index], DENOMINATORS[index - 1])
        copies = (_copy(*pair) for pair in zip(places, STATE[:3], strict=True))
        made += [*sums, *copies]
    last = [Run("window_doubling"), Run("window_addition"), Run("window_table_product")]
    images = [Run("window_table_images")] if splits else []
    return [*made, *last, Invert(), Run("window_table"), *images]


def _follow(*, splits: bool) -> Follow:
    """The sum of both multiples, by windows over the scalars or, with images, their halves."""
    base, point, image = (
        Run(family[0], indexed=True) for family in (BASE_ROUTINES, POINT_ROUTINES, IMAGE_ROUTINES)
    )
    entries = [[base], [point], *([[base, Run("window_image")], [image]] if splits else [])]
    sums = (Run("window_begin"), Run("window_addition"))
    return Follow(
        (
            (Run("window_doubling", counted=True),),
            *((*entry, last) for last in sums for entry in entries),
        )
    )


def _completely(bits: int, *, splits: bool) -> list[Instruction]:
    """The same sum by complete formulas, bit by bit; Z in the place of Z^2, so that x = X / "zz".

    The table of the key is no longer needed, but for the key itself.
    """
    return [
        Run(BASE_ROUTINES[0]),
        _copy("nx", "d"),
        _copy("ny", "m"),
        *joint_sum(bits, splits=splits),
        *stop_if("z0", "zero", Status.INVALID),
        _copy("zz", "z0"),
    ]


def _comparison(curve: WeierstrassCurve) -> list[Instruction]:
    """Compare x with r as they are, if r is below the prime, then modulo the order."""
    exactly = [
        _copy("d", "zz"),
        Invert(),
        _copy("y", "x0"),
        Run("multiply_x"),
        *_deliver("x", Deliver("operand")),
        _ORDER,
        Run("load"),
        Run("window_remainder"),
        *stop_if("d", "nonzero", Status.INVALID),
    ]
    if curve.order > curve.prime:
        return exactly
    return [
        Run("window_difference"),
        *unload_number("d"),
        When("nonzero", tuple(exactly)),
    ]


def _deliver(element: str, target: Deliver) -> list[Instruction]:
    return [target, *unload_number(element), Receive(kept=False)]


def _copy(target: str, source: str) -> Run:
    return Run(f"copy_{target}_{source}")


def routines(curve: WeierstrassCurve, *, splits: bool) -> dict[str, FieldProgram]:
    """The field programs of a curve's verification.

    They are `OWN_ROUTINES`, and `HALVES_ROUTINES` if an endomorphism ``splits`` scalars.
    """
    a = -3 if curve.has_a_minus_3 else 0 if curve.a == 0 else None
    programs = (
        sliding_windows.begin(),
        sliding_windows.doubling(a=a),
        sliding_windows.addition(),
        sliding_windows.table_product(),
        sliding_windows.table(),
        _difference(),
        *map(sliding_windows.point_entry, range(len(POINT_ROUTINES))),
        *map(sliding_windows.base_entry, range(len(BASE_ROUTINES))),
    )
    made = dict(zip(OWN_ROUTINES, programs, strict=True))
    if not splits:
        return made
    images = (
        sliding_windows.table_images(),
        sliding_windows.base_image(),
        *map(sliding_windows.point_image, range(len(IMAGE_ROUTINES))),
    )
    return made | dict(zip(HALVES_ROUTINES, images, strict=True))


def _difference() -> FieldProgram:
    """X - r Z^2 in "d"."""
    program = FieldProgram("window_difference")
    x, r, zz = (program.input(name) for name in ("x0", "rp", "zz"))
    program.output("d", program.product_sum("d", (x, Constant(1), 1), (r, zz, -1)))
    return program


def common_routines() -> dict[str, FieldProgram]:
    """Field programs that serve every modulus."""
    scalars = FieldProgram("window_scalars")
    inverse = scalars.input("inverse")
    for target, source in (("x0", "x0"), ("y0", "r")):
        scalars.output(target, scalars.product(target, scalars.input(source), inverse))
    remainder = FieldProgram("window_remainder")
    one = Constant(1)
    terms = (remainder.input(NUMBER), one, 1), (remainder.input("r"), one, -1)
    remainder.output("d", remainder.product_sum("d", *terms))
    return {program.name: program for program in (scalars, remainder)}


def constants(curve: WeierstrassCurve) -> dict[str, int]:
    """The named constants of the field programs."""
    return sliding_windows.constants(curve)
