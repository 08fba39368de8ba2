"""Decryption with RSA keys of the provider, compared with OpenSSL's own implementation."""

import hashlib
import shutil

import pytest
from tests.system.provider.runs import RSA_BITS, broken, done, openssl

SIZE = RSA_BITS // 8
HASH = 32
LONGEST = SIZE - 2 * HASH - 2
"""Bytes of a key, of SHA-256, of the longest message with it."""

OAEP = {
    "usual": ("oaep",),
    "sha256": ("oaep", "oaep_md:sha256"),
    "another mask": ("oaep", "oaep_md:sha256", "mgf1_md:sha384"),
    "label": ("oaep", "oaep_md:sha256", "oaep_label:00ff10"),
}
SHA256, NONE = OAEP["sha256"], ("none",)
REFUSED = "what is to be decrypted was not encrypted with this key so"


def options(names):
    padding, *others = names
    given = [f"rsa_padding_mode:{padding}", *(f"rsa_{name}" for name in others)]
    return [word for one in given for word in ("-pkeyopt", one)]


@pytest.fixture
def file(tmp_path):
    """Puts bytes into a file."""

    def written(content):
        path = tmp_path / f"file{len(list(tmp_path.iterdir()))}"
        path.write_bytes(content)
        return path

    return written


def encrypt(provider, key, names, path):
    words = ("-encrypt", "-pubin", "-inkey", key.public, "-in", path)
    return openssl(provider, "pkeyutl", *words, *options(names))


def decrypt(provider, key, names, path):
    return openssl(
        provider, "pkeyutl", "-decrypt", "-inkey", key.private, "-in", path, *options(names)
    )


def refused(ended, message=REFUSED):
    return (
        ended.returncode != 0
        and ended.stdout == b""
        and ":residua:" in ended.stderr.decode()
        and message in ended.stderr.decode()
    )


@pytest.mark.parametrize("padding", OAEP)
@pytest.mark.parametrize("sides", [(True, False), (False, True), (True, True)])
def test_messages(made_rsa, rsa_keys, file, padding, sides):
    """Each side opens what the other one encrypted."""
    encrypts, decrypts = (made_rsa if side else None for side in sides)
    for size in (1, 7, LONGEST):
        message = bytes(range(size))
        ended = encrypt(encrypts, rsa_keys["own"], OAEP[padding], file(message))
        assert len(ended.stdout) == SIZE
        opened = decrypt(decrypts, rsa_keys["own"], OAEP[padding], file(ended.stdout))
        assert (opened.returncode, opened.stdout) == (0, message)


def test_numbers(made_rsa, rsa_keys, file):
    """Without padding, those below the modulus."""
    message = bytes([0, *range(1, SIZE)])
    ended = encrypt(made_rsa, rsa_keys["own"], NONE, file(message))
    assert ended.stdout == encrypt(None, rsa_keys["own"], NONE, file(message)).stdout
    assert decrypt(made_rsa, rsa_keys["own"], NONE, file(ended.stdout)).stdout == message
    long = file(b"\xff" * SIZE)
    assert refused(encrypt(made_rsa, rsa_keys["own"], NONE, long), "the message does not fit")
    assert refused(decrypt(made_rsa, rsa_keys["own"], NONE, long))
    assert refused(decrypt(made_rsa, rsa_keys["own"], NONE, file(bytes(SIZE - 1))))


def test_each_message_is_encrypted_in_another_way(made_rsa, rsa_keys, file):
    path = file(b"message")
    first, second = (encrypt(made_rsa, rsa_keys["own"], SHA256, path).stdout for _ in range(2))
    assert first != second


def test_what_was_not_encrypted_so(made_rsa, rsa_keys, file):
    key = rsa_keys["own"]
    right = encrypt(None, key, SHA256, file(b"message")).stdout
    changed = file(bytes([*right[:-1], right[-1] ^ 1]))
    assert refused(decrypt(made_rsa, key, SHA256, changed))
    assert refused(decrypt(made_rsa, key, OAEP["label"], file(right)))
    assert refused(decrypt(made_rsa, key, OAEP["another mask"], file(right)))
    other = encrypt(None, rsa_keys["theirs"], SHA256, file(b"message")).stdout
    assert refused(decrypt(made_rsa, key, SHA256, file(other)))


def masked(seed, size):
    """MGF1 with SHA-256."""
    blocks = (hashlib.sha256(seed + bytes([0, 0, 0, i])).digest() for i in range(size // HASH + 1))
    return b"".join(blocks)[:size]


def added(left, right):
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def block(data, first=0):
    """What is encrypted for a data block: a first byte, the masked seed, the masked data."""
    seed = bytes(range(HASH))
    hidden = added(data, masked(seed, len(data)))
    return bytes([first]) + added(seed, masked(hidden, HASH)) + hidden


LABEL = hashlib.sha256(b"").digest()
ZEROS = bytes(LONGEST - 7)
REST = ZEROS + b"\x01message"
BLOCKS = {
    "right": (block(LABEL + REST), b"message"),
    "nothing": (block(LABEL + bytes(LONGEST) + b"\x01"), b""),
    "the longest": (block(LABEL + b"\x01" + b"\x01" * LONGEST), b"\x01" * LONGEST),
    "first byte": (block(LABEL + REST, first=1), None),
    "label": (block(added(LABEL, b"\x01" + bytes(HASH - 1)) + REST), None),
    "end of the label": (block(added(LABEL, bytes(HASH - 1) + b"\x80") + REST), None),
    "no one": (block(LABEL + bytes(LONGEST + 1)), None),
    "another byte before": (block(LABEL + ZEROS[1:] + b"\x02\x01message"), None),
    "another byte for the one": (block(LABEL + ZEROS + b"\xffmessage"), None),
}
"""Blocks that are made by hand, and the message in each that is right."""


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks(made_rsa, rsa_keys, file, name):
    content, message = BLOCKS[name]
    assert len(content) == SIZE
    encrypted = file(encrypt(None, rsa_keys["own"], NONE, file(content)).stdout)
    for provider in (made_rsa, None):
        ended = decrypt(provider, rsa_keys["own"], SHA256, encrypted)
        assert (ended.stdout if ended.returncode == 0 else None) == message


def test_messages_that_are_too_long(made_rsa, rsa_keys, file):
    ended = encrypt(made_rsa, rsa_keys["own"], SHA256, file(bytes(LONGEST + 1)))
    assert refused(ended, "the message does not fit the key")
    sha512 = ("oaep", "oaep_md:sha512")
    assert refused(encrypt(made_rsa, rsa_keys["own"], sha512, file(b"")), "does not fit the key")


def test_padding_of_signatures_is_refused(made_rsa, rsa_keys, file):
    encrypted = file(encrypt(None, rsa_keys["own"], ("pkcs1",), file(b"message")).stdout)
    message = "padding of encryption: oaep or none"
    assert refused(decrypt(made_rsa, rsa_keys["own"], ("pkcs1",), encrypted), message)
    assert refused(encrypt(made_rsa, rsa_keys["own"], ("pkcs1",), encrypted), message)


def test_letters(made_rsa, rsa_keys, file, tmp_path):
    """An encrypted message of CMS, whose key is under OAEP."""
    certificate, key = tmp_path / "certificate.pem", rsa_keys["own"].private
    words = ("-x509", "-key", key, "-subj", "/CN=localhost", "-out", certificate)
    done(None, "req", "-config", "/dev/null", *words)
    names = ("rsa_padding_mode:oaep", "rsa_oaep_md:sha256")
    given = [word for name in names for word in ("-keyopt", name)]
    for encrypts, decrypts in ((made_rsa, None), (None, made_rsa)):
        letter = tmp_path / "letter"
        recipient = ("-recip", certificate, *given)
        words = ("-encrypt", "-binary", "-aes128", "-in", file(b"message"), "-out", letter)
        done(encrypts, "cms", *words, *recipient)
        words = ("-decrypt", "-binary", "-in", letter, "-inkey", key)
        assert done(decrypts, "cms", *words) == b"message"


@pytest.mark.parametrize("how", ["ones", "zeros", "frozen", "noise", "bus"])
def test_a_core_that_breaks(made_rsa, rsa_keys, file, tmp_path, how):
    """It gives no message, and nobody takes its place."""
    encrypted = file(encrypt(None, rsa_keys["own"], NONE, file(bytes(SIZE))).stdout)
    copy = shutil.copytree(made_rsa, tmp_path / "provider")
    words = ("-decrypt", "-inkey", rsa_keys["own"].private, "-in", encrypted, *options(NONE))
    ended = openssl(copy, "pkeyutl", *words, **broken(copy, "rsa", how, 300))
    assert (ended.returncode != 0, ended.stdout) == (True, b"")
    assert ":residua:" in ended.stderr.decode()


def test_a_provider_for_private_keys_alone(made_private, rsa_keys, file):
    """Public keys are OpenSSL's own then."""
    encrypted = encrypt(made_private, rsa_keys["own"], SHA256, file(b"message")).stdout
    assert decrypt(made_private, rsa_keys["own"], SHA256, file(encrypted)).stdout == b"message"
