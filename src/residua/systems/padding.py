"""Paddings of RSA signatures that a host makes of digests, see RFC 8017, section 9."""

from enum import StrEnum

from residua.cores.modular_bus.driver import padding


class Padding(StrEnum):
    """A padding; sizes are those of a modulus n, and hash functions those of `hashlib`."""

    PSS = "pss"
    PKCS1 = "pkcs1"

    def block(self, n: int, digest: bytes, name: str) -> bytes:
        """The block that is signed, of the size of n, with a fresh salt of the digest's size.

        Raises:
            SpecificationError: no such hash function, another size of the digest, a short n.
        """
        if self is Padding.PSS:
            return padding.pss_signature(digest, name, n.bit_length())
        return padding.pkcs1_signature(digest, name, -(-n.bit_length() // 8))

    def matches(self, n: int, digest: bytes, name: str, block: bytes) -> bool:
        """Whether a block is one of this digest; errors as of `block`."""
        if self is Padding.PSS:
            return padding.pss_matches(block, digest, name, n.bit_length())
        return block == self.block(n, digest, name)
