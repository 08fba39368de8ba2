"""Directory of an OpenSSL provider: library, sources, settings, simulations of its cores."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from residua.cores.bus.driver.program import driver_files
from residua.cores.bus.simulator import DEFAULT_PAUSE
from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.curves.catalogue import find_curve
from residua.errors import SpecificationError
from residua.output import Progress, check_new_directory, new_directory, write_texts
from residua.systems.coprocessors import coprocessor
from residua.toolchain.c_compiler import SHARED, compile_library, preprocessed
from residua.toolchain.process import ToolError

_PACKAGE = "residua.systems.provider"

LIBRARY = "residua.so"
SETTINGS = "openssl.cnf"
NEEDS = ("crypto", "dl", "pthread")
"""Libraries of the system."""

_OLDEST = 3
"""The first version of OpenSSL with providers."""

_SOURCES = (
    "capabilities.c",
    "devices.c",
    "errors.c",
    "exchange.c",
    "key_management.c",
    "keys.c",
    "provider.c",
    "queue.c",
    "signature.c",
    "simulation.c",
    "uio.c",
)
_HEADERS = ("cores.h", "provider.h")
_TEMPLATES = {"cores.c": "source/cores.c", SETTINGS: SETTINGS, "README.md": "README.md"}

_TAKEN = ("activate", "identity", "soft_load")
"""Names in a provider's section of openssl.cnf that OpenSSL itself reads."""

_SPARE_POLLS = 1000
"""Reads of STATUS for the words of an operation, beside those of the operation itself."""


@dataclass(frozen=True)
class _Names:
    """How OpenSSL and TLS call a curve.

    Attributes:
        names: those of OpenSSL, its own first.
        tls_group: number of the group (RFC 8446, section 4.2.7).
        tls_name: what openssl.cnf calls the group.
    """

    names: tuple[str, ...]
    tls_group: int
    tls_name: str


CURVES = {
    "P-256": _Names(("prime256v1", "P-256", "secp256r1"), 23, "P-256"),
    "P-384": _Names(("secp384r1", "P-384"), 24, "P-384"),
    "Curve25519": _Names(("X25519",), 29, "X25519"),
}
"""The curves that the provider knows, by their names in the catalogue."""


@dataclass(frozen=True)
class ProviderRequest:
    """What is asked for.

    Attributes:
        cores: directories of coprocessors, each with ``bus = "wishbone"``.
        simulated: whether the cores are simulated; otherwise Linux gives them to programs (UIO).

    Raises:
        SpecificationError: it cannot be met.
    """

    cores: tuple[Directory, ...]
    simulated: bool = False

    def __post_init__(self) -> None:
        if not self.cores:
            raise SpecificationError("a provider has at least one coprocessor: give its directory")
        _ = driver_files(self.cores)
        seen: dict[str, Directory] = {}
        for core, made in zip(self.cores, self.made, strict=True):
            if core.name in _TAKEN:
                raise SpecificationError(
                    f"{core.path}: OpenSSL reads {core.name} in {SETTINGS} itself: build the core "
                    "with another `name`"
                )
            for curve in made.driver_curves:
                _check_curve(core, curve)
                first = seen.setdefault(curve.name, core)
                if first is not core:
                    raise SpecificationError(
                        f"{first.path} and {core.path} both have {curve.name}: give one of them"
                    )

    @cached_property
    def made(self) -> tuple[CoprocessorCore, ...]:
        """The coprocessors."""
        return tuple(coprocessor(core, "a provider") for core in self.cores)

    @property
    def words(self) -> int:
        """32-bit words of the largest numbers."""
        return max(core.capabilities.words for core in self.made)

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler's, for the library."""
        return (*SHARED, f"-DRESIDUA_ECC_MAX_WORDS={self.words}")

    def device(self, index: int) -> str:
        """What openssl.cnf names for a core, by its place."""
        return "simulation" if self.simulated else f"/dev/uio{index}"


def build(
    request: ProviderRequest, path: Path, progress: Progress = lambda step: None
) -> dict[str, Any]:
    """Make the directory of a provider; either all of it or nothing.

    Returns:
        Its cores, with their curves and devices, and the version of OpenSSL's headers.

    Raises:
        SpecificationError: the directory is not free, or there are no headers of OpenSSL 3.
        ToolError: the compiler failed, or the simulator cannot be built.
    """
    check_new_directory(path)
    facts = _facts(request, openssl_version())
    with new_directory(path) as draft:
        progress("library")
        write_texts(draft, _texts(facts))
        (draft / "driver").mkdir()
        for file in driver_files(request.cores):
            shutil.copyfile(file, draft / "driver" / file.name)
        compile_library(
            [*sorted((draft / "source").glob("*.c")), *sorted((draft / "driver").glob("*.c"))],
            draft / LIBRARY,
            includes=[draft / "source", draft / "driver"],
            flags=request.flags,
            needs=NEEDS,
        )
        for core in request.cores if request.simulated else ():
            progress(f"simulation of {core.name}")
            shutil.copy(directory_model(core).library, simulation(draft, core))
    return facts


def simulation(path: Path, core: Directory) -> Path:
    """The library that simulates a core, of the directory at a path."""
    return path / f"{core.name}_simulation.so"


def openssl_version() -> str:
    """The version of OpenSSL's headers.

    Raises:
        SpecificationError: there are none, or of a version without providers.
        ToolError: there is no compiler.
    """
    text = "#include <openssl/opensslv.h>\nOPENSSL_VERSION_MAJOR OPENSSL_FULL_VERSION_STR\n"
    try:
        major, version = preprocessed(text).split()[-2:]
    except ToolError as error:
        if "opensslv.h" not in error.output:
            raise
        major, version = "0", ""
    if not major.isdigit() or int(major) < _OLDEST:
        raise SpecificationError(
            "there are no headers of OpenSSL 3 or later: install Debian's libssl-dev"
        )
    return version.strip('"')


def _check_curve(core: Directory, curve: DriverCurve) -> None:
    """Refuse a curve that OpenSSL does not know by this name."""
    if curve.name not in CURVES:
        raise SpecificationError(
            f"{core.path}: the provider has no curve {curve.name}; it has {', '.join(CURVES)}"
        )
    if curve != DriverCurve.of(find_curve(curve.name)):
        raise SpecificationError(f"{core.path}: {curve.name} is not the curve of this name")


def _facts(request: ProviderRequest, version: str) -> dict[str, Any]:
    """What describes the provider."""
    cores = []
    for index, (core, made) in enumerate(zip(request.cores, request.made, strict=True)):
        longest = max(cycles for curve in made.cycles["operations"] for cycles in curve.values())
        cores.append(
            {
                "name": core.name,
                "top": core.top,
                "device": request.device(index),
                "polls": 2 * longest // DEFAULT_PAUSE + _SPARE_POLLS,
                "curves": [curve.name for curve in made.driver_curves],
            }
        )
    return {
        "openssl": version,
        "simulated": request.simulated,
        "library": LIBRARY,
        "settings": SETTINGS,
        "flags": list(request.flags),
        "needs": list(NEEDS),
        "cores": cores,
    }


def _texts(facts: Mapping[str, Any]) -> dict[str, str]:
    """The text files by name, but for the drivers."""
    folder, templates = files(_PACKAGE) / "c", environment(_PACKAGE)
    texts = {
        f"source/{name}": (folder / name).read_text(encoding="utf-8")
        for name in (*_SOURCES, *_HEADERS)
    }
    for template, name in _TEMPLATES.items():
        text = templates.get_template(template).render(known=CURVES, pause=DEFAULT_PAUSE, **facts)
        texts[name] = text
    return texts
