"""RSA on simulated cores against OpenSSL: with and without CRT, and with faults.

OpenSSL makes the keys and signs; the cores make the same signatures again. Then keys of which one
bit is wrong are loaded: of the half modulo p, of the half modulo q and of what joins them. Writes
docs/results/rsa.md and .json with the commit; ``--bits`` limits it to some lengths.
"""

import argparse
import json
import random
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from rich.console import Console

from residua.cores.digit.core import DigitMontgomeryCore
from residua.cores.digit.rsa_crt import RsaCrtCore, RsaOperations
from residua.cores.directory import Directory, build
from residua.cores.simulation.words import WordSimulator, build_word_simulator, simulate
from residua.cores.specification.reading import check_any
from residua.numbers.rsa import RsaKey
from residua.papers.tables import source_commit

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
WORK = ROOT / "build" / "rsa_campaign"
EXPONENT = 65537
SEED = 24

CORES: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {
    1024: ({"digit": 34, "lanes": 1}, {"digit": 34, "lanes": 3}),
    2048: ({"digit": 17, "lanes": 8}, {"digit": 34, "lanes": 4}),
    4096: ({"digit": 34, "lanes": 4}, {"digit": 34, "lanes": 8}),
}
"""Keys of the core with the theorem and of the one without, by bits."""

SIGNATURES = {1024: 4, 2048: 2, 4096: 1}
"""By bits; simulations of long keys take long."""

_HALVES = ("d_p", "d_q")
FAULTS = {1024: (*_HALVES, "shift_p", "shift_q", "coefficient", "q"), 2048: _HALVES, 4096: _HALVES}
"""Numbers of the key of which a bit is wrong, by bits."""

INTRODUCTION = """\
OpenSSL makes a key and signs messages (PKCS #1 v1.5, SHA-256). Simulated cores (Verilator) make the
signatures again from the padded messages: with the Chinese remainder theorem (`rsa-crt`), without
it (`modexp`, with d as the exponent), and verify one with the public exponent (`modexp` with
`exponent` = 65537). Then keys of which one bit is wrong are loaded into the core with the theorem;
every word of the result has to be 0. Cycles are the same for all keys, messages and faults.
`make campaign-rsa` writes this page."""


@dataclass(frozen=True)
class Signed:
    """A key of OpenSSL with padded messages and their signatures."""

    key: RsaKey
    pairs: tuple[tuple[int, int], ...]


class Expecting:
    """A design of which these results are expected, in the order of the messages."""

    def __init__(self, design: Any, results: dict[tuple[int, int], int]) -> None:
        self._design, self._results = design, results

    def __getattr__(self, name: str) -> Any:
        return getattr(self._design, name)

    def expected(self, x: int, y: int) -> int:
        """What was given for them."""
        return self._results[x, y]


def signed(bits: int) -> Signed:
    """A new key, and signatures of as many texts."""
    private = rsa.generate_private_key(EXPONENT, bits)
    numbers = private.private_numbers()
    key = RsaKey(numbers.p, numbers.q, EXPONENT)
    pairs = []
    for index in range(SIGNATURES[bits]):
        text = f"message {index}".encode()
        signature = private.sign(text, padding.PKCS1v15(), hashes.SHA256())
        number = int.from_bytes(signature, "big")
        # Verification by OpenSSL raises an exception if the signature is wrong.
        private.public_key().verify(signature, text, padding.PKCS1v15(), hashes.SHA256())
        pairs.append((pow(number, EXPONENT, key.modulus), number))
    return Signed(key, tuple(pairs))


def simulator(directory: Directory, products: Any) -> WordSimulator:
    """The core of a directory with the modulus or key of these products."""
    return build_word_simulator(
        products,
        directory.sources(),
        top=directory.name,
        modulus=products.modulus_words,
    )


def judge(
    made: WordSimulator, results: dict[tuple[int, int], int], words: Sequence[int] | None = None
) -> dict[str, Any]:
    """What a simulation of these operands gives, against these results."""
    loaded = made.modulus if words is None else tuple(words)
    judged = replace(made, design=Expecting(made.design, results), modulus=loaded)
    report = simulate(judged, list(results), SEED, stalls=False)
    wrong = report["mismatches"] + len(results) - report["vectors"]
    return {"runs": len(results), "wrong": wrong, "cycles": report["latency"][1]}


def core(bits: int, algorithm: str, keys: dict[str, Any]) -> Directory:
    """A new directory."""
    path = WORK / f"{algorithm}_{bits}{'_public' if 'exponent' in keys else ''}"
    shutil.rmtree(path, ignore_errors=True)
    return build(check_any({"algorithm": algorithm, "bits": bits, **keys}), path)


def faulty(operations: RsaOperations, name: str, chooser: random.Random) -> list[int]:
    """The words of a key with a wrong bit in one of its numbers."""
    words, design = list(operations.modulus_words), operations.rsa
    span = design.spans[name]
    number = sum(design.load_lengths[:3]) + span.base
    # Not in bits that are always 0.
    words[number + chooser.randrange(span.count - 1)] ^= 1 << chooser.randrange(design.width)
    return words


def measure(bits: int, commit: str) -> dict[str, Any]:
    """All simulations for keys of one length."""
    with_crt, without = CORES[bits]
    made, chooser = signed(bits), random.Random(SEED)
    key, n = made.key, made.key.modulus
    directory = core(bits, "rsa-crt", with_crt)
    operations = directory.core(RsaCrtCore).operations(key)
    crt = simulator(directory, operations)
    signatures = judge(crt, {(m, 0): s for m, s in made.pairs})
    message = made.pairs[0][0]
    faults = {
        name: judge(crt, {(message, 0): 0}, faulty(operations, name, chooser))
        for name in FAULTS[bits]
    }
    plain = core(bits, "modexp", without)
    d = pow(EXPONENT, -1, (key.p - 1) * (key.q - 1))
    unit = plain.core(DigitMontgomeryCore)
    powers = judge(simulator(plain, unit.products(n)), {(m, d): s for m, s in made.pairs})
    public = core(bits, "modexp", {**without, "exponent": EXPONENT})
    products = public.core(DigitMontgomeryCore).products(n)
    verified = judge(simulator(public, products), {(s, 0): m for m, s in made.pairs})
    return {
        "bits": bits,
        "crt": {**with_crt, "multipliers": operations.design.multipliers, **signatures},
        "faults": faults,
        "plain": {**without, "multipliers": unit.design.multipliers, **powers},
        "public": verified,
        "key_words": len(operations.modulus_words),
        "commit": commit,
    }


def markdown(rows: list[dict[str, Any]]) -> str:
    """The page."""
    lines = [
        "# RSA",
        "",
        INTRODUCTION,
        "",
        "| Bits | Operation | k, lanes | Multipliers | Runs | Wrong | Cycles | Commit |",
        "|--:|---|---|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        faults = list(row["faults"].values())
        cycles = {one["cycles"] for one in faults}
        for name, one, shape in (
            ("private, CRT", row["crt"], row["crt"]),
            (
                "private, CRT, with faults",
                {
                    "runs": len(faults),
                    "wrong": sum(one["wrong"] for one in faults),
                    "cycles": max(cycles),
                },
                row["crt"],
            ),
            ("private", row["plain"], row["plain"]),
            ("public", row["public"], row["plain"]),
        ):
            lines.append(
                f"| {row['bits']} | {name} | {shape['digit']}, {shape['lanes']} "
                f"| {shape['multipliers']} | {one['runs']} | {one['wrong']} | {one['cycles']:,} "
                f"| `{row['commit']}` |"
            )
    text = ", ".join(f"{row['key_words']} of {row['bits']} bits" for row in rows)
    return "\n".join(lines) + f"\n\nWords of a key of the core with the theorem: {text}.\n"


def main() -> int:
    """Run the lengths that are asked for; 0 if nothing is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bits", nargs="*", type=int, default=list(CORES), choices=list(CORES))
    options, console = parser.parse_args(), Console()
    path = RESULTS / "rsa.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    found, commit = {row["bits"]: row for row in rows}, source_commit()
    for bits in options.bits:
        found[bits] = measure(bits, commit)
        ordered = [found[bits] for bits in CORES if bits in found]
        path.write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")
        (RESULTS / "rsa.md").write_text(markdown(ordered), encoding="utf-8")
        console.print(f"{bits} bits: {found[bits]}", markup=False)
    parts = [
        part
        for row in found.values()
        for part in (row["crt"], row["plain"], row["public"], *row["faults"].values())
    ]
    return int(any(part["wrong"] for part in parts))


if __name__ == "__main__":
    sys.exit(main())
