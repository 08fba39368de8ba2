"""Field units: the kinds of arithmetic that field programs are lowered to, under one roof.

An arithmetic domain says which: RNS Montgomery (`rns_field`), for any modulus, or SBMM
(`single_base_field`), for primes M_a^2 - 2.
"""

from collections.abc import Mapping, Sequence

from residua.algorithms.fields import rns_field, single_base_field
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.montgomery import MontgomeryDomain
from residua.algorithms.position_residue import PositionResidueDomain
from residua.numbers.bases import Base
from residua.numbers.cox import Cox
from residua.numbers.residues import Representation

Domain = MontgomeryDomain | PositionResidueDomain


def wide_bases(domain: Domain) -> tuple[Base, Base]:
    """Base a and base b, without an extra modulus."""
    if isinstance(domain, PositionResidueDomain):
        return domain.split.base_a, Base(domain.split.base_b.wide)
    return domain.base_a.without_check, domain.base_b.without_check


def row_length(domain: Domain) -> int:
    """c, the moduli of a row of the domain's extensions; 1 without rows."""
    return domain.split.columns if isinstance(domain, PositionResidueDomain) else domain.columns


def extension_cox(domain: Domain) -> Cox:
    """The Cox of the domain's extensions."""
    return domain.split.first if isinstance(domain, PositionResidueDomain) else domain.first


def closed_programs(
    domain: Domain,
    programs: Sequence[tuple[FieldProgram, Mapping[str, int]]],
    number: tuple[int, int],
    representation: Representation,
) -> tuple[Domain, list[Lowered]]:
    """The domain under which all programs are closed, and what `lower` makes of them on it.

    Ranges of elements are fixed in SBMM: what Compress leaves. For others see
    `rns_field.closed_domain`.

    Raises:
        ProgramError: there is none.
    """
    if isinstance(domain, MontgomeryDomain):
        return rns_field.closed_programs(domain, programs, number, representation)
    return domain, [lower(program, domain, named, representation) for program, named in programs]


def lower(
    source: FieldProgram,
    domain: Domain,
    constants: Mapping[str, int],
    representation: Representation,
) -> Lowered:
    """The RNS program of a field program; ``constants`` are the integers of named constants.

    Raises:
        ProgramError: an element outgrows the bases.
    """
    if isinstance(domain, PositionResidueDomain):
        return single_base_field.lower(source, domain, constants, representation)
    return rns_field.lower(source, domain, constants, representation)


def load(
    name: str, domain: Domain, words: int, width: int, representation: Representation
) -> Lowered:
    """A program that makes an element of a binary number of ``words`` words of ``width`` bits."""
    if isinstance(domain, PositionResidueDomain):
        return single_base_field.load(name, domain, words, width, representation)
    return rns_field.load(name, domain, words, width, representation)


def unload(name: str, domain: Domain, representation: Representation) -> Lowered:
    """A program whose outputs are a number congruent to an element, in cofactor form.

    They make up `number_base`, and the number lies within `number_range`.
    """
    if isinstance(domain, PositionResidueDomain):
        return single_base_field.unload(name, domain, representation)
    return rns_field.unload(name, domain, representation)


def number_base(domain: Domain) -> Base:
    """The base over which `unload` gives a number."""
    if isinstance(domain, PositionResidueDomain):
        return single_base_field.number_base(domain)
    return domain.base_b.without_check


def number_range(domain: Domain, representation: Representation) -> tuple[int, int]:
    """The range of the numbers of `unload`."""
    if isinstance(domain, PositionResidueDomain):
        return single_base_field.number_range(domain, representation)
    return -domain.modulus, domain.modulus


def elements_range(domain: Domain, representation: Representation) -> tuple[int, int]:
    """The range of the integers that elements outside a program stand for."""
    if isinstance(domain, PositionResidueDomain):
        return single_base_field.number_range(domain, representation)
    return -domain.bound, domain.bound
