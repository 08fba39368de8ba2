"""What the C driver computes of a key, compared with Python, and the way that it goes."""

import ctypes
import random
import subprocess
from math import gcd
from pathlib import Path

import pytest
from tests.cores.generated import BLINDED_RSA, ENGINE_RSA, PUBLIC_KEYS, RSA

from residua.cores.kinds import core_of
from residua.cores.modular_bus.driver.files import c_driver
from residua.cores.modular_bus.driver.keys import load_words
from residua.cores.specification.reading import check_any
from residua.numbers.rsa import RsaKey, RsaPublicKey
from residua.toolchain.c_compiler import STRICT, compile_library

pytestmark = pytest.mark.usefixtures("quick")

FLAGS = (*STRICT, "-O2", "-fPIC")
UNSUPPORTED = -3
STUB = Path(__file__).with_name("rsa_keys.c")
CORES = {
    "digits": RSA,
    "digits with p' supplied": RSA | {"inverse": "supplied"},
    "wide digits": {"algorithm": "rsa-crt", "bits": 130, "digit": 33},
    "engine": ENGINE_RSA,
    "blinded": BLINDED_RSA,
    "powers on digits": {"algorithm": "modexp", "bits": 90, "digit": 8},
    "powers on an engine": {
        "algorithm": "modexp", "unit": "rns-montgomery", "bits": 40, "width": 17, "window": 1,
    },
    "public": PUBLIC_KEYS,
}  # fmt: skip


def compiled(core, folder, changed=lambda text: text):
    """The loads of the library, for one core, with notes of the way that they go."""
    design = core.commanded
    files = c_driver("core", core.surroundings.registers, design)
    for name, text in files.items():
        (folder / name).write_text(changed(text) if name == "residua_modular_keys.c" else text)
    sources = [path for path in sorted(folder.glob("*.c")) if "access" not in path.name]
    objects = [path.with_suffix(".o") for path in sources]
    for source, made in zip(sources, objects, strict=True):
        words = ["cc", *FLAGS, "-fsanitize-coverage=trace-pc", "-c", source, "-o", made]
        subprocess.run(words, check=True)
    made = compile_library(
        [STUB, *objects], folder / "keys.so", includes=[folder], flags=(*FLAGS, "-shared")
    )
    library = ctypes.CDLL(made)
    description = ctypes.c_char.in_dll(library, "core_core")
    words = design.words * len(design.load)

    def load(*usual):
        size = max(-(-number.bit_length() // 8) for number in usual)
        key = b"".join(number.to_bytes(size) for number in usual)
        numbers, way = ctypes.POINTER(ctypes.c_uint32)(), ctypes.c_uint64()
        code = library.load(
            ctypes.byref(description), ctypes.c_size_t(len(usual)), key, ctypes.c_size_t(size),
            ctypes.byref(numbers), ctypes.byref(way),
        )  # fmt: skip
        return code, numbers[:words], way.value

    return load


def usual(key):
    """The numbers of a key as RFC 8017 has them."""
    if isinstance(key, int):
        return (key,)
    if isinstance(key, RsaPublicKey):
        return key.modulus, key.e
    return key.p, key.q, *key.exponents, key.coefficient


def keys_of(core):
    """Keys of the core, of full length and short ones."""
    draw, bits = random.Random(5), core.request.length
    if core.commanded.operation == "private":
        e = core.design.exponent
        return [RsaKey.generate(length, e, draw) for length in (bits, bits, bits - 1, bits - 4)]
    top, factor = 1 << bits, core.commanded.factor
    starts = (top // 2, top // 3, draw.randrange(top // 2, top // 4 * 3), 1 << 15)
    moduli = [
        next(n for n in range(start | 1, top, 2) if gcd(n, factor or 1) == 1) for start in starts
    ]
    if core.commanded.operation == "power":
        return [*moduli, *([] if factor else [3, 5])]
    return [RsaPublicKey(modulus, e) for modulus, e in zip(moduli, (3, 65537, 17, 5), strict=True)]


@pytest.mark.parametrize("name", ["public", "powers on an engine"])
def test_a_modulus_without_an_inverse(name, tmp_path):
    """It has a factor in common with M_a."""
    core = core_of(check_any(CORES[name] | {"bus": "wishbone"}))
    shared = 3 * next(p for p in range(3, 1 << 17, 2) if core.commanded.factor % p == 0) * 32771
    usual = (shared, 3) if name == "public" else (shared,)
    code, *_ = compiled(core, tmp_path)(*usual)
    assert code == UNSUPPORTED


@pytest.mark.parametrize("name", CORES)
def test_numbers_and_way(name, tmp_path):
    """All keys of one size in bytes take one way through the code."""
    core = core_of(check_any(CORES[name] | {"bus": "wishbone"}))
    load, ways = compiled(core, tmp_path), {}
    for key in keys_of(core):
        code, numbers, way = load(*usual(key))
        assert (code, numbers) == (0, load_words(core, key))
        ways.setdefault(max(n.bit_length() + 7 for n in usual(key)) // 8, set()).add(way)
    assert max(map(len, ways.values())) == 1
    assert max(map(len, ways.values())) < len(keys_of(core))


def test_a_branch_is_seen(tmp_path):
    """A subtraction that is left out where it changes nothing is another way."""
    core = core_of(check_any(RSA | {"bus": "wishbone"}))
    masked = "(void)subtract(a, n, mask_of(carry | (less(a, n, words) ^ 1)), words);"

    def branching(text):
        assert masked in text
        return text.replace(
            masked, "if (carry | (less(a, n, words) ^ 1)) subtract(a, n, ~0u, words);"
        )

    load = compiled(core, tmp_path, branching)
    found = [load(*usual(key)) for key in keys_of(core)[:2]]
    assert [code for code, *_ in found] == [0, 0]
    assert len({way for *_, way in found}) == 2
