"""Key agreements on simulated coprocessors, through their buses, against OpenSSL."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, x448, x25519

from residua.cores.bus.driver.client import CoreError
from residua.cores.coprocessor.driver import protocols
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.errors import SpecificationError
from residua.evidence.bus_drivers import Driver, cycles_cell, drivers, extremes
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, mismatches, table_page
from residua.evidence.published_vectors import vectors_of, wycheproof
from residua.evidence.subjects import core

AGREEMENTS = 1000
SEED = 1
MOST_FAILURES = 5

WEIERSTRASS: dict[str, ec.EllipticCurve] = {
    "P-192": ec.SECP192R1(),
    "P-224": ec.SECP224R1(),
    "P-256": ec.SECP256R1(),
    "P-384": ec.SECP384R1(),
    "P-521": ec.SECP521R1(),
    "secp256k1": ec.SECP256K1(),
    "brainpoolP256r1": ec.BrainpoolP256R1(),
    "brainpoolP384r1": ec.BrainpoolP384R1(),
    "brainpoolP512r1": ec.BrainpoolP512R1(),
}
MONTGOMERY: dict[str, tuple[Any, Any]] = {
    "Curve25519": (x25519.X25519PrivateKey, x25519.X25519PublicKey),
    "Curve448": (x448.X448PrivateKey, x448.X448PublicKey),
}
WYCHEPROOF = "P-256, Wycheproof"
CORES: dict[str, dict[str, Any]] = {
    **{name: {"curve": name, "bus": "axi"} for name in (*WEIERSTRASS, *MONTGOMERY)},
    "P-256 on Wishbone": {"curve": "P-256", "bus": "wishbone"},
    WYCHEPROOF: {"curve": "P-256", "bus": "axi"},
}
"""Specifications by the names of the rows."""

INTRODUCTION = """\
The Verilog of each coprocessor with its bus, simulated with Verilator and operated by the Python
driver. An agreement is an own public key (k G) and a shared secret (k P), both compared with those
of OpenSSL; on a curve in Montgomery form the other side's bytes are random, so that half of them
are on the twist. Every second agreement runs with random stalls on all channels of the bus. Of the
vectors of Wycheproof, each taken with and without stalls, the valid ones must give their secret,
all others must be refused. The same with the vectors of NIST for key agreement (SP 800-56A),
signatures (FIPS 186) and public keys, of RFC 7027 and of RFC 7748: keys that are published must
come out, signatures must be made from their nonces and verified, what NIST changed must be found.
Vectors are counted once for each of the two runs. Cycles are those of an agreement without stalls,
host included. A + after the commit says that the sources differed from it. `make campaign-ecdh`
writes this page."""


@dataclass(frozen=True)
class Exchange:
    """A key agreement, as bytes: own private and public key, the other public key, the secret."""

    private: bytes
    public: bytes
    other: bytes
    secret: bytes


@dataclass
class Found:
    """Outcome of some operations."""

    count: int = 0
    mismatches: int = 0
    failures: list[str] = field(default_factory=list)
    cycles: set[int] = field(default_factory=set)

    def judge(self, right: bool, text: str) -> None:
        """Count one comparison."""
        self.count += 1
        if not right:
            self.mismatches += 1
            self.failures = [*self.failures, text][:MOST_FAILURES]


def measure(request: Request) -> Figures:
    """Put the core of a row to the test."""
    directory = request.directory()
    operated = drivers(directory, SEED)
    if request.name == WYCHEPROOF:
        found, taken = Found(), published_by_wycheproof(operated)
    else:
        found, taken = agreements(operated, request.amount), published(operated)
    return {
        "core": directory.top,
        "blinding": directory.manifest["parameters"]["blinding"][0],
        "count": found.count,
        "vectors": taken.count,
        "mismatches": found.mismatches + taken.mismatches,
        "failures": found.failures + taken.failures,
        "cycles": extremes(found.cycles),
    }


def agreements(operated: Sequence[Driver], count: int) -> Found:
    """Agree on random keys, on the simulators in turn."""
    found = Found()
    (curve,) = operated[0][1].curves
    for index, exchange in enumerate(exchanges(curve, count)):
        simulator, driver = operated[index % len(operated)]
        start = simulator.cycles
        made = (
            protocols.public_key(driver, 0, exchange.private),
            protocols.ecdh(driver, 0, exchange.private, exchange.other),
        )
        if index % len(operated) == 0:
            found.cycles.add(simulator.cycles - start)
        found.judge(made == (exchange.public, exchange.secret), str(exchange))
    return found


def exchanges(curve: DriverCurve, count: int) -> Iterator[Exchange]:
    """Draw random agreements, made by OpenSSL."""
    draw = random.Random(f"{SEED} {curve.name}")
    for _ in range(count):
        yield (montgomery if curve.montgomery else weierstrass)(curve, draw)


def weierstrass(curve: DriverCurve, draw: random.Random) -> Exchange:
    """Agree with two random keys."""
    form = WEIERSTRASS[curve.name]
    mine, other = (ec.derive_private_key(draw.randrange(1, curve.order), form) for _ in range(2))
    encoding = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    return Exchange(
        mine.private_numbers().private_value.to_bytes(curve.order_size),
        mine.public_key().public_bytes(*encoding),
        other.public_key().public_bytes(*encoding),
        mine.exchange(ec.ECDH(), other.public_key()),
    )


def montgomery(curve: DriverCurve, draw: random.Random) -> Exchange:
    """Agree with a random key and random bytes."""
    private_type, public_type = MONTGOMERY[curve.name]
    k, u = (draw.randbytes(curve.field_size) for _ in range(2))
    mine = private_type.from_private_bytes(k)
    public = mine.public_key().public_bytes_raw()
    return Exchange(k, public, u, mine.exchange(public_type.from_public_bytes(u)))


def published_by_wycheproof(operated: Sequence[Driver]) -> Found:
    """Try every vector of Wycheproof on each of the simulators."""
    found = Found()
    for test in wycheproof():
        for _, driver in operated:
            found.judge(_as_published(driver, test), f"tcId {test['tcId']}")
    return found


def _as_published(driver: Client, test: dict[str, Any]) -> bool:
    k = int(test["private"], 16).to_bytes(32)
    try:
        secret = protocols.ecdh(driver, 0, k, bytes.fromhex(test["public"]))
    except (CoreError, SpecificationError):
        return bool(test["result"] != "valid")
    return bool(test["result"] == "valid" and secret.hex() == test["shared"])


def published(operated: Sequence[Driver]) -> Found:
    """Try every vector of cryptography-vectors for the curve on each of the simulators."""
    found = Found()
    for vector in vectors_of(operated[0][1].curves[0].name):
        for _, driver in operated:
            outcome = vector.outcome(driver, 0)
            found.judge(outcome == vector.expected, f"{vector.name}: {outcome}")
    return found


TABLE = RowTable(
    {
        "Curve": lambda row: row.name,
        "Core": lambda row: f"`{row['core']}`",
        "Blinding bits": lambda row: row["blinding"],
        "Agreements": lambda row: f"{row['count']:,}",
        "Vectors": lambda row: f"{row['vectors']:,}",
        "Mismatches": mismatches,
        "Cycles": lambda row: cycles_cell(row["cycles"]),
        "Commit": commit,
    },
    texts=2,
)

CAMPAIGN = Campaign(
    table_page("ecdh", "Key agreements", INTRODUCTION, (TABLE,)),
    dict.fromkeys(CORES, AGREEMENTS),
    lambda name: core(CORES[name]),
    measure,
)
