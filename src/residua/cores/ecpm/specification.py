"""Keys of the specification of a point multiplier of 2006."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import model_validator

from residua.cores.coprocessor.specification import CurveSpecification
from residua.cores.specification import keys
from residua.curves.parameters import Curve, WeierstrassCurve
from residua.errors import SpecificationError

ALGORITHM = "ecpm-2006"

OperationChoice = Literal["multiply", "add", "double"]

LARGEST_DIGIT, LARGEST_CONVERSION, MOST_SCALAR_BITS = 17, 4, 1024


class EcpmSpecification(CurveSpecification):
    """A checked request for an ECA, ECD or ECPM of the ECPM paper."""

    noun: ClassVar[str] = "an extended-RNS point multiplier"
    algorithms: ClassVar[tuple[str, ...]] = (ALGORITHM,)

    algorithm: keys.Algorithm = ALGORITHM
    operation: Annotated[
        OperationChoice,
        keys.Key(
            "Operation of `ecpm-2006`: a multiple of a point, the sum of two points by (10), or "
            "twice a point by (9).",
            "`multiply`, `add`, `double`",
            "`multiply`",
            "NAME",
        ),
    ] = "multiply"
    width: Annotated[
        Annotated[int, keys.WIDTH] | None,
        keys.Key("Bits of a modulus.", "8 to 64", "the least that holds the range", "BITS"),
    ] = None
    channels: keys.Channels = None
    product_digit: Annotated[
        int,
        keys.within(1, LARGEST_DIGIT),
        keys.Key(
            "Bits of an operand that the Horner multipliers of `ecpm-2006` take a cycle: radix "
            "2^`product_digit`.",
            f"1 to {LARGEST_DIGIT}",
            "4",
            "BITS",
        ),
    ] = 4
    conversion_digit: Annotated[
        int,
        keys.within(1, LARGEST_CONVERSION),
        keys.Key(
            "Bits of every residue that the converter of `ecpm-2006` takes a cycle.",
            f"1 to {LARGEST_CONVERSION}",
            "2",
            "BITS",
        ),
    ] = 2
    scalar_bits: Annotated[
        Annotated[int, keys.within(1, MOST_SCALAR_BITS)] | None,
        keys.Key(
            "Bits of the scalars of `ecpm-2006`, all of which are gone through.",
            f"1 to {MOST_SCALAR_BITS}",
            "those of the curve's order",
            "BITS",
        ),
    ] = None
    bus: keys.OptionalBus = None
    name: keys.Name = None

    @model_validator(mode="after")
    def _one_curve(self) -> "EcpmSpecification":
        if len(self.curve) != 1:
            raise SpecificationError(
                f"curve has {len(self.curve)} curves: algorithm = '{ALGORITHM}' is for one"
            )
        if not isinstance(self.curve[0], WeierstrassCurve):
            raise SpecificationError(
                f"curve = '{self.curve[0].name}': algorithm = '{ALGORITHM}' is for short "
                "Weierstrass curves"
            )
        if self.operation != "multiply":
            self.refuse(("scalar_bits",), f"operation = '{self.operation}' has no scalar")
        return self

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> bool:
        """Whether the algorithm is that of this kind, which no other has, curve or not."""
        return values["algorithm"] in cls.algorithms

    @property
    def only_curve(self) -> Curve:
        """The curve."""
        return self.curve[0]
