"""A register map as C header, as IP-XACT, and as one HTML page.

The C header comes from PeakRDL-cheader, the IP-XACT from PeakRDL-ipxact. PeakRDL-html is not used:
its pages are 8 MB, carry the time of the build, and need a web server.
"""

import tempfile
from pathlib import Path

from peakrdl_cheader.c_standards import CStandard
from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_ipxact import IPXACTExporter, Standard

from residua.cores.integration import vlnv
from residua.cores.templating import environment
from residua.hardware.bus.register_map import Field, Register, RegisterMap

_ACCESS = {
    "constant": "read",
    "status": "read",
    "storage": "read, write",
    "pulse": "write; reads as 0",
    "sticky": "read, write 1 to clear",
    "written": "write",
    "taken": "read",
}


def register_files(registers: RegisterMap, top: str) -> dict[str, str]:
    """What a directory tells of its registers, by file: for people, in SystemRDL and in IP-XACT.

    ``top`` is the name of the module that has them.
    """
    return {
        "registers.html": html_page(registers),
        "registers.rdl": registers.rdl(top),
        "registers.xml": ip_xact(registers, top),
    }


def ip_xact(registers: RegisterMap, top: str) -> str:
    """The registers as the memory map of an IP-XACT component, IEEE 1685-2014."""
    vendor, library, _, version = vlnv(top).split(":")
    exporter = IPXACTExporter(
        vendor=vendor, library=library, version=version, standard=Standard.IEEE_1685_2014
    )
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "registers.xml"
        exporter.export(registers.node, str(path), component_name=top)
        return path.read_text(encoding="utf-8")


def c_header(registers: RegisterMap, name: str) -> str:
    """Offsets (a struct of 32-bit registers) and fields for C, in a file called ``name``."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / name
        CHeaderExporter().export(
            registers.node, str(path), std=CStandard.gnu99, reuse_typedefs=False
        )
        return path.read_text(encoding="utf-8")


def html_page(registers: RegisterMap) -> str:
    """The register map for people, in one file without references to others."""
    template = environment("residua.cores.bus", html=True).get_template("registers.html")
    return template.render(registers=registers, access=_access, bits=_bits, reset=_reset)


def _access(field: Field) -> str:
    return _ACCESS[field.kind]


def _bits(field: Field) -> str:
    return str(field.low) if field.width == 1 else f"{field.low + field.width - 1}:{field.low}"


def _reset(register: Register) -> str:
    """The value of a register after a reset, if it is known."""
    if not register.readable or any(field.kind == "taken" for field in register.fields.values()):
        return "–"
    return f"0x{register.reset:08X}"
