"""`residua primes` and `residua curve` from end to end."""

import json
import sys

import pytest
import sympy

from residua import cli
from residua.cores.specification.reading import load_any
from residua.explore.prime_search import CANDIDATES, PICK


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """The command within this process and an empty directory: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["residua", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        out, err = capsys.readouterr()
        return caught.value.code or 0, out, err

    return call


SMALL = ("--bits", 96, "--width", 12, "--workers", 1)


def test_primes_then_check_then_curve_then_specification(run, tmp_path):
    code, out, _ = run("primes", *SMALL, "--count", 5, "--pick", 1, "-o", "found", "--json")
    found = json.loads(out)
    assert (code, found["count"], found["bits"], found["channels"]) == (0, 5, 96, 8)
    prime = int(found["pick"]["p"], 16)
    assert sympy.isprime(prime)
    lines = (tmp_path / "found" / CANDIDATES).read_text().splitlines()
    assert json.loads(lines[1])["p"] == found["pick"]["p"]
    assert json.loads((tmp_path / "found" / PICK).read_text()) == found["pick"]
    for name, proved in ((CANDIDATES, 0), (PICK, 1)):
        code, out, _ = run("primes", "--check", f"found/{name}", "--json")
        assert (code, json.loads(out)["proved"]) == (0, proved)
    arguments = ("--order", "multiplication", "--cofactor", 8, "-o", "curve.toml", "--json")
    code, out, err = run("curve", "--prime", f"found/{PICK}", *arguments)
    assert code == 0, err
    (curve,) = load_any(tmp_path / "curve.toml", {}).curve
    assert curve.prime == prime
    assert f"{curve.order:#x}" == json.loads(out)["curve"]["order"]


def test_tables_for_people(run):
    code, out, _ = run("primes", *SMALL, "-o", "found")
    assert code == 0
    assert "M_a^2 - 2" in out
    assert "certificate" in out
    code, out, _ = run("primes", *SMALL, "-o", "found", "--pick", 0)
    assert "1 of them from before" in out
    assert "certificate" not in out
    assert "certificate right" in run("primes", "--check", f"found/{PICK}")[1]
    code, out, _ = run("curve", "--prime", "0xffffffffffffffc5", "--order", "none", "-o", "c.toml")
    assert code == 0
    assert "residua build needs it" in out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--bits", 96), "give two of bits, width and channels"),
        ((*SMALL, "--offset", 3), "c + d = 4 is even"),
        ((*SMALL, "--multiplier", 2, "--offset", 2), "is even"),
        (("--width", 8, "--channels", 12), "w = 8 is too small"),
        ((*SMALL, "--gamma", 0), "base b is too narrow for products, then Compress"),
        (("--moduli", "65521,65519,65497", "--workers", 1), "is composite"),
        ((*SMALL, "--pick", 2), "pick = 2: 1 to count = 1"),
        (("--check", "missing.json"), "cannot be read"),
        ((*SMALL, "-o", "file"), "exists and is no directory"),
    ],
)
def test_errors_end_in_one_line(run, tmp_path, arguments, text):
    (tmp_path / "file").write_text("")
    code, out, err = run("primes", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("residua: ")
    assert text in err
    assert err.count("\n") == 1
