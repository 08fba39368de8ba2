"""Handshakes of TLS 1.3 with a server whose keys simulated coprocessors compute."""

from dataclasses import dataclass
from typing import Any

from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.handshakes.running import handshakes
from residua.evidence.handshakes.watched_core import watch
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.rows import Row
from residua.evidence.subjects import core
from residua.systems.provider import provider_directory
from residua.systems.provider.provider_directory import ProviderRequest

CLIENTS = 16
"""Clients at a time."""


@dataclass(frozen=True)
class Measured:
    """What a row has.

    Attributes:
        keys: of the coprocessors.
        curve: of the key shares.
        count: of handshakes.
    """

    keys: dict[str, Any]
    curve: str
    count: int


def _server(curves: list[str], instances: int) -> dict[str, Any]:
    keys = {"curve": curves, "bus": "wishbone", "name": "core"}
    return keys | ({"instances": instances} if instances > 1 else {})


CORES = {
    "P-256, 4 coprocessors": Measured(_server(["P-256"], 4), "P-256", 1000),
    "P-256, 1 coprocessor": Measured(_server(["P-256"], 1), "P-256", 100),
    "X25519, 4 coprocessors": Measured(_server(["P-256", "Curve25519"], 4), "Curve25519", 1000),
}
"""What is measured, by the names of the rows."""

INTRODUCTION = f"""\
A server of TLS 1.3 has the [provider of OpenSSL](../openssl.md) with the Verilog of coprocessors
on Wishbone, simulated with Verilator; {CLIENTS} ordinary `openssl s_client` at a time, without the
provider, each make one handshake with it after the other. For each of them the coprocessors make a
key on the curve of the key share, check the client's on P-256, compute the secret that both sides
share, and sign by the key of the server's certificate, on P-256; the client checks the certificate.
A handshake counts when both sides have completed it. Requests are the operations that each
coprocessor has done; at a time is the most that there were on their way, one of which can wait in
the bus. Cycles are those that the simulated clock made, divided by the handshakes: those of the
coprocessors, and those in which the host moves words. Seconds are those of all handshakes, on a
machine that may have had other work. A + after the
commit says that the sources differed from it. `make campaign-handshakes` writes this page."""


def measure(request: Request) -> Figures:
    """Make the handshakes of a row."""
    asked = CORES[request.name]
    directory = request.directory()
    provider = request.folder("provider")
    provider_directory.build(ProviderRequest((directory,), simulated=True), provider)
    watched = watch(provider, directory)
    found = handshakes(
        provider,
        asked.curve,
        request.folder("clients"),
        count=request.amount,
        clients=CLIENTS,
        environment=watched.environment,
    )
    counts = watched.counts()
    return {
        "core": directory.top,
        "instances": len(counts.requests),
        "clients": CLIENTS,
        "count": found.completed,
        "failures": list(found.failures),
        "requests": counts.requests,
        "most": counts.most,
        "cycles": round(counts.cycles / request.amount),
        "seconds": round(found.seconds, 1),
    }


def _failed(row: Row) -> str:
    return str(row.amount - int(row["count"]))


TABLE = RowTable(
    {
        "Key share": lambda row: row.name,
        "Core": lambda row: f"`{row['core']}`",
        "Clients": lambda row: row["clients"],
        "Handshakes": lambda row: f"{row['count']:,}",
        "Failed": _failed,
        "Requests of each": lambda row: " / ".join(f"{one:,}" for one in row["requests"]),
        "At a time": lambda row: row["most"],
        "Cycles of a handshake": lambda row: f"{row['cycles']:,}",
        "Seconds": lambda row: f"{row['seconds']:.0f}",
        "Commit": commit,
    },
    texts=2,
)

CAMPAIGN = Campaign(
    table_page("handshakes", "Handshakes", INTRODUCTION, (TABLE,)),
    {name: one.count for name, one in CORES.items()},
    lambda name: core(CORES[name].keys),
    measure,
    alone=True,
)
