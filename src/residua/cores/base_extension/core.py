"""A base extension alone: from a specification to bases, Cox, program, schedule and hardware.

Residues of X in base a go in, residues of the same X in base b come out (HBE Algorithms 1 and 2,
line 3 with its product by T included). Words are those of the engine: signed, of w + 1 bits, any
representative.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from gmpy2 import prev_prime

from residua.algorithms.base_extension import bajard_imbert, hierarchical, kawamura
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval
from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.engine.core import EngineCore
from residua.cores.naming import default_name, modulus_part
from residua.cores.simulation.workload import Workload
from residua.errors import SpecificationError
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.counts import count
from residua.numbers.bases import Base
from residua.numbers.catalogue import modulus_name
from residua.numbers.cox import Cox, Deviation, Range, redundant_ranges
from residua.numbers.moduli import Modulus
from residua.numbers.ranges import centred_sigma0, signed_error
from residua.numbers.residues import Redundant
from residua.numbers.search import StyleArguments, in_style, search_bases
from residua.numbers.selection.coprime import MOST_CHANNELS, WIDTHS

_FEWEST_BITS = 24
"""Bits of the smallest base: that of a search leaves room for a modulus of 2^16 in it."""


@dataclass(frozen=True)
class ExtensionDomain:
    """Constants of a base extension.

    ``cox`` None leaves out the quotient. ``columns`` c > 1 makes the extension hierarchical, over
    rows of c moduli.
    """

    base_a: Base
    base_b: Base
    cox: Cox | None
    columns: int = 1

    @cached_property
    def error(self) -> Deviation:
        """The Cox's worst error.

        Raises:
            SpecificationError: there is no Cox.
        """
        if self.cox is None:
            raise SpecificationError("a base extension without a quotient has no Cox")
        ranges = redundant_ranges(self.base_a)
        return signed_error(self.base_a, self.cox, ranges, columns=self.columns)

    @cached_property
    def exact(self) -> Range:
        """The X that come out as they are; without a quotient [0, M_a), which mean classes."""
        if self.cox is None:
            return 0, self.base_a.product - 1
        return _integers(self.base_a, *self.error.exact(self.cox.sigma0))

    @cached_property
    def possible(self) -> Range:
        """Range of results for any words: X plus a multiple of M_a."""
        if self.cox is None:
            ranges, cofactors = redundant_ranges(self.base_a), self.base_a.cofactors
            pairs = list(zip(ranges, cofactors, strict=True))
            return sum(low * m for (low, _), m in pairs), sum(high * m for (_, high), m in pairs)
        return _integers(self.base_a, *self.error.result(self.cox.sigma0))


class BaseExtensionCore(EngineCore[BaseExtensionSpecification]):
    """One base extension.

    Raises:
        SpecificationError: no bases or no Cox meet the request.
    """

    domain: ExtensionDomain
    runs = "extensions"

    def __init__(self, request: BaseExtensionSpecification) -> None:
        super().__init__(request)
        self.domain = _find_domain(request)

    @cached_property
    def name(self) -> str:
        """Name of the top module, base_extension_<modulus>_<channels>x<width> by default."""
        request, size = self.request, f"{self.channels}x{self.width}"
        parts = ("base_extension", modulus_part(request.modulus), size)
        return request.name or default_name(parts, request, "channels")

    @property
    def title(self) -> str:
        """Title of the core."""
        return "RNS base extension"

    @property
    def subject(self) -> str:
        """Title and size in one line."""
        return f"{self.title} of {self.channels} channels of {self.width} bits"

    def workload(self, seed: int) -> Workload:
        """The operands of its verification, and what judges their results."""
        # Only simulations need it.
        from residua.cores.base_extension.verification import extension_workload  # noqa: PLC0415

        return extension_workload(self.program, self.domain, seed)

    @property
    def wide_bases(self) -> tuple[Base, Base]:
        """Base a and base b."""
        return self.domain.base_a, self.domain.base_b

    @property
    def rowers(self) -> int:
        """Physical rowers."""
        return self.request.rowers or self.channels

    @cached_property
    def specification(self) -> BaseExtensionSpecification:
        """The request with every choice made; it leads to this core again."""
        cox = self.domain.cox
        return BaseExtensionSpecification(
            **self.common_choices,
            modulus=self.request.modulus,
            quotient=self.request.quotient,
            truncation=cox.truncation if cox else None,
            sigma0=cox.sigma0 if cox else None,
            extension=self.request.extension,
            columns=self.request.row_length if self.request.row_length > 1 else None,
            name=self.name,
        )

    @cached_property
    def design(self) -> EngineDesign:
        """The engine with its bounds, schedule and microcode; the program's model is bit exact."""
        return self.engine_of(extension_program(self.domain))

    @cached_property
    def program_ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results and words.

        Operands outside theirs come out with a multiple of M_a, within ``any``.
        """
        domain, word = self.domain, 1 << self.width
        exact, possible = domain.exact, domain.possible
        return {
            "operands": exact,
            "results": possible if domain.cox is None else exact,
            "any": possible,
            "words": (-word, word - 1),
        }

    @property
    def utilisation(self) -> float:
        """Counted products per rower and cycle of the steady state; at most 1.

        Those that make super-residues are among them.
        """
        counted = count(self.program)
        slots = self.rowers * self.design.schedule.interval
        return round((counted.emm + counted.cmul) / slots, 4)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, big ones as decimal strings."""
        domain, modulus = self.domain, self.request.modulus
        return {
            "algorithm": self.request.algorithm,
            "modulus": None if modulus is None else str(modulus),
            "modulus_name": None if modulus is None else modulus_name(modulus),
            "modulus_bits": None if modulus is None else modulus.bit_length(),
            **self.base_parameters,
            "quotient": self.request.quotient,
            "t": domain.cox.truncation if domain.cox else None,
            "sigma0": str(domain.cox.sigma0) if domain.cox else None,
            "extension": self.request.extension,
            "columns": self.request.row_length,
            "rowers": self.rowers,
            **self.engine_parameters,
        }


def extension_program(domain: ExtensionDomain) -> Program:
    """The extension of x, in base a, to x', in base b."""
    program, cox = Program("base-extension", Redundant(1)), domain.cox
    ones = (1,) * len(domain.base_a)
    value = program.input("x", domain.base_a, ones, Interval.of(*domain.exact))
    if domain.columns > 1:
        result = hierarchical(program, value, domain.base_b, cox, domain.columns)
    elif cox is None:
        result = bajard_imbert(program, value, domain.base_b)
    else:
        result = kawamura(program, value, domain.base_b, cox)
    program.output(result)
    return program


def _find_domain(request: BaseExtensionSpecification) -> ExtensionDomain:
    """Bases, given or searched, and the Cox."""
    if request.base_a is not None and request.base_b is not None:
        bits = request.width if "width" in request.model_fields_set else None
        return _with_cox(request, *_given_bases(request, bits))
    if request.channels is None:
        return _smallest_domain(request, 1)
    try:
        return _with_cox(request, *_searched_bases(request, request.channels))
    except _RangeError as error:
        advice = _first_channels(request)
        raise SpecificationError(f"{error}{advice}") from None


def _first_channels(request: BaseExtensionSpecification) -> str:
    """The smallest number of channels above that of the request that works, for a message."""
    if request.modulus is None or request.channels is None:
        return ""
    try:
        found = _smallest_domain(request, request.channels + 1)
    except SpecificationError:
        return ""
    return f"; n = {len(found.base_a)} works"


def _smallest_domain(request: BaseExtensionSpecification, least: int) -> ExtensionDomain:
    """The domain with the fewest channels, at least ``least``."""
    if _fewest(request, least) > MOST_CHANNELS:
        raise SpecificationError(
            f"a modulus of {(request.modulus or 0).bit_length()} bits needs more than "
            f"n = {MOST_CHANNELS} channels of w = {request.width}{_first_width(request)}"
        )
    return _domain(request, least)


def _domain(
    request: BaseExtensionSpecification, least: int, *, advise: bool = True
) -> ExtensionDomain:
    first, step = _fewest(request, least), _step(request)
    try:
        return _with_cox(request, *_searched_bases(request, first, advise=advise))
    except _RangeError:
        # Any more channels would only add to the Cox's error.
        return _with_cox(request, *_searched_bases(request, first + step, advise=advise))


def _first_width(request: BaseExtensionSpecification) -> str:
    """The smallest width that works, for a message."""
    for width in range(request.width + 1, WIDTHS.stop):
        wider = request.model_copy(update={"width": width})
        if _fewest(wider, 1) <= MOST_CHANNELS:
            try:
                _domain(wider, 1, advise=False)
            except SpecificationError:
                continue
            return f"; w = {width} works"
    return ""


def _step(request: BaseExtensionSpecification) -> int:
    """The number that divides the number of channels."""
    return lcm(request.rowers or 1, request.row_length)


def _fewest(request: BaseExtensionSpecification, least: int) -> int:
    """The fewest channels that are rows, share the rowers, and whose moduli together exceed P."""
    step, bits = _step(request), (request.modulus or 0).bit_length()
    least = max(least, bits // request.width, -(-_FEWEST_BITS // request.width))
    return -(-least // step) * step


class _RangeError(SpecificationError):
    """A Cox or a base for which the extension is not exact."""


def _searched_bases(
    request: BaseExtensionSpecification, channels: int, *, advise: bool = True
) -> tuple[Base, Base]:
    """Bases of this size, base a the one whose rows are the shorter products."""
    bits = channels * request.width - request.width // 2
    if channels * request.width < _FEWEST_BITS:
        raise SpecificationError(
            f"n = {channels} moduli of w = {request.width} make bases of "
            f"{channels * request.width} bits; at least {_FEWEST_BITS} are needed"
        )
    # The bases are those of a multiplier whose modulus leaves them room.
    modulus = int(prev_prime(1 << max(bits, 17)))

    def search(chosen: StyleArguments) -> tuple[Base, Base]:
        pair = search_bases(
            modulus,
            request.width,
            channels,
            weight=request.weight,
            rowers=request.rowers,
            columns=request.row_length,
            **(chosen | {"advise": advise and chosen["advise"]}),
        )
        return pair.base_b, pair.base_a

    return in_style(request.bases, request.width, search)


def _given_bases(request: BaseExtensionSpecification, bits: int | None) -> tuple[Base, Base]:
    moduli_a, moduli_b = request.base_a or (), request.base_b or ()
    small = next((value for value in (*moduli_a, *moduli_b) if value < 2), None)
    if small is not None:
        raise SpecificationError(f"{small} is no channel modulus")
    # The width whose power of two is nearest to the first modulus.
    width = (2 * moduli_a[0] // 3).bit_length() if bits is None else bits
    base_a, base_b = (
        Base(tuple(Modulus.of_value(value, width) for value in moduli))
        for moduli in (moduli_a, moduli_b)
    )
    heavy = [m for m in (*base_a, *base_b) if m.weight > request.weight]
    if request.bases == "sparse" and heavy:
        raise SpecificationError(
            f"bases = 'sparse' allows h of {request.weight} signed digits, but the modulus "
            f"{heavy[0]} has {heavy[0].weight}: give weight = {heavy[0].weight} or bases = 'any'"
        )
    return base_a, base_b


def _with_cox(request: BaseExtensionSpecification, base_a: Base, base_b: Base) -> ExtensionDomain:
    """The Cox with the fewest bits for which half of all numbers are exact, else that works.

    Raises:
        SpecificationError: there is none; by how much, and which t would do.
    """
    columns = request.row_length
    if request.quotient == "none":
        return ExtensionDomain(base_a, base_b, None, columns)
    narrow: ExtensionDomain | None = None
    least, reason = _least_bits(request, base_a.width), ""
    for kept in range(least, base_a.width + 1):
        domain = ExtensionDomain(base_a, base_b, _cox(request, base_a, kept), columns)
        fault = _fault(request, domain)
        asked = request.truncation in (None, kept)
        if asked:
            reason = fault
        if fault:
            continue
        if not asked:
            raise _RangeError(f"{reason}; t = {kept} instead of {request.truncation} would do")
        low, high = domain.exact
        if request.truncation == kept or 2 * (high - low) >= base_a.product:
            return domain
        narrow = narrow or domain
    if narrow is None:
        raise _RangeError(reason)
    return narrow


def _least_bits(request: BaseExtensionSpecification, width: int) -> int:
    """The t to begin with.

    Raises:
        SpecificationError: it is above w.
    """
    if request.truncation is not None:
        Cox(request.truncation, Fraction(0)).check_width(width)
        return request.truncation
    least = max(request.sigma0.denominator.bit_length() - 1, 1) if request.sigma0 else 1
    if least > width:
        raise _RangeError(
            f"sigma0 = {request.sigma0} is no multiple of 2^-{width}, and the Cox adds no more "
            f"than w = {width} bits of each residue"
        )
    return least


def _cox(request: BaseExtensionSpecification, base: Base, kept: int) -> Cox:
    if request.sigma0 is not None:
        return Cox(kept, request.sigma0)
    ranges = redundant_ranges(base)
    return Cox(kept, centred_sigma0(base, kept, ranges, columns=request.row_length))


def _fault(request: BaseExtensionSpecification, domain: ExtensionDomain) -> str:
    """The reason why an extension is not exact where it has to be; empty if it is."""
    assert domain.cox is not None
    (low, high), total, sigma0 = domain.exact, domain.base_a.product, domain.cox.sigma0
    under, lost = float(domain.error.under), float(domain.error.under + domain.error.over)
    if low > high:
        return (
            f"with t = {domain.cox.truncation} the Cox's error is {lost:.3g} M_a, "
            f"{lost - 1:.3g} M_a too much for any X to be exact"
        )
    if request.modulus is None:
        return ""
    if low > 0:
        return (
            f"sigma0 = {sigma0} is {under - float(sigma0):.3g} below the Cox's error of "
            f"{under:.3g}, so that X near zero come out as X + M_a; leave out modulus or give a "
            "larger sigma0"
        )
    if high < request.modulus - 1:
        lacking = max(((request.modulus - 1) // max(high, 1)).bit_length(), 1)
        return (
            f"n = {len(domain.base_a)} moduli of w = {domain.base_a.width} are {lacking} "
            f"bit{'s' * (lacking > 1)} too narrow: the extension is exact up to "
            f"{(high + 1) / total:.3g} M_a, and P is {request.modulus / total:.3g} M_a"
        )
    return ""


def _integers(base: Base, low: Fraction, high: Fraction) -> Range:
    """The integers in [low, high) M."""
    return -((-low * base.product) // 1), -((-high * base.product) // 1) - 1
