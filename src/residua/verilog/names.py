"""Names in Verilog: legal everywhere, distinct within a scope."""

import re
from collections import Counter
from typing import TYPE_CHECKING

from residua.verilog.reserved import RESERVED_WORDS

if TYPE_CHECKING:
    from residua.verilog.rtlil import Module


def legal_name(name: str) -> str:
    """A plain identifier of Verilog, SystemVerilog and VHDL that resembles ``name``."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "unnamed"
    if plain[0].isdigit():
        plain = f"n{plain}"
    return f"{plain}_signal" if plain.lower() in RESERVED_WORDS else plain


class Scope:
    """Names of one scope: legal, and distinct even where case does not count."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wish: str) -> str:
        """A name like ``wish`` that nothing else in the scope has."""
        name, count = legal_name(wish), 1
        while name.lower() in self._taken:
            count += 1
            name = f"{legal_name(wish)}_{count}"
        self._taken.add(name.lower())
        return name


def module_names(modules: "list[Module]", top: str) -> dict[str, str]:
    """Verilog names: the leaf of the path, without its number where several instances share it.

    None of them is that of a module which is instantiated, but described elsewhere.
    """
    scope = Scope()
    names = {modules[0].name: scope.take(top)}
    uses = Counter(cell.kind for module in modules for cell in module.cells)
    for kind in sorted(uses.keys() - {module.name for module in modules}):
        if not kind.startswith("$"):
            scope.take(kind)
    for module in modules[1:]:
        leaf = module.name.rpartition(".")[2]
        shared = (re.sub(r"_?\d+$", "", leaf) if uses[module.name] > 1 else leaf) or "part"
        names[module.name] = scope.take(f"{top}_{shared}")
    return names
