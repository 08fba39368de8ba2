"""Vectors of NIST, RFC 7027 and RFC 7748: plain integers, and P-256 through a coprocessor's bus.

The Verilog of the other curves takes its turn in the campaign of key agreements, and so do
signatures of other hash functions than SHA-256: a coprocessor is given numbers, whatever they are
hashes of.
"""

from collections import Counter

import pytest
from tests.cores.simulations import StreamClient, bus_model

from residua.cores.bus.driver.client import CoreError
from residua.cores.bus.simulator import BusSimulator
from residua.cores.coprocessor.driver.simulated import client, curves
from residua.cores.coprocessor.outcomes import outcome
from residua.curves.catalogue import find_curve
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import MontgomeryCurve
from residua.evidence.published_vectors import (
    Agreement,
    PublicKey,
    Signature,
    published_vectors,
    vectors_of,
)

COUNTS = {
    ("P-192", Agreement): 48,
    ("P-192", Signature): 30,
    ("P-192", PublicKey): 12,
    ("P-224", Agreement): 48,
    ("P-224", Signature): 30,
    ("P-224", PublicKey): 12,
    ("P-256", Agreement): 48,
    ("P-256", Signature): 150,
    ("P-256", PublicKey): 12,
    ("P-384", Agreement): 48,
    ("P-384", Signature): 30,
    ("P-384", PublicKey): 12,
    ("P-521", Agreement): 48,
    ("P-521", Signature): 30,
    ("P-521", PublicKey): 12,
    ("secp256k1", Signature): 15,
    ("brainpoolP256r1", Agreement): 2,
    ("brainpoolP384r1", Agreement): 2,
    ("brainpoolP512r1", Agreement): 2,
    ("Curve25519", Agreement): 3,
    ("Curve448", Agreement): 3,
}


OTHER_HASHES = ("SHA-1,", "SHA-224", "SHA-384", "SHA-512")


def check(driver, kinds=(Agreement, Signature, PublicKey), every=1):
    """Each so many-th vector of these kinds on the driver's curve, but of other hash functions."""
    vectors = [v for v in vectors_of(driver.curves[0].name) if isinstance(v, kinds)]
    vectors = [v for v in vectors if not any(other in v.name for other in OTHER_HASHES)][::every]
    assert len(vectors) > 1
    found = {vector.name: vector.outcome(driver, 0) for vector in vectors}
    assert found == {vector.name: vector.expected for vector in vectors}


def test_none_is_left_out():
    vectors = published_vectors()
    assert Counter((vector.curve, type(vector)) for vector in vectors) == COUNTS
    assert len({vector.name for vector in vectors}) == len(vectors)


class PlainClient(StreamClient):
    """The driver's calls on plain integers in the place of a core."""

    def __init__(self, curve):
        super().__init__(None, [curve])
        self.curve = curve

    def execute(self, operation, _curve, operands, results):
        montgomery = isinstance(self.curve, MontgomeryCurve)
        limit = self.curve.prime if montgomery else self.curve.order
        asked = Operation[operation.upper()]
        status, given = outcome(self.curve, limit.bit_length(), asked, tuple(operands))
        if status != Status.OK:
            raise CoreError(status.name.lower(), "the status")
        assert len(given) == results
        return list(given)


@pytest.mark.parametrize("name", sorted({name for name, _ in COUNTS}))
def test_what_is_expected_of_a_core(name):
    """Of every curve, those that only the campaign simulates among them."""
    check(PlainClient(find_curve(name)))


@pytest.mark.parametrize("kind", [Agreement, Signature, PublicKey])
def test_p256_through_the_bus(tmp_path_factory, kind):
    """A few of each; the campaign of key agreements takes all vectors, of all curves."""
    made, model = bus_model("p256", tmp_path_factory)
    driver = client(BusSimulator(model, stalls=60), curves(made))
    check(driver, kind, every=1 if kind is PublicKey else 12)
