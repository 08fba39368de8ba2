"""A step of the (X, Z) ladder on SBMM and on RNS Montgomery, in cycles (SBMM Table 7, measured).

The same field program, a curve with any a over a prime M_a^2 - 2, on engines with the same number
of rowers: n / 2 of w bits and the narrow one for SBMM, n / 2 of w + 1 bits for RNS Montgomery, each
of which serves two of its n channels (SBMM Table 3). Slots of a loop's round as the processor runs
it, placed by the same lists. Extensions are Kawamura's, or hierarchical on both.
"""

from dataclasses import dataclass

from residua.algorithms.fields import field_unit
from residua.algorithms.fields.field_unit import Domain
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.fields.single_base_field import compressions
from residua.cores.coprocessor.engine.rns_montgomery import montgomery_domains
from residua.cores.coprocessor.engine.single_base import domain_of_fewest, partner_of
from residua.curves import ladder
from residua.errors import SpecificationError
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.processor_design import ProcessorDesign
from residua.machines.routine import Source
from residua.numbers.bases import Base
from residua.numbers.half_bases import half_bases, sparse_half_bases
from residua.numbers.residues import Redundant
from residua.numbers.search import search_bases

SCHEDULED = (
    "numbers",
    "algorithms",
    "machines",
    "curves",
    "hardware/engine",
    "papers/sbmm/ladder_comparison.py",
)
"""The modules that the cycles of a step follow from."""

_WEIGHT = 3
_A, _B = 11, 7
"""Coefficients of a curve without special ones; no count depends on them."""


@dataclass(frozen=True)
class LadderStep:
    """Cost of a ladder step on ``rowers`` rowers, for n = ``channels``.

    ``sbmm`` and ``montgomery`` are cycles; ``extra_bits`` is g of m_gamma = 2^g, ``compressions``
    the elements that are compressed. The ``_full`` ones count slots that do something, the least
    that a schedule could have.
    """

    channels: int
    width: int
    columns: int
    rowers: int
    sbmm: int
    sbmm_full: int
    montgomery: int
    montgomery_full: int
    extra_bits: int
    compressions: int

    @property
    def saved(self) -> float:
        """The share of cycles that SBMM saves; negative if it takes more."""
        return 1 - self.sbmm / self.montgomery


def ladder_step(channels: int, width: int, columns: int = 1) -> LadderStep:
    """The cycles of a step on both field units with n / 2 rowers.

    Args:
        channels: n, even; base a of SBMM has half of them, each base of RNS Montgomery all.
        width: w of SBMM's moduli; those of RNS Montgomery have a bit more.
        columns: c > 1 for hierarchical extensions, over rows of c moduli.

    Raises:
        SpecificationError: there are no bases of that kind.
    """
    base_a = _half_base(channels // 2, width)
    base_b = partner_of(base_a, _WEIGHT, columns)
    prime = base_a.product**2 - 2
    named = ladder.constants(prime, _A, _B)
    single = domain_of_fewest(base_a, base_b, ladder.step(), named, columns)
    extra = single.split.base_b.extra
    assert extra is not None
    on_sbmm, lowered = _placed(single, named, channels // 2)
    other = _montgomery(prime, channels, width + 1, columns)
    on_montgomery, _ = _placed(other, named, channels // 2)
    return LadderStep(
        channels,
        width,
        columns,
        channels // 2,
        *on_sbmm,
        *on_montgomery,
        extra.width,
        compressions(lowered.program),
    )


def _half_base(count: int, width: int) -> Base:
    try:
        return sparse_half_bases(width, count, weight=_WEIGHT, rowers=count, quadratic=True)[0]
    except SpecificationError:
        return half_bases(width, count)[0]


def _montgomery(prime: int, channels: int, width: int, columns: int) -> Domain:
    try:
        pair = search_bases(prime, width, channels, style="sparse", weight=_WEIGHT, columns=columns)
    except SpecificationError:
        pair = search_bases(prime, width, channels, style="any", weight=_WEIGHT, columns=columns)
    return montgomery_domains(pair, [prime], columns)[0]


def _placed(domain: Domain, named: dict[str, int], rowers: int) -> tuple[tuple[int, int], Lowered]:
    """Cycles and slots of a step."""
    step, representation = ladder.step(), Redundant(1)
    bases = field_unit.wide_bases(domain)
    words = -(-domain.modulus.bit_length() // bases[0].width), bases[0].width
    _, (lowered,) = field_unit.closed_programs(domain, [(step, named)], words, representation)
    sparse = all(m.weight <= _WEIGHT for base in bases for m in base)
    options = EngineOptions(rowers, reduction="shift" if sparse else "multiply")
    design = ProcessorDesign([Source(step.name, (lowered,), loop=True, listed=True)], options)
    routine = design.routines[step.name]
    return (routine.length, routine.problem.total), lowered
