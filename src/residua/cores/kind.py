"""A kind of core, without what makes cores: that takes long to load, and most verbs need none."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from residua.cores.specification.base import CoreSpecification

if TYPE_CHECKING:
    from residua.cores.core import Core


@dataclass(frozen=True)
class Kind:
    """A kind of core.

    Its package may have a module ``summary`` with a function ``rows``: what there is to tell of a
    core on a terminal, from its manifest to pairs of a label and a text. If it has none, that of
    this package does.

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
        """What messages call such a core, with an article."""
        return self.specification.noun

    @property
    def package(self) -> str:
        """The package that it is in."""
        return self.maker.partition(":")[0].rpartition(".")[0]

    @property
    def core_class(self) -> "type[Core]":
        """Of its cores."""
        found: type[Core] = resolve_name(self.maker)
        return found

    def rows(self, manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What there is to tell of a core with this manifest."""
        own = find_spec(f"{self.package}.summary")
        module = own.name if own else "residua.cores.summary"
        found: list[tuple[str, str]] = resolve_name(f"{module}:rows")(manifest)
        return found
