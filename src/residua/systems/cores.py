"""Cores that software reaches by registers alone, and their drivers in C."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from residua.cores.bus.driver.program import driver_files
from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.driver import files as curve_driver
from residua.cores.digit.rsa_crt import RsaCrtCore
from residua.cores.directory import Directory
from residua.cores.exponentiation.public_key import PublicKeyCore
from residua.cores.exponentiation.rsa_crt import RsaEngineCore
from residua.cores.modular_bus.driver import files as rsa_driver
from residua.errors import SpecificationError
from residua.hardware.exponentiation.rsa_crt import RsaCrtDesign
from residua.hardware.exponentiation.rsa_engine_design import RsaEngineDesign

RsaCore = RsaCrtCore | RsaEngineCore | PublicKeyCore
"""Cores of private keys, and of public ones."""


@dataclass(frozen=True)
class RsaKeys:
    """The keys that a core for RSA takes.

    Attributes:
        bits: of N at most.
        exponent: the public exponent of private keys; 0 of a core for public keys.
        exponent_bits: of public keys; 0 of a core for private ones.
    """

    bits: int
    exponent: int
    exponent_bits: int

    @classmethod
    def of(cls, core: RsaCore) -> "RsaKeys":
        """Those of a core."""
        if isinstance(core, PublicKeyCore):
            return cls(core.design.bits, 0, core.design.exponent_bits)
        design = core.design
        assert isinstance(design, RsaCrtDesign | RsaEngineDesign)
        return cls(design.bits, design.exponent, 0)

    def __str__(self) -> str:
        private = f"private, with e = {self.exponent}" if self.exponent else "public"
        return f"RSA to {self.bits} bits, {private}"


def usable_core(
    directory: Directory, user: str, buses: Collection[str] = ("wishbone",)
) -> CoprocessorCore | RsaCore:
    """The coprocessor of a directory, or several behind one bus, or a core for RSA.

    Args:
        directory: of a core.
        user: what it is for, as in "a system".
        buses: over which that reaches cores.

    Raises:
        SpecificationError: it is another kind of core, or has no registers for data.
    """
    made = directory.made
    if not isinstance(made, CoprocessorCore | RsaCore):
        raise SpecificationError(
            f"{directory.path}: {user} has coprocessors and cores for RSA, and this is neither: "
            f"{made.title}"
        )
    if made.request.bus not in buses:
        bus = "no bus" if made.request.bus is None else f"bus = '{made.request.bus}'"
        raise SpecificationError(
            f"{directory.path}: {bus}, but {user} reaches cores by registers: build it with "
            f"--bus {' or '.join(buses)}"
        )
    return made


def driver_texts(directories: Sequence[Directory]) -> dict[str, str]:
    """The files of the drivers by name, with the libraries for all kinds of cores.

    Raises:
        SpecificationError: two cores of one name, or drivers of two versions.
    """
    found = {path.name: path.read_text(encoding="utf-8") for path in driver_files(directories)}
    for driver in (curve_driver, rsa_driver):
        if f"{driver.LIBRARY}.h" not in found:
            found |= driver.library()
    return dict(sorted(found.items()))


def size_macros(cores: Sequence[CoprocessorCore | RsaCore]) -> list[str]:
    """Definitions of the largest numbers, in words, with which both libraries are compiled."""
    words: dict[str, list[int]] = {curve_driver.LIBRARY: [1], rsa_driver.LIBRARY: [1]}
    for core in cores:
        if isinstance(core, CoprocessorCore):
            words[curve_driver.LIBRARY].append(core.capabilities.words)
        else:
            words[rsa_driver.LIBRARY].append(core.commanded.words)
    return [f"{library.upper()}_MAX_WORDS={max(most)}" for library, most in words.items()]
