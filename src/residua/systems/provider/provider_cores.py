"""The cores that a provider has: what OpenSSL calls their curves, and which RSA keys they take."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from residua.cores.bus.simulator import DEFAULT_PAUSE, directory_bus_model
from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.directory import Directory
from residua.curves.catalogue import find_curve
from residua.errors import SpecificationError
from residua.systems.cores import RsaCore, RsaKeys, usable_core

_SPARE_POLLS = 1000
"""Reads of STATUS for the words of an operation, beside those of the operation itself."""


@dataclass(frozen=True)
class Names:
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
    "P-256": Names(("prime256v1", "P-256", "secp256r1"), 23, "P-256"),
    "P-384": Names(("secp384r1", "P-384"), 24, "P-384"),
    "Curve25519": Names(("X25519",), 29, "X25519"),
}
"""The curves that the provider knows, by their names in the catalogue."""


@dataclass(frozen=True)
class ProviderCore:
    """A core of a provider.

    Attributes:
        directory: of the core.

    Raises:
        SpecificationError: a provider has no use for it, or it has a curve that OpenSSL does not
            know by this name.
    """

    directory: Directory

    def __post_init__(self) -> None:
        for curve in self.curves:
            _check_curve(self.directory, curve)

    @cached_property
    def made(self) -> CoprocessorCore | RsaCore:
        """The core."""
        return usable_core(self.directory, "a provider")

    @property
    def curves(self) -> Sequence[DriverCurve]:
        """The curves of a coprocessor."""
        return self.made.driver_curves if isinstance(self.made, CoprocessorCore) else ()

    @property
    def keys(self) -> RsaKeys | None:
        """The keys of a core for RSA."""
        return None if isinstance(self.made, CoprocessorCore) else RsaKeys.of(self.made)

    @property
    def longest(self) -> int:
        """Cycles that an operation takes at most; of a core for RSA with a load, words included."""
        if isinstance(self.made, CoprocessorCore):
            operations: list[dict[str, int]] = self.made.cycles["operations"]
            return max(cycles for curve in operations for cycles in curve.values())
        assert self.made.surroundings
        return self.made.surroundings.patience

    def simulator(self) -> Path:
        """Build the library that simulates it.

        Raises:
            ToolError: it cannot be built.
        """
        if isinstance(self.made, CoprocessorCore):
            return directory_model(self.directory).library
        assert self.made.surroundings
        capabilities = self.made.surroundings.registers.capabilities
        return directory_bus_model(self.directory, capabilities).library

    def facts(self, device: str) -> dict[str, Any]:
        """What describes it, as openssl.cnf names its ``device``."""
        names = [curve.name for curve in self.curves]
        return {
            "name": self.directory.name,
            "top": self.directory.top,
            "device": device,
            "polls": 2 * self.longest // DEFAULT_PAUSE + _SPARE_POLLS,
            "curves": names,
            "rsa": asdict(self.keys) if self.keys else None,
            "serves": [str(self.keys)] if self.keys else names,
        }


def _check_curve(core: Directory, curve: DriverCurve) -> None:
    """Refuse a curve that OpenSSL does not know by this name."""
    if curve.name not in CURVES:
        raise SpecificationError(
            f"{core.path}: the provider has no curve {curve.name}; it has {', '.join(CURVES)}"
        )
    if curve != DriverCurve.of(find_curve(curve.name)):
        raise SpecificationError(f"{core.path}: {curve.name} is not the curve of this name")
