"""Keys of the specification of an elliptic-curve coprocessor."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, model_validator

from residua.cores.specification import combinations, keys
from residua.cores.specification.base import CoreSpecification, ResidueSpecification
from residua.curves.blinding import BlindingChoice, check_blinding
from residua.curves.catalogue import find_curve
from residua.curves.comb import MOST_TABLES, MOST_TEETH, TABLES, TEETH
from residua.curves.formulas import Formula, has_complete_formulas
from residua.curves.inversion import Inversion
from residua.curves.parameters import (
    Curve,
    WeierstrassCurve,
    curve_from_parameters,
    parameters_of,
)
from residua.curves.protections.protection import Level, Protection, Protections, refusals
from residua.curves.signatures.verification import refusal
from residua.errors import SpecificationError
from residua.hardware.bus.limits import MOST_INSTANCES
from residua.numbers.selection.coprime import MOST_CHANNELS

FormulaChoice = Literal["auto", "xz-ladder", "difference-ladder", "fixed-window", "endomorphism"]

MOST_NAMES = 3
"""A core with more curves has their number in its name."""


def _curves(value: object) -> tuple[Curve, ...]:
    entries: Sequence[object]
    if isinstance(value, str):
        entries = [name for name in value.split(",") if name.strip()]
    elif isinstance(value, Mapping):
        entries = [value]
    elif isinstance(value, Sequence):
        entries = value
    else:
        raise ValueError("")
    curves = tuple(_curve(entry) for entry in entries)
    if not curves:
        raise ValueError("")
    names = [curve.name for curve in curves]
    for name in names:
        if names.count(name) > 1:
            raise SpecificationError(f"{name!r} is there {names.count(name)} times: give it once")
    return curves


def _curve(entry: object) -> Curve:
    if isinstance(entry, str):
        return find_curve(entry)
    if isinstance(entry, Mapping):
        return curve_from_parameters(entry)
    raise ValueError("")


def _protections(value: object) -> object:
    if value is None:
        return Level.STANDARD
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not names:
        raise ValueError("")
    stripped = [name.strip() if isinstance(name, str) else name for name in names]
    if isinstance(value, str) and value.strip() in list(Level):
        return Level(value.strip())
    for name in stripped:
        if name in list(Level):
            raise SpecificationError(
                f"protections: '{name}' is a level, which stands for several: give it alone, or "
                "names of protections"
            )
        if name not in list(Protection):
            raise SpecificationError(
                f"no protection is called '{name}': one of {', '.join(Protection)}, or a level, "
                f"{', '.join(Level)}"
            )
    return tuple(one for one in Protection if one in stripped)


def _instances(value: object) -> object:
    """One is what there is without the key."""
    return None if value in (1, "1") else value


def _inversion(value: object) -> object:
    if value == "plus-minus":
        raise SpecificationError(
            "'plus-minus' takes a time that depends on what is inverted, and a "
            "coprocessor inverts secrets: take 'plus-minus-ct'"
        )
    return value


class CurveSpecification(CoreSpecification):
    """Common keys of requests with curves. ``None`` and ``auto`` leave a choice to Residua."""

    asked_with: ClassVar[str] = "curve"

    algorithm: keys.Algorithm = "rns-montgomery"
    curve: Annotated[
        tuple[Curve, ...],
        BeforeValidator(_curves),
        keys.Key(
            "The curves of an elliptic-curve coprocessor, numbered from 0 in this order; takes the "
            "place of `modulus`.",
            "names such as `P-256` and `Curve25519`, separated by commas; in TOML also a list of "
            "names, or tables of parameters",
            "none, must be given if no modulus is",
            "CURVES",
            panel=keys.USUAL,
        ),
    ]

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> bool:
        """Whether there is a curve to it."""
        return super().asked_by(values) and "curve" in values

    @property
    def named_keys(self) -> frozenset[str]:
        """The curves, if they are in the catalogue and few."""
        told = self.catalogued and len(self.curve) <= MOST_NAMES
        return frozenset({"curve"} if told else ())

    @property
    def catalogued(self) -> bool:
        """Whether the catalogue has all curves, so that names tell everything."""
        return all(_known(curve) for curve in self.curve)

    def items(self) -> dict[str, Any]:
        """The keys that have a value, in order, in the types that TOML and JSON have."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        values["curve"] = [
            curve.name if self.catalogued else parameters_of(curve) for curve in self.curve
        ]
        return {
            name: _listed(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value is not None
        }

    def toml(self) -> str:
        """The specification as a TOML file, without what is left open."""
        items = self.items()
        curves = items.pop("curve")
        if self.catalogued:
            names = ", ".join(f'"{name}"' for name in curves)
            lines = [f"curve = [{names}]", *_lines(items)]
        else:
            tables = [line for table in curves for line in ("", "[[curve]]", *_lines(table))]
            lines = [*_lines(items), *tables]
        return "\n".join(lines) + "\n"

    def check_instances(self) -> None:
        """Refuse several coprocessors without a bus that they could share.

        Raises:
            SpecificationError: there is none.
        """
        count = getattr(self, "instances", None)
        if count is not None and getattr(self, "bus", "stream") == "stream":
            raise SpecificationError(
                f"instances = {count}: plain streams have no place for tags, so that there is one "
                f"coprocessor with bus = 'stream'; give {keys.BUS_ASKED}, or leave instances out"
            )

    @property
    def left_out(self) -> dict[Protection, str]:
        """What a level stands for and the core cannot have, each with the reason."""
        asked = getattr(self, "protections", Level.NONE)
        if not isinstance(asked, Level):
            return {}
        weierstrass = any(isinstance(curve, WeierstrassCurve) for curve in self.curve)
        refused = refusals(
            combs=getattr(self, "fixed_base", None) is not None,
            orders=self.algorithm != "sbmm",
            signs=weierstrass,
        )
        return {own: reason for own, reason in refused.items() if own in asked.protections}

    @property
    def chosen_protections(self) -> Protections:
        """The protections that the core gets."""
        asked = getattr(self, "protections", Level.NONE)
        own = asked.protections if isinstance(asked, Level) else asked
        return frozenset(own) - self.left_out.keys()


BusKey = Annotated[keys.BusChoice, keys.BUS]
InstancesKey = Annotated[
    Annotated[int, keys.within(2, MOST_INSTANCES)] | None,
    BeforeValidator(_instances),
    keys.Key(
        "Coprocessors behind one bus, each of which takes the next request when it is free; "
        "results come in the order of completion, each with a tag; needs `curve` and a `bus` other "
        "than stream.",
        f"1 to {MOST_INSTANCES}",
        "1",
        "N",
    ),
]
Blinding = Annotated[BlindingChoice, BeforeValidator(keys.random_bits), keys.BLINDING]
ProtectionsKey = Annotated[
    tuple[Protection, ...] | Level,
    BeforeValidator(_protections),
    keys.Key(
        "Protections of a coprocessor, against faults: `exit-check` holds multiples of points, and "
        "the points once more, against the curve before they leave, `control-signature` what an "
        "operation runs against what it has to run, `scalar-check` the bits of a scalar that a "
        "loop takes against those that there were before, `random-health` tests random words, "
        "`status` keeps how an operation ended twice, in codes far from each other, "
        "`conversion-check` has the check of a result take the words that leave, beside "
        "`exit-check`; and against traces: `masked-order` makes signatures from key and nonce "
        "under a random factor, `masked-scalar` has secret scalars come as two shares, "
        "`random-bases` has each operation compute in bases of its own; `redundant-residue`, "
        "against faults again, holds each reduction against one residue more; needs `curve`.",
        "names separated by commas, in TOML also a list of them: "
        + ", ".join(f"`{one}`" for one in Protection)
        + "; or a level, of which a core gets what it can have: `none`, "
        + ", ".join(
            f"`{level}` ({'all' if own == tuple(Protection) else ', '.join(own)})"
            for level in Level
            if (own := level.protections)
        ),
        f"`{Level.STANDARD}`",
        "NAMES",
    ),
]
FormulaKey = Annotated[
    FormulaChoice,
    keys.Key(
        "Method that multiplies points of short Weierstrass curves by secret scalars; needs "
        "`curve`.",
        "`auto`, `xz-ladder`, `difference-ladder` (curves of prime order), `fixed-window` "
        "(curves of odd order), `endomorphism` (curves of prime order with a = 0)",
        "`auto`: for each curve the one with the fewest cycles",
        "NAME",
    ),
]


def named_formula(choice: FormulaChoice) -> Formula | None:
    """The formula that is asked for; None for `auto`."""
    return None if choice == "auto" else Formula(choice)


class CoprocessorSpecification(ResidueSpecification, CurveSpecification):
    """A checked request for a coprocessor."""

    noun: ClassVar[str] = "a coprocessor"
    algorithms: ClassVar[tuple[str, ...]] = ("rns-montgomery", "sbmm")

    bus: BusKey = "axi"
    instances: InstancesKey = None
    blinding: Blinding = "auto"
    formula: FormulaKey = "auto"
    inversion: Annotated[Inversion, BeforeValidator(_inversion), keys.INVERSION_KEY] = (
        Inversion.FERMAT
    )
    inverter_rowers: Annotated[
        Annotated[int, keys.within(1, MOST_CHANNELS)] | None,
        keys.Key(
            "Rowers of a coprocessor's plus-minus inverter, which share the channels: fewer are "
            "smaller and take more cycles; needs `inversion` plus-minus-ct.",
            "a count that gives each as many channels as any other but for the first, which may "
            "have fewer; at most one for each channel",
            "one for two channels",
            "N",
        ),
    ] = None
    fixed_base: Annotated[
        Literal["comb"] | None,
        keys.Key(
            "Method by which a coprocessor multiplies the base points of short Weierstrass curves "
            "of odd order: a comb, from tables in memories beside the rowers; needs `curve`.",
            "`comb`",
            "like any other point",
            "NAME",
        ),
    ] = None
    comb_teeth: Annotated[
        Annotated[int, keys.within(2, MOST_TEETH)] | None,
        keys.Key(
            "Bits of the scalar that an addition of a coprocessor's comb takes; each more makes "
            "tables twice as long; needs `fixed_base`.",
            f"2 to {MOST_TEETH}, as many as an addition has cycles to look through a table",
            str(TEETH),
            "N",
        ),
    ] = None
    comb_tables: Annotated[
        Annotated[int, keys.within(1, MOST_TABLES)] | None,
        keys.Key(
            "Tables of a coprocessor's comb, at most: more save doublings and take more memory; "
            "needs `fixed_base`.",
            f"1 to {MOST_TABLES}",
            str(TABLES),
            "N",
        ),
    ] = None
    ecdsa: Annotated[
        Literal["verify"] | None,
        keys.Key(
            "What a coprocessor does with an ECDSA signature as one operation, on short "
            "Weierstrass curves of prime order and with an inversion other than fermat; needs "
            "`curve`.",
            "`verify`: from digest, signature and key to valid or not, in a time that depends on "
            "them",
            "nothing: a host verifies in several operations",
            "NAME",
        ),
    ] = None
    protections: ProtectionsKey = Level.STANDARD
    width: keys.Width = 17
    channels: keys.Channels = None
    rowers: keys.Rowers = None
    bases: keys.BasesKey = "auto"
    weight: keys.Weight = 3
    base_a: keys.BaseA = None
    base_b: keys.BaseB = None
    extra_bits: Annotated[
        Annotated[int, keys.within(2, keys.LARGEST_EXTRA)] | None, keys.EXTRA_BITS
    ] = None
    extension: keys.Extension = "kawamura"
    columns: keys.Columns = None
    reduction: keys.Reduction = "auto"
    product_registers: keys.ProductRegisters = 0
    levels_per_register: keys.LevelsPerRegister = 1
    register_memory: keys.RegisterMemory = None
    name: keys.Name = None

    @model_validator(mode="after")
    def _even_share(self) -> "CoprocessorSpecification":
        self.check_instances()
        check_blinding(self.curve, self.blinding, named_formula(self.formula))
        if self.fixed_base is not None:
            # A comb takes whole scalars, even where a formula halves them.
            check_blinding(self.curve, self.blinding)
        self._check_comb()
        self._check_ecdsa()
        if self.algorithm == "sbmm":
            self._check_single_base()
            return self
        if self.extra_bits is not None:
            raise SpecificationError(
                f"extra_bits = {self.extra_bits}: only algorithm = 'sbmm' has an extra modulus; "
                "leave it out"
            )
        if self.inverter_rowers is not None and self.inversion is not Inversion.PLUS_MINUS:
            raise SpecificationError(
                f"inverter_rowers = {self.inverter_rowers}: inversion = '{self.inversion}' has no "
                "such choice; leave it out"
            )
        self.check_shape(self.rowers)
        return self

    @property
    def comb(self) -> tuple[int, int] | None:
        """Teeth and most tables of the combs; None if there are none."""
        if self.fixed_base is None:
            return None
        return self.comb_teeth or TEETH, self.comb_tables or TABLES

    def _check_comb(self) -> None:
        """Check whether what is said of combs can be."""
        if self.fixed_base is None:
            for name in ("comb_teeth", "comb_tables"):
                if (value := getattr(self, name)) is not None:
                    raise SpecificationError(
                        f"{name} = {value}: there is no comb without fixed_base = 'comb'; give "
                        "that, or leave this out"
                    )
            return
        if self.algorithm == "sbmm":
            raise SpecificationError(
                "fixed_base = 'comb': tables are of residues of RNS Montgomery multiplication, not "
                "of the pairs of SBMM; leave it out"
            )
        if not any(has_complete_formulas(curve) for curve in self.curve):
            raise SpecificationError(
                "fixed_base = 'comb': a comb needs a short Weierstrass curve of odd order, which "
                f"{' and '.join(curve.name for curve in self.curve)} "
                f"{'is' if len(self.curve) == 1 else 'are'} not; leave it out"
            )

    def _check_ecdsa(self) -> None:
        """Check whether signatures can be verified by one operation, if they are to be."""
        if self.ecdsa is None:
            return
        if self.algorithm == "sbmm":
            raise SpecificationError(
                f"ecdsa = '{self.ecdsa}': a core on SBMM does not compute modulo orders; leave it "
                "out"
            )
        reasons = {curve.name: refusal(curve, self.inversion) for curve in self.curve}
        if all(reasons.values()):
            text = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
            raise SpecificationError(
                f"ecdsa = '{self.ecdsa}' is for none of the curves ({text}); change that, or leave "
                "ecdsa out"
            )

    def _check_single_base(self) -> None:
        """Check everything that does not depend on the bases; the core checks the rest."""
        combinations.check_extension(self.extension, self.columns)
        if self.base_a is None and self.base_b is not None:
            raise SpecificationError("base_a is missing: base_b alone says nothing of the prime")
        if self.base_a and self.base_b:
            combinations.check_bases(self.base_a, self.base_b, None)
        if self.channels is not None and self.channels % 2:
            raise SpecificationError(
                f"n = {self.channels} channels do not make two half-bases: n has to be even"
            )
        if self.extra_bits is not None and "width" in self.model_fields_set:
            combinations.check_extra_bits(self.extra_bits, self.width)


def _listed(values: tuple[object, ...]) -> list[object]:
    return [str(value) if isinstance(value, str) else value for value in values]


def _known(curve: Curve) -> bool:
    try:
        return find_curve(curve.name) == curve
    except SpecificationError:
        return False


def _lines(values: Mapping[str, Any]) -> list[str]:
    return [
        f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
        for name, value in values.items()
    ]
