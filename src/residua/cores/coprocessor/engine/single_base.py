"""Elliptic-curve coprocessor whose field unit is SBMM, for curves over a prime M_a^2 - 2."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import isqrt
from typing import Literal

from residua.algorithms.fields import single_base_field
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.position_residue import PositionResidueDomain
from residua.algorithms.program import ProgramError
from residua.algorithms.single_base import single_base
from residua.algorithms.split import Form
from residua.cores.coprocessor.curve_core import EngineCurveCore, checked, fastest_formula
from residua.cores.coprocessor.naming import curves_part
from residua.cores.specification.combinations import divisors
from residua.cores.specification.keys import LARGEST_EXTRA, shown
from residua.curves.blinding import BlindingChoice
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.routines import constants, routines
from residua.curves.parameters import Curve
from residua.curves.protections.protection import NONE, Protections
from residua.errors import SpecificationError
from residua.hardware.coprocessor.engine_design import CoprocessorDesign
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.rower import RegisterMemory
from residua.numbers.bases import Base
from residua.numbers.half_bases import base_of_product, partner_base, square_partner
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Redundant

FEWEST_EXTRA = 6
"""Bits of m_gamma that are tried, at least; the paper's smallest."""

_USUAL_WIDTH = 16
_WIDTHS = range(10, 35)
"""Widths of a modulus that are tried: those nearest to the usual one first."""


class SingleBaseEccCore(EngineCurveCore):
    """Parameters of a coprocessor on SBMM, each calculated when it is asked for.

    ``curves`` share one core and so one prime. The moduli of base a have to make that prime; they
    are found if ``width`` or nothing is given. ``channels`` is n, the moduli of both bases without
    m_gamma. ``extra_bits`` g, of m_gamma = 2^g, are by default the fewest with which a step of the
    first curve's loop needs the fewest Compress. The other options are those of `EccCore`.

    Raises:
        SpecificationError: a curve is wrong, its prime has another form, or no bases serve it.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        *,
        width: int | None = None,
        channels: int | None = None,
        base_a: Sequence[int] | None = None,
        base_b: Sequence[int] | None = None,
        extra_bits: int | None = None,
        style: Literal["sparse", "any"] | None = None,
        weight: int = 3,
        reduction: Literal["shift", "multiply"] | None = None,
        rowers: int | None = None,
        columns: int = 1,
        blinding: BlindingChoice = 0,
        inversion: Inversion = Inversion.FERMAT,
        formula: Formula | None = None,
        product_registers: int = 0,
        levels_per_register: int = 1,
        register_memory: RegisterMemory = "distributed",
        protections: Protections = NONE,
    ) -> None:
        self.curves, self._weight = checked(curves), weight
        self._options = (reduction, rowers, product_registers, levels_per_register, register_memory)
        self._extra_bits, self._blinding = extra_bits, blinding
        self._inversion, self._formula, self._columns = inversion, formula, columns
        self._protections = protections
        root = _root(self.curves)
        found = _given(base_a, width) or _base_of(root, width, channels)
        if found.product != root:
            raise SpecificationError(
                f"the moduli of base_a have another product than M_a = {shown(root)} of the prime "
                f"of {self.curves[0].name}: leave out base_a"
            )
        self._base_a = found
        self._base_b = _given(base_b, found.width) or partner_of(
            found, None if style == "any" else weight, columns
        )
        _check_share(2 * len(found), channels, rowers, columns)
        self.design = self._design([self._chosen(curve) for curve in self.curves], self.curves)

    @property
    def name(self) -> str:
        """Kind, curves and size: ecc_sbmm_<curves>_<channels>x<width>."""
        return f"ecc_sbmm_{curves_part(self.curves)}_{self.channels}x{self.width}"

    @property
    def channels(self) -> int:
        """n, the moduli of both bases without m_gamma."""
        return 2 * len(self._base_a)

    @cached_property
    def extra_bits(self) -> int:
        """g, the bits of m_gamma."""
        domain = self.design.domains[0]
        assert isinstance(domain, PositionResidueDomain)
        extra = domain.split.base_b.extra
        assert extra is not None
        return extra.width

    def _chosen(self, curve: Curve) -> Formula:
        return fastest_formula(
            curve, self._formula, self._blinding, lambda formula: self._design([formula], [curve])
        )

    def _design(self, formulas: Sequence[Formula], curves: Sequence[Curve]) -> CoprocessorDesign:
        reduction, rowers, product_registers, levels, memory = self._options
        sparse = all(m.weight <= self._weight for m in (*self._base_a, *self._base_b))
        options = EngineOptions(
            rowers=rowers or len(self._base_a),
            reduction=reduction or ("shift" if sparse else "multiply"),
            product_registers=product_registers,
            levels_per_register=levels,
            register_memory=memory,
        )
        bases = self._base_a, self._base_b
        if self._extra_bits is not None:
            domain = domain_of(*bases, self._extra_bits, self._columns)
        else:
            step = routines(curves[0], formulas[0])["ladder_step"]
            domain = domain_of_fewest(*bases, step, constants(curves[0]), self._columns)
        domains = [domain] * len(curves)
        return CoprocessorDesign(
            curves,
            domains,
            options,
            formulas,
            self._blinding,
            self._inversion,
            protections=self._protections,
        )


def partner_of(base_a: Base, weight: int | None, columns: int) -> Base:
    """The base b for a base a: one for the biquadratic form, if there is one and it serves."""
    if columns == 1 and (found := square_partner(base_a, weight)):
        return found
    return partner_base(base_a, weight, below=columns > 1)


def domain_of(
    base_a: Base, base_b: Base, extra_bits: int, columns: int = 1
) -> PositionResidueDomain:
    """Build the domain in the first form that the bases allow: biquadratic, quadratic or short."""

    def in_form(form: Form) -> PositionResidueDomain:
        return single_base(
            base_a,
            base_b,
            extra_bits,
            Redundant(1),
            form=form,
            multiplication="direct",
            columns=columns,
        )

    forms: list[Form] = ["quadratic"] if columns > 1 else ["biquadratic", "quadratic"]
    for form in forms:
        try:
            return in_form(form)
        except SpecificationError:
            continue
    return in_form("short")


def domain_of_fewest(
    base_a: Base, base_b: Base, step: FieldProgram, named: Mapping[str, int], columns: int = 1
) -> PositionResidueDomain:
    """Build the domain with the fewest bits of m_gamma for which a program has the fewest products.

    Raises:
        ProgramError: the most are too few.
    """

    def lowered(bits: int) -> tuple[int, PositionResidueDomain]:
        domain = domain_of(base_a, base_b, bits, columns)
        program = single_base_field.lower(step, domain, named, Redundant(1)).program
        return program.length, domain

    most = min(LARGEST_EXTRA, base_a.width)
    fewest, best = lowered(most)
    for bits in range(most - 1, FEWEST_EXTRA - 1, -1):
        try:
            count, domain = lowered(bits)
        except ProgramError:
            break
        if count > fewest:
            break
        best = domain
    return best


def _root(curves: Sequence[Curve]) -> int:
    """M_a of the prime that all curves share.

    Raises:
        SpecificationError: they do not share one, or it is not M_a^2 - 2.
    """
    primes = {curve.prime for curve in curves}
    if len(primes) > 1:
        raise SpecificationError(
            "algorithm = 'sbmm': all curves of a core are over one prime, as base a makes it; "
            f"{curves[0].name} and {curves[-1].name} are not"
        )
    prime = primes.pop()
    root = isqrt(prime + 2)
    if root * root != prime + 2:
        raise SpecificationError(
            f"algorithm = 'sbmm' needs a curve over a prime P = M_a^2 - 2, and P + 2 is no square "
            f"for {curves[0].name}: find a prime with `residua primes` and a curve over it with "
            "`residua curve`, or leave out algorithm for a coprocessor on RNS Montgomery"
        )
    return root


def _given(values: Sequence[int] | None, width: int | None) -> Base | None:
    if not values:
        return None
    if width is None:
        # Moduli are next to 2^w, below it or above.
        width = min(_WIDTHS, key=lambda bits: abs((1 << bits) - values[0]))
    return Base(tuple(Modulus.of_value(value, width) for value in values))


def _base_of(root: int, width: int | None, channels: int | None) -> Base:
    """The moduli that make M_a.

    Raises:
        SpecificationError: none of the widths has any; what to do about it.
    """
    bits = root.bit_length()
    usual = sorted(_WIDTHS, key=lambda each: (each < _USUAL_WIDTH, abs(each - _USUAL_WIDTH)))
    for each in [width] if width else usual:
        # M_a may be somewhat above a power of two.
        count = -(-(bits - 1) // each) if channels is None else channels // 2
        if abs(count * each - bits) > 1:
            continue
        try:
            return base_of_product(root, each, count)
        except SpecificationError:
            continue
    raise SpecificationError(
        f"M_a = {shown(root)} of the prime is no product of moduli 2^w - h of "
        f"{f'w = {width}' if width else 'any usual width'}"
        f"{f' in n = {channels} channels' if channels else ''}: give base_a, the moduli that "
        "`residua primes` found"
    )


def _check_share(count: int, channels: int | None, rowers: int | None, columns: int) -> None:
    if channels not in (None, count):
        raise SpecificationError(
            f"channels = {channels}, but both half-bases of the prime have n = {count} moduli "
            "together: leave out channels"
        )
    if rowers is not None and count // 2 % rowers:
        raise SpecificationError(
            f"rowers = {rowers} cannot share the {count // 2} moduli of a half-base evenly: "
            f"{', '.join(map(str, divisors(count // 2)))} can"
        )
    if count // 2 % columns or (rowers or 0) % columns:
        raise SpecificationError(
            f"half-bases of {count // 2} moduli on {rowers or count // 2} rowers do not make rows "
            f"of c = {columns}: give another columns, or leave out extension"
        )
