"""Keys of the specification of an SBMM multiplier."""

from math import isqrt
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, model_validator

from residua.cores.specification import keys
from residua.cores.specification.combinations import check_extra_bits, divisors
from residua.cores.specification.keys import shown
from residua.cores.specification.words import Interface, MultiplierSpecification
from residua.errors import SpecificationError
from residua.numbers.selection.coprime import MOST_CHANNELS


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise ValueError("")


def _rowers(value: object) -> int | str:
    if value in ("half", "full"):
        return str(value)
    number = keys.integer(value)
    if not 1 <= number <= 2 * MOST_CHANNELS:
        raise ValueError("")
    return number


class SingleBaseSpecification(MultiplierSpecification):
    """A checked request for an SBMM multiplier. ``None`` and ``auto`` leave a choice to Residua.

    ``channels`` is the n of the paper: moduli of base a and base b together.
    """

    noun: ClassVar[str] = "an SBMM multiplier"
    algorithms: ClassVar[tuple[str, ...]] = ("sbmm",)

    algorithm: keys.Algorithm = "sbmm"
    modulus: keys.OptionalModulus = None
    bits: Annotated[
        Annotated[int, keys.within(keys.FEWEST_BITS, keys.MOST_BITS)] | None, keys.MODULUS_BITS
    ] = None
    width: keys.Width = 16
    channels: keys.Channels = None
    rowers: Annotated[
        Annotated[int | Literal["half", "full"], BeforeValidator(_rowers)] | None,
        keys.Key(
            "Physical rowers: half of n, as in the paper, all n for both Splits at once, or fewer.",
            "`half`, `full`, n or a divisor of n / 2",
            "`half`",
            "N",
        ),
    ] = None
    bases: keys.BasesKey = "auto"
    weight: keys.Weight = 3
    base_a: keys.BaseA = None
    base_b: keys.BaseB = None
    extra_bits: Annotated[Annotated[int, keys.within(2, keys.LARGEST_EXTRA)], keys.EXTRA_BITS] = 6
    compress: Annotated[
        Annotated[bool, BeforeValidator(_flag)],
        keys.Key(
            "Whether an SBMM multiplier compresses its results, so that they are operands again; "
            "needs `algorithm` sbmm.",
            "`true`, `false`",
            "`false`",
            "BOOL",
        ),
    ] = False
    skip_quotient: Annotated[
        Annotated[bool, BeforeValidator(_flag)],
        keys.Key(
            "Whether the first extension of a Split does without the Cox's quotient: fewer cycles, "
            "longer results; needs `algorithm` sbmm.",
            "`true`, `false`",
            "`false`",
            "BOOL",
        ),
    ] = False
    extension: keys.Extension = "kawamura"
    columns: keys.Columns = None
    reduction: keys.Reduction = "auto"
    schedule: keys.ScheduleKey = "latency"
    interface: Interface = "residues"
    output_multipliers: keys.OutputMultipliers = None
    product_registers: keys.ProductRegisters = 0
    levels_per_register: keys.LevelsPerRegister = 1
    bus: keys.OptionalBus = None
    name: keys.Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "SingleBaseSpecification":
        check_extra_bits(self.extra_bits, self.width)
        if self.base_a is None and self.base_b is not None:
            raise SpecificationError("base_a is missing: base_b alone says nothing of the prime")
        if self.base_a is not None and self.base_b is not None:
            self._check_lengths(self.base_a, self.base_b)
        half = self.half
        if self.physical_rowers not in (*divisors(half), 2 * half):
            can = ", ".join(map(str, (*divisors(half), 2 * half)))
            raise SpecificationError(
                f"rowers = {self.rowers} cannot share n = {2 * half} channels, half of them in "
                f"each base: {can} can"
            )
        self._check_rows(half)
        if self.interface == "words":
            self._check_words(half)
        return self

    def _check_words(self, half: int) -> None:
        if self.compress:
            raise SpecificationError(
                "compress = true: results of a core with interface = 'words' are below P, and "
                "operands again as they are; leave it out"
            )
        if self.physical_rowers > half:
            raise SpecificationError(
                f"rowers = {self.rowers} are two lanes, and binary words need one: give "
                "rowers = 'half', or interface = 'residues'"
            )

    def _check_rows(self, half: int) -> None:
        length, rowers = self.row_length, self.physical_rowers
        if half % length:
            near = [2 * length * rows for rows in (half // length, half // length + 1) if rows]
            raise SpecificationError(
                f"half-bases of {half} moduli do not make rows of c = {length}; "
                f"n = {' or '.join(map(str, near))} would"
            )
        if length > 1 and rowers > half:
            raise SpecificationError(
                f"rowers = {rowers} are two lanes, and hierarchical extensions need one: give "
                "rowers = 'half', or leave out extension"
            )
        if rowers % length:
            can = ", ".join(str(one) for one in divisors(half) if one % length == 0)
            raise SpecificationError(
                f"rowers = {rowers} do not make rows of c = {length}; {can} would"
            )

    def _check_lengths(self, base_a: tuple[int, ...], base_b: tuple[int, ...]) -> None:
        if len(base_a) != len(base_b):
            raise SpecificationError(
                f"base_a has {len(base_a)} moduli and base_b {len(base_b)}: both need the same "
                "number; m_gamma is not among them"
            )

    @property
    def physical_rowers(self) -> int:
        """Rowers but those of m_gamma."""
        named = {None: self.half, "half": self.half, "full": 2 * self.half}
        return named[self.rowers] if self.rowers in named else int(self.rowers or 0)

    @property
    def half(self) -> int:
        """n / 2, the moduli of each base.

        Raises:
            SpecificationError: keys contradict each other, or none of them says.
        """
        found: dict[str, int] = {}
        if self.base_a is not None:
            found["base_a"] = 2 * len(self.base_a)
        if self.channels is not None:
            found["channels"] = self.channels
        if self.bits is not None:
            found["bits"] = self._from_bits("bits", self.bits)
        if self.modulus is not None:
            found["modulus"] = self._from_bits("modulus", (self.root**2 - 2).bit_length())
        if not found:
            raise SpecificationError(
                "bits, channels, modulus or base_a is missing: each of them says how large the "
                "prime P = M_a^2 - 2 is"
            )
        if len(set(found.values())) > 1:
            said = ", ".join(f"{name} n = {count}" for name, count in found.items())
            raise SpecificationError(f"the number of channels is contradictory: by {said}")
        count = next(iter(found.values()))
        if count < 2 or count % 2:
            raise SpecificationError(
                f"n = {count} channels do not make two half-bases: n has to be even"
            )
        return count // 2

    def _from_bits(self, name: str, bits: int) -> int:
        # M_a may be somewhat above a power of two.
        count, rest = divmod(bits + (name == "modulus"), self.width)
        if rest > int(name == "modulus") or count % 2:
            step = 2 * self.width
            near = " or ".join(
                str(each * step) for each in (bits // step, bits // step + 1) if each
            )
            raise SpecificationError(
                f"{name}: P = M_a^2 - 2 with moduli of w = {self.width} bits has a multiple of "
                f"2 w = {step} bits, not {bits}; {near} bits work"
            )
        return count

    @property
    def root(self) -> int:
        """M_a of the modulus.

        Raises:
            SpecificationError: there is none.
        """
        assert self.modulus is not None
        root = isqrt(self.modulus + 2)
        if root * root != self.modulus + 2:
            raise SpecificationError(
                f"modulus = {shown(self.modulus)}: SBMM needs a prime P = M_a^2 - 2, and P + 2 is "
                "no square; leave out modulus and give bits, or take `residua primes`"
            )
        return root
