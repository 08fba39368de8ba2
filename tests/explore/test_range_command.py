"""`residua range` from the command line."""

import json
import sys

import pytest

from residua import cli

PRIME = "0xffffffffffffffffffffffffffffffff7fffffff"


@pytest.fixture
def run(monkeypatch, capsys):
    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["residua", "range", *arguments])
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


def test_published_size_fits(run):
    code, out, _ = run(
        "jacobian-doubling", "--modulus", PRIME, "--width", "33", "--channels", "20", "--json"
    )
    found = json.loads(out)
    cheapest = found["placements"][found["cheapest"]]
    assert code == 0
    assert (cheapest["reductions"], cheapest["bits"], found["available"]) == (5, 643, 660)


def test_formula_of_ones_own(run, tmp_path):
    path = tmp_path / "norm.txt"
    path.write_text("N = X^2 - c*Y^2\nreturn N\n")
    code, out, _ = run(str(path), "--modulus", "P-192", "--set", "c=-3")
    assert code == 0
    assert "386" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["jacobian-doubling", "--modulus", PRIME, "--bits", "300"], "23 bits too narrow"),
        (["jacobian", "--modulus", PRIME], "no formula 'jacobian': give jacobian-addition"),
        (["jacobian-doubling", "--modulus", "64"], "too small"),
        (["jacobian-doubling", "--modulus", PRIME, "--set", "a"], "'a' fixes no input"),
        (["jacobian-doubling", "--modulus", PRIME, "--width", "3"], "give both or neither"),
        (["jacobian-doubling", "--modulus", PRIME, "--reduce", "Q"], "no value 'Q' to reduce"),
        (["jacobian-doubling", "--modulus", PRIME, "--most", "-1"], "'--most': Input should be"),
    ],
)
def test_bad_requests(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err
