"""Key agreements on simulated coprocessors, through their buses, against OpenSSL.

A thousand random agreements on each curve that OpenSSL and the catalogue share, and every published
vector: of Wycheproof for P-256, and for all curves those of the package cryptography-vectors that
tests/vectors holds. Writes docs/results/ecdh.md and .json with the commit. Rows that are in the
.json for the same commit are not run again, so that an interrupted campaign goes on where it
stopped; ``--rows`` limits it to some of them.
"""

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from campaign_rows import RESULTS, ROOT, Page, Row, complete, current_commit, made
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, x448, x25519
from rich.table import Table

from residua.cores.coprocessor.driver import protocols
from residua.cores.coprocessor.driver.client import Client, CoreError
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.shipped.bus_simulator import (
    BusSimulator,
    client,
    curves,
    directory_model,
)
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check
from residua.errors import SpecificationError

sys.path.append(str(ROOT))
from tests.cores.published_vectors import vectors_of

WORK = ROOT / "build" / "ecdh_campaign"
VECTORS = ROOT / "tests" / "vectors" / "ecdh_secp256r1_ecpoint_test.json"
AGREEMENTS = 1000
SEED = 1
STALLS = 96
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
ROWS: dict[str, dict[str, Any]] = {
    **{name: {"curve": name, "bus": "axi"} for name in (*WEIERSTRASS, *MONTGOMERY)},
    "P-256 on Wishbone": {"curve": "P-256", "bus": "wishbone"},
    WYCHEPROOF: {"curve": "P-256", "bus": "axi"},
}
"""Specification by the name of the row."""

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
host included; seconds are those of one processor core, without building the simulator. A + after
the commit says that the sources differed from it. `make campaign-ecdh` writes this page."""

Exchange = tuple[bytes, bytes, bytes, bytes]
"""Own private key, own public key, the other public key, the secret."""


@dataclass
class Found:
    """What came of some operations."""

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


def exchanges(curve: DriverCurve, count: int) -> Iterator[Exchange]:
    """Random agreements, by OpenSSL."""
    draw = random.Random(f"{SEED} {curve.name}")
    for _ in range(count):
        yield (montgomery if curve.montgomery else weierstrass)(curve, draw)


def weierstrass(curve: DriverCurve, draw: random.Random) -> Exchange:
    """An agreement of two random keys."""
    form = WEIERSTRASS[curve.name]
    mine, other = (ec.derive_private_key(draw.randrange(1, curve.order), form) for _ in range(2))
    encoding = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    return (
        mine.private_numbers().private_value.to_bytes(curve.order_size),
        mine.public_key().public_bytes(*encoding),
        other.public_key().public_bytes(*encoding),
        mine.exchange(ec.ECDH(), other.public_key()),
    )


def montgomery(curve: DriverCurve, draw: random.Random) -> Exchange:
    """An agreement of a random key with random bytes."""
    private_type, public_type = MONTGOMERY[curve.name]
    k, u = (draw.randbytes(curve.field_size) for _ in range(2))
    mine = private_type.from_private_bytes(k)
    return (
        k,
        mine.public_key().public_bytes_raw(),
        u,
        mine.exchange(public_type.from_public_bytes(u)),
    )


def agree(drivers: list[tuple[BusSimulator, Client]], count: int) -> Found:
    """Random agreements, on the simulators in turn."""
    found = Found()
    for index, (k, public, other, secret) in enumerate(exchanges(drivers[0][1].curves[0], count)):
        simulator, driver = drivers[index % len(drivers)]
        start = simulator.cycles
        made = protocols.public_key(driver, 0, k), protocols.ecdh(driver, 0, k, other)
        if index % len(drivers) == 0:
            found.cycles.add(simulator.cycles - start)
        found.judge(made == (public, secret), f"k = {k.hex()}, P = {other.hex()}")
    return found


def wycheproof(drivers: list[tuple[BusSimulator, Client]]) -> Found:
    """Every published vector, on each of the simulators."""
    found = Found()
    for group in json.loads(VECTORS.read_text(encoding="utf-8"))["testGroups"]:
        for test in group["tests"]:
            for _, driver in drivers:
                found.judge(_as_published(driver, test), f"tcId {test['tcId']}")
    return found


def _as_published(driver: Client, test: dict[str, Any]) -> bool:
    k = int(test["private"], 16).to_bytes(32)
    try:
        secret = protocols.ecdh(driver, 0, k, bytes.fromhex(test["public"]))
    except (CoreError, SpecificationError):
        return bool(test["result"] != "valid")
    return bool(test["result"] == "valid" and secret.hex() == test["shared"])


def published(drivers: list[tuple[BusSimulator, Client]]) -> Found:
    """Every vector of cryptography-vectors for the curve, on each of the simulators."""
    found = Found()
    for vector in vectors_of(drivers[0][1].curves[0].name):
        for _, driver in drivers:
            outcome = vector.outcome(driver, 0)
            found.judge(outcome == vector.expected, f"{vector.name}: {outcome}")
    return found


def measure(name: str, agreements: int, commit: str) -> Row:
    """Build the core of one row and put it to the test."""
    path = WORK / "".join(c if c.isalnum() else "_" for c in name)
    shutil.rmtree(path, ignore_errors=True)
    directory: Directory = build(check(CoprocessorSpecification, ROWS[name]), path)
    model = directory_model(directory)
    drivers = []
    for seed, stalls in ((SEED, 0), (SEED + 1, STALLS)):
        simulator = BusSimulator(model, seed=seed, stalls=stalls)
        drivers.append((simulator, client(simulator, curves(directory))))
    start = time.monotonic()
    found = Found() if name == WYCHEPROOF else agree(drivers, agreements)
    taken = wycheproof(drivers) if name == WYCHEPROOF else published(drivers)
    parameters = directory.manifest["parameters"]
    return {
        "row": name,
        "core": directory.top,
        "blinding": parameters["blinding"][0],
        "count": found.count,
        "vectors": taken.count,
        "mismatches": found.mismatches + taken.mismatches,
        "failures": found.failures + taken.failures,
        "cycles": [min(found.cycles), max(found.cycles)] if found.cycles else None,
        "seconds": round(time.monotonic() - start, 1),
        "asked": agreements,
        "commit": commit,
    }


def cycles(row: Row) -> str:
    """Least and most cycles of an agreement."""
    if row["cycles"] is None:
        return "–"
    least, most = row["cycles"]
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


PAGE = Page(
    "ecdh",
    "Key agreements",
    INTRODUCTION,
    {
        "Curve": lambda row: row["row"],
        "Core": lambda row: f"`{row['core']}`",
        "Blinding bits": lambda row: row["blinding"],
        "Agreements": lambda row: f"{row['count']:,}",
        "Vectors": lambda row: f"{row['vectors']:,}",
        "Mismatches": lambda row: row["mismatches"],
        "Cycles": cycles,
        "Seconds": lambda row: f"{row['seconds']:.0f}",
        "Commit": lambda row: f"`{row['commit']}`",
    },
    texts=2,
    key="row",
)


def main() -> int:
    """Run the rows that are missing; 0 if every row is without fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--agreements", type=int, default=AGREEMENTS, help="for each row")
    parser.add_argument("--jobs", type=int, default=2, help="rows at once")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the tables go")
    options = parser.parse_args()
    page = replace(PAGE, directory=options.results)
    commit, kept = current_commit(), page.rows()
    rows = {name: r for name, r in kept.items() if made(r, commit, "asked", options.agreements)}
    tasks = {
        name: partial(measure, name, options.agreements, commit)
        for name in options.rows
        if name not in rows
    }
    console = complete(page, rows, list(ROWS), tasks, options.jobs)
    table = Table("curve", "core", "agreements", "vectors", "mismatches", "cycles", "seconds")
    for row in rows.values():
        cells = [row["core"], row["count"], row["vectors"], row["mismatches"], cycles(row)]
        cells += [row["seconds"]]
        table.add_row(row["row"], *(str(cell) for cell in cells))
    console.print(table)
    return int(any(row["mismatches"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
