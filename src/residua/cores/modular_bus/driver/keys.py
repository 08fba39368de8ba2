"""Keys from PEM files, and what a core wants to be loaded for them."""

from collections.abc import Sequence

from residua.algorithms.conversion import split_words
from residua.cores.modular_bus.surroundings import BusUser
from residua.errors import SpecificationError
from residua.numbers.rsa import RsaKey, RsaPublicKey

_MISSING = "keys are read by the package cryptography: pip install cryptography"

_LOADED: dict[str, tuple[str, type]] = {
    "power": ("a modulus", int),
    "multiply": ("a modulus", int),
    "private": ("an RSA key", RsaKey),
    "public": ("an RSA public key", RsaPublicKey),
}
"""What a core loads, by its operation."""


def read_private_key(pem: bytes, password: bytes | None = None) -> RsaKey:
    """The RSA key in a PEM file.

    Raises:
        SpecificationError: the package cryptography is missing, or there is no such key.
    """
    try:
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - optional
        from cryptography.hazmat.primitives.asymmetric.rsa import (  # noqa: PLC0415
            RSAPrivateKey,
        )
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
            load_pem_private_key,
        )
    except ImportError as error:
        raise SpecificationError(_MISSING) from error
    try:
        found = load_pem_private_key(pem, password)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise SpecificationError(f"no private key in PEM that can be read: {error}") from error
    if not isinstance(found, RSAPrivateKey):
        raise SpecificationError("the PEM file holds a private key, but none of RSA")
    numbers = found.private_numbers()
    return RsaKey(numbers.p, numbers.q, numbers.public_numbers.e)


def read_public_key(pem: bytes) -> RsaPublicKey:
    """The RSA public key in a PEM file, of a key or of a certificate.

    Raises:
        SpecificationError: the package cryptography is missing, or there is no such key.
    """
    try:
        from cryptography import x509  # noqa: PLC0415 - optional
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
            load_pem_public_key,
        )
    except ImportError as error:
        raise SpecificationError(_MISSING) from error
    try:
        certified = b"BEGIN CERTIFICATE" in pem
        found = (
            x509.load_pem_x509_certificate(pem).public_key()
            if certified
            else load_pem_public_key(pem)
        )
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise SpecificationError(f"no public key in PEM that can be read: {error}") from error
    if not isinstance(found, RSAPublicKey):
        raise SpecificationError("the PEM file holds a public key, but none of RSA")
    numbers = found.public_numbers()
    return RsaPublicKey(numbers.n, numbers.e)


def load_numbers(core: BusUser, value: int | RsaKey | RsaPublicKey) -> list[int]:
    """The numbers that a core has to load for a modulus or a key, in order.

    Raises:
        SpecificationError: the core takes no such modulus or key.
    """
    design = core.commanded
    if not design.load:
        raise SpecificationError(f"{core.name} has its modulus built in, and loads none")
    wanted, kind = _LOADED[design.operation]
    if not isinstance(value, kind):
        raise SpecificationError(f"{core.name} loads {wanted}")
    return design.numbers_of(core.setting(value).modulus_words)


def load_words(core: BusUser, value: int | RsaKey | RsaPublicKey) -> list[int]:
    """The same in 32-bit words, as ``residua_modular_load_key`` of the C driver takes them."""
    words = core.commanded.words
    return [word for number in load_numbers(core, value) for word in split_words(number, words, 32)]


def c_array(name: str, words: Sequence[int]) -> str:
    """Words as an array in C."""
    rows = [
        ", ".join(f"0x{word:08X}u" for word in words[i : i + 6]) for i in range(0, len(words), 6)
    ]
    body = ",\n".join(f"    {row}" for row in rows)
    return f"static const uint32_t {name}[{len(words)}] = {{\n{body}\n}};\n"
