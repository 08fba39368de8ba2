"""Design of an elliptic-curve coprocessor on an engine whose bases are chosen at random.

Each operation begins with a choice and what depends on it, see
`residua.algorithms.fields.random_bases` and `residua.curves.protections.random_bases`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from residua.algorithms.fields import base_choice, random_bases
from residua.algorithms.fields.base_choice import Choice, with_choice
from residua.algorithms.fields.field import Constant, FieldProgram, used_constants
from residua.algorithms.fields.field_unit import Domain
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves.inversion import Inversion
from residua.curves.operations.instructions import NUMBER
from residua.curves.protections.protection import Protection
from residua.curves.protections.random_bases import COMPLETE, MAKE_CONSTANTS, PREPARE, refusal
from residua.hardware.converters.conversion import Conversion
from residua.hardware.coprocessor.engine_design import CoprocessorDesign
from residua.machines.routine import Source
from residua.numbers.cox import redundant_ranges
from residua.numbers.ranges import exact_cox
from residua.numbers.residues import Redundant


@dataclass(frozen=True)
class _Page:
    """A modulus with its constants and field programs, by the names of their routines."""

    open_domain: MontgomeryDomain
    constants: Mapping[Constant, int]
    programs: Mapping[str, FieldProgram]


class RandomBasesDesign(CoprocessorDesign):
    """Design of a coprocessor with ``random-bases``; arguments and errors of `CoprocessorDesign`.

    Its domains have the "reordered" form, in which no modulus decides what operands carry.
    """

    def _engine_refusals(self) -> dict[Protection, str]:
        bases = refusal(
            plain=self._is_plain,
            combs=self.fixed_base is not None,
            verifies=any(self.verified),
            residues=self.inversion is Inversion.PLUS_MINUS,
        )
        return super()._engine_refusals() | {Protection.RANDOM_BASES: bases}

    @cached_property
    def _pages(self) -> list[_Page]:
        """Every modulus; constants have the same names on all pages, and 1 where there are none."""
        own = [
            {
                name: program
                for name, pages in self._programs.items()
                if (program := pages[i]) is not None
            }
            for i in range(len(self._open_domains))
        ]
        wanted = dict.fromkeys(
            constant for programs in own for constant in used_constants(list(programs.values()))
        )
        found = []
        for domain, programs, named in zip(self._open_domains, own, self._constants, strict=True):
            assert isinstance(domain, MontgomeryDomain)
            values = {
                constant: constant.value
                if isinstance(constant.value, int)
                else named.get(constant.value, 1)
                for constant in wanted
            }
            found.append(_Page(domain, values, programs))
        return found

    @cached_property
    def domains(self) -> list[Domain]:
        """The domain of each page, with a bound that its programs keep for every choice."""
        number = (self.binary_words, self.width)
        return [
            random_bases.closed_domain(
                page.open_domain, list(page.programs.values()), page.constants, number, Redundant(1)
            )
            for page in self._pages
        ]

    def chosen_programs(self, page: int, choice: Choice) -> dict[str, Lowered]:
        """The programs of all routines of a page for a choice."""
        own, domain, kind = self._pages[page], self.domains[page], Redundant(1)
        assert isinstance(domain, MontgomeryDomain)
        chosen = with_choice(domain, choice)
        return {
            PREPARE: base_choice.prepare(domain, choice, kind),
            COMPLETE: base_choice.complete(chosen, kind),
            MAKE_CONSTANTS: random_bases.constants(chosen, own.constants, kind),
            **{
                name: random_bases.lower(program, chosen, kind)
                for name, program in own.programs.items()
            },
            "load": random_bases.load(NUMBER, chosen, self.binary_words, self.width, kind),
            "unload": random_bases.unload(NUMBER, chosen, kind),
        }

    @cached_property
    def sources(self) -> list[Source]:
        """All routines on all pages, of rowers whose moduli are exchanged last."""
        count = len(self._bases[0])
        pages = [
            self.chosen_programs(page, (exchanged,) * count)
            for exchanged in (0, 1)
            for page in range(len(self.domains))
        ]
        names = dict.fromkeys(name for page in pages for name in page)
        return [
            Source(
                name,
                tuple(page.get(name) for page in pages),
                loop=self._is_loop(name),
                serial=name == "unload",
                listed=self._lists(name),
                exchanged=True,
                begins=name in (PREPARE, MAKE_CONSTANTS),
            )
            for name in names
        ]

    def _lists(self, name: str) -> bool:
        """Whether lists alone schedule a routine; what is made once an operation is not solved."""
        if name in self._programs:
            return self._is_listed(name, self._programs[name])
        return name in (PREPARE, COMPLETE, MAKE_CONSTANTS)

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of results to binary, from the residues in both bases."""
        joint, largest = self._pages[0].open_domain.joint_base, max(self.moduli)
        return Conversion(
            joint,
            exact_cox(joint, redundant_ranges(joint), largest),
            self.moduli,
            tuple((-modulus, modulus) for modulus in self.moduli),
            relaxed=True,
            word=self.width,
            exchanged=True,
        )
