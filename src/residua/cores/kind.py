"""A kind of core as most verbs need it: what makes cores takes long to load, and is not here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from residua.cores import summary
from residua.cores.specification.base import CoreSpecification

if TYPE_CHECKING:
    from residua.cores.core import Core


@dataclass(frozen=True)
class Kind:
    """A kind of core.

    Its package, or the one above, may have a module ``summary`` with functions of the names of
    those in `residua.cores.summary`, which serve where it has none: `rows` describes a core on a
    terminal, `verified` and `cycle_columns` the outcome of its verification, `timed` its times.

    Attributes:
        name: what it is called, one word.
        specification: what such a core is made of.
        maker: ``<module>:<name>`` of its class of `residua.cores.core.Core`.
    """

    name: str
    specification: type[CoreSpecification]
    maker: str

    @property
    def noun(self) -> str:
        """Name of such a core in messages, with an article."""
        return self.specification.noun

    @property
    def package(self) -> str:
        """The package that it is in."""
        return self.maker.partition(":")[0].rpartition(".")[0]

    @property
    def core_class(self) -> "type[Core]":
        """Class of its cores."""
        found: type[Core] = resolve_name(self.maker)
        return found

    def rows(self, manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Labels and texts that describe the core with this manifest."""
        return list(self._summary("rows")(manifest))

    def verified(self, found: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Labels and texts of the outcome of a verification."""
        return list(self._summary("verified")(found))

    def cycle_columns(self, found: Mapping[str, Any]) -> dict[str, Mapping[str, int]]:
        """The cycles that a verification measured, by column and row of a table."""
        return dict(self._summary("cycle_columns")(found))

    def timed(self, found: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Labels and texts of the times that the clock of a placed core gives."""
        return list(self._summary("timed")(found))

    def _summary(self, function: str) -> Callable[[Mapping[str, Any]], Any]:
        """A function of the module ``summary`` of the kind or above it, or the one of all kinds."""
        places = (self.package, self.package.rpartition(".")[0])
        own = [f"{place}.summary" for place in places if place and find_spec(f"{place}.summary")]
        module = import_module(own[0]) if own else summary
        found: Callable[[Mapping[str, Any]], Any] = getattr(
            module, function, getattr(summary, function)
        )
        return found
