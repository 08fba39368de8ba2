"""The C99 driver of coprocessors: a library for all of them, and a description of each one."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

from residua.algorithms.conversion import split_words
from residua.cores.bus.driver.files import rendered, shared_files
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.templating import environment
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import Capabilities, RegisterMap

LIBRARY = "residua_ecc"
"""Name of the library."""

SOURCES = (
    "residua_ecc.c",
    "residua_ecc_protocols.c",
    "residua_ecc_protocols.h",
    "residua_ecc_shares.c",
    "residua_ecc_shares.h",
)
"""Files of the library that are written by hand."""

_HEADER = "residua_ecc.h"

_ANY = Capabilities(curves=1, words=1, operations=(), data_registers=True)
"""A core with plain codes."""

_SPARSE = replace(_ANY, sparse_status=True, shared_scalars=True, instances=2)
"""Cores with all registers and fields: the layout is that of every core."""


def c_driver(
    name: str, capabilities: Capabilities, curves: Sequence[DriverCurve]
) -> dict[str, str]:
    """The files of the driver by name; those that end in ``.c`` are to be compiled together.

    A program with several cores takes the files of `library` once.

    Args:
        name: of the core.
        capabilities: of the core.
        curves: in the order of the core's numbers.

    Raises:
        SpecificationError: number, size or names of the curves do not agree with the core.
    """
    return dict(sorted((library() | description(name, capabilities, curves)).items()))


def library() -> dict[str, str]:
    """The files that are the same for every core."""
    registers = RegisterMap(_ANY)
    folder = files("residua.cores.coprocessor.driver") / "c"
    made = {source: (folder / source).read_text(encoding="utf-8") for source in SOURCES}
    sparse = RegisterMap(_SPARSE)
    made[_HEADER] = rendered(
        _HEADER,
        LIBRARY,
        registers,
        {"several": sparse["VERSION"].fields["major"].reset},
        package="residua.cores.coprocessor.driver",
    )
    return made | shared_files(LIBRARY, registers, sparse)


def description(
    name: str, capabilities: Capabilities, curves: Sequence[DriverCurve]
) -> dict[str, str]:
    """The files that describe one core to the library: ``<name>_core.c`` and ``<name>_core.h``.

    Raises:
        SpecificationError: number, size or names of the curves do not agree with the core.
    """
    check_curves(capabilities, curves)
    templates = environment("residua.cores.coprocessor.driver")

    def split(number: int) -> list[str]:
        return [f"0x{word:08X}u," for word in split_words(number, capabilities.words, 32)]

    return {
        f"{name}_core{ending}": templates.get_template(f"core{ending}").render(
            name=name,
            macro=name.upper(),
            words=capabilities.words,
            registers=RegisterMap(capabilities),
            curves=curves,
            split=split,
        )
        for ending in (".c", ".h")
    }


def check_curves(capabilities: Capabilities, curves: Sequence[DriverCurve]) -> None:
    """Refuse curves that a core with these capabilities cannot have.

    Raises:
        SpecificationError: number, size or names of the curves do not agree with the core.
    """
    if len(curves) != capabilities.curves:
        raise SpecificationError(
            f"{len(curves)} curves for a core with {capabilities.curves}: give one for each"
        )
    if len({curve.identifier for curve in curves}) != len(curves):
        names = [curve.name for curve in curves]
        raise SpecificationError(f"curves {names}: give names that differ in letters or digits")
    bits = 32 * capabilities.words
    for curve in curves:
        if max(curve.field_bits, curve.order_bits) > bits:
            raise SpecificationError(
                f"curve '{curve.name}' has numbers of more than {bits} bits: "
                f"give more than words = {capabilities.words}"
            )
