"""Paddings of RSA (RFC 8017): what a host makes of a message, with its own hash functions.

All lengths are in bytes. ``name`` is that of a hash function of `hashlib`.
"""

import hashlib
import hmac
import secrets

from residua.errors import SpecificationError

_SHA2 = "2.16.840.1.101.3.4.2"

_OBJECTS = {
    "sha1": "1.3.14.3.2.26",
    "sha224": f"{_SHA2}.4",
    "sha256": f"{_SHA2}.1",
    "sha384": f"{_SHA2}.2",
    "sha512": f"{_SHA2}.3",
}
"""Object identifiers of hash functions (RFC 8017, appendix B.1)."""


class DecryptionError(ValueError):
    """What was decrypted has no valid padding; it says no more than that."""

    def __init__(self, message: str = "decryption error") -> None:
        super().__init__(message)


def pkcs1_signature(digest: bytes, name: str, length: int) -> bytes:
    """EMSA-PKCS1-v1_5 (section 9.2) of a digest.

    Raises:
        SpecificationError: no such hash function, a digest of another length, or too short a key.
    """
    _check_digest(digest, name)
    if name not in _OBJECTS:
        raise SpecificationError(f"hash '{name}': PKCS#1 v1.5 takes one of {', '.join(_OBJECTS)}")
    algorithm = _der(0x30, _object(_OBJECTS[name]) + _der(0x05, b""))
    info = _der(0x30, algorithm + _der(0x04, digest))
    _check_room(length, len(info) + 11)
    return b"\x00\x01" + b"\xff" * (length - len(info) - 3) + b"\x00" + info


def pss_signature(digest: bytes, name: str, bits: int, salt: bytes | None = None) -> bytes:
    """EMSA-PSS (section 9.1.1) of a digest, for a modulus of ``bits`` bits.

    Args:
        digest: of the message.
        name: of the hash function, also of the mask.
        bits: of the modulus.
        salt: fresh random bytes; by default as many as the digest has.

    Raises:
        SpecificationError: no such hash function, a digest of another length, or too short a key.
    """
    _check_digest(digest, name)
    salt = secrets.token_bytes(len(digest)) if salt is None else salt
    length = -(-(bits - 1) // 8)
    _check_room(length, len(digest) + len(salt) + 2)
    hashed = hashlib.new(name, bytes(8) + digest + salt).digest()
    rest = length - len(hashed) - 1
    block = bytes(rest - len(salt) - 1) + b"\x01" + salt
    masked = bytearray(_xor(block, _mask(hashed, rest, name)))
    masked[0] &= 0xFF >> 8 * length - (bits - 1)
    return (bytes(masked) + hashed + b"\xbc").rjust(-(-bits // 8), b"\x00")


def pss_matches(
    block: bytes, digest: bytes, name: str, bits: int, salt_size: int | None = None
) -> bool:
    """Whether a block is an EMSA-PSS of a digest (section 9.1.2).

    Args:
        block: as long as the modulus.
        digest: of the message.
        name: of the hash function, also of the mask.
        bits: of the modulus.
        salt_size: bytes of the salt; by default as many as the digest has.

    Raises:
        SpecificationError: no such hash function, a digest of another length, or too short a key.
    """
    _check_digest(digest, name)
    salt_size = len(digest) if salt_size is None else salt_size
    length = -(-(bits - 1) // 8)
    _check_room(length, len(digest) + salt_size + 2)
    above, own = block[:-length], block[-length:]
    rest = length - len(digest) - 1
    masked, hashed = own[:rest], own[rest:-1]
    first = 0xFF >> 8 * length - (bits - 1)
    plain = bytearray(_xor(masked, _mask(hashed, rest, name)))
    plain[0] &= first
    salt = bytes(plain[rest - salt_size :])
    wanted = hashlib.new(name, bytes(8) + digest + salt).digest()
    return (
        not any(above)
        and own[-1] == 0xBC
        and masked[0] <= first
        and bytes(plain[: rest - salt_size]) == bytes(rest - salt_size - 1) + b"\x01"
        and hashed == wanted
    )


def oaep_block(
    message: bytes, name: str, length: int, label: bytes = b"", seed: bytes | None = None
) -> bytes:
    """EME-OAEP (section 7.1.1, step 2) of a message, of ``length`` bytes.

    Args:
        message: to be encrypted.
        name: of the hash function, also of the mask.
        length: bytes of the modulus.
        label: that the receiver knows, too.
        seed: fresh random bytes, as many as the hash function has.

    Raises:
        SpecificationError: no such hash function, or too short a key.
    """
    hashed = _hash(label, name)
    size = len(hashed)
    _check_room(length, len(message) + 2 * size + 2)
    seed = secrets.token_bytes(size) if seed is None else seed
    block = hashed + bytes(length - len(message) - 2 * size - 2) + b"\x01" + message
    masked = _xor(block, _mask(seed, len(block), name))
    return b"\x00" + _xor(seed, _mask(masked, size, name)) + masked


def oaep_message(block: bytes, name: str, label: bytes = b"") -> bytes:
    """The message in an EME-OAEP block (section 7.1.2, step 3), as long as the modulus.

    Raises:
        DecryptionError: the block has no such message; whatever is wrong, it is the same error.
        SpecificationError: no such hash function.
    """
    expected = _hash(label, name)
    size = len(expected)
    if len(block) < 2 * size + 2:
        raise DecryptionError
    seed_masked, masked = block[1 : size + 1], block[size + 1 :]
    seed = _xor(seed_masked, _mask(masked, size, name))
    found = _xor(masked, _mask(seed, len(masked), name))
    rest = found[size:]
    place = rest.find(b"\x01")
    # All of it is looked at before anything is said.
    right = hmac.compare_digest(found[:size], expected)
    right &= block[0] == 0
    right &= place >= 0
    right &= not any(rest[: max(place, 0)])
    if not right:
        raise DecryptionError
    return rest[place + 1 :]


def pkcs1_message(block: bytes) -> bytes:
    """The message in an EME-PKCS1-v1_5 block (section 7.2.2, step 3).

    Whoever tells others of its error lets them decrypt: prefer OAEP.

    Raises:
        DecryptionError: the block has no such message.
    """
    place = block.find(b"\x00", 2)
    if block[:2] != b"\x00\x02" or place < 10:
        raise DecryptionError
    return block[place + 1 :]


def _hash(content: bytes, name: str) -> bytes:
    if name not in hashlib.algorithms_available:
        raise SpecificationError(f"hash '{name}': hashlib has no such function")
    return hashlib.new(name, content).digest()


def _check_digest(digest: bytes, name: str) -> None:
    size = len(_hash(b"", name))
    if len(digest) != size:
        raise SpecificationError(f"a digest of {len(digest)} bytes: {name} has {size}")


def _check_room(length: int, needed: int) -> None:
    if length < needed:
        raise SpecificationError(f"a key of {length} bytes: this padding needs {needed}")


def _mask(seed: bytes, length: int, name: str) -> bytes:
    """MGF1 (appendix B.2.1)."""
    size = len(_hash(b"", name))
    blocks = (_hash(seed + count.to_bytes(4), name) for count in range(-(-length // size)))
    return b"".join(blocks)[:length]


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def _der(tag: int, content: bytes) -> bytes:
    """A value of DER of less than 128 bytes."""
    return bytes([tag, len(content)]) + content


def _object(text: str) -> bytes:
    """An object identifier in DER."""
    first, second, *rest = map(int, text.split("."))
    found = bytearray([40 * first + second])
    for number in rest:
        groups = [number >> shift & 0x7F for shift in range(0, max(number.bit_length(), 1), 7)]
        found += bytes(group | 0x80 for group in groups[:0:-1]) + bytes(groups[:1])
    return _der(0x06, bytes(found))
