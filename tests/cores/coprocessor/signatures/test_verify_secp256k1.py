"""The fast secp256k1 core verifies by halves of scalars: OpenSSL, published vectors, cycles."""

import hashlib
import random
from statistics import mean

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from tests.cores.coprocessor.signatures.signing import operands_for
from tests.cores.coprocessor.test_published_vectors import check
from tests.cores.simulations import StreamClient, simulator

from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.coprocessor.outcomes import outcome
from residua.cores.coprocessor.simulator import Request
from residua.curves import affine
from residua.curves.catalogue import find_curve
from residua.curves.endomorphism.lattice import endomorphism
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import Operation, Status
from residua.curves.signatures.sliding_windows import BASE_WIDTH, POINT_WIDTH, windows
from residua.evidence.published_vectors import Signature

CURVE = find_curve("secp256k1")
N, BASE, ROOT = CURVE.order, CURVE.base_point, endomorphism(CURVE).eigenvalue
WANTED = 65_000
"""Cycles of the verification of a random signature, from digest, signature and key to an answer."""

LONGEST = 66_000
"""Cycles of a verification with the most windows."""

DENSE = {
    BASE_WIDTH: 113770652946394141847232130052282611365650836429917798325742948691272771519698,
    POINT_WIDTH: 105472794586951043593629948180922736010015901147150848438812346815731548042237,
}
"""Scalars whose halves have the most windows of a width, of all that repeat a pattern."""


@pytest.fixture(scope="module")
def core():
    made = EccCore(
        [CURVE],
        columns=2,
        inversion=Inversion.PLUS_MINUS,
        levels_per_register=2,
        verifies=True,
        blinding=0,
        formula=Formula.ENDOMORPHISM,
    )
    assert made.design.controller
    return made


@pytest.fixture(scope="module")
def simulated(core, tmp_path_factory):
    return simulator(core, tmp_path_factory.mktemp("secp256k1"), optimise=False)


def verified(simulated, *requests):
    """The answers, each of them as it is on plain integers."""
    answers = simulated.run([Request(Operation.ECDSA_VERIFY, own) for own in requests])
    for own, answer in zip(requests, answers, strict=True):
        expected = outcome(CURVE, 256, Operation.ECDSA_VERIFY, own)
        assert (answer.status, answer.results) == expected
    return answers


def windows_of(core, scalar, width):
    """The places of the windows over both halves."""
    (split,), (bits,) = core.design.scalars.half_splits, core.design.scalars.joint_bits
    return [[place for place, _ in windows(h, bits, width)] for h in split.halves(scalar)]


def work_of(core, u, v):
    """Cycles of all doublings and additions, and of bringing the entries."""
    blocks = core.design.blocks
    base, point = windows_of(core, u, BASE_WIDTH), windows_of(core, v, POINT_WIDTH)
    additions = sum(map(len, base + point)) - 1
    one = blocks["window_base_0"].settled + blocks["window_addition"].length
    images = len(base[1]) * blocks["window_image"].settled
    highest = max(place for places in base + point for place in places)
    return highest * blocks["window_doubling"].length + additions * one + images


def test_cycles(core, simulated):
    """Those of doublings and additions, and beside them nearly the same for all signatures."""
    draw = random.Random(5)
    multiples = [(draw.randrange(N), draw.randrange(1, N)) for _ in range(5)]
    multiples.append((DENSE[BASE_WIDTH], DENSE[POINT_WIDTH]))
    answers = verified(simulated, *(operands_for(CURVE, draw, *both) for both in multiples))
    assert {answer.status for answer in answers} == {Status.OK}
    cycles = [answer.cycles for answer in answers]
    assert mean(cycles[:-1]) < WANTED
    assert max(cycles) == cycles[-1] < LONGEST
    rest = [own - work_of(core, *both) for own, both in zip(cycles, multiples, strict=True)]
    assert max(rest) - min(rest) < 300
    for width, scalar in DENSE.items():
        counts = [len(own) for own in windows_of(core, scalar, width)]
        assert sum(counts) >= 2 * (core.design.scalars.joint_bits[0] // width)


def test_exceptional_keys_and_sums(simulated):
    """Keys next to G and to its images, and sums that are neutral, for which all is done twice."""
    draw, requests = random.Random(7), []
    for index, secret in enumerate((1, N - 1, 2, ROOT, N - ROOT, ROOT * ROOT % N)):
        key = affine.multiply(CURVE, secret, BASE)
        k, e = draw.randrange(1, N), draw.randrange(N)
        r = affine.multiply(CURVE, k, BASE)[0]
        s = pow(k, -1, N) * (e + r * secret) % N
        other = (e, r, N - s) if index % 2 else (-r * secret % N, r, s)
        requests += [(e, r, s, *key), (*other, *key)]
    answers = verified(simulated, *requests, (e, s, r, *key))
    assert {answer.status for answer in answers} == {Status.OK, Status.INVALID}


def test_a_double_multiplication(simulated):
    draw = random.Random(9)
    key = affine.multiply(CURVE, draw.randrange(1, N), BASE)
    image = affine.multiply(CURVE, ROOT, key)
    for k, other, second in ((5, N - 1, key), (N - ROOT, 1, image), (3, ROOT, image)):
        answer = simulated.operate(Operation.DOUBLE_MULTIPLY, k, other, *key, *second)
        parts = affine.multiply(CURVE, k % N, key), affine.multiply(CURVE, other % N, second)
        expected = affine.add(CURVE, *parts)
        assert answer.status == (Status.OK if expected else Status.NEUTRAL)
        assert answer.results == (expected or ())


def test_openssl(simulated):
    draw = random.Random(6)
    for index in range(2):
        key = ec.derive_private_key(draw.randrange(1, N), ec.SECP256K1())
        message = b"message %d" % index
        r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
        numbers = key.public_key().public_numbers()
        e = int.from_bytes(hashlib.sha256(message).digest()) % N
        for operands, status in (((e, r, s), Status.OK), ((e ^ 1, r, s), Status.INVALID)):
            answer = simulated.operate(Operation.ECDSA_VERIFY, *operands, numbers.x, numbers.y)
            assert answer.status == status


def test_published_vectors(simulated):
    check(StreamClient(simulated, [CURVE], verifies=True), Signature, every=3)
