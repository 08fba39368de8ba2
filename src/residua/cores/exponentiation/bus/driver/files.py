"""The C99 driver of exponentiators and RSA cores: a library for all, a description of each one."""

from importlib.resources import files

from residua.algorithms.conversion import split_words
from residua.cores.bus.driver.files import rendered, shared_files
from residua.hardware.bus.register_map import ExponentiationCapabilities, RegisterMap

LIBRARY = "residua_rsa"
"""Name of the library."""

SOURCES = ("residua_rsa.c", "residua_rsa_public_key.c")
"""Files of the library that are written by hand."""

_HEADER = "residua_rsa.h"

_PACKAGE = "residua.cores.exponentiation.bus.driver"

_ANY = ExponentiationCapabilities(
    words=1, load_numbers=0, operand_numbers=1, operations=(), takes_random=True
)
"""A core with all registers: the layout is that of every core."""


def library() -> dict[str, str]:
    """The files that are the same for every core."""
    registers, folder = RegisterMap(_ANY), files(_PACKAGE) / "c"
    made = {source: (folder / source).read_text(encoding="utf-8") for source in SOURCES}
    made[_HEADER] = rendered(_HEADER, LIBRARY, registers, package=_PACKAGE)
    return made | shared_files(LIBRARY, registers)


def description(
    name: str, registers: RegisterMap, exponent: int | None, factor: int | None
) -> dict[str, str]:
    """The files that describe one core to the library: ``<name>_core.c`` and ``<name>_core.h``.

    Args:
        name: of the core.
        registers: of its bus.
        exponent: of its powers if there is only one, which is public then.
        factor: M_a of a core that takes public keys, of which the library makes their numbers.
    """
    size = -(-(exponent or 0).bit_length() // 8)
    names = {
        "name": name,
        "macro": name.upper(),
        "words": registers.capabilities.words,
        "load_numbers": registers["CAPABILITY"].fields["load_numbers"].reset,
        "factor": [] if factor is None else split_words(factor, registers.capabilities.words, 32),
        "exponent": list((exponent or 0).to_bytes(size)),
    }
    return {
        f"{name}_core{ending}": rendered(f"core{ending}", LIBRARY, registers, names, _PACKAGE)
        for ending in (".c", ".h")
    }


def c_driver(
    name: str, registers: RegisterMap, exponent: int | None, factor: int | None = None
) -> dict[str, str]:
    """The files of the driver by name; those that end in ``.c`` are to be compiled together.

    A program with several cores takes the files of `library` once. Arguments are those of
    `description`.
    """
    own = description(name, registers, exponent, factor)
    return dict(sorted((library() | own).items()))
