"""The cores that a provider has: what OpenSSL calls their curves, and which RSA keys they take."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from residua.cores.bus.simulator import DEFAULT_PAUSE, directory_bus_model
from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.driver import files as curve_driver
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.digit.rsa_crt import RsaCrtCore
from residua.cores.directory import Directory
from residua.cores.exponentiation.bus.driver import files as rsa_driver
from residua.cores.exponentiation.public_key import PublicKeyCore
from residua.cores.exponentiation.rsa_crt import RsaEngineCore
from residua.curves.catalogue import find_curve
from residua.errors import SpecificationError
from residua.hardware.exponentiation.rsa_crt import RsaCrtDesign
from residua.hardware.exponentiation.rsa_engine_design import RsaEngineDesign
from residua.systems.coprocessors import coprocessor

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
class ProviderCore(ABC):
    """A core of a provider.

    Attributes:
        directory: of the core.
    """

    directory: Directory

    @property
    @abstractmethod
    def longest(self) -> int:
        """Cycles that an operation takes at most."""

    @property
    @abstractmethod
    def words(self) -> int:
        """32-bit words of its numbers."""

    @property
    @abstractmethod
    def curves(self) -> Sequence[DriverCurve]:
        """The curves of a coprocessor."""

    @property
    @abstractmethod
    def keys(self) -> dict[str, int] | None:
        """What RSA keys it takes: ``bits`` of N, public ``exponent`` or 0, and its bits."""

    @property
    @abstractmethod
    def serves(self) -> list[str]:
        """What it is for, in words."""

    @abstractmethod
    def simulator(self) -> Path:
        """Build the library that simulates it.

        Raises:
            ToolError: it cannot be built.
        """

    def facts(self, device: str) -> dict[str, Any]:
        """What describes it, as openssl.cnf names its ``device``."""
        return {
            "name": self.directory.name,
            "top": self.directory.top,
            "device": device,
            "polls": 2 * self.longest // DEFAULT_PAUSE + _SPARE_POLLS,
            "curves": [curve.name for curve in self.curves],
            "rsa": self.keys,
            "serves": self.serves,
        }


@dataclass(frozen=True)
class CurveCore(ProviderCore):
    """A coprocessor for elliptic curves, or several behind one bus.

    Raises:
        SpecificationError: no coprocessor with registers for data, or one with a curve that
            OpenSSL does not know by this name.
    """

    LIBRARY = curve_driver.LIBRARY

    def __post_init__(self) -> None:
        for curve in self.curves:
            _check_curve(self.directory, curve)

    @cached_property
    def _made(self) -> CoprocessorCore:
        return coprocessor(self.directory, "a provider")

    @property
    def longest(self) -> int:
        """Cycles of its longest operation."""
        operations: list[dict[str, int]] = self._made.cycles["operations"]
        return max(cycles for curve in operations for cycles in curve.values())

    @property
    def words(self) -> int:
        """32-bit words of its numbers."""
        return self._made.capabilities.words

    @property
    def curves(self) -> Sequence[DriverCurve]:
        """Its curves."""
        return self._made.driver_curves

    @property
    def keys(self) -> None:
        """It takes no RSA keys."""

    @property
    def serves(self) -> list[str]:
        """The names of its curves."""
        return [curve.name for curve in self.curves]

    def simulator(self) -> Path:
        """Build the library that simulates it."""
        return directory_model(self.directory).library


RsaMade = RsaCrtCore | RsaEngineCore | PublicKeyCore


@dataclass(frozen=True)
class RsaCore(ProviderCore):
    """A core for RSA, of private keys or of public ones.

    Raises:
        SpecificationError: it has no registers for data.
    """

    LIBRARY = rsa_driver.LIBRARY

    def __post_init__(self) -> None:
        if self._made.request.bus != "wishbone":
            raise SpecificationError(
                f"{self.directory.path}: a provider reaches cores over Wishbone: build it with "
                "--bus wishbone"
            )

    @property
    def _made(self) -> RsaMade:
        made = self.directory.made
        assert isinstance(made, RsaMade)
        return made

    @property
    def longest(self) -> int:
        """Cycles of a load and an operation together, words included."""
        assert self._made.surroundings
        return self._made.surroundings.patience

    @property
    def words(self) -> int:
        """32-bit words of its numbers."""
        return self._made.commanded.words

    @property
    def curves(self) -> Sequence[DriverCurve]:
        """None."""
        return ()

    @property
    def keys(self) -> dict[str, int]:
        """Bits of N at most; the exponent of private keys, or bits of public exponents."""
        made = self._made
        if isinstance(made, PublicKeyCore):
            own = made.design
            return {"bits": own.bits, "exponent": 0, "exponent_bits": own.exponent_bits}
        design = made.design
        assert isinstance(design, RsaCrtDesign | RsaEngineDesign)
        return {"bits": design.bits, "exponent": design.exponent, "exponent_bits": 0}

    @property
    def serves(self) -> list[str]:
        """Its keys."""
        keys = self.keys
        private = f"private, with e = {keys['exponent']}" if keys["exponent"] else "public"
        return [f"RSA to {keys['bits']} bits, {private}"]

    def simulator(self) -> Path:
        """Build the library that simulates it."""
        assert self._made.surroundings
        return directory_bus_model(
            self.directory, self._made.surroundings.registers.capabilities
        ).library


def provider_core(directory: Directory) -> CurveCore | RsaCore:
    """The core of a directory.

    Raises:
        SpecificationError: a provider has no use for it.
    """
    return (RsaCore if isinstance(directory.made, RsaMade) else CurveCore)(directory)


def _check_curve(core: Directory, curve: DriverCurve) -> None:
    """Refuse a curve that OpenSSL does not know by this name."""
    if curve.name not in CURVES:
        raise SpecificationError(
            f"{core.path}: the provider has no curve {curve.name}; it has {', '.join(CURVES)}"
        )
    if curve != DriverCurve.of(find_curve(curve.name)):
        raise SpecificationError(f"{core.path}: {curve.name} is not the curve of this name")
