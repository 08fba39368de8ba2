"""What a user may ask for: the keys of a specification, in TOML and as flags, and their checks.

Every key is described once, in its field below; the flags of the command line, their help and the
table of the documentation follow from it.
"""

import difflib
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from residua.cores.coprocessor_specification import CoprocessorSpecification
from residua.cores.specification_keys import (
    BITS,
    CHANNELS,
    Algorithm,
    BaseA,
    BaseB,
    BasesKey,
    Channels,
    Columns,
    Extension,
    Key,
    LevelsPerRegister,
    Name,
    ProductRegisters,
    Reduction,
    Rowers,
    Weight,
    Width,
    check_bases,
    check_extension,
    check_rowers,
    integer,
    shown,
    unmarked,
)
from residua.errors import SpecificationError
from residua.numbers.catalogue import check_modulus, parse_modulus
from residua.numbers.search import check_columns

FormChoice = Literal["auto", "quadratic", "reordered"]
ScheduleGoal = Literal["latency", "interval"]
Interface = Literal["residues", "words"]
ResultChoice = Literal["montgomery", "plain"]


def _modulus(value: object) -> int:
    number = parse_modulus(value) if isinstance(value, str) else integer(value)
    check_modulus(number)
    return number


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


_WORD_KEYS = ("result", "output_multipliers")
"""Keys that only a core with words has."""


class Specification(BaseModel):
    """A checked request. ``None`` and ``auto`` leave a choice to Residua."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    algorithm: Algorithm = "rns-montgomery"
    modulus: Annotated[
        int,
        BeforeValidator(_modulus),
        Key(
            "The modulus P: odd, at least 2^16.",
            "a name such as `P-256`, a decimal or `0x` number, or `@` and the name of a file that "
            "holds one",
            "none, must be given if no curve is",
            "MODULUS",
        ),
    ]
    width: Width = 17
    channels: Channels = None
    rowers: Rowers = None
    bases: BasesKey = "auto"
    weight: Weight = 3
    base_a: BaseA = None
    base_b: BaseB = None
    truncation: Annotated[
        Annotated[int, BITS] | None,
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
    extension: Extension = "kawamura"
    columns: Columns = None
    reduction: Reduction = "auto"
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
        Annotated[int, CHANNELS] | None,
        Key(
            "Multipliers that turn the residues of a result into words: more of them, a shorter "
            "interval; needs `interface` words.",
            "1 to n",
            "1",
            "N",
        ),
    ] = None
    product_registers: ProductRegisters = 0
    levels_per_register: LevelsPerRegister = 1

    name: Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "Specification":
        count = check_bases(self.base_a, self.base_b, self.channels)
        check_rowers(count, self.rowers)
        check_columns(count, self.rowers, self.row_length)
        return self

    @property
    def row_length(self) -> int:
        """c, the moduli in a row; 1 if extensions are not hierarchical."""
        return check_extension(self.extension, self.columns)

    @model_validator(mode="after")
    def _words_alone(self) -> "Specification":
        if self.interface == "words":
            return self
        for name in _WORD_KEYS:
            if (value := getattr(self, name)) is not None:
                raise SpecificationError(
                    f"{name} = {shown(value)}: a core with interface = 'residues' has no binary "
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


def described(kind: type[BaseModel]) -> dict[str, Key]:
    """The descriptions of a kind of specification's keys."""
    return {
        name: next(item for item in field.metadata if isinstance(item, Key))
        for name, field in kind.model_fields.items()
    }


def _quoted(name: str, value: str) -> str:
    return f'{name} = "{value}"\n'


def _plain(name: str, value: object) -> object:
    if name == "modulus":
        return f"{value:#x}"
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Fraction) else value


def keys() -> dict[str, Key]:
    """The description of every key of multipliers and coprocessors, in order."""
    multiplier, coprocessor = described(Specification), described(CoprocessorSpecification)
    own = {name: key for name, key in coprocessor.items() if name not in multiplier}
    first = {name: multiplier[name] for name in ("algorithm", "modulus")}
    return first | own | multiplier


def load(path: Path | None, flags: Mapping[str, Any]) -> Specification:
    """The specification of a multiplier, of a TOML file (if any) with flags on top of it.

    Args:
        path: the file. A modulus ``@name`` in it is sought next to the file.
        flags: values as text; those that are None are not given.

    Raises:
        SpecificationError: one paragraph with everything that is wrong.
    """
    values, source = _merged(path, flags)
    return check(values, source)


def load_any(
    path: Path | None, flags: Mapping[str, Any]
) -> Specification | CoprocessorSpecification:
    """The specification of what a TOML file (if any) with flags on top of it asks for.

    A curve makes it that of a coprocessor. Arguments and errors are those of `load`.
    """
    values, source = _merged(path, flags)
    if "curve" in values:
        return check_coprocessor(values, source)
    if "modulus" not in values:
        raise SpecificationError(
            f"{source}modulus or curve is missing: a modulus makes a multiplier, a curve an "
            "elliptic-curve coprocessor; a name such as P-256 serves for both"
        )
    return check(values, source)


def check(values: Mapping[str, Any], source: str = "") -> Specification:
    """The specification of a multiplier with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    try:
        return Specification(**values)
    except ValidationError as error:
        raise _refusal(error, source, "a multiplier") from None


def check_coprocessor(values: Mapping[str, Any], source: str = "") -> CoprocessorSpecification:
    """The specification of an elliptic-curve coprocessor with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    try:
        return CoprocessorSpecification(**values)
    except ValidationError as error:
        raise _refusal(error, source, "a coprocessor") from None


def _refusal(error: ValidationError, source: str, kind: str) -> SpecificationError:
    faults = [_fault(dict(item), kind) for item in error.errors()]
    # A union reports each of its members.
    return SpecificationError(source + "; ".join(dict.fromkeys(faults)))


def _merged(path: Path | None, flags: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The values of file and flags, and what messages begin with."""
    values = {} if path is None else _read(path)
    values.update({name: value for name, value in flags.items() if value is not None})
    return values, "" if path is None else f"{path}: "


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


def _fault(error: Mapping[str, Any], kind: str) -> str:
    """One fault of a specification, in words."""
    cause = error.get("ctx", {}).get("error")
    reason = str(cause) if isinstance(cause, ValueError) else ""
    if not error["loc"]:
        return reason
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _foreign(name, kind) if name in keys() else _unknown(name)
    key = keys()[name]
    if error["type"] == "missing":
        return f"{name} is missing: {unmarked(key.allowed)}"
    if isinstance(cause, SpecificationError):
        return f"{name}: {reason}"
    return f"{name} = {shown(error['input'])}: {_expectation(name, error['input'], reason)}"


def _expectation(name: str, value: object, reason: str) -> str:
    """What would be right in place of ``value``."""
    key = keys()[name]
    if name == "algorithm" and reason:
        return reason
    if name == "form" and value == "plain":
        return "a model only, not built in hardware; one of quadratic, reordered, auto"
    several = key.allowed.startswith("`") and key.allowed.count("`") > 2
    allowed = f"one of {key.allowed}" if several else key.allowed
    meaning = unmarked(key.meaning).rstrip(".")
    return f"expected {unmarked(allowed)} ({meaning[0].lower()}{meaning[1:]})"


def _foreign(name: str, kind: str) -> str:
    """A key that only the other kind of core has."""
    if {name, kind} == {"modulus", "a coprocessor"}:
        return (
            "modulus and curve are both given: a modulus makes a multiplier, a curve an "
            "elliptic-curve coprocessor; leave out one of them"
        )
    return f"{name} means nothing for {kind}: leave it out"


def _unknown(name: str) -> str:
    known = list(keys())
    near = difflib.get_close_matches(name.replace("-", "_").lower(), known, n=1, cutoff=0.5)
    if near:
        return f"unknown key '{name}': did you mean '{near[0]}'?"
    return f"unknown key '{name}': the keys are {', '.join(known)}"
