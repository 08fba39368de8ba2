"""Searches: the same primes however they are done, files that go on, checks of files, refusals."""

import json
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import pytest
import sympy

from residua.errors import SpecificationError
from residua.explore.chain import Chain
from residua.explore.prime_check import check_file
from residua.explore.prime_pick import pick
from residua.explore.prime_search import CANDIDATES, PICK, find, numbers, request, run
from residua.toolchain import executors
from residua.toolchain.executors import in_order, workers


def search(**changes):
    return request(**{"bits": 128, "width": 16, "seed": 5} | changes)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """90 primes found by this process alone."""
    directory = tmp_path_factory.mktemp("primes")
    return find(search(), 90, directory, processes=1)


def test_primes(reference):
    assert len(set(reference.offsets)) == 90
    for number in (1, 45, 90):
        prime = reference.prime(number)
        assert sympy.isprime(prime.value)
        assert prime.value.bit_length() == 128
    with pytest.raises(SpecificationError, match="pick = 91: 1 to the 90 primes"):
        reference.prime(91)


def test_workers_do_not_change_the_file(reference, tmp_path):
    found = find(search(), 90, tmp_path, processes=3)
    assert found.path.read_bytes() == reference.path.read_bytes()


@pytest.mark.parametrize("kept", [0, 1, 40, 0.5, 0.99])
def test_interrupted_search_goes_on(reference, tmp_path, kept):
    """Whether it ended in a line, between lines, or in the header."""
    whole = reference.path.read_bytes()
    lines = whole.splitlines(keepends=True)
    part = whole[: int(kept * len(whole))] if isinstance(kept, float) else b"".join(lines[:kept])
    (tmp_path / CANDIDATES).write_bytes(part)
    found = find(search(), 90, tmp_path, processes=1)
    assert found.path.read_bytes() == whole
    assert found.offsets == reference.offsets
    assert found.taken_over == max(part.count(b"\n") - 1, 0)


def test_more_primes_are_added_and_fewer_are_read(reference, tmp_path):
    first = find(search(), 30, tmp_path, processes=1)
    assert first.offsets == reference.offsets[:30]
    assert find(search(), 90, tmp_path, processes=1).offsets == reference.offsets
    again = find(search(), 7, tmp_path, processes=1)
    assert (again.offsets, again.taken_over) == (reference.offsets[:7], 7)
    assert again.path.read_bytes() == reference.path.read_bytes()


def test_file_of_another_search_is_kept(reference):
    before = reference.path.read_bytes()
    with pytest.raises(SpecificationError, match="the primes of another search"):
        find(search(seed=6), 1, reference.path.parent, processes=1)
    assert reference.path.read_bytes() == before


@pytest.mark.parametrize("text", ["hello\n", "[]\n", '{"search": 1}\n{"unit": 0}\n'])
def test_other_files_are_kept(tmp_path, text):
    (tmp_path / CANDIDATES).write_text(text)
    with pytest.raises(SpecificationError, match=r"no file of primes|another search"):
        find(search(), 1, tmp_path, processes=1)
    assert (tmp_path / CANDIDATES).read_text() == text


def test_pick(reference, tmp_path):
    """Whether its prime is found now or was there before."""
    texts = []
    for processes in (2, 1):
        table = run(search(), Chain(2), tmp_path, count=9, pick_number=3, processes=processes)
        assert table["pick"]["p"] == f"{reference.prime(3).value:#x}"
        texts.append((tmp_path / PICK).read_bytes())
        (tmp_path / PICK).unlink()
    assert texts[0] == texts[1]
    (tmp_path / PICK).write_bytes(texts[0])
    assert json.loads(texts[0]) == pick(reference.prime(3), Chain(2))
    found = check_file(tmp_path / PICK)
    assert (found["kind"], found["primes"], found["proved"]) == ("pick", 1, 1)


def test_failed_search_writes_no_pick(tmp_path):
    """Though the prime was there, and proved while the search went on."""
    with pytest.raises(SpecificationError, match="gives only 16"):
        run(request(width=16, channels=2), Chain(), tmp_path, count=200, pick_number=1)
    assert [path.name for path in tmp_path.iterdir()] == [CANDIDATES]


def changed(key, value):
    """A change of a pick; keys with points lead down."""

    def change(table):
        *path, last = key.split(".")
        for part in path:
            table = table[int(part)] if part.isdigit() else table[part]
        table[int(last) if last.isdigit() else last] = value(table[last])

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (changed("p", lambda p: f"{int(p, 16) + 2:#x}"), "P is not 1 M_a"),
        (changed("form", lambda _: {"d": 1, "c": 4}), "P is not"),
        (changed("m_b_at_least", lambda p: f"{int(p, 16) << 9:#x}"), "M_b is below"),
        (changed("gamma", lambda _: 0), "M_b is below"),
        (changed("base_a.h", lambda h: [h[0] + 1, *h[1:]]), "is even"),
        (changed("base_a.h", lambda h: [h[0], *h[:-1]]), "share a factor"),
        (changed("base_b.h", lambda h: h[1:]), "3 moduli instead of 4"),
        (changed("base_a.h", lambda h: [257, *h[1:]]), "as large as"),
        (
            changed("certificate.number", lambda p: f"{int(p, 16) + 2:#x}"),
            "the certificate is about",
        ),
        (changed("certificate.steps", lambda steps: steps[:-1]), "leaves"),
        (changed("certificate.steps", lambda _: None), "no certificate"),
        (changed("p", lambda _: None), "is neither"),
    ],
)
def test_changed_picks_are_found(reference, tmp_path, change, text):
    table = pick(reference.prime(1), Chain())
    change(table)
    (tmp_path / PICK).write_text(json.dumps(table))
    with pytest.raises(SpecificationError, match=text):
        check_file(tmp_path / PICK)


def test_base_b_that_shares_a_factor_is_found(reference, tmp_path):
    table = pick(reference.prime(1), Chain())
    table["base_b"]["h"][0] = table["base_a"]["h"][0]
    (tmp_path / PICK).write_text(json.dumps(table))
    with pytest.raises(SpecificationError, match="share"):
        check_file(tmp_path / PICK)


def test_candidates_are_checked(reference, tmp_path):
    calls = []
    found = check_file(reference.path, lambda done, total: calls.append((done, total)))
    assert (found["primes"], found["proved"]) == (90, 0)
    assert calls[-1] == (90, 90)
    header, first, second, *_ = reference.path.read_text().splitlines()
    composite = json.loads(first) | {"h": [1, 3, 5, 7]}
    product = (2**16 - 1) * (2**16 - 3) * (2**16 - 5) * (2**16 - 7)
    composite["p"] = f"{product**2 - 2:#x}"
    assert not sympy.isprime(product**2 - 2)
    for lines, text in (
        ((first, second, first), "line 4: this M_a was there before"),
        ((json.dumps(composite),), "composite|share a factor"),
        ((first.replace("0x", "0x1"),), "line 2: P is not"),
        (("{}",), "neither candidates"),
    ):
        path = tmp_path / "changed.jsonl"
        path.write_text("\n".join((header, *lines)) + "\n")
        with pytest.raises(SpecificationError, match=text):
            check_file(path)


@pytest.mark.parametrize("name", ["missing.json", "text.json", "text.jsonl", "empty.jsonl"])
def test_check_of_something_else(tmp_path, name):
    (tmp_path / "text.json").write_text("text")
    (tmp_path / "text.jsonl").write_text("text\n")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(SpecificationError, match=r"cannot be read|is neither"):
        check_file(tmp_path / name)


@pytest.mark.parametrize(
    ("arguments", "sizes"),
    [
        ({"bits": 512, "width": 32}, (32, 16)),
        ({"bits": 512, "channels": 16}, (32, 16)),
        ({"width": 32, "channels": 16}, (32, 16)),
        ({"bits": 514, "width": 32, "multiplier": 3}, (32, 16)),
        ({"moduli": (65521, 65519, 65449)}, (16, 6)),
        ({"bits": 64, "moduli": (65521, 65519, 65449)}, (16, 4)),
    ],
)
def test_sizes(arguments, sizes):
    found = request(**arguments)
    assert (found.width, found.channels) == sizes


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"bits": 512}, "give two of bits, width and channels"),
        ({"width": 16}, "give two of"),
        ({"bits": 512, "width": 32, "channels": 15}, "n = 15 .* of 512 bits: it has 480 bits"),
        ({"bits": 521, "width": 32}, "it has 512 bits"),
        ({"bits": 512, "width": 32, "multiplier": 3}, "it has 482 bits"),
        ({"bits": 512, "channels": 0}, "w = 0 is no width"),
        ({"bits": 512, "width": -4}, "w = -4 is no width"),
        ({"moduli": (0, 65521)}, "0 is no channel modulus"),
    ],
)
def test_sizes_that_do_not_go_together(arguments, text):
    with pytest.raises(SpecificationError, match=text):
        request(**arguments)


def test_composite_of_given_moduli(tmp_path):
    moduli = (65521, 65519, 65497)
    assert not sympy.isprime((65521 * 65519 * 65497) ** 2 - 2)
    with pytest.raises(SpecificationError, match=r"P = M_a.* of these moduli is composite"):
        find(request(moduli=moduli), 1, tmp_path, processes=1)


@pytest.mark.parametrize(
    ("arguments", "count", "text"),
    [
        ({"width": 16, "channels": 2}, 200, "gives only 16 primes"),
        ({"bits": 64, "moduli": (65521, 65519, 65449)}, 3, "the 3 moduli give only . primes"),
        ({"width": 8, "channels": 4, "largest": 15}, 100, "2000 more choices of 2 moduli"),
    ],
)
def test_exhausted_searches(tmp_path, arguments, count, text):
    with pytest.raises(SpecificationError, match=text):
        find(request(**arguments), count, tmp_path, processes=1)


def test_failed_search_leaves_nothing_behind(tmp_path):
    with pytest.raises(SpecificationError, match="composite"):
        find(request(moduli=(65521, 65519, 65497)), 1, tmp_path / "new", processes=1)
    assert not (tmp_path / "new").exists()
    # What it did find is kept.
    with pytest.raises(SpecificationError, match="gives only 16"):
        find(request(width=16, channels=2), 200, tmp_path / "new", processes=1)
    assert (tmp_path / "new" / CANDIDATES).read_text().count("\n") == 17


def test_count(tmp_path):
    with pytest.raises(SpecificationError, match="at least 1, not 0"):
        find(search(), 0, tmp_path)


def test_numbers():
    assert numbers("0xfff1,65519") == (65521, 65519)
    assert numbers(None) == ()
    with pytest.raises(SpecificationError, match="moduli = '1;2'"):
        numbers("1;2")


def test_too_few_workers():
    with pytest.raises(SpecificationError, match="at least 1 worker"), workers(0):
        pass


def test_cluster_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(SpecificationError, match=r"not installed: pip install 'residua\[cluster\]'"),
        workers(scheduler="tcp://127.0.0.1:1"),
    ):
        pass


def test_cluster_that_does_not_answer(monkeypatch):
    def client(*_, **__):
        raise OSError("timed out")

    module = types.SimpleNamespace(Client=client)
    monkeypatch.setattr(executors, "library", lambda *names: module)
    with (
        pytest.raises(SpecificationError, match="no Dask scheduler answers at x: timed out"),
        workers(scheduler="x"),
    ):
        pass


def test_in_order_of_an_endless_iterator():
    with ThreadPoolExecutor(2) as pool:
        results = in_order(pool, 2, lambda n: n * n, iter(range(10**9)))
        assert [next(results) for _ in range(20)] == [n * n for n in range(20)]
        results.close()
