"""The fast P-256 core verifies ECDSA signatures in one operation: OpenSSL, NIST, cycles."""

import hashlib
import random
from statistics import mean

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from tests.cores.coprocessor.test_published_vectors import check
from tests.cores.simulations import StreamClient, simulator

from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.coprocessor.simulator import Request
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import Operation, Status
from residua.curves.signatures.sliding_windows import BASE_WIDTH, POINT_WIDTH, windows
from residua.evidence.published_vectors import Signature
from residua.numbers import solver

CURVE = find_curve("P-256")
N, BITS = CURVE.order, CURVE.order_bits

WANTED = 85_000
"""Cycles of the verification of a random signature, from digest, signature and key to an answer."""

LONGEST = 86_500
"""Cycles of a verification with the longest windows."""


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """If the solver is asked: `make answers`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(solver, "_search", None)
        made = EccCore(
            [CURVE],
            columns=2,
            inversion=Inversion.PLUS_MINUS,
            levels_per_register=2,
            verifies=True,
        )
        assert made.design.controller
    return made


@pytest.fixture(scope="module")
def simulated(core, tmp_path_factory):
    return simulator(core, tmp_path_factory.mktemp("p256"))


def operands_for(draw, u, v):
    """A valid signature with these multiples of the base point and of the key."""
    base = CURVE.base_point
    point = affine.multiply(CURVE, draw.randrange(1, N), base)
    r = point[0] % N
    s = r * pow(v, -1, N) % N
    rest = affine.add(CURVE, point, affine.multiply(CURVE, -u, base))
    return (u * s % N, r, s, *affine.multiply(CURVE, pow(v, -1, N), rest))


def most_windows(width):
    """A scalar whose windows follow each other without a gap."""
    scalar = int(("0" * (width - 1) + "1") * (BITS // width), 2)
    assert len(list(windows(scalar, BITS, width))) == BITS // width
    return scalar


def work_of(core, u, v):
    """Cycles of all doublings and additions, and of bringing the entries."""
    blocks = core.design.blocks
    places = [
        {place for place, _ in windows(scalar, BITS, width)}
        for scalar, width in ((u, BASE_WIDTH), (v, POINT_WIDTH))
    ]
    additions = len(places[0]) + len(places[1]) - 1
    one = blocks["window_base_0"].settled + blocks["window_addition"].length
    return max(places[0] | places[1]) * blocks["window_doubling"].length + additions * one


def test_cycles(core, simulated):
    """Those of doublings and additions, and beside them nearly the same for all signatures."""
    draw = random.Random(5)
    multiples = [(draw.randrange(N), draw.randrange(1, N)) for _ in range(3)]
    multiples.append((most_windows(BASE_WIDTH), most_windows(POINT_WIDTH)))
    requests = [Request(Operation.ECDSA_VERIFY, operands_for(draw, *both)) for both in multiples]
    answers = simulated.run(requests)
    assert {answer.status for answer in answers} == {Status.OK}
    assert [answer.results[0] for answer in answers] == [own.operands[1] for own in requests]
    cycles = [answer.cycles for answer in answers]
    assert mean(cycles[:-1]) < WANTED
    assert max(cycles) == cycles[-1] < LONGEST
    rest = [own - work_of(core, *both) for own, both in zip(cycles, multiples, strict=True)]
    assert max(rest) - min(rest) < 200


def test_openssl(simulated):
    key = ec.derive_private_key(random.Random(6).randrange(1, N), ec.SECP256R1())
    message = b"message"
    r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    numbers = key.public_key().public_numbers()
    e = int.from_bytes(hashlib.sha256(message).digest()) % N
    for operands, status in (((e, r, s), Status.OK), ((e ^ 1, r, s), Status.INVALID)):
        answer = simulated.operate(Operation.ECDSA_VERIFY, *operands, numbers.x, numbers.y)
        assert answer.status == status


def test_published_vectors(simulated):
    check(StreamClient(simulated, [CURVE], verifies=True), Signature, every=15)
