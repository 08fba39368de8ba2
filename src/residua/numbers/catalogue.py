"""Named prime moduli, and how a modulus is read from text.

The table holds the field primes of FIPS 186 / SP 800-186, SEC 2, RFC 5639 (brainpool), RFC 7748
and of the two pairing curves in widest use, and the primes of the groups for key agreement of
RFC 2409, RFC 3526 and RFC 7919. One entry stands for one prime; the curves that share it are its
aliases.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import gmpy2

from residua.errors import SpecificationError
from residua.numbers.names import Names

SMALLEST_MODULUS = 1 << 16
"""Smallest modulus; below, a table lookup beats any multiplier, and bases degenerate."""

LARGEST_FILE = 1 << 20
"""Characters that a modulus file may have."""


@dataclass(frozen=True)
class NamedModulus:
    """A standard prime: its usual name, value, defining document and other names."""

    name: str
    value: int
    source: str
    aliases: tuple[str, ...] = ()


def _brainpool(bits: int, digits: str) -> NamedModulus:
    # The twisted curve of each size is defined over the same field.
    return NamedModulus(
        f"brainpoolP{bits}r1", int(digits, 16), "RFC 5639", (f"brainpoolP{bits}t1", f"bp{bits}")
    )


_GUARD_BITS = 64
"""Bits by which a constant is computed beyond those that a prime takes of it."""


def _with_digits(bits: int, constant: Callable[[], gmpy2.mpfr], offset: int) -> int:
    """Compute a prime with 64 ones at either end and the digits of a constant between them.

    Args:
        bits: its length.
        constant: pi, or e, at the precision that is set.
        offset: what is added to the digits: in the documents the least that gives a prime of which
            half is one, too.
    """
    with gmpy2.context(precision=bits + _GUARD_BITS):
        digits = int(gmpy2.floor(constant() * (1 << bits - 130)))
    return (1 << bits) - (1 << bits - 64) - 1 + ((digits + offset) << 64)


def _modp(bits: int, offset: int, source: str, number: int) -> NamedModulus:
    value = _with_digits(bits, gmpy2.const_pi, offset)
    return NamedModulus(f"MODP-{bits}", value, source, (f"group{number}",))


def _ffdhe(bits: int, offset: int) -> NamedModulus:
    return NamedModulus(
        f"ffdhe{bits}", _with_digits(bits, lambda: gmpy2.exp(1), offset), "RFC 7919"
    )


CATALOGUE: tuple[NamedModulus, ...] = (
    NamedModulus("P-192", 2**192 - 2**64 - 1, "FIPS 186-4", ("secp192r1", "prime192v1")),
    NamedModulus("P-224", 2**224 - 2**96 + 1, "SP 800-186", ("secp224r1",)),
    NamedModulus(
        "P-256",
        2**256 - 2**224 + 2**192 + 2**96 - 1,
        "SP 800-186",
        ("secp256r1", "prime256v1"),
    ),
    NamedModulus("P-384", 2**384 - 2**128 - 2**96 + 2**32 - 1, "SP 800-186", ("secp384r1",)),
    NamedModulus("P-521", 2**521 - 1, "SP 800-186", ("secp521r1",)),
    NamedModulus("secp160k1", 2**160 - 2**32 - 21389, "SEC 2", ("secp160r2",)),
    NamedModulus("secp160r1", 2**160 - 2**31 - 1, "SEC 2"),
    NamedModulus("secp192k1", 2**192 - 2**32 - 4553, "SEC 2"),
    NamedModulus("secp224k1", 2**224 - 2**32 - 6803, "SEC 2"),
    NamedModulus("secp256k1", 2**256 - 2**32 - 977, "SEC 2"),
    _brainpool(160, "e95e4a5f737059dc60dfc7ad95b3d8139515620f"),
    _brainpool(192, "c302f41d932a36cda7a3463093d18db78fce476de1a86297"),
    _brainpool(224, "d7c134aa264366862a18302575d1d787b09f075797da89f57ec8c0ff"),
    _brainpool(256, "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377"),
    _brainpool(
        320,
        "d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e27",
    ),
    _brainpool(
        384,
        "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b4"
        "12b1da197fb71123acd3a729901d1a71874700133107ec53",
    ),
    _brainpool(
        512,
        "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330871"
        "7d4d9b009bc66842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f3",
    ),
    NamedModulus("25519", 2**255 - 19, "RFC 7748", ("Curve25519", "X25519", "Ed25519")),
    NamedModulus("448", 2**448 - 2**224 - 1, "RFC 7748", ("Curve448", "X448", "Ed448")),
    NamedModulus(
        "BLS12-381",
        0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB,
        "draft-irtf-cfrg-pairing-friendly-curves",
    ),
    NamedModulus(
        "BN254",
        0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47,
        "EIP-196",
        ("alt_bn128", "BN128"),
    ),
    _modp(1024, 129_093, "RFC 2409", 2),
    _modp(1536, 741_804, "RFC 3526", 5),
    _modp(2048, 124_476, "RFC 3526", 14),
    _modp(3072, 1_690_314, "RFC 3526", 15),
    _modp(4096, 240_904, "RFC 3526", 16),
    _modp(6144, 929_484, "RFC 3526", 17),
    _modp(8192, 4_743_158, "RFC 3526", 18),
    _ffdhe(2048, 560_316),
    _ffdhe(3072, 2_625_351),
    _ffdhe(4096, 5_736_041),
    _ffdhe(6144, 15_705_020),
    _ffdhe(8192, 10_965_728),
)
"""Every modulus that has a name here."""


_NAMES = Names(CATALOGUE)


def find_modulus(name: str) -> NamedModulus:
    """The entry of this name or alias; case, spaces and ``-_.`` do not count.

    Raises:
        SpecificationError: no entry has the name; the message offers the nearest ones.
    """
    entry = _NAMES.find(name)
    if entry is None:
        raise SpecificationError(
            f"unknown modulus {name.strip()!r}{_NAMES.suggestion(name)}; a modulus is a name of "
            "the catalogue, a decimal number, 0x and hexadecimal digits, or @ and the name of a "
            "file"
        )
    return entry


def modulus_name(value: int) -> str | None:
    """The catalogue's name of a value, None if it has none."""
    return next((entry.name for entry in CATALOGUE if entry.value == value), None)


def parse_modulus(text: str) -> int:
    """The positive number that ``text`` stands for.

    A name of the catalogue (``P-256``, ``secp256r1``), a decimal number, ``0x`` and hexadecimal
    digits (underscores may group digits), or ``@`` and a file name. A file holds one number: white
    space and colons between digits do not count; the number is hexadecimal if it starts with ``0x``
    or ``Modulus=`` or has a colon or a letter in it, and decimal if it has digits only.

    Names win: ``25519`` and ``448`` are the primes of those curves, not small decimal numbers.

    Raises:
        SpecificationError: an unknown name, a file that cannot be read or holds no number, an empty
            text, a number below 1.
    """
    text = text.strip()
    if not text:
        raise SpecificationError("the modulus is empty: give a name, a number or @file")
    if text.startswith("@"):
        value = _file_number(text[1:])
    elif (named := _NAMES.find(text)) and not text.startswith("-"):
        value = named.value
    else:
        number = _number(text)
        value = find_modulus(text).value if number is None else number
    if value < 1:
        raise SpecificationError(f"the modulus must be positive, not {_shown(value)}")
    return value


def check_modulus(value: int, smallest: int = SMALLEST_MODULUS) -> None:
    """Refuse what there is no arithmetic for: even moduli and moduli below ``smallest``, 2^j.

    Raises:
        SpecificationError: says which of the two it is.
    """
    if value < smallest:
        raise SpecificationError(
            f"the modulus {_shown(value)} is too small: it must be at least "
            f"2^{smallest.bit_length() - 1} = {smallest}"
        )
    if value % 2 == 0:
        raise SpecificationError(
            f"the modulus {_shown(value)} is even: Montgomery multiplication needs an odd modulus"
        )


def _number(text: str) -> int | None:
    """A decimal or 0x number of either sign, None if the text is neither."""
    if re.fullmatch(r"[+-]?0[xX](_?[0-9a-fA-F])+", text, re.ASCII):
        return int(text.replace("_", ""), 16)
    if re.fullmatch(r"[+-]?[0-9](_?[0-9])*", text, re.ASCII):
        # Python's own conversion refuses more than 4300 digits.
        return int(gmpy2.mpz(text.replace("_", "").lstrip("+")))
    return None


def _file_number(name: str) -> int:
    if not name:
        raise SpecificationError(
            "@ needs the name of a file that holds the modulus, as in @modulus.txt"
        )
    try:
        with Path(name).open(encoding="utf-8") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise SpecificationError(
            f"cannot read the modulus file {name}: {error.strerror or error}"
        ) from error
    except ValueError as error:
        raise SpecificationError(f"the modulus file {name} is not a text file") from error
    if len(content) > LARGEST_FILE:
        raise SpecificationError(
            f"the modulus file {name} is longer than {LARGEST_FILE} characters"
        )
    body, marked = re.subn(r"^\s*modulus\s*=", "", content, flags=re.IGNORECASE)
    digits = re.sub(r"[\s:]", "", body)
    if not digits:
        raise SpecificationError(f"the modulus file {name} is empty")
    hexadecimal = marked or ":" in body or re.search("[a-fA-F]", digits)
    if hexadecimal and not re.match(r"[+-]?0[xX]", digits):
        digits = re.sub(r"^([+-]?)", r"\g<1>0x", digits)
    number = _number(digits)
    if number is None:
        raise SpecificationError(
            f"the modulus file {name} holds no number: "
            "one decimal or hexadecimal number is expected"
        )
    return number


def _shown(value: int) -> str:
    """The value, shortened to its ends when it is long."""
    digits = f"{value:#x}" if abs(value) >= SMALLEST_MODULUS else str(value)
    return digits if len(digits) <= 40 else f"{digits[:18]}...{digits[-16:]}"
