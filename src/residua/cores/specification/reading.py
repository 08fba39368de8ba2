"""What a user may ask for: the keys of a specification, in TOML and as flags, and their checks.

Every key is described once, in its field below; the flags of the command line, their help and the
table of the documentation follow from it.
"""

import difflib
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.coprocessor.digit_specification import DigitCoprocessorSpecification
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.digit.specification import DigitSpecification
from residua.cores.exponentiation.specification import UNIT, ExponentiationSpecification
from residua.cores.extended_rns.specification import ALGORITHM as ECPM
from residua.cores.extended_rns.specification import ExtendedSpecification
from residua.cores.inversion.specification import InversionSpecification
from residua.cores.rns_montgomery.specification import Specification
from residua.cores.single_base.specification import SingleBaseSpecification
from residua.cores.specification.keys import (
    DIGIT_ALGORITHMS,
    Key,
    described,
    shown,
    unmarked,
)
from residua.errors import SpecificationError

AnySpecification: TypeAlias = (
    "Specification | BaseExtensionSpecification | CoprocessorSpecification | "
    "SingleBaseSpecification | DigitSpecification | InversionSpecification | ExtendedSpecification "
    "| DigitCoprocessorSpecification | ExponentiationSpecification"
)
"""What a user may ask for."""

S = TypeVar("S", bound=BaseModel)


def keys() -> dict[str, Key]:
    """The description of every key of every kind of core, in order."""
    multiplier, coprocessor = described(Specification), described(CoprocessorSpecification)
    first = {name: multiplier[name] for name in ("algorithm", "modulus")}
    own = {name: key for name, key in coprocessor.items() if name not in multiplier}
    others: dict[str, Key] = {}
    kinds = (
        BaseExtensionSpecification,
        SingleBaseSpecification,
        DigitSpecification,
        ExponentiationSpecification,
        InversionSpecification,
        ExtendedSpecification,
    )
    for kind in kinds:
        others |= described(kind)
    last = {name: key for name, key in others.items() if name not in multiplier | own}
    return first | own | multiplier | last


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


def load_any(path: Path | None, flags: Mapping[str, Any]) -> AnySpecification:
    """The specification of what a TOML file (if any) with flags on top of it asks for.

    See `check_any`. Arguments and errors are those of `load`.
    """
    return check_any(*_merged(path, flags))


def check_any(values: Mapping[str, Any], source: str = "") -> AnySpecification:
    """The specification with these values of what they ask for.

    ``algorithm`` may make it that of a base extension, of SBMM, of a digit multiplier, of an
    exponentiator, also on an engine, of an inverter or of the point multiplier of 2006, a curve
    that of a coprocessor, also on SBMM or on digits.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    algorithm = values.get("algorithm")
    checks: dict[str, Callable[[Mapping[str, Any], str], AnySpecification]] = {
        "base-extension": check_base_extension,
        "sbmm": check_coprocessor if "curve" in values else check_single_base,
        **dict.fromkeys(DIGIT_ALGORITHMS, check_digit),
        **({"iddmm": check_digit_coprocessor} if "curve" in values else {}),
        **({"modexp": check_exponentiation} if values.get("unit") == UNIT else {}),
        "inversion": check_inversion,
        ECPM: check_extended,
    }
    if isinstance(algorithm, str) and algorithm in checks:
        return checks[algorithm](values, source)
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
    return _checked(Specification, "a multiplier", values, source)


def check_coprocessor(values: Mapping[str, Any], source: str = "") -> CoprocessorSpecification:
    """The specification of an elliptic-curve coprocessor with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    return _checked(CoprocessorSpecification, "a coprocessor", values, source)


def check_base_extension(values: Mapping[str, Any], source: str = "") -> BaseExtensionSpecification:
    """The specification of a base extension with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    return _checked(BaseExtensionSpecification, "a base extension", values, source)


def check_single_base(values: Mapping[str, Any], source: str = "") -> SingleBaseSpecification:
    """The specification of an SBMM multiplier with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    return _checked(SingleBaseSpecification, "an SBMM multiplier", values, source)


def check_digit(values: Mapping[str, Any], source: str = "") -> DigitSpecification:
    """The specification of a digit Montgomery multiplier with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    return _checked(DigitSpecification, "a digit multiplier", values, source)


def check_digit_coprocessor(
    values: Mapping[str, Any], source: str = ""
) -> DigitCoprocessorSpecification:
    """The specification of an elliptic-curve coprocessor on digits with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    return _checked(DigitCoprocessorSpecification, "a coprocessor on digits", values, source)


def check_extended(values: Mapping[str, Any], source: str = "") -> ExtendedSpecification:
    """The specification of an extended-RNS point multiplier with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    return _checked(ExtendedSpecification, "an extended-RNS point multiplier", values, source)


def check_exponentiation(
    values: Mapping[str, Any], source: str = ""
) -> ExponentiationSpecification:
    """The specification of an exponentiator on an engine with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    return _checked(ExponentiationSpecification, "an exponentiator on an engine", values, source)


def check_inversion(values: Mapping[str, Any], source: str = "") -> InversionSpecification:
    """The specification of a modular inverter with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    return _checked(InversionSpecification, "an inverter", values, source)


def _checked(kind: type[S], name: str, values: Mapping[str, Any], source: str) -> S:
    """A specification of some kind, which messages call ``name``."""
    try:
        return kind(**values)
    except ValidationError as error:
        raise _refusal(error, source, name) from None


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
