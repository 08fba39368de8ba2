"""Keys of the specification of an exponentiator on an engine."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, model_validator

from residua.cores.digit.specification import (
    EXPONENT_KEY,
    LOADED_EXPONENT_BITS,
    LONGEST_PUBLIC,
    ExponentBits,
    Unit,
    Window,
    check_modulus_or_bits,
    refuse_for_rsa,
)
from residua.cores.specification import keys
from residua.cores.specification.base import ResidueSpecification
from residua.curves.blinding import MARGIN, BlindingChoice
from residua.errors import SpecificationError

Blinding = Annotated[
    BlindingChoice | None,
    BeforeValidator(lambda value: None if value is None else keys.random_bits(value)),
    keys.BLINDING,
]

LOADED: Literal["loaded"] = "loaded"
"""Value of ``exponent`` for public keys that are loaded."""


def _exponent(value: object) -> int | Literal["loaded"] | None:
    if value is None:
        return None
    if value == LOADED:
        return LOADED
    number = keys.integer(value)
    if not 2 <= number < 1 << LONGEST_PUBLIC:
        raise ValueError("")
    return number


EngineExponent = Annotated[int | Literal["loaded"] | None, BeforeValidator(_exponent), EXPONENT_KEY]

UNIT: Literal["rns-montgomery"] = "rns-montgomery"
"""Value of ``multiplier`` that puts an exponentiator on an engine."""


class ExponentiationSpecification(ResidueSpecification):
    """A checked request for an exponentiator. ``None`` and ``auto`` leave a choice to Residua."""

    noun: ClassVar[str] = "an exponentiator on an engine"
    nouns: ClassVar[Mapping[str, str]] = {"rsa-crt": "an RSA core on an engine"}
    asked_with: ClassVar[str] = "unit = 'rns-montgomery'"
    algorithms: ClassVar[tuple[str, ...]] = ("modexp", "rsa-crt")

    algorithm: keys.Algorithm = "modexp"
    unit: Unit = UNIT
    modulus: keys.OptionalModulus = None
    bits: Annotated[
        Annotated[int, keys.within(keys.FEWEST_BITS, keys.MOST_BITS)] | None, keys.MODULUS_BITS
    ] = None
    window: Window = None
    exponent_bits: ExponentBits = None
    exponent: EngineExponent = None
    blinding: Blinding = None
    width: keys.Width = 17
    channels: keys.Channels = None
    rowers: keys.Rowers = None
    bases: keys.BasesKey = "auto"
    weight: keys.Weight = 3
    base_a: keys.BaseA = None
    base_b: keys.BaseB = None
    extension: keys.Extension = "kawamura"
    columns: keys.Columns = None
    reduction: keys.Reduction = "auto"
    output_multipliers: keys.OutputMultipliers = None
    product_registers: keys.ProductRegisters = 0
    levels_per_register: keys.LevelsPerRegister = 1
    bus: keys.OptionalBus = None
    name: keys.Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "ExponentiationSpecification":
        if self.algorithm == "rsa-crt":
            refuse_for_rsa(self)
        check_modulus_or_bits(self.modulus, self.bits)
        self.check_shape(self.rowers)
        if self.algorithm == "rsa-crt":
            self._check_blinding()
            self._refuse_multipliers()
            return self
        self.refuse(("blinding",), "private exponents of RSA are blinded alone")
        if self.exponent == LOADED:
            self._check_public()
            return self
        self._refuse_multipliers()
        if self.exponent is not None:
            only = f"exponent = {self.exponent} is the only exponent"
            self.refuse(("window", "exponent_bits"), only)
        return self

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> bool:
        """Whether the unit is an engine; without one an exponentiator is on digits."""
        return super().asked_by(values) and values.get("unit") == UNIT

    def _check_public(self) -> None:
        """Refuse what does not go with public keys that are loaded."""
        if self.bits is None:
            raise SpecificationError(
                "exponent = 'loaded': the modulus of a public key is loaded, too; give bits in "
                "place of modulus"
            )
        self.refuse(("window",), "a public exponent has no windows")
        if self.exponent_bits is not None and not 2 <= self.exponent_bits <= LONGEST_PUBLIC:
            raise SpecificationError(
                f"exponent_bits = {self.exponent_bits}: public exponents that are loaded have 2 to "
                f"{LONGEST_PUBLIC} bits"
            )

    def _refuse_multipliers(self) -> None:
        reason = "only exponent = 'loaded' has such a choice"
        self.refuse(("output_multipliers",), reason)

    def _check_blinding(self) -> None:
        if isinstance(self.blinding, int) and 0 < self.blinding < MARGIN:
            raise SpecificationError(
                f"blinding = {self.blinding}: bits of an exponent would be hidden by fewer than "
                f"{MARGIN} random bits: take 'auto', or at least {MARGIN}, or 0 for no blinding"
            )

    @property
    def random_bits(self) -> int:
        """Random bits that blind a private exponent; 0 if none is blinded."""
        if self.blinding == "auto":
            # A prime has hardly a run of equal bits that is longer than that.
            return MARGIN + (-(-self.length // 2)).bit_length()
        return self.blinding or 0

    @property
    def public_exponent(self) -> int | None:
        """The public exponent that is built in; None if there is none, or one is loaded."""
        return None if self.exponent == LOADED else self.exponent

    @property
    def loaded_exponent_bits(self) -> int:
        """Bits of a public exponent that is loaded, at most."""
        return self.exponent_bits or min(LOADED_EXPONENT_BITS, self.length)

    @property
    def length(self) -> int:
        """Bits of the modulus, or of the longest one."""
        return self.bits or (self.modulus or 0).bit_length()
