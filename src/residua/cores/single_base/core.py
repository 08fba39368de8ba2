"""SBMM multiplier: from a specification to half-bases, program, schedule and hardware."""

from functools import cached_property, partial
from typing import Any

from residua.algorithms.position_residue import PositionResidueDomain
from residua.algorithms.single_base import largest_operands, outputs, product_program, single_base
from residua.algorithms.split import Form
from residua.algorithms.terms import Interval
from residua.cores.engine.words import MultiplierCore
from residua.cores.naming import default_name, modulus_part
from residua.cores.simulation.workload import Workload
from residua.cores.single_base.specification import SingleBaseSpecification
from residua.errors import SpecificationError
from residua.hardware.converters.single_base_words import SingleBaseWords, widest_words
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.counts import count
from residua.numbers.bases import Base
from residua.numbers.catalogue import SMALLEST_MODULUS
from residua.numbers.cox import Range
from residua.numbers.half_bases import base_of_product, half_bases, partner_base, sparse_half_bases
from residua.numbers.moduli import Modulus
from residua.numbers.primes.position_primes import is_probable_prime
from residua.numbers.residues import Redundant


class SingleBaseCore(MultiplierCore[SingleBaseSpecification]):
    """One SBMM multiplier.

    Raises:
        SpecificationError: no bases meet the request, P is no prime or, like m_gamma, too small.
    """

    domain: PositionResidueDomain
    channel_columns = ("base_a", "h_a", "weights", "factor_a", "base_b", "h_b")

    def __init__(self, request: SingleBaseSpecification) -> None:
        super().__init__(request)
        base_a, base_b = _find_bases(request)
        prime = base_a.product**2 - 2
        if prime < SMALLEST_MODULUS:
            raise SpecificationError(
                f"P = M_a^2 - 2 = {prime} is too small: it must be at least {SMALLEST_MODULUS}; "
                "take more channels, or wider ones"
            )
        if not is_probable_prime(prime):
            raise SpecificationError(
                f"P = M_a^2 - 2 = {prime:#x} is composite: the moduli of base a have to make it "
                "a prime"
            )
        self.domain = _domain(request, base_a, base_b)
        self.ranges_of_operands = largest_operands(
            self.domain, Redundant(1), compressed=request.compress
        )

    @cached_property
    def name(self) -> str:
        """Name of the top module, sbmm_<bits>_<channels>x<width> by default.

        With words it ends in ``_words``; see `residua.cores.naming`.
        """
        request, size = self.request, f"{self.channels}x{self.width}"
        number = modulus_part(request.modulus, request.bits)
        parts = ("sbmm", number, size, self.interface_part)
        return request.name or default_name(parts, request, "bits", "channels", "interface")

    @property
    def channels(self) -> int:
        """n, the moduli of both bases but m_gamma."""
        return 2 * len(self.domain.split.base_a)

    @property
    def rowers(self) -> int:
        """Physical rowers but those of m_gamma; n of them make two lanes."""
        return self.request.physical_rowers

    @property
    def title(self) -> str:
        """Title of the core."""
        return "SBMM multiplier"

    @property
    def subject(self) -> str:
        """Title and size in one line."""
        bits = self.parameters["modulus_bits"]
        return f"{self.title} modulo a prime M_a^2 - 2 of {bits} bits"

    def workload(self, seed: int) -> Workload:
        """The operands of its verification, and what judges their results."""
        # Only simulations need it.
        from residua.cores.single_base.verification import single_base_workload  # noqa: PLC0415

        return single_base_workload(self.program, self.domain, seed)

    def first_pairs(self) -> list[tuple[int, int]]:
        """Binary operands that verification begins with."""
        # Only simulations need it.
        from residua.cores.single_base.verification import word_pairs  # noqa: PLC0415

        return word_pairs(self.domain)

    @property
    def wide_bases(self) -> tuple[Base, Base]:
        """Base a, and base b without m_gamma."""
        split = self.domain.split
        return split.base_a, Base(split.base_b.wide)

    @cached_property
    def specification(self) -> SingleBaseSpecification:
        """The request with every choice made; it leads to this core again."""
        return SingleBaseSpecification(
            **self.common_choices,
            **self.word_choices,
            modulus=self.domain.modulus,
            extra_bits=self.request.extra_bits,
            compress=self.request.compress,
            skip_quotient=self.request.skip_quotient,
            extension=self.request.extension,
            columns=self.request.row_length if self.request.row_length > 1 else None,
            name=self.name,
        )

    def word_design(self, multipliers: int) -> SingleBaseWords:
        """The design with words; see `MultiplierCore.word_design`."""
        return widest_words(self.domain, self.options, multipliers)

    @cached_property
    def residue_design(self) -> EngineDesign:
        """The engine of the product alone."""
        program = product_program(
            self.domain,
            Redundant(1),
            self.ranges_of_operands,
            compressed=self.request.compress,
            parallel=self.rowers == self.channels,
        )
        return self.engine_of(program)

    @property
    def program_ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results and words, and of those of m_gamma."""
        extra = 1 << (self.request.extra_bits - 1)
        return {**super().program_ranges, "extra_words": (-extra, extra - 1)}

    @property
    def residue_ranges(self) -> dict[str, Range]:
        """Closed intervals of K and R of operands and results, and of words."""
        (remainder, _), (quotient, _) = outputs(self.program)
        word = 1 << self.width
        return {
            "operands_r": _integers(self.ranges_of_operands[0]),
            "operands_k": _integers(self.ranges_of_operands[1]),
            "results_r": _integers(remainder.range),
            "results_k": _integers(quotient.range),
            "words": (-word, word - 1),
        }

    @property
    def utilisation(self) -> float:
        """Counted products per rower and cycle of the steady state; at most 1.

        Products of m_gamma's words by constants are among them, those modulo m_gamma are not.
        """
        counted = count(self.program)
        slots = self.rowers * self.design.schedule.interval
        return round((counted.emm + counted.narrow) / slots, 4)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, big ones as decimal strings."""
        split = self.domain.split
        return {
            "algorithm": self.request.algorithm,
            "modulus": str(self.domain.modulus),
            "modulus_name": None,
            "modulus_bits": self.domain.modulus.bit_length(),
            **self.base_parameters,
            "extra_bits": self.request.extra_bits,
            "compress": self.request.compress,
            "skip_quotient": self.request.skip_quotient,
            "extension": self.request.extension,
            "columns": self.request.row_length,
            "t": split.first.truncation,
            "sigma0": str(split.first.sigma0),
            "form": split.form,
            "weights": list(split.weights),
            "factor_a": [str(factor) for factor in split.factor_a],
            "root": str(split.base_a.product),
            **self.word_parameters,
            "rowers": self.rowers,
            "lanes": self.design.lanes,
            **self.engine_parameters,
        }


def _integers(interval: Interval) -> Range:
    found = interval.integers()
    return int(found.low), int(found.high)


def _domain(request: SingleBaseSpecification, base_a: Base, base_b: Base) -> PositionResidueDomain:
    """Build the domain in the quadratic form if base a allows it, else in the short one."""

    def in_form(form: Form) -> PositionResidueDomain:
        return single_base(
            base_a,
            base_b,
            request.extra_bits,
            Redundant(1),
            form=form,
            multiplication="direct",
            skips_quotient=request.skip_quotient,
            columns=request.row_length,
        )

    try:
        return in_form("quadratic")
    except SpecificationError:
        return in_form("short")


def _find_bases(request: SingleBaseSpecification) -> tuple[Base, Base]:
    """Half-bases, given or found."""
    rowers = min(request.physical_rowers, request.half)
    base_a = _given(request, request.base_a)
    if base_a is None and request.modulus is not None:
        base_a = base_of_product(request.root, request.width, request.half)
    if base_a is not None and request.modulus not in (None, base_a.product**2 - 2):
        raise SpecificationError(
            "modulus is not M_a^2 - 2 for the M_a of base_a: leave out one of them"
        )
    if base_a is not None:
        base_b = _given(request, request.base_b)
        if base_b is None:
            weight = None if request.bases == "any" else request.weight
            base_b = partner_base(base_a, weight)
        return base_a, base_b
    if request.bases != "any":
        try:
            return _sparse_bases(request, rowers)
        except SpecificationError:
            if request.bases == "sparse":
                raise
    return half_bases(request.width, request.half)


def _sparse_bases(request: SingleBaseSpecification, rowers: int) -> tuple[Base, Base]:
    """Half-bases in the quadratic form, which takes fewer cycles, or in the short one."""
    search = partial(
        sparse_half_bases, request.width, request.half, weight=request.weight, rowers=rowers
    )
    try:
        return search(quadratic=True)
    except SpecificationError:
        return search(quadratic=False)


def _given(request: SingleBaseSpecification, values: tuple[int, ...] | None) -> Base | None:
    """A base of these moduli.

    Raises:
        SpecificationError: one of them is too heavy for sparse bases, or of another width.
    """
    if values is None:
        return None
    base = Base(tuple(Modulus.of_value(value, request.width) for value in values))
    heavy = [m for m in base if m.weight > request.weight]
    if request.bases == "sparse" and heavy:
        raise SpecificationError(
            f"bases = 'sparse' allows h of {request.weight} signed digits, but the modulus "
            f"{heavy[0]} has {heavy[0].weight}: give weight = {heavy[0].weight} or bases = 'any'"
        )
    return base
