"""A signature that OpenSSL made, as numbers for a core."""

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from residua.numbers.rsa import RsaKey


def signed(bits=1024, e=65537):
    """OpenSSL's numbers of a fresh key, the key, a signature, and what that is a root of."""
    private = rsa.generate_private_key(e, bits)
    numbers = private.private_numbers()
    key = RsaKey(numbers.p, numbers.q, e)
    signature = int.from_bytes(private.sign(b"text", padding.PKCS1v15(), hashes.SHA256()), "big")
    return numbers, key, signature, pow(signature, e, key.modulus)
