"""The C99 driver of one coprocessor: fixed sources, and what depends on the core."""

from collections.abc import Sequence
from importlib.resources import files

from residua.algorithms.conversion import split_words
from residua.cores.driver.curves import DriverCurve
from residua.cores.registers.export import c_header
from residua.cores.templating import environment
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import Capabilities, RegisterMap

REGISTER_HEADER = "residua_ecc_registers.h"

SOURCES = (
    "residua_ecc.c",
    "residua_ecc.h",
    "residua_ecc_access.c",
    "residua_ecc_numbers.c",
    "residua_ecc_numbers.h",
    "residua_ecc_protocols.c",
    "residua_ecc_protocols.h",
)
"""Files that are the same for every core."""

TEMPLATES = ("residua_ecc_codes.h", "residua_ecc_curves.c", "residua_ecc_curves.h")
"""Files that depend on the register map or on the curves."""


def c_driver(capabilities: Capabilities, curves: Sequence[DriverCurve]) -> dict[str, str]:
    """The files of the driver by name; those that end in ``.c`` are to be compiled together.

    Args:
        capabilities: of the core.
        curves: in the order of the core's numbers.

    Raises:
        SpecificationError: number, size or names of the curves do not agree with the core.
    """
    check_curves(capabilities, curves)
    registers = RegisterMap(capabilities)
    templates = environment("residua.cores.driver")

    def words(number: int) -> list[str]:
        return [f"0x{word:08X}u," for word in split_words(number, capabilities.words, 32)]

    made = {
        name: templates.get_template(name).render(
            registers=registers,
            operations=registers["CONTROL"].fields["operation"].meanings,
            statuses=registers["STATUS"].fields["code"].meanings,
            curves=curves,
            words=words,
        )
        for name in TEMPLATES
    }
    made[REGISTER_HEADER] = c_header(registers, REGISTER_HEADER)
    folder = files("residua.cores.driver") / "c"
    made |= {name: (folder / name).read_text(encoding="utf-8") for name in SOURCES}
    return dict(sorted(made.items()))


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
