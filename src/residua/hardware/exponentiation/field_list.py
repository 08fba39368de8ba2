"""A fixed list of routines that computes with one number modulo that of a domain."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from residua.algorithms.fields import rns_field
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves.operations.instructions import NUMBER
from residua.hardware.converters.conversion import Conversion, conversion_cox
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.processor_design import ProcessorDesign
from residua.hardware.exponentiation.routine_list import RoutineListDesign
from residua.machines.routine import Source
from residua.numbers.residues import Redundant

LOAD, UNLOAD = "load", "unload"
"""The routines that take the number in and give the result out."""

_LOOPS = ("table_step", "first", "step", "square")
"""Routines of which rounds follow each other, or that take a digit of the exponent."""

_CHAIN = ("square", "multiply")
"""Routines of a chain of powers."""


class FieldListDesign(RoutineListDesign):
    """Field programs between the routines that take a number in and give one out.

    The bound of the domain is chosen here, so that all programs keep it.

    Attributes:
        options: those of the engine.
        listed: whether list scheduling will do for all routines but those of a chain.
    """

    listed: ClassVar[bool] = False

    def __init__(self, domain: MontgomeryDomain, options: EngineOptions) -> None:
        self._open_domain, self.options = domain, options

    @property
    @abstractmethod
    def programs(self) -> Mapping[str, FieldProgram]:
        """The field programs, by the names of their routines."""

    @property
    def modulus(self) -> int:
        """Modulus of the numbers."""
        return self._open_domain.modulus

    @property
    def width(self) -> int:
        """Bits of a word, w."""
        return self._open_domain.base_a.width

    @property
    def words(self) -> int:
        """Words of the number and of the result."""
        return -(-self.modulus.bit_length() // self.width)

    @property
    def ends(self) -> tuple[str, str]:
        """The elements that the number is loaded to, and that the result is in."""
        return NUMBER, NUMBER

    @cached_property
    def domain(self) -> MontgomeryDomain:
        """The domain with a bound that all programs keep."""
        return self._closed(list(self.programs.values()))

    @cached_property
    def processor(self) -> ProcessorDesign:
        """The field processor."""
        sources = [
            Source(
                name,
                (self._lowered(program),),
                loop=name in _LOOPS,
                listed=self.listed and name not in _CHAIN,
            )
            for name, program in self.programs.items()
        ]
        for name, program in self._conversions().items():
            sources.append(Source(name, (program,), serial=name == UNLOAD, listed=self.listed))
        return ProcessorDesign(sources, self.options)

    def _closed(self, programs: Sequence[FieldProgram]) -> MontgomeryDomain:
        """The domain with a bound that these programs and the conversions keep."""
        known = [(program, dict[str, int]()) for program in programs]
        number = (self.words, self.width)
        return rns_field.closed_domain(self._open_domain, known, number, Redundant(1))

    def _lowered(self, program: FieldProgram) -> Lowered:
        return rns_field.lower(program, self.domain, {}, Redundant(1))

    def _conversions(self) -> dict[str, Lowered]:
        """The routines that take numbers in and give the result out."""
        (number, result), domain = self.ends, self.domain
        return {
            LOAD: rns_field.load(number, domain, self.words, self.width, Redundant(1)),
            UNLOAD: rns_field.unload(result, domain, Redundant(1)),
        }

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of results to binary."""
        return self._conversion_modulo(self.modulus)

    def _conversion_modulo(self, modulus: int) -> Conversion:
        """A conversion of results that are off by a multiple of the domain's modulus."""
        return Conversion(
            self.domain.base_b,
            conversion_cox(self.domain, self.modulus),
            (modulus,),
            ((-self.modulus, self.modulus),),
        )
