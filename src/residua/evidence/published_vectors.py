"""Published vectors, and what a driver's core makes of them.

The driver is a `Client`, whatever it has behind it. A vector has the ``outcome`` that a driver
gives and the ``expected`` one: a word, so that what differs can be read.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from residua.cores.bus.driver.client import CoreError
from residua.cores.coprocessor.driver import protocols
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.curves.catalogue import find_curve
from residua.errors import SpecificationError

FOLDER = Path(__file__).parents[3] / "tests" / "vectors"
"""The vectors; a checkout of Residua has them, an installed package has not."""

WYCHEPROOF = "ecdh_secp256r1_ecpoint_test.json"
PACKAGE = "cryptography_vectors"
"""The part of the folder that is of the package cryptography-vectors."""

KEY_AGREEMENT = "ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax"
BRAINPOOL = "ECDH/brainpool.txt"
MONTGOMERY = {"Curve25519": "X25519/rfc7748.txt", "Curve448": "X448/rfc7748.txt"}
SIGNATURES = (
    "ECDSA/FIPS_186-3/SigGen.txt",
    "ECDSA/FIPS_186-3/SigVer.rsp",
    "ECDSA/SECP256K1/SigGen.txt",
)
PUBLIC_KEYS = "ECDSA/FIPS_186-3/PKV.rsp"

PARAMETER_SETS = {"EA": "P-192", "EB": "P-224", "EC": "P-256", "ED": "P-384", "EE": "P-521"}
FAULTS = {
    0: "agreed",
    1: "other key",
    2: "other key",
    5: "own key",
    6: "own key",
    7: "private key",
    8: "secret",
    13: "agreed",
}
"""Outcomes of key agreements by the numbers of NIST's results."""

REFUSALS = {"not_on_curve", "operand_range"}
"""Statuses of a core that refuses a point."""

_NO_PRIVATE_KEY = "scalar_range"
"""Status of a core that refuses a private key which is not below the order."""


@dataclass(frozen=True)
class Agreement:
    """A private key, its public key if there is one, the other side's, and the secret."""

    curve: str
    name: str
    private: bytes
    own: bytes | None
    other: bytes
    secret: bytes
    expected: str = "agreed"

    def outcome(self, driver: Client, curve: int) -> str:
        """Fault of an agreement: a key that is refused, keys that are no pair, or the secret."""
        refused = "other key"
        try:
            secret = protocols.ecdh(driver, curve, self.private, self.other)
            if self.own is not None:
                refused = "own key"
                driver.validate(curve, self.own)
        except CoreError as error:
            if error.status == _NO_PRIVATE_KEY:
                return "private key"
            return refused if error.status in REFUSALS else error.status
        if self.own is not None and protocols.public_key(driver, curve, self.private) != self.own:
            return "private key"
        return "agreed" if secret == self.secret else "secret"


@dataclass(frozen=True)
class Signature:
    """A signature r || s of a digest; with the private key and the nonce if it can be made."""

    curve: str
    name: str
    digest: bytes
    public: bytes
    signature: bytes
    expected: str
    private: bytes | None = None
    nonce: bytes | None = None

    def outcome(self, driver: Client, curve: int) -> str:
        """Whether the core verifies it, and makes the same key and the same signature."""
        if self.private is not None:
            if protocols.public_key(driver, curve, self.private) != self.public:
                return "another public key"
            if self.nonce is not None:
                made = protocols.ecdsa_sign(driver, curve, self.private, self.digest, self.nonce)
                if made != self.signature:
                    return "another signature"
        try:
            verified = self._verified(driver, curve)
        except CoreError as error:
            return "invalid" if error.status in REFUSALS else error.status
        return "valid" if verified else "invalid"

    def _verified(self, driver: Client, curve: int) -> bool:
        return protocols.ecdsa_verify(driver, curve, self.public, self.digest, self.signature)


@dataclass(frozen=True)
class PublicKey:
    """The coordinates of a point that may be none; they can be longer than the field."""

    curve: str
    name: str
    x: int
    y: int
    expected: str

    def outcome(self, driver: Client, curve: int) -> str:
        """The status of the validation; numbers that no word is left for are out of range, too."""
        try:
            driver.execute("validate", curve, [self.x, self.y], 0)
        except CoreError as error:
            return error.status
        except SpecificationError:
            return "operand_range"
        return "ok"


Vector = Agreement | Signature | PublicKey


@cache
def published_vectors() -> tuple[Vector, ...]:
    """All vectors of the folder."""
    return (*key_agreements(), *brainpool(), *montgomery(), *signatures(), *public_keys())


def vectors_of(curve: str) -> list[Vector]:
    """Vectors for a curve of the catalogue."""
    return [vector for vector in published_vectors() if vector.curve == curve]


def text_of(file: str) -> str:
    """The text of a file of the folder.

    Raises:
        SpecificationError: the folder is not there.
    """
    path = FOLDER / file
    if not path.is_file():
        raise SpecificationError(
            f"there are no published vectors at {path}: they are part of a checkout of Residua"
        )
    return path.read_text(encoding="utf-8")


def wycheproof() -> list[dict[str, Any]]:
    """The vectors of Wycheproof for P-256, as published."""
    groups = json.loads(text_of(WYCHEPROOF))["testGroups"]
    return [test for group in groups for test in group["tests"]]


def records(file: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Lines "key = value" up to the next empty line, each with the heading in brackets above."""
    heading, record = "", dict[str, str]()
    for line in [*text_of(f"{PACKAGE}/{file}").splitlines(), ""]:
        if line.startswith("["):
            heading = line.strip("[]")
        elif " = " in line:
            key, value = line.split(" = ", 1)
            record[key] = value.strip()
        elif not line and record:
            yield heading, record
            record = {}


def key_agreements() -> Iterator[Agreement]:
    """Key agreement of NIST, seen from the side under test; from both sides if it is valid."""
    for heading, record in records(KEY_AGREEMENT):
        curve = named(PARAMETER_SETS[heading.split(" - ")[0]])
        expected = FAULTS[result(record)]
        secret = number(record["Z"], curve.field_size)
        keys = [
            (
                number(record[f"ds{side}"], curve.order_size),
                point(curve, record[f"Qs{side}x"], record[f"Qs{side}y"]),
            )
            for side in ("IUT", "CAVS")
        ]
        sides = [("IUT", keys[0], keys[1]), ("CAVS", keys[1], keys[0])]
        for side, (private, own), (_, other) in sides if expected == "agreed" else sides[:1]:
            name = f"{curve.name}, key agreement {record['COUNT']}, {side}"
            yield Agreement(curve.name, name, private, own, other, secret, expected)


def brainpool() -> Iterator[Agreement]:
    """Agreements of RFC 7027, from both sides."""
    for _, record in records(BRAINPOOL):
        curve = named(record["curve"])
        for mine, other in ("AB", "BA"):
            yield Agreement(
                curve.name,
                f"{curve.name}, RFC 7027, {mine}",
                number(record[f"d{mine}"], curve.order_size),
                point(curve, record[f"x_q{mine}"], record[f"y_q{mine}"]),
                point(curve, record[f"x_q{other}"], record[f"y_q{other}"]),
                number(record["x_Z"], curve.field_size),
            )


def montgomery() -> Iterator[Agreement]:
    """The functions X25519 and X448 of RFC 7748; their byte strings are the driver's."""
    for curve, file in MONTGOMERY.items():
        for _, record in records(file):
            k, u, secret = (
                bytes.fromhex(record[key]) for key in ("INPUT_SCALAR", "INPUT_U", "OUTPUT_U")
            )
            yield Agreement(curve, f"{curve}, RFC 7748, {record['COUNT']}", k, None, u, secret)


def signatures() -> Iterator[Signature]:
    """ECDSA: signatures to make, and signatures to verify that need not be valid."""
    for file in SIGNATURES:
        for index, (heading, record) in enumerate(records(file)):
            name, algorithm = heading.split(",")
            curve = named("secp256k1" if name == "K-256" else name)
            message = bytes.fromhex(record["Msg"])
            valid = "Result" not in record or not result(record)
            private, nonce = (
                number(record[key], curve.order_size) if key in record else None for key in "dk"
            )
            yield Signature(
                curve.name,
                f"{file}, {heading}, {index}",
                hashlib.new(algorithm.replace("-", ""), message).digest(),
                point(curve, record["Qx"], record["Qy"]),
                b"".join(number(record[key], curve.order_size) for key in "RS"),
                "valid" if valid else "invalid",
                private,
                nonce,
            )


def public_keys() -> Iterator[PublicKey]:
    """Points of NIST's public key validation."""
    statuses = ("ok", "operand_range", "not_on_curve")
    for index, (curve, record) in enumerate(records(PUBLIC_KEYS)):
        x, y = (int(record[key], 16) for key in ("Qx", "Qy"))
        yield PublicKey(curve, f"{curve}, public key {index}", x, y, statuses[result(record)])


@cache
def named(curve: str) -> DriverCurve:
    """A curve of the catalogue."""
    return DriverCurve.of(find_curve(curve))


def result(record: dict[str, str]) -> int:
    """NIST's number of what was changed; those with P leave the vector valid."""
    found = re.match(r"([PF]) \((\d+)", record["Result"])
    assert found is not None
    verdict, code = found.groups()
    assert (verdict == "P") == (code in {"0", "13"})
    return int(code)


def number(digits: str, size: int) -> bytes:
    """Big-endian bytes of a number in hexadecimal."""
    return int(digits, 16).to_bytes(size)


def point(curve: DriverCurve, x: str, y: str) -> bytes:
    """04 || x || y."""
    return b"\x04" + number(x, curve.field_size) + number(y, curve.field_size)
