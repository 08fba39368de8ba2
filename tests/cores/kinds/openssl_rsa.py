"""A signature that OpenSSL made, as numbers for a core."""

import random

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from residua.numbers.rsa import RsaKey


def signed(bits=512, e=65537):
    """OpenSSL's numbers of a key, the key, a signature, and what that is a root of."""
    key = RsaKey.generate(bits, e, random.Random(bits))
    p, q, d = key.p, key.q, pow(e, -1, (key.p - 1) * (key.q - 1))
    halves = rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q)
    numbers = rsa.RSAPrivateNumbers(p, q, d, *halves, rsa.RSAPublicNumbers(e, p * q))
    signed = numbers.private_key().sign(b"text", padding.PKCS1v15(), hashes.SHA256())
    signature = int.from_bytes(signed, "big")
    return numbers, key, signature, pow(signature, e, key.modulus)
