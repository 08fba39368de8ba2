"""Names of the entries of a catalogue, found as people write them."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Generic, Protocol, TypeVar


class Named(Protocol):
    """An entry of a catalogue."""

    @property
    def name(self) -> str:
        """The name in messages."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names."""


E = TypeVar("E", bound=Named)


class Names(Generic[E]):
    """Entries by their names and aliases; case, spaces and ``-_.`` do not count."""

    def __init__(self, entries: Iterable[E]) -> None:
        self._entries = {
            _key(name): entry for entry in entries for name in (entry.name, *entry.aliases)
        }

    def find(self, name: str) -> E | None:
        """The entry of this name, None if there is none."""
        return self._entries.get(_key(name))

    def suggestion(self, name: str) -> str:
        """The names nearest to one that is unknown; see the function of this name."""
        return suggestion(name, {key: entry.name for key, entry in self._entries.items()})


def suggestion(name: str, meanings: Mapping[str, str]) -> str:
    """The names nearest to one that is unknown, behind it in a message; often empty.

    Args:
        name: what is unknown.
        meanings: the name that each spelling stands for.
    """
    meant = {_key(spelling): known for spelling, known in meanings.items()}
    near = difflib.get_close_matches(_key(name), meant, n=3, cutoff=0.6)
    names = list(dict.fromkeys(meant[key] for key in near))
    return f" (did you mean {' or '.join(names)}?)" if names else ""


def _key(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name).lower()
