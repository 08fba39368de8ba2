"""What a user may ask for: the keys of a specification, in TOML and as flags, and their checks.

Every key is described once, in its field below; the flags of the command line, their help and the
table of the documentation follow from it.
"""

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from residua.errors import SpecificationError
from residua.numbers.catalogue import check_modulus, parse_modulus
from residua.numbers.search import MOST_CHANNELS, WIDTHS
from residua.toolchain.verilog import legal_name

Bases = Literal["auto", "sparse", "any"]
FormChoice = Literal["auto", "quadratic", "reordered"]
ReductionChoice = Literal["auto", "shift", "multiply"]
ScheduleGoal = Literal["latency", "interval"]
Interface = Literal["residues", "words"]
ResultChoice = Literal["montgomery", "plain"]

ALGORITHMS = ("rns-montgomery",)
"""What this version builds."""

PLANNED = ("sbmm", "iddmm", "r2mm", "mwr2mm", "mwr2kmm", "ecpm-2006", "modexp")
"""Algorithms that have a name and are not built yet."""


@dataclass(frozen=True)
class Key:
    """The description of a key: what it means, which values it takes, what stands for it."""

    meaning: str
    allowed: str
    default: str
    metavar: str


def _algorithm(value: object) -> str:
    if value in ALGORITHMS:
        return str(value)
    if value in PLANNED:
        raise ValueError(f"not available in this version; available: {', '.join(ALGORITHMS)}")
    raise ValueError("")


def _modulus(value: object) -> int:
    number = parse_modulus(value) if isinstance(value, str) else _integer(value)
    check_modulus(number)
    return number


def _integer(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        return int(value.strip().replace("_", ""), 0)
    raise ValueError("")


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
    return tuple(_integer(word) for word in words)


def _name(value: object) -> str:
    # The file of the primitives stands beside that of the core.
    if isinstance(value, str) and legal_name(value) == value != "primitives":
        return value
    raise ValueError("")


def _within(lowest: int, highest: int) -> BeforeValidator:
    def check(value: object) -> int:
        number = _integer(value)
        if not lowest <= number <= highest:
            raise ValueError("")
        return number

    return BeforeValidator(check)


_WIDTH = _within(WIDTHS[0], WIDTHS[-1])
_CHANNELS = _within(1, MOST_CHANNELS)
_BITS = _within(1, WIDTHS[-1])


_WORD_KEYS = ("result", "output_multipliers")
"""Keys that only a core with words has."""


class Specification(BaseModel):
    """A checked request. ``None`` and ``auto`` leave a choice to Residua."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    algorithm: Annotated[
        str,
        BeforeValidator(_algorithm),
        Key("What to build.", "`rns-montgomery`", "`rns-montgomery`", "NAME"),
    ] = "rns-montgomery"
    modulus: Annotated[
        int,
        BeforeValidator(_modulus),
        Key(
            "The modulus P: odd, at least 2^16.",
            "a name such as `P-256`, a decimal or `0x` number, or `@` and the name of a file that "
            "holds one",
            "none, must be given",
            "MODULUS",
        ),
    ]
    width: Annotated[
        int,
        _WIDTH,
        Key(
            "Bits w of a channel modulus.",
            f"{WIDTHS[0]} to {WIDTHS[-1]}",
            "17; with given bases what their moduli have",
            "BITS",
        ),
    ] = 17
    channels: Annotated[
        Annotated[int, _CHANNELS] | None,
        Key(
            "Channel moduli n in each of the two bases.",
            f"1 to {MOST_CHANNELS}",
            "the smallest number that works",
            "N",
        ),
    ] = None
    rowers: Annotated[
        Annotated[int, _CHANNELS] | None,
        Key(
            "Physical rowers; with fewer than n each serves several channels in turn.",
            "n or a divisor of n",
            "n",
            "N",
        ),
    ] = None
    bases: Annotated[
        Bases,
        Key(
            "Which moduli 2^w - h may be taken: with h of few signed digits, which reduce by a "
            "few additions, or with any h.",
            "`auto`, `sparse`, `any`",
            "`auto`: sparse if there are enough, else any",
            "STYLE",
        ),
    ] = "auto"
    weight: Annotated[
        int,
        _BITS,
        Key("Most signed digits of h in sparse bases.", f"1 to {WIDTHS[-1]}", "3", "DIGITS"),
    ] = 3
    base_a: Annotated[
        Annotated[tuple[int, ...], BeforeValidator(_moduli)] | None,
        Key(
            "The moduli of base a, in order; needs `base_b` too.",
            "a list of numbers; as a flag separated by commas",
            "searched",
            "MODULI",
        ),
    ] = None
    base_b: Annotated[
        Annotated[tuple[int, ...], BeforeValidator(_moduli)] | None,
        Key(
            "The moduli of base b, in order; modulus i shares a rower with that of base a.",
            "a list of numbers; as a flag separated by commas",
            "searched",
            "MODULI",
        ),
    ] = None
    truncation: Annotated[
        Annotated[int, _BITS] | None,
        Key(
            "Bits t of each residue that the Cox adds.",
            "1 to w",
            "the fewest that leave a slack of one bit",
            "BITS",
        ),
    ] = None
    sigma0: Annotated[
        Annotated[Fraction, BeforeValidator(_fraction)] | None,
        Key(
            "Start value of the Cox.",
            "a fraction in [0, 1) such as `1/2`, a multiple of 2^-t",
            "the one that centres the exact range",
            "FRACTION",
        ),
    ] = None
    form: Annotated[
        FormChoice,
        Key(
            "Which factors residues carry: `quadratic` saves a step (2n^2 + 3n products instead of "
            "2n^2 + 4n).",
            "`auto`, `quadratic`, `reordered`",
            "`auto`: quadratic if the bases allow it, else reordered",
            "FORM",
        ),
    ] = "auto"
    reduction: Annotated[
        ReductionChoice,
        Key(
            "How a channel reduces its sums: by shifts and additions alone, or with a multiplier "
            "in the first fold.",
            "`auto`, `shift`, `multiply`",
            "`auto`: shift for sparse bases, multiply for others",
            "KIND",
        ),
    ] = "auto"
    schedule: Annotated[
        ScheduleGoal,
        Key(
            "What the schedule makes as short as it can, before the other: the latency of one "
            "operation or the interval between interleaved ones.",
            "`latency`, `interval`",
            "`latency`",
            "GOAL",
        ),
    ] = "latency"

    interface: Annotated[
        Interface,
        Key(
            "What goes in and out: the residues of all channels in parallel, or streams of binary "
            "words of w bits, the lowest word first.",
            "`residues`, `words`",
            "`residues`",
            "KIND",
        ),
    ] = "residues"
    result: Annotated[
        ResultChoice | None,
        Key(
            "What a core with words computes: the Montgomery product X Y R^-1 mod P, or X Y mod P; "
            "needs `interface` words.",
            "`montgomery`, `plain`",
            "`montgomery`",
            "KIND",
        ),
    ] = None
    output_multipliers: Annotated[
        Annotated[int, _CHANNELS] | None,
        Key(
            "Multipliers that turn the residues of a result into words: more of them, a shorter "
            "interval; needs `interface` words.",
            "1 to n",
            "1",
            "N",
        ),
    ] = None
    product_registers: Annotated[
        int,
        _within(0, 4),
        Key(
            "Registers between multipliers and accumulators besides those that a multiplier has: "
            "more cycles, a faster clock.",
            "0 to 4",
            "0",
            "N",
        ),
    ] = 0
    levels_per_register: Annotated[
        int,
        _within(1, 4),
        Key(
            "Adders in a row between the registers of a channel reducer: fewer cycles, a slower "
            "clock.",
            "1 to 4",
            "1",
            "N",
        ),
    ] = 1

    name: Annotated[
        Annotated[str, BeforeValidator(_name)] | None,
        Key(
            "Name of the top module, and prefix of the names of the others.",
            "letters, digits and underscores, a letter first, no reserved word of Verilog, "
            "SystemVerilog or VHDL",
            "the algorithm, n and w: `rns_montgomery_16x17`, with words "
            "`rns_montgomery_16x17_words`",
            "NAME",
        ),
    ] = None

    @model_validator(mode="after")
    def _consistent(self) -> "Specification":
        if (self.base_a is None) != (self.base_b is None):
            lacking = "base_a" if self.base_a is None else "base_b"
            raise SpecificationError(f"{lacking} is missing: bases are given in pairs")
        count = self.channels
        if self.base_a is not None and self.base_b is not None:
            if len(self.base_a) != len(self.base_b) or not self.base_a:
                raise SpecificationError(
                    f"base_a has {len(self.base_a)} moduli and base_b {len(self.base_b)}: both "
                    "need the same number, at least 1"
                )
            if count not in (None, len(self.base_a)):
                raise SpecificationError(
                    f"channels = {count}, but base_a has {len(self.base_a)} moduli: leave out "
                    "channels or give as many"
                )
            count = len(self.base_a)
        if count is not None and self.rowers is not None and count % self.rowers:
            raise SpecificationError(
                f"rowers = {self.rowers} cannot share n = {count} channels evenly: "
                f"{', '.join(map(str, divisors(count)))} can"
            )
        return self

    @model_validator(mode="after")
    def _words_alone(self) -> "Specification":
        if self.interface == "words":
            return self
        for name in _WORD_KEYS:
            if (value := getattr(self, name)) is not None:
                raise SpecificationError(
                    f"{name} = {_shown(value)}: a core with interface = 'residues' has no binary "
                    "result; give interface = 'words' too"
                )
        return self

    def items(self) -> dict[str, Any]:
        """The keys that have a value, in order, in the types that TOML and JSON have.

        ``interface`` is among them for ``words`` only, as are the keys that belong to it.
        """
        return {
            name: _plain(name, value)
            for name in type(self).model_fields
            if (value := getattr(self, name)) is not None
            and (name, value) != ("interface", "residues")
        }

    def toml(self) -> str:
        """The specification as a TOML file, without what is left open."""
        lines = []
        for name, value in self.items().items():
            if isinstance(value, list):
                rows = "".join(f"    {number},\n" for number in value)
                lines.append(f"{name} = [\n{rows}]\n")
            else:
                lines.append(
                    f"{name} = {value}\n" if isinstance(value, int) else _quoted(name, value)
                )
        return "".join(lines)


def _quoted(name: str, value: str) -> str:
    return f'{name} = "{value}"\n'


def _plain(name: str, value: object) -> object:
    if name == "modulus":
        return f"{value:#x}"
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Fraction) else value


def divisors(number: int) -> list[int]:
    """The positive divisors, in order."""
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


def keys() -> dict[str, Key]:
    """The description of every key, in order."""
    return {
        name: next(item for item in field.metadata if isinstance(item, Key))
        for name, field in Specification.model_fields.items()
    }


def load(path: Path | None, flags: Mapping[str, str | None]) -> Specification:
    """The specification of a TOML file (if any) with flags on top of it.

    Args:
        path: the file. A modulus ``@name`` in it is sought next to the file.
        flags: values as text; those that are None are not given.

    Raises:
        SpecificationError: one paragraph with everything that is wrong.
    """
    values = {} if path is None else _read(path)
    values.update({name: value for name, value in flags.items() if value is not None})
    return check(values, "" if path is None else f"{path}: ")


def check(values: Mapping[str, Any], source: str = "") -> Specification:
    """The specification with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    try:
        return Specification(**values)
    except ValidationError as error:
        faults = [_fault(dict(item)) for item in error.errors()]
        # A union reports each of its members.
        raise SpecificationError(source + "; ".join(dict.fromkeys(faults))) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
    except OSError as error:
        raise SpecificationError(
            f"cannot read the specification {path}: {error.strerror or error}"
        ) from error
    except UnicodeDecodeError as error:
        raise SpecificationError(f"the specification {path} is not a text file") from error
    except ValueError as error:
        raise SpecificationError(f"the specification {path} is no TOML: {error}") from error
    modulus = values.get("modulus")
    if isinstance(modulus, str) and modulus.startswith("@"):
        values["modulus"] = f"@{path.parent / modulus[1:]}"
    return values


def _fault(error: Mapping[str, Any]) -> str:
    """One fault of a specification, in words."""
    cause = error.get("ctx", {}).get("error")
    reason = str(cause) if isinstance(cause, ValueError) else ""
    if not error["loc"]:
        return reason
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _unknown(name)
    key = keys()[name]
    if error["type"] == "missing":
        return f"{name} is missing: {_unmarked(key.allowed)}"
    if isinstance(cause, SpecificationError):
        return f"{name}: {reason}"
    return f"{name} = {_shown(error['input'])}: {_expectation(name, error['input'], reason)}"


def _expectation(name: str, value: object, reason: str) -> str:
    """What would be right in place of ``value``."""
    key = keys()[name]
    if name == "algorithm" and reason:
        return reason
    if name == "form" and value == "plain":
        return "a model only, not built in hardware; one of quadratic, reordered, auto"
    allowed = f"one of {key.allowed}" if key.allowed.count("`") > 2 else key.allowed
    meaning = _unmarked(key.meaning).rstrip(".")
    return f"expected {_unmarked(allowed)} ({meaning[0].lower()}{meaning[1:]})"


def _unknown(name: str) -> str:
    known = list(Specification.model_fields)
    near = difflib.get_close_matches(name.replace("-", "_").lower(), known, n=1, cutoff=0.5)
    if near:
        return f"unknown key '{name}': did you mean '{near[0]}'?"
    return f"unknown key '{name}': the keys are {', '.join(known)}"


def _unmarked(text: str) -> str:
    return text.replace("`", "")


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:40]}...{text[-12:]}"
