"""Keys that every specification has, and what describes and checks a key."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator

from residua.curves.blinding import MARGIN, MOST_RANDOM_BITS, BlindingChoice
from residua.numbers.catalogue import SMALLEST_MODULUS, check_modulus, parse_modulus
from residua.numbers.selection.coprime import MOST_CHANNELS, WIDTHS
from residua.verilog.names import legal_name

Bases = Literal["auto", "sparse", "any"]
ReductionChoice = Literal["auto", "shift", "multiply"]
ExtensionChoice = Literal["kawamura", "hierarchical"]
ScheduleGoal = Literal["latency", "interval"]
InversionChoice = Literal["division-steps", "fermat", "plus-minus", "plus-minus-ct"]


USUAL, SELDOM = "Usual", "Seldom wanted"
ENGINE, COPROCESSOR = "For cores on a Cox-Rower engine", "For a coprocessor"
EXPONENTS = "For an exponentiator or RSA"
"""Panels of the help that have keys of several kinds."""


@dataclass(frozen=True)
class Key:
    """The description of a key: what it means, which values it takes, what stands for it.

    Attributes:
        panel: the part of the help that it is in, by default that of the first kind that takes it.
    """

    meaning: str
    allowed: str
    default: str
    metavar: str
    panel: str = ""


INVERSION_KEY = Key(
    "Method of inversion of a coprocessor or an inverter: by Fermat's theorem on the engine, by "
    "division steps in a unit of its own with three multipliers, or by the plus-minus method in an "
    "RNS without multipliers: `plus-minus-ct`, or in a time that depends on the operand (an "
    "inverter only) `plus-minus`. The other methods take constant time.",
    "`fermat`, `division-steps`, `plus-minus-ct`, `plus-minus`",
    "`fermat`; of `inversion` `division-steps`",
    "METHOD",
    panel=COPROCESSOR,
)

FEWEST_BITS, MOST_BITS = 16, 8192
"""Fewest and most bits of a modulus that is not named."""

MODULUS_BITS = Key(
    "Bits N of moduli that are not named: of the prime M_a^2 - 2 of an SBMM multiplier, an even "
    "multiple of w; of the moduli that a digit multiplier or an exponentiator loads at run time.",
    f"{FEWEST_BITS} to {MOST_BITS}",
    "of `sbmm` `channels` times w; of digits those of the modulus",
    "BITS",
    panel=USUAL,
)

BusChoice = Literal["axi", "axi-lite", "wishbone", "stream"]

ON_BUS = tuple(choice for choice in get_args(BusChoice) if choice != "stream")
"""Values of ``bus`` with which there is one; see `residua.hardware.bus.tops.BUSES`."""

BUS_ASKED = f"bus = {' or '.join(map(repr, ON_BUS))}"
"""What a request for a core on a bus has, for messages."""

BUS = Key(
    "Bus of a core whose numbers are binary words: AXI4-Lite for registers and AXI4-Stream for "
    "data, AXI4-Lite or Wishbone with registers for both, or plain streams.",
    "`axi`, `axi-lite`, `wishbone`, `stream`",
    "`axi` of a coprocessor, else `stream`",
    "KIND",
    panel=USUAL,
)

OptionalBus = Annotated[BusChoice | None, BUS]


BLINDING = Key(
    "Random bits that blind each scalar of a coprocessor, besides its random coordinates, by a "
    "multiple of the number of points, or each private exponent of RSA on an engine by a multiple "
    "of p - 1 or q - 1, beside messages by a random factor; fewer than hide every bit are "
    "refused, 0 is for no blinding; needs `curve`, or `algorithm` rsa-crt on the `unit` "
    "rns-montgomery.",
    f"`auto`, or a number of bits from 0 to {MOST_RANDOM_BITS}; of RSA 0, or {MARGIN} and more",
    f"`auto`: for each curve {MARGIN} more than the longest run of equal bits in that number, of "
    "RSA as many more as say how long a prime is; 0 of RSA",
    "BITS",
    panel=COPROCESSOR,
)


def random_bits(value: object) -> BlindingChoice:
    """A number of random bits, also as text, or `auto`."""
    if value == "auto":
        return "auto"
    number = integer(value)
    if not 0 <= number <= MOST_RANDOM_BITS:
        raise ValueError("")
    return number


def integer(value: object) -> int:
    """A whole number, also as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        return int(value.strip().replace("_", ""), 0)
    raise ValueError("")


def _name(value: object) -> str:
    # The file of the primitives stands beside that of the core.
    if isinstance(value, str) and legal_name(value) == value != "primitives":
        return value
    raise ValueError("")


def within(lowest: int, highest: int) -> BeforeValidator:
    """A check for whole numbers in this range."""

    def check(value: object) -> int:
        number = integer(value)
        if not lowest <= number <= highest:
            raise ValueError("")
        return number

    return BeforeValidator(check)


LARGEST_EXTRA = 16
"""Bits that the extra modulus of SBMM may have."""

EXTRA_BITS = Key(
    "Bits g of the extra modulus m_gamma = 2^g of base b: room for operands that a product has "
    "made longer; needs `algorithm` sbmm.",
    f"2 to {LARGEST_EXTRA}, not above w",
    "6; with `curve` the fewest with which a step of the ladder needs the fewest Compress",
    "BITS",
)

MOST_COLUMNS = 8
"""Moduli that a row may have."""

WIDTH = within(WIDTHS[0], WIDTHS[-1])
CHANNELS = within(1, MOST_CHANNELS)
BITS = within(1, WIDTHS[-1])


def _modulus_from(smallest: int) -> BeforeValidator:
    """A check for odd moduli that are not below ``smallest``."""

    def check(value: object) -> int:
        number = parse_modulus(value) if isinstance(value, str) else integer(value)
        check_modulus(number, smallest)
        return number

    return BeforeValidator(check)


def _fraction(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Fraction):
        raise ValueError("")
    try:
        number = Fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ValueError("") from None
    if not 0 <= number < 1:
        raise ValueError("")
    return number


def _moduli(value: object) -> tuple[int, ...]:
    words = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(words, Sequence):
        raise ValueError("")
    return tuple(integer(word) for word in words)


_MODULI = Annotated[tuple[int, ...], BeforeValidator(_moduli)]


Algorithm = Annotated[
    str,
    Key(
        "Kind of core: an RNS multiplier, a base extension alone, a single-base multiplier for "
        "primes M_a^2 - 2, a digit multiplier, an exponentiator or RSA with private keys around "
        "some, a modular inverter; with `curve` a coprocessor on `rns-montgomery`, `sbmm` or "
        "`iddmm`, or the extended-RNS point multiplier of 2006.",
        "those of the kinds of cores",
        "`rns-montgomery`",
        "NAME",
        panel=USUAL,
    ),
]
_MODULUS = _modulus_from(SMALLEST_MODULUS)
_DIGIT_MODULUS = _modulus_from(1 << FEWEST_BITS - 1)
_MODULUS_KEY = Key(
    f"The modulus P: odd, at least 2^16, with digits {FEWEST_BITS} bits or more. A base extension "
    "is exact from 0 to P - 1 then.",
    "a name such as `P-256`, a decimal or `0x` number, or `@` and the name of a file that "
    "holds one",
    "none, must be given if no curve is, but for a base extension and with `bits`",
    "MODULUS",
    panel=USUAL,
)
Modulus = Annotated[int, _MODULUS, _MODULUS_KEY]
OptionalModulus = Annotated[Annotated[int, _MODULUS] | None, _MODULUS_KEY]
OptionalDigitModulus = Annotated[Annotated[int, _DIGIT_MODULUS] | None, _MODULUS_KEY]
Truncation = Annotated[
    Annotated[int, BITS] | None,
    Key(
        "Bits t of each residue that the Cox adds.",
        "1 to w",
        "the fewest that leave a slack of one bit",
        "BITS",
        panel=SELDOM,
    ),
]
Sigma0 = Annotated[
    Annotated[Fraction, BeforeValidator(_fraction)] | None,
    Key(
        "Start value of the Cox.",
        "a fraction in [0, 1) such as `1/2`, a multiple of 2^-t",
        "the one that centres the exact range",
        "FRACTION",
        panel=SELDOM,
    ),
]
ScheduleKey = Annotated[
    ScheduleGoal,
    Key(
        "Goal of the schedule, before the other one: the shortest latency of one operation, or the "
        "shortest interval between interleaved ones.",
        "`latency`, `interval`",
        "`latency`",
        "GOAL",
        panel=ENGINE,
    ),
]
Width = Annotated[
    int,
    WIDTH,
    Key(
        "Bits w of a channel modulus.",
        f"{WIDTHS[0]} to {WIDTHS[-1]}",
        "17, of `sbmm` 16, of `ecpm-2006` the least that holds the range; with given bases what "
        "their moduli have",
        "BITS",
        panel=USUAL,
    ),
]
Channels = Annotated[
    Annotated[int, CHANNELS] | None,
    Key(
        "Channel moduli n in each of the two bases; of `sbmm` in both half-bases together.",
        f"1 to {MOST_CHANNELS}",
        "the smallest number that works; of `ecpm-2006` 20",
        "N",
        panel=USUAL,
    ),
]
Rowers = Annotated[
    Annotated[int, CHANNELS] | None,
    Key(
        "Physical rowers; with fewer than n each serves several channels in turn.",
        "n or a divisor of n",
        "n",
        "N",
        panel=ENGINE,
    ),
]
BasesKey = Annotated[
    Bases,
    Key(
        "Moduli 2^w - h to choose from: with h of few signed digits, which reduce by a few "
        "additions, or with any h.",
        "`auto`, `sparse`, `any`",
        "`auto`: sparse if there are enough, else any",
        "STYLE",
        panel=ENGINE,
    ),
]
Weight = Annotated[
    int,
    BITS,
    Key("Most signed digits of h in sparse bases.", f"1 to {WIDTHS[-1]}", "3", "DIGITS", SELDOM),
]
OutputMultipliers = Annotated[
    Annotated[int, CHANNELS] | None,
    Key(
        "Multipliers that turn the residues of a result into words: more of them, a shorter "
        "interval; needs `interface` words, or `exponent` loaded.",
        "1 to n",
        "1; with `exponent` loaded one for every eight moduli of a base",
        "N",
    ),
]
BaseA = Annotated[
    _MODULI | None,
    Key(
        "The moduli of base a, in order; needs `base_b` too.",
        "a list of numbers; as a flag separated by commas",
        "searched",
        "MODULI",
        panel=SELDOM,
    ),
]
BaseB = Annotated[
    _MODULI | None,
    Key(
        "The moduli of base b, in order; modulus i shares a rower with that of base a.",
        "a list of numbers; as a flag separated by commas",
        "searched",
        "MODULI",
        panel=SELDOM,
    ),
]
Extension = Annotated[
    ExtensionChoice,
    Key(
        "Method of base extension: residue by residue, or by super-residues of rows of moduli, "
        "which takes fewer products.",
        "`kawamura`, `hierarchical`",
        "`kawamura`",
        "KIND",
        panel=ENGINE,
    ),
]
Columns = Annotated[
    Annotated[int, within(2, MOST_COLUMNS)] | None,
    Key(
        "Moduli c in a row of hierarchical extensions, a divisor of n; needs "
        "`extension` hierarchical.",
        f"2 to {MOST_COLUMNS}",
        "2",
        "C",
        panel=ENGINE,
    ),
]
Reduction = Annotated[
    ReductionChoice,
    Key(
        "Reduction of sums in a channel: by shifts and additions alone, or with a multiplier in "
        "the first fold.",
        "`auto`, `shift`, `multiply`",
        "`auto`: shift for sparse bases, multiply for others",
        "KIND",
        panel=SELDOM,
    ),
]
ProductRegisters = Annotated[
    int,
    within(0, 4),
    Key(
        "Registers between multipliers and accumulators besides those that a multiplier has: "
        "more cycles, a faster clock.",
        "0 to 4",
        "0",
        "N",
        panel=SELDOM,
    ),
]
LevelsPerRegister = Annotated[
    int,
    within(1, 4),
    Key(
        "Adders in a row between the registers of a channel reducer: fewer cycles, a slower clock.",
        "1 to 4",
        "1",
        "N",
        panel=ENGINE,
    ),
]
RegisterMemory = Annotated[
    Literal["block"] | None,
    Key(
        "Memory of the registers of a coprocessor's rowers: two block memories for each rower, "
        "one of them with its constants, which spare much of its logic and take a cycle more.",
        "`block`",
        "distributed in logic",
        "KIND",
        panel=ENGINE,
    ),
]
Name = Annotated[
    Annotated[str, BeforeValidator(_name)] | None,
    Key(
        "Name of the top module, and prefix of the names of the others.",
        "letters, digits and underscores, a letter first, no reserved word of Verilog, "
        "SystemVerilog or VHDL",
        "kind, standard curves or modulus, size: `ecc_p256_16x17`, `ecc_iddmm_p256_16x17`, "
        "`rns_montgomery_p256_16x17`, `iddmm_256x16`; a digest of what was asked for besides",
        "NAME",
        panel=USUAL,
    ),
]


def unmarked(text: str) -> str:
    """Text without Markdown's marks of code."""
    return text.replace("`", "")


def shown(value: object) -> str:
    """A value as messages show it; long ones are cut."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:40]}...{text[-12:]}"


def described(kind: type[BaseModel]) -> dict[str, Key]:
    """The descriptions of a kind of specification's keys."""
    return {
        name: next(item for item in field.metadata if isinstance(item, Key))
        for name, field in kind.model_fields.items()
    }
