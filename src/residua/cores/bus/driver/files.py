"""The parts of a C99 driver library that all kinds of cores share: access, codes, words."""

import re
from collections.abc import Mapping

from residua.cores.bus.export import c_header
from residua.cores.templating import environment
from residua.hardware.bus.register_map import RegisterMap

_PARTS = {
    "access.c": "_access.c",
    "numbers.c": "_numbers.c",
    "numbers.h": "_numbers.h",
    "codes.h": "_codes.h",
}
"""Templates, and how the names of the files that they make end."""

_OWN_RESET = re.compile(r"^#define \w+__(CAPABILITY|OPERATIONS)__\w+_reset .*\n", re.MULTILINE)
"""Values of the constant registers, which stand in the description of each core."""

_VERSION = re.compile(r"^#define \w+__VERSION__MAJOR_reset .*\n", re.MULTILINE)
"""The version of a map, which is another one where several cores are behind a bus."""


def rendered(
    template: str,
    library: str,
    registers: RegisterMap,
    names: Mapping[str, object] | None = None,
    package: str = "",
) -> str:
    """A template of the shared part, or of ``package``, for a library and its registers."""
    found = environment(package, "residua.cores.bus.driver").get_template(template)
    control = registers["CONTROL"].fields
    return found.render(
        library=library,
        map=registers.name,
        random=registers.capabilities.takes_random,
        curves="curve" in control,
        registers=registers,
        operations=control["operation"].meanings,
        statuses=registers["STATUS"].fields["code"].meanings,
        **{"several": 0, **(names or {})},
    )


def shared_files(
    library: str, registers: RegisterMap, sparse: RegisterMap | None = None
) -> dict[str, str]:
    """The files of a library that follow from its registers, by name.

    Args:
        library: its name, with which the names of files and functions begin.
        registers: of a core with all registers: the layout is that of every core.
        sparse: of several, whose statuses have codes far from each other, if there are such.
    """
    widest = sparse or registers
    codes = list(widest.statuses.values())
    names: dict[str, object] = {
        "sparse": ", ".join(f"0x{code:02X}u" for code in codes) if sparse else ""
    }
    header = f"{library}_registers.h"
    layout = _OWN_RESET.sub("", c_header(widest, header))
    if "ZEROISE_CORES" in widest.registers:
        names |= _of_several(widest)
        layout = _VERSION.sub("", layout)
    found = {
        library + end: rendered(name, library, registers, names) for name, end in _PARTS.items()
    }
    return {**found, header: layout}


def _of_several(registers: RegisterMap) -> dict[str, object]:
    """What a library has to know of several cores behind a bus."""
    keyed, control = registers["ZEROISE_CORES"].fields, registers["CONTROL"].fields
    return {
        "several": registers["VERSION"].fields["major"].reset,
        "several_key": keyed["key"].codes["zeroise_cores"],
        "most_tag": most_tag(control["tag"].width),
    }


def most_tag(bits: int) -> int:
    """The greatest tag that a host may give; the one above it is that of calls that wait."""
    return (1 << bits) - 2
