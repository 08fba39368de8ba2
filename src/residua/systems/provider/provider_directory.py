"""Directory of an OpenSSL provider: library, sources, settings, simulations of its cores."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from residua.cores.bus.simulator import DEFAULT_PAUSE
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.errors import SpecificationError
from residua.output import Progress, check_new_directory, new_directory, write_texts
from residua.systems.cores import driver_texts, size_macros
from residua.systems.provider.provider_cores import CURVES, ProviderCore
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
    "message.c",
    "provider.c",
    "queue.c",
    "rsa_encryption.c",
    "rsa_key_management.c",
    "rsa_keys.c",
    "rsa_oaep.c",
    "rsa_padding.c",
    "rsa_signature.c",
    "signature.c",
    "simulation.c",
    "uio.c",
)
_HEADERS = ("cores.h", "provider.h")
_TEMPLATES = {"cores.c": "source/cores.c", SETTINGS: SETTINGS, "README.md": "README.md"}

_TAKEN = ("activate", "identity", "soft_load")
"""Names in a provider's section of openssl.cnf that OpenSSL itself reads."""


@dataclass(frozen=True)
class ProviderRequest:
    """What is asked for.

    Attributes:
        cores: directories of coprocessors and of cores for RSA, with ``bus = "wishbone"``.
        simulated: whether the cores are simulated; otherwise Linux gives them to programs (UIO).

    Raises:
        SpecificationError: it cannot be met.
    """

    cores: tuple[Directory, ...]
    simulated: bool = False

    def __post_init__(self) -> None:
        if not self.cores:
            raise SpecificationError("a provider has at least one core: give its directory")
        _ = self.drivers
        for core in self.cores:
            if core.name in _TAKEN:
                raise SpecificationError(
                    f"{core.path}: OpenSSL reads {core.name} in {SETTINGS} itself: build the core "
                    "with another `name`"
                )
        seen: dict[str, Directory] = {}
        for core, used in zip(self.cores, self.used, strict=True):
            for curve in used.curves:
                first = seen.setdefault(curve.name, core)
                if first is not core:
                    raise SpecificationError(
                        f"{first.path} and {core.path} both have {curve.name}: give one of them"
                    )

    @cached_property
    def drivers(self) -> dict[str, str]:
        """The files of the drivers, by their places in the directory."""
        return {f"driver/{name}": text for name, text in driver_texts(self.cores).items()}

    @cached_property
    def used(self) -> tuple[ProviderCore, ...]:
        """The cores."""
        return tuple(ProviderCore(core) for core in self.cores)

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler's, for the library."""
        return (*SHARED, *(f"-D{macro}" for macro in size_macros([one.made for one in self.used])))

    def device(self, index: int) -> str:
        """What openssl.cnf names for a core, by its place."""
        return "simulation" if self.simulated else f"/dev/uio{index}"


def build(
    request: ProviderRequest, path: Path, progress: Progress = lambda step: None
) -> dict[str, Any]:
    """Make the directory of a provider; either all of it or nothing.

    Returns:
        Its cores, with what they serve and their devices, and the version of OpenSSL's headers.

    Raises:
        SpecificationError: the directory is not free, or there are no headers of OpenSSL 3.
        ToolError: the compiler failed, or the simulator cannot be built.
    """
    check_new_directory(path)
    facts = _facts(request, openssl_version())
    with new_directory(path) as draft:
        progress("library")
        write_texts(draft, _texts(facts) | request.drivers)
        compile_library(
            [*sorted((draft / "source").glob("*.c")), *sorted((draft / "driver").glob("*.c"))],
            draft / LIBRARY,
            includes=[draft / "source", draft / "driver"],
            flags=request.flags,
            needs=NEEDS,
        )
        for core in request.used if request.simulated else ():
            progress(f"simulation of {core.directory.name}")
            shutil.copy(core.simulator(), simulation(draft, core.directory))
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


def _facts(request: ProviderRequest, version: str) -> dict[str, Any]:
    """What describes the provider."""
    return {
        "openssl": version,
        "simulated": request.simulated,
        "library": LIBRARY,
        "settings": SETTINGS,
        "flags": list(request.flags),
        "needs": list(NEEDS),
        "cores": [core.facts(request.device(at)) for at, core in enumerate(request.used)],
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
