"""The C99 driver of cores for modular arithmetic: a library for all, a description of each."""

from importlib.resources import files

from residua.algorithms.conversion import split_words
from residua.algorithms.fields.loaded_field import SMALLEST
from residua.cores.bus.driver.files import rendered, shared_files
from residua.hardware.bus.commanded_design import CommandedDesign
from residua.hardware.bus.key_numbers import Modulus, Source
from residua.hardware.bus.register_map import ModularCapabilities, RegisterMap

LIBRARY = "residua_modular"
"""Name of the library."""

SOURCES = ("residua_modular.c", "residua_modular_keys.c")
"""Files of the library that are written by hand."""

_HEADER = "residua_modular.h"

_MOST = 16
"""Numbers of a load, at most: 3 for each of three moduli, and 7 for both primes together."""

_PACKAGE = "residua.cores.modular_bus.driver"

ANY = ModularCapabilities(
    words=1, load_numbers=0, operand_numbers=1, operations=(), takes_random=True
)
"""A core with all registers: the layout is that of every core."""


def library() -> dict[str, str]:
    """The files that are the same for every core."""
    registers, folder = RegisterMap(ANY), files(_PACKAGE) / "c"
    made = {source: (folder / source).read_text(encoding="utf-8") for source in SOURCES}
    names = {
        "sources": list(Source),
        "moduli": list(Modulus),
        "most_numbers": _MOST,
        "smallest": SMALLEST,
    }
    made[_HEADER] = rendered(_HEADER, LIBRARY, registers, names, _PACKAGE)
    return made | shared_files(LIBRARY, registers)


def description(name: str, registers: RegisterMap, design: CommandedDesign) -> dict[str, str]:
    """The files that describe one core to the library: ``<name>_core.c`` and ``<name>_core.h``.

    Args:
        name: of the core.
        registers: of its bus.
        design: the numbers that it takes.
    """
    exponent, factor = design.exponent or 0, design.factor
    load = [number.derived for number in design.load]
    assert len(load) <= _MOST
    assert None not in load
    size = -(-exponent.bit_length() // 8)
    names = {
        "name": name,
        "macro": name.upper(),
        "words": registers.capabilities.words,
        "load": load,
        "factor": [] if factor is None else split_words(factor, registers.capabilities.words, 32),
        "exponent": list(exponent.to_bytes(size)),
    }
    return {
        f"{name}_core{ending}": rendered(f"core{ending}", LIBRARY, registers, names, _PACKAGE)
        for ending in (".c", ".h")
    }


def c_driver(name: str, registers: RegisterMap, design: CommandedDesign) -> dict[str, str]:
    """The files of the driver by name; those that end in ``.c`` are to be compiled together.

    A program with several cores takes the files of `library` once. Arguments are those of
    `description`.
    """
    own = description(name, registers, design)
    return dict(sorted((library() | own).items()))
