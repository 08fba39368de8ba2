"""Keys of the specification of a digit Montgomery multiplier."""

from collections.abc import Iterable, Mapping
from typing import Annotated, ClassVar, Literal, Protocol

from pydantic import model_validator

from residua.cores.specification import keys
from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.keys import shown
from residua.errors import SpecificationError

SMALLEST_DIGIT, LARGEST_DIGIT = 2, 128
MOST_LANES = 64

LARGEST_WINDOW = 8
LONGEST_PUBLIC = 256
LOADED_EXPONENT_BITS = 64
"""Bits of a public exponent that is loaded: libraries take hardly any longer ones."""

MultiplierChoice = Literal["inferred", "tiles", "schoolbook", "karatsuba"]
VariantChoice = Literal["subtract", "closed"]
InverseChoice = Literal["computed", "supplied"]
CheckChoice = Literal["none", "flag"]
UnitChoice = Literal["iddmm", "rns-montgomery"]

VERSIONS: dict[int, tuple[str, int]] = {
    1: ("schoolbook", 0),
    2: ("inferred", 0),
    3: ("schoolbook", 1),
    4: ("inferred", 1),
}
"""The report's four versions: multiplier and pipeline levels."""

_REPORT_KEYS = ("architecture", "pipeline", "multiplier", "version", "operand_check")
"""Keys of the report's architectures."""

_IDDMM_KEYS = (*_REPORT_KEYS, "lanes", "inverse")
"""Keys that only IDDMM has, also in exponentiators."""

EXPONENTIATORS = ("modexp", "rsa-crt")
"""Algorithms of exponentiators."""

_EXPONENT_KEYS = ("window", "exponent_bits", "exponent")
"""Keys that only an exponentiator has."""


DIGIT_KEY = keys.Key(
    "Bits k of a digit of a digit multiplier, and of a word of its streams; of a coprocessor on "
    "digits.",
    f"{SMALLEST_DIGIT} to {LARGEST_DIGIT}, with `curve` 4 to 64",
    "16, with `curve` 17",
    "BITS",
)
PIPELINE_KEY = keys.Key(
    "Pipeline levels of IDDMM: n + 2 + `pipeline` cycles an iteration.",
    "0, 1, 2",
    "1; with `curve` none: `lanes` says it",
    "N",
)
LANES_KEY = keys.Key(
    "Digits that IDDMM multiplies at a time, in a deep pipeline: about n^2 / `lanes` "
    "cycles; takes the place of `architecture`, `pipeline` and `multiplier`.",
    f"1 to {MOST_LANES}",
    "none: an architecture of the report; with `curve` 1, unless `pipeline` is given",
    "L",
)


Window = Annotated[
    Annotated[int, keys.within(1, LARGEST_WINDOW)] | None,
    keys.Key(
        "Bits of the exponent that an exponentiator multiplies at a time, from a table of "
        "2^`window` powers; needs `algorithm` modexp or rsa-crt.",
        f"1 to {LARGEST_WINDOW}",
        "the one with the fewest products, at most 5; 4 of RSA on an engine",
        "BITS",
        panel=keys.EXPONENTS,
    ),
]
ExponentBits = Annotated[
    Annotated[int, keys.within(1, keys.MOST_BITS)] | None,
    keys.Key(
        "Bits of all exponents of an exponentiator, fewer for public ones: 17 for 65537; of those "
        "that are loaded with a public key at most; needs `algorithm` modexp.",
        f"1 to {keys.MOST_BITS}, no more than the words of an operand hold; with `exponent` loaded "
        f"2 to {LONGEST_PUBLIC}",
        f"N; with `exponent` loaded {LOADED_EXPONENT_BITS}, or N if that is less",
        "BITS",
        panel=keys.EXPONENTS,
    ),
]
EXPONENT_KEY = keys.Key(
    "The public exponent: of an exponentiator, which has no other one then and only the products "
    "for the ones of this; of RSA; or `loaded` for RSA's public operation, with any public key "
    "(N, e) that is loaded at run time. Needs `algorithm` modexp or rsa-crt, `loaded` modexp on "
    "the `unit` rns-montgomery with `bits`.",
    f"2 to 2^{LONGEST_PUBLIC} - 1, of RSA an odd number; `loaded`",
    "none; 65537 of RSA",
    "NUMBER",
    panel=keys.EXPONENTS,
)
Exponent = Annotated[Annotated[int, keys.within(2, (1 << LONGEST_PUBLIC) - 1)] | None, EXPONENT_KEY]
Unit = Annotated[
    UnitChoice | None,
    keys.Key(
        "Multiplier of an exponentiator: a digit multiplier, or RNS Montgomery multiplication on a "
        "Cox-Rower engine; needs `algorithm` modexp or rsa-crt.",
        "`iddmm`, `rns-montgomery`",
        "`iddmm`",
        "KIND",
        panel=keys.EXPONENTS,
    ),
]


class DigitSpecification(CoreSpecification):
    """A checked request for a digit Montgomery multiplier. ``None`` leaves a choice to Residua."""

    noun: ClassVar[str] = "a digit multiplier"
    nouns: ClassVar[Mapping[str, str]] = {
        "modexp": "an exponentiator on digits",
        "rsa-crt": "an RSA core on digits",
    }
    asked_with: ClassVar[str] = "unit = 'iddmm'"
    algorithms: ClassVar[tuple[str, ...]] = ("iddmm", "r2mm", "mwr2mm", "modexp", "rsa-crt")

    algorithm: keys.Algorithm = "iddmm"
    modulus: keys.OptionalDigitModulus = None
    bits: Annotated[
        Annotated[int, keys.within(keys.FEWEST_BITS, keys.MOST_BITS)] | None,
        keys.MODULUS_BITS,
    ] = None
    digit: Annotated[
        int,
        keys.within(SMALLEST_DIGIT, LARGEST_DIGIT),
        DIGIT_KEY,
    ] = 16
    architecture: Annotated[
        Annotated[int, keys.within(1, 2)] | None,
        keys.Key(
            "Datapath of IDDMM: 1 with a carry for each product, 2 with one for both.",
            "1, 2",
            "2",
            "N",
        ),
    ] = None
    pipeline: Annotated[
        Annotated[int, keys.within(0, 2)] | None,
        PIPELINE_KEY,
    ] = None
    multiplier: Annotated[
        MultiplierChoice | None,
        keys.Key(
            "Multipliers of digits in IDDMM: DSP blocks as far as the device has them, put "
            "together by synthesis, or in tiles for DSP48 blocks, which do most of the additions; "
            "or logic, for which k is a power of two.",
            "`inferred`, `tiles`, `schoolbook`, `karatsuba`",
            "`inferred`",
            "KIND",
        ),
    ] = None
    version: Annotated[
        Annotated[int, keys.within(1, 4)] | None,
        keys.Key(
            "Multiplier and pipeline of IDDMM as the report numbers them: 1 schoolbook without, "
            "2 inferred without, 3 schoolbook with 1 level, 4 inferred with 1 level.",
            "1, 2, 3, 4",
            "none; `multiplier` and `pipeline` say it",
            "N",
        ),
    ] = None
    lanes: Annotated[
        Annotated[int, keys.within(1, MOST_LANES)] | None,
        LANES_KEY,
    ] = None
    variant: Annotated[
        VariantChoice,
        keys.Key(
            "Range of the results of a digit multiplier: below p after a final subtraction, or "
            "below 2 p, like operands, after as many iterations as that takes.",
            "`subtract`, `closed`",
            "`subtract`",
            "KIND",
        ),
    ] = "subtract"
    inverse: Annotated[
        InverseChoice | None,
        keys.Key(
            "Source of p' = -1 / p modulo 2^k in IDDMM if the modulus is loaded: computed, in k "
            "cycles, or supplied as a word after those of the modulus.",
            "`computed`, `supplied`",
            "`computed`",
            "KIND",
        ),
    ] = None
    operand_check: Annotated[
        CheckChoice | None,
        keys.Key(
            "Check of the operands of IDDMM: a bit of the result flags one that was out of its "
            "range, or such operands just give wrong results.",
            "`none`, `flag`",
            "`none`",
            "KIND",
        ),
    ] = None
    window: Window = None
    exponent_bits: ExponentBits = None
    exponent: Exponent = None
    unit: Unit = None
    bus: keys.OptionalBus = None
    name: keys.Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "DigitSpecification":
        if self.algorithm == "rsa-crt":
            refuse_for_rsa(self)
        self._check_modulus()
        if self.algorithm in EXPONENTIATORS:
            self._check_exponentiation()
            if self.variant != "subtract":
                raise SpecificationError(
                    f"variant = '{self.variant}': an exponentiator has numbers below p, and needs "
                    "variant = 'subtract'"
                )
        else:
            self.refuse(_EXPONENT_KEYS, f"algorithm = '{self.algorithm}' has no exponents")
        if self.algorithm not in EXPONENTIATORS:
            self.refuse(("unit",), f"algorithm = '{self.algorithm}' has no such choice")
        if self.algorithm not in ("iddmm", *EXPONENTIATORS):
            self.refuse(_IDDMM_KEYS, f"algorithm = '{self.algorithm}' has no such choice")
        if self.lanes is not None:
            self.refuse(_REPORT_KEYS, f"lanes = {self.lanes} has a datapath of its own")
        if self.version is not None:
            self._check_version(self.version)
        if self.on_bus:
            self._check_operand_check()
        return self

    @property
    def on_bus(self) -> bool:
        """Whether there is a bus around the core."""
        return self.bus in keys.ON_BUS

    def _check_operand_check(self) -> None:
        """Refuse a bus where operands that are too large would give wrong results."""
        if self.algorithm in EXPONENTIATORS or self.bits is None:
            return
        if self.algorithm != "iddmm" or self.lanes is not None:
            kind = f"algorithm = '{self.algorithm}'" + (" with lanes" if self.lanes else "")
            raise SpecificationError(
                f"bus = '{self.bus}': {kind} does not compare operands with a modulus that is "
                "loaded; give modulus in place of bits, or algorithm = 'iddmm' without lanes"
            )
        if self.operand_check == "none":
            raise SpecificationError(
                f"operand_check = 'none': with bus = '{self.bus}' operands are compared with the "
                "modulus that is loaded; leave it out"
            )

    def _check_exponentiation(self) -> None:
        if self.algorithm == "rsa-crt":
            self.refuse(("operand_check",), "RSA checks its results")
            return
        self.refuse(("operand_check",), "any base and exponent will do")
        if self.exponent is not None:
            self.refuse(
                ("window", "exponent_bits"), f"exponent = {self.exponent} is the only exponent"
            )

    def _check_modulus(self) -> None:
        check_modulus_or_bits(self.modulus, self.bits)
        if self.modulus is not None:
            self.refuse(("inverse",), "a modulus that is built in has its inverse built in")
            length = self.modulus.bit_length()
            if length > keys.MOST_BITS:
                raise SpecificationError(
                    f"the modulus has {length} bits, and a digit multiplier has at most "
                    f"{keys.MOST_BITS}"
                )

    def _check_version(self, version: int) -> None:
        for name, own in zip(("multiplier", "pipeline"), VERSIONS[version], strict=True):
            if getattr(self, name) not in (None, own):
                raise SpecificationError(
                    f"{name} = {shown(getattr(self, name))}, but version = {version} has "
                    f"{name} = {shown(own)}: leave out one of them"
                )

    @property
    def length(self) -> int:
        """N, the bits of the modulus."""
        return self.bits or (self.modulus or 0).bit_length()


class _Exponents(Protocol):
    """A specification that may be one of RSA."""

    @property
    def bits(self) -> int | None:
        """Bits of N."""

    @property
    def exponent(self) -> int | Literal["loaded"] | None:
        """The public exponent."""

    def refuse(self, names: Iterable[str], reason: str) -> None:
        """Refuse values of keys."""


def refuse_for_rsa(specification: _Exponents) -> None:
    """Refuse what RSA has no use for.

    Raises:
        SpecificationError: a modulus or bits of exponents, an even public exponent, or no bits.
    """
    specification.refuse(("modulus",), "RSA loads its key, and bits says how long N is")
    specification.refuse(("exponent_bits",), "private exponents are as long as the primes")
    if specification.bits is None:
        raise SpecificationError("bits is missing: RSA loads its key, and bits says how long N is")
    if specification.exponent == "loaded":
        raise SpecificationError(
            "exponent = 'loaded': a private key belongs to the exponent that its results are "
            "checked with, which is built in; algorithm = 'modexp' takes any public key"
        )
    if specification.exponent is not None and specification.exponent % 2 == 0:
        raise SpecificationError(
            f"exponent = {specification.exponent}: the public exponent of RSA is odd"
        )


def check_modulus_or_bits(modulus: int | None, bits: int | None) -> None:
    """Refuse a request that has neither a modulus nor bits, or both.

    Raises:
        SpecificationError: what is missing, or too much.
    """
    if (modulus is None) == (bits is None):
        raise SpecificationError(
            "modulus or bits is missing: a modulus is built in, bits says how long the moduli "
            "are that are loaded at run time"
            if modulus is None
            else "modulus and bits are both given: a modulus is built in, bits is for moduli "
            "that are loaded at run time; leave out one of them"
        )
