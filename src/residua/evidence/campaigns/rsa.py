"""RSA on simulated cores against OpenSSL: with and without CRT, and with faulty keys."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric import rsa as openssl

from residua.algorithms.fields.crt_field import COEFFICIENT, HALVES
from residua.algorithms.fields.loaded_field import INVERSE, NUMBER, SQUARE
from residua.cores.digit.core import DigitCore
from residua.cores.digit.products import DigitProducts
from residua.cores.digit.rsa_crt import RsaCrtCore, RsaOperations
from residua.cores.directory import Directory
from residua.cores.exponentiation.rsa_crt import RsaEngineCore, RsaEngineOperations
from residua.cores.simulation.words import WordSimulator, build_word_simulator, simulate
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, mismatches, table_page
from residua.evidence.rows import Row
from residua.evidence.subjects import core
from residua.numbers.rsa import RsaKey

EXPONENT = 65537
SEED = 24

SIZES: dict[int, tuple[int, dict[str, Any], dict[str, Any]]] = {
    1024: (4, {"digit": 34, "lanes": 1}, {"digit": 34, "lanes": 3}),
    2048: (2, {"digit": 17, "lanes": 8}, {"digit": 34, "lanes": 4}),
    4096: (1, {"digit": 34, "lanes": 4}, {"digit": 34, "lanes": 8}),
}
"""Signatures, and keys of the core with the theorem and of the one without, by bits; simulations
of long keys take long."""

ON_ENGINES: dict[int, tuple[int, dict[str, Any]]] = {
    1024: (100, {"width": 34}),
    2048: (20, {"width": 34}),
}
"""Signatures, and keys of the core with the theorem on an engine, by bits."""

_HALVES = ("d_p", "d_q")
FAULTS = {1024: (*_HALVES, "shift_p", "shift_q", "coefficient", "q"), 2048: _HALVES, 4096: _HALVES}
"""Numbers of the key of which a bit is wrong, by bits."""

ENGINE_FAULTS = (
    *(half + name for half in HALVES for name in (NUMBER, INVERSE, SQUARE)),
    COEFFICIENT,
    *_HALVES,
)
"""Those of the key of an engine."""

INTRODUCTION = """\
OpenSSL makes a key and signs messages (PKCS #1 v1.5, SHA-256). Simulated cores (Verilator) make the
signatures again from the padded messages: with the Chinese remainder theorem (`rsa-crt`), without
it (`modexp`, with d as the exponent), and verify one with the public exponent (`modexp` with
`exponent` = 65537). Then keys of which one bit is wrong are loaded into the core with the theorem;
every word of the result has to be 0. Cycles are the same for all keys, messages and faults. Cores
are on digits, of k bits in so many lanes, or on an engine, on moduli of so many bits.
`make campaign-rsa` writes this page."""


class Operation(NamedTuple):
    """Operation of the core of a row, with keys of ``bits``."""

    bits: int
    kind: str


CRT, FAULTY, PRIVATE, PUBLIC = "private, CRT", "private, CRT, with faults", "private", "public"
ENGINE, FAULTY_ENGINE = "private, CRT, on an engine", "private, CRT, on an engine, with faults"

OPERATIONS = {
    f"{bits} bits, {kind}": Operation(bits, kind)
    for sizes, kinds in (
        (SIZES, (CRT, FAULTY, PRIVATE, PUBLIC)),
        (ON_ENGINES, (ENGINE, FAULTY_ENGINE)),
    )
    for bits in sizes
    for kind in kinds
}
"""Operations by the names of the rows."""


@dataclass(frozen=True)
class Signed:
    """A key of OpenSSL with padded messages and their signatures."""

    key: RsaKey
    pairs: tuple[tuple[int, int], ...]


@dataclass
class Judged:
    """Counts the runs of simulations, and those with another result than expected."""

    runs: int = 0
    mismatches: int = 0
    cycles: int = 0

    def judge(
        self, made: WordSimulator, results: Mapping[tuple[int, int], int], words: Sequence[int] = ()
    ) -> None:
        """Run these operands against these results, with other words of a key if there are any."""
        loaded = tuple(words) or made.modulus
        judged = replace(made, design=_Expecting(made.design, results), modulus=loaded)
        report = simulate(judged, list(results), SEED, stalls=False)
        self.runs += len(results)
        self.mismatches += report["mismatches"] + len(results) - report["vectors"]
        self.cycles = max(self.cycles, report["latency"][1])


class _Expecting:
    """A design of which these results are expected."""

    def __init__(self, design: Any, results: Mapping[tuple[int, int], int]) -> None:  # noqa: ANN401
        self._design, self._results = design, results

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._design, name)

    def expected(self, x: int, y: int) -> int:
        """Look up the result of operands."""
        return self._results[x, y]


def measure(request: Request) -> Figures:
    """Simulate the core of a row with a new key."""
    bits, kind = OPERATIONS[request.name]
    directory = request.directory()
    if kind in {ENGINE, FAULTY_ENGINE}:
        return _measure_engine(directory, signed(bits, request.amount), kind)
    asked, made = directory.core(DigitCore), signed(bits, request.amount)
    judged, key_words = Judged(), None
    if isinstance(asked, RsaCrtCore):
        operations = asked.operations(made.key)
        key_words = len(operations.modulus_words)
        _judge_with_theorem(judged, simulator(directory, operations), operations, made, kind)
    else:
        n, e = made.key.modulus, made.key.e
        d = pow(e, -1, (made.key.p - 1) * (made.key.q - 1))
        signatures = {(m, d): s for m, s in made.pairs}
        messages = {(s, 0): m for m, s in made.pairs}
        results = signatures if kind == PRIVATE else messages
        judged.judge(simulator(directory, asked.products(n)), results)
    return {
        "bits": bits,
        "operation": kind,
        "digit": asked.request.digit,
        "lanes": asked.request.lanes,
        "multipliers": asked.design.multipliers,
        "key_words": key_words,
        "signatures": request.amount,
        **asdict(judged),
        "failures": [f"{judged.mismatches} results are wrong"] if judged.mismatches else [],
    }


def _measure_engine(directory: Directory, made: Signed, kind: str) -> Figures:
    """Simulate the core of a row that is on an engine."""
    asked, judged = directory.core(RsaEngineCore), Judged()
    operations = asked.operations(made.key)
    compiled = simulator(directory, operations)
    if kind == ENGINE:
        judged.judge(compiled, {(m, 0): s for m, s in made.pairs})
    else:
        chooser, message = random.Random(SEED), made.pairs[0][0]
        numbers = operations.numbers
        for name in ENGINE_FAULTS:
            # A prime stays odd, and every number as long as it is.
            bit = chooser.randrange(1, numbers[name].bit_length() - 1)
            wrong = numbers | {name: numbers[name] ^ 1 << bit}
            judged.judge(compiled, {(message, 0): 0}, asked.design.words_of(wrong))
    return {
        "bits": asked.design.bits,
        "operation": kind,
        "width": asked.design.width,
        "rowers": asked.design.options.rowers,
        "key_words": len(operations.modulus_words),
        "signatures": len(made.pairs),
        **asdict(judged),
        "failures": [f"{judged.mismatches} results are wrong"] if judged.mismatches else [],
    }


def _specification(bits: int, kind: str) -> dict[str, Any]:
    """Make the specification of a row's core."""
    if kind in {ENGINE, FAULTY_ENGINE}:
        own = ON_ENGINES[bits][1]
        return {"algorithm": "rsa-crt", "unit": "rns-montgomery", "bits": bits, **own}
    _, with_theorem, without = SIZES[bits]
    if kind in {CRT, FAULTY}:
        return {"algorithm": "rsa-crt", "bits": bits, **with_theorem}
    exponent = {"exponent": EXPONENT} if kind == PUBLIC else {}
    return {"algorithm": "modexp", "bits": bits, **without, **exponent}


def _judge_with_theorem(
    judged: Judged, made: WordSimulator, operations: RsaOperations, keys: Signed, kind: str
) -> None:
    """Run signatures, or one with each faulty key."""
    if kind == CRT:
        judged.judge(made, {(m, 0): s for m, s in keys.pairs})
        return
    chooser, message = random.Random(SEED), keys.pairs[0][0]
    for name in FAULTS[keys.key.modulus.bit_length()]:
        judged.judge(made, {(message, 0): 0}, faulty(operations, name, chooser))


def signed(bits: int, count: int) -> Signed:
    """Have OpenSSL make a key, and signatures of as many texts."""
    private = openssl.generate_private_key(EXPONENT, bits)
    numbers = private.private_numbers()
    key = RsaKey(numbers.p, numbers.q, EXPONENT)
    pairs = []
    for index in range(count):
        text = f"message {index}".encode()
        signature = private.sign(text, padding.PKCS1v15(), hashes.SHA256())
        number = int.from_bytes(signature, "big")
        # Verification by OpenSSL raises an exception if the signature is wrong.
        private.public_key().verify(signature, text, padding.PKCS1v15(), hashes.SHA256())
        pairs.append((pow(number, EXPONENT, key.modulus), number))
    return Signed(key, tuple(pairs))


def simulator(directory: Directory, products: DigitProducts | RsaEngineOperations) -> WordSimulator:
    """Compile the core of a directory, with the modulus or key of these products."""
    return build_word_simulator(
        products,
        directory.sources(),
        top=directory.name,
        modulus=products.modulus_words,
    )


def faulty(operations: RsaOperations, name: str, chooser: random.Random) -> list[int]:
    """Flip a bit in one of the numbers of a key; its words."""
    words, design = list(operations.modulus_words), operations.rsa
    span = design.spans[name]
    number = sum(design.load_lengths[:3]) + span.base
    # Not in bits that are always 0.
    words[number + chooser.randrange(span.count - 1)] ^= 1 << chooser.randrange(design.width)
    return words


def _size(row: Row) -> str:
    """Digits and lanes, or bits of a modulus and rowers."""
    if "digit" in row.figures:
        return f"{row['digit']}, {row['lanes']}"
    return f"w = {row['width']}, {row['rowers']} rowers"


def _amount(operation: Operation) -> int:
    """Signatures of a row."""
    if operation.kind == FAULTY_ENGINE:
        return 1
    return (ON_ENGINES if operation.kind == ENGINE else SIZES)[operation.bits][0]


TABLE = RowTable(
    {
        "Bits": lambda row: row["bits"],
        "Operation": lambda row: row["operation"],
        "k, lanes": _size,
        "Multipliers": lambda row: row.get("multipliers", "–"),
        "Words of a key": lambda row: row["key_words"] or "–",
        "Runs": lambda row: row["runs"],
        "Wrong": mismatches,
        "Cycles": lambda row: f"{row['cycles']:,}",
        "Commit": commit,
    },
    texts=3,
)

CAMPAIGN = Campaign(
    table_page("rsa", "RSA", INTRODUCTION, (TABLE,)),
    {name: _amount(operation) for name, operation in OPERATIONS.items()},
    lambda name: core(_specification(*OPERATIONS[name])),
    measure,
)
