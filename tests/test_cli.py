import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest
import typer
from matplotlib.figure import Figure
from tests.schedules import quick_schedules
from tests.small_curves import TINY
from typer.core import TyperOption

from residua import cache, cli
from residua.cores import coprocessor, synthesis
from residua.cores import verification as evidence
from residua.cores.directory import Directory
from residua.cores.specification.reading import keys

SMALL = ["--modulus", "0x1000b", "--width", "12"]


def residua(*arguments, cwd=None):
    command = [sys.executable, "-m", "residua", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture
def run(monkeypatch, capsys):
    """The command within this process: exit code, standard output, standard error."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["residua", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        out, err = capsys.readouterr()
        return caught.value.code or 0, out, err

    return call


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "core"
    done = residua("build", *SMALL, "-o", path, "--json")
    assert done.returncode == 0, done.stderr
    return path, json.loads(done.stdout)


def test_version():
    done = residua("--version")
    assert (done.returncode, done.stdout.split()[0]) == (0, "residua")


def test_verbs_load_what_they_need():
    """Half of a short search for primes would be spent on libraries that it does not use."""
    program = "import sys, residua.cli.primes; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "residua.explore.prime_search" in loaded
    assert not loaded & {"sympy", "ortools", "matplotlib", "amaranth", "pydantic", "jinja2"}


def help_and_modules(*words):
    """What the help says, and which modules it needed."""
    program = f"import sys; sys.argv[1:] = {[*words, '--help']}; import atexit, residua.cli as cli;"
    program += "atexit.register(lambda: print('LOADED', *sys.modules)); cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    text, loaded = done.stdout.split("LOADED")
    return text, set(loaded.split())


def test_the_list_of_verbs_loads_none():
    text, loaded = help_and_modules()
    assert not {"pydantic", "numpy", "amaranth", "residua.cli.cores"} & loaded
    for verb, (_, meaning) in cli.VERBS.items():
        assert f" {verb} " in text
        assert meaning.split()[0] in text


@pytest.mark.parametrize("verb", ["build", "verify", "synth", "report", "explore", "pick"])
def test_the_help_of_a_verb_loads_nothing_that_it_runs(verb):
    text, loaded = help_and_modules(verb)
    assert f" {verb} [OPTIONS]" in text
    heavy = {"numpy", "amaranth", "sympy", "ortools", "pyosys", "matplotlib", "optuna", "duckdb"}
    assert not heavy & loaded


def test_every_verb_is_where_it_is_sought(run):
    for verb, (_, meaning) in cli.VERBS.items():
        code, out, _ = run(verb, "--help")
        assert code == 0
        assert f" {verb} " in out
        assert meaning in " ".join(out.split())
    code, _, err = run("buidl")
    assert code == 2
    assert "'build'" in err


def test_help_has_every_key(run):
    code, out, _ = run("build", "--help")
    assert code == 0
    for name in keys():
        assert f"--{name.replace('_', '-')}" in out


def panels(text):
    """The panels of a help, each with the flags in it."""
    found = {}
    for line in text.splitlines():
        if line.startswith("╭─ "):
            flags = found.setdefault(line.strip("╭─╮ "), [])
        elif match := re.match(r"│ [ *]*(--[\w-]+)", line):
            flags.append(match[1])
    return found


def test_help_is_in_panels(run):
    found = panels(run("build", "--help")[1])
    first, *_, last = (name for name in found if name not in {"Arguments", "Options"})
    assert (first, last) == ("Usual", "Seldom wanted")
    assert found["Options"] == ["--output", "--goal", "--force", "--json", "--help"]
    assert {"--modulus", "--curve", "--width"} <= set(found["Usual"])
    assert {"--rowers", "--extension"} <= set(found["For cores on a Cox-Rower engine"])
    assert {"--blinding", "--inversion"} <= set(found["For a coprocessor"])
    assert {"--lanes", "--digit"} <= set(found["For a digit multiplier"])
    flags = [flag for each in found.values() for flag in each]
    assert len(flags) == len(set(flags))


@pytest.mark.parametrize(
    ("words", "panel", "own", "foreign"),
    [
        (["--algorithm", "sbmm"], "For an SBMM multiplier", "--compress", "--digit"),
        (["--algorithm=iddmm"], "For a digit multiplier", "--lanes", "--rowers"),
        (["--curve", "P-256"], "For a coprocessor", "--blinding", "--lanes"),
        (["--algorithm", "inversion"], "For an inverter", "--inversion", "--curve"),
    ],
)
def test_help_of_one_kind_is_in_full(run, words, panel, own, foreign):
    code, out, _ = run("build", *words, "--help")
    assert code == 0
    found = panels(out)
    assert own in found[panel]
    assert foreign not in out
    assert own not in found["Usual"]
    assert out.count("Default:") == len(set(re.findall(r"^│ +(--[\w-]+)", out, re.MULTILINE))) - 4


def completed(words):
    """What a shell would offer for the last word."""
    told = {
        "_RESIDUA_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    program = "import sys; sys.argv = ['residua']; import residua.cli as cli; cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True,
        env=os.environ | told, check=False,
    )  # fmt: skip
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("residua sy", ["synth"]),
        ("residua build --inverter", ["--inverter-rowers"]),
        ("residua build --bus w", ["wishbone"]),
        ("residua build --algorithm mo", ["modexp"]),
    ],
)
def test_the_shell_completes(words, offered):
    assert completed(words) == offered


def test_build_prints_one_object(built):
    path, found = built
    assert {"latency", "interval"} <= set(found["cycles"])
    assert {"n", "w", "base_a", "base_b", "t", "sigma0"} <= set(found["parameters"])
    assert found["parameters"]["w"] == 12
    assert (path / "manifest.json").is_file()


def test_report_stands_in_the_directory(run, built):
    path, _ = built
    code, out, _ = run("report", path, "--json")
    assert code == 0
    assert json.loads(out)["report"] == str(path / "report.html")


@contextmanager
def mapped():
    """In place of a synthesis: what it would find, and whether nothing that is kept would count."""

    def found(*_):
        resources = {"lut": 1234, "ff": 99, "dsp": 2, "bram": 0, "carry": 5}
        anew = bool(cache._anew)
        return {"tool": "yosys", "modules": [], "cells": {}, "resources": resources, "anew": anew}

    # Not by the fixture, after which the core would be made again.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synthesis, "map_directory", found)
        yield


def test_verify_and_synth_add_their_results(run, built):
    path, made = built
    code, out, _ = run("verify", path, "--vectors", 3000, "--json")
    found = json.loads(out)
    assert (code, found["vectors"], found["mismatches"]) == (0, 3000, 0)
    assert found["cycles"]["latency"] == made["cycles"]["latency"]
    code, out, _ = run("synth", path, "--target", "xc7", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["fmax_mhz"] is None
    assert found["resources"]["dsp"] == made["parameters"]["rowers"]
    assert sorted(p.name for p in (path / "results").iterdir()) == ["synth-xc7.json", "verify.json"]
    again = json.loads(run("synth", path, "--target", "xc7", "--json")[1])
    assert (found.pop("kept"), again.pop("kept")) == (False, True)
    assert again == found
    assert "--force" in run("synth", path, "--target", "xc7")[1]
    with mapped():
        forced = json.loads(run("synth", path, "--target", "xc7", "--force", "--json")[1])
    assert (forced["kept"], forced["anew"]) == (False, True)
    assert run("report", path)[0] == 0
    assert "3000" in (path / "report.html").read_text()


def test_failed_verification_is_no_success(run, built, monkeypatch):
    failed = {
        "name": "core", "vectors": 1, "mismatches": 1, "passed": False, "failures": ["run 0"],
        "stalls": True, "cycles": {"latency": 3, "interval": None}, "oracle_checks": 0,
        "resets": 6, "seconds": 1.0, "vectors_per_minute": 60,
    }  # fmt: skip
    monkeypatch.setattr(evidence, "verify_directory", lambda *_args, **_options: failed)
    code, out, _ = run("verify", built[0])
    assert code == 1
    assert "FAILED" in out


def test_failed_verification_of_a_coprocessor_is_no_success(run, built, monkeypatch):
    failed = {
        "kind": "coprocessor", "name": "core", "vectors": 1, "operations": 9, "mismatches": 1,
        "resets": 6, "bus_operations": None,
        "passed": False, "failures": ["POINT_MULTIPLY on P-256"], "stalls": False,
        "constant_time": False, "cycles": {"P-256": {"POINT_MULTIPLY": 5}}, "seconds": 1.0,
    }  # fmt: skip
    monkeypatch.setattr(evidence, "verify_directory", lambda *_args, **_options: failed)
    monkeypatch.setattr(Directory, "kind", coprocessor.KIND)
    code, out, _ = run("verify", built[0])
    assert code == 1
    assert "FAILED" in out
    assert "POINT_MULTIPLY" in out


def test_coprocessor_from_curve_to_report(run, tmp_path):
    with quick_schedules():
        check_all_verbs(run, tmp_path / "core", tmp_path / "asked.toml")


def check_all_verbs(run, path, asked):
    """Build, verify, synthesise, report; what was asked for goes into the file ``asked``.

    What Yosys would say is told: points are made of it and of what the verification counted.
    """
    curve = "".join(f"{key} = {value!r}\n" for key, value in TINY.items())
    asked.write_text(f"[[curve]]\n{curve}")
    bare = ["--bus", "stream", "--blinding", 0, "--protections", "none"]
    arguments = ["--algorithm", "iddmm", "--digit", 7, *bare]
    code, out, err = run("build", asked, *arguments, "-o", path, "--json")
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert (made["kind"], made["parameters"]["digits"], made["top"][:16]) == (
        "coprocessor", 4, "ecc_iddmm_tiny_4"
    )  # fmt: skip
    code, out, _ = run("verify", path, "--vectors", 1, "--resets", 1, "--json")
    found = json.loads(out)
    assert (code, found["mismatches"], found["constant_time"]) == (0, 0, True)
    with mapped():
        code, out, _ = run("synth", path, "--target", "xc7", "--json")
    (point,) = json.loads(out)["points"]
    assert (code, point["operation"]) == (0, "POINT_MULTIPLY")
    assert point["cycles"] == found["cycles"]["tiny"]["POINT_MULTIPLY"]
    assert run("report", path)[0] == 0
    assert "xc7" in (path / "report.html").read_text()


def test_curve_may_be_given_several_times(run, tmp_path):
    code, _, err = run("build", "--curve", "P-256", "--curve", "p256", "-o", tmp_path / "out")
    assert (code, err) == (2, "residua: curve: 'P-256' is there 2 times: give it once\n")


def test_bases_and_cost(run):
    code, out, _ = run("bases", "--modulus", "P-192", "--json")
    assert code == 0
    assert json.loads(out)["parameters"]["n"] == 12
    code, out, _ = run("cost", "--channels", 12, "--json")
    assert code == 0
    counts = {row["name"]: row["emm"] for row in json.loads(out)["algorithms"]}
    assert (counts["product, reordered"], counts["extension, mixed radix"]) == (336, 198)
    assert "2n^2 + 4n" in run("cost")[1]
    assert "base a" in run("bases", "--modulus", "P-192")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--modulus", "65538"],
            (
                "residua: modulus: the modulus 0x10002 is even: Montgomery "
                "multiplication needs an odd modulus\n"
            ),
        ),
        (
            ["--modulus", "4099"],
            ("residua: modulus: the modulus 4099 is too small: it must be at least 2^16 = 65536\n"),
        ),
        (
            ["--modulus", "P-265"],
            (
                "residua: modulus: unknown modulus 'P-265' (did you mean P-256 or "
                "brainpoolP256r1?); a modulus is a name of the catalogue, a decimal "
                "number, 0x and hexadecimal digits, or @ and the name of a file\n"
            ),
        ),
        (
            ["--modulus", "@absent"],
            ("residua: modulus: cannot read the modulus file absent: No such file or directory\n"),
        ),
        (
            ["--curve", "P-265"],
            (
                "residua: curve: unknown curve 'P-265' (did you mean P-256 or brainpoolP256r1?); a "
                "curve is a name of the catalogue, or a table of its parameters with the keys "
                "form, name, prime, a, b, x, y, order, cofactor\n"
            ),
        ),
        (
            ["--curve", "P-256", "--rowers", "16", "--form", "quadratic"],
            "residua: form means nothing for a coprocessor: leave it out\n",
        ),
        (
            ["--width", "17"],
            (
                "residua: modulus or curve is missing: a modulus makes a multiplier, a curve an "
                "elliptic-curve coprocessor; a name such as P-256 serves for both\n"
            ),
        ),
        (
            ["absent.toml"],
            ("residua: cannot read the specification absent.toml: No such file or directory\n"),
        ),
    ],
)
def test_bad_input_is_one_paragraph_and_leaves_nothing(
    run, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    assert run("build", *arguments, "-o", "out") == (2, "", message)
    assert list(tmp_path.iterdir()) == []


def test_too_narrow_width_names_one_that_works(run, tmp_path):
    code, out, err = run("build", "--modulus", "P-192", "--width", 11, "-o", tmp_path / "out")
    assert (code, out) == (2, "")
    assert err.startswith("residua: w = 11 gives only ")
    assert err.endswith("w = 12 works\n")
    assert list(tmp_path.iterdir()) == []


def test_unknown_key_and_flag_offer_the_nearest(run, tmp_path):
    path = tmp_path / "spec.toml"
    path.write_text('modulus = "P-256"\nchanels = 16\n')
    out = tmp_path / "out"
    message = f"residua: {path}: unknown key 'chanels' (did you mean channels or lanes?)\n"
    assert run("build", path, "-o", out) == (2, "", message)
    code, _, err = run("build", "--chanels", 16, "-o", out)
    assert code == 2
    assert "--channels" in err
    assert not out.exists()


def test_existing_output_is_refused_and_kept(run, tmp_path):
    (tmp_path / "mine").write_text("mine")
    code, _, err = run("build", *SMALL, "-o", tmp_path)
    assert code == 2
    assert err == (
        f"residua: the output directory {tmp_path} exists and is not empty: "
        "name another one or remove it\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_core_is_replaced_by_force_alone(run, tmp_path):
    assert run("build", *SMALL, "-o", tmp_path / "core")[0] == 0
    code, _, err = run("build", *SMALL, "--rowers", 1, "-o", tmp_path / "core")
    assert (code, "--force" in err) == (2, True)
    assert run("build", *SMALL, "--rowers", 1, "-o", tmp_path / "core", "--force")[0] == 0
    assert "rowers = 1" in (tmp_path / "core" / "spec.toml").read_text()


@pytest.mark.parametrize("verb", [["verify"], ["synth", "--target", "ecp5"], ["report"]])
def test_verbs_refuse_what_build_did_not_write(run, tmp_path, verb):
    code, _, err = run(*verb, tmp_path)
    assert code == 2
    assert "is not a directory that residua build wrote" in err
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_is_not_placed(run, built, monkeypatch):
    small = replace(synthesis.DEVICES["ecp5"], name="a small one", totals={"lut": 9, "dsp": 1})
    monkeypatch.setattr(synthesis, "DEVICES", {"ecp5": small})
    monkeypatch.setattr(synthesis, "place_in_harness", lambda *_, **__: pytest.fail("placed"))
    path, _ = built
    code, _, err = run("synth", path, "--target", "ecp5")
    assert code == 2
    assert re.search(
        r"does not fit a small one: it takes \d+ look-up tables, of which it has 9; \d+ multi", err
    )
    assert not (path / "results" / "synth-ecp5.json").exists()


def test_unknown_target_and_bad_numbers(run, built):
    path, _ = built
    code, _, err = run("synth", path, "--target", "ice40")
    assert code == 2
    assert err.startswith("residua: target 'ice40' is unknown: one of ecp5, ice40up5k, nexus")
    code, _, err = run("synth", path, "--target", "ecp5", "--seeds", 0)
    assert code == 2
    assert "'--seeds': Input should be greater than or equal to 1" in err


def commands(found):
    """Verbs, and those of verbs that have verbs of their own."""
    for command in found:
        yield command
        yield from commands(getattr(command, "commands", {}).values())


def options(kinds):
    """The options of all verbs that take a value of one of these kinds."""
    group = typer.main.get_command(cli.app)
    for command in commands(group.get_command(None, verb) for verb in cli.VERBS):
        for option in command.params:
            if isinstance(option, TyperOption) and not option.is_flag:
                kind = str(option.type_descriptor.annotation)
                if any(each in kind for each in kinds):
                    yield command, option


def test_every_number_has_a_smallest_value():
    numbers = [(command.name, option) for command, option in options(["int"])]
    assert len(numbers) > 20
    for verb, option in numbers:
        assert option.min is not None, f"{verb} {option.opts}"


@pytest.mark.parametrize("verb", list(cli.VERBS))
def test_no_option_is_the_value_of_another(run, verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    taking = [option for command, option in options([""]) if command.name == verb]
    for option in taking:
        code, out, err = run(verb, option.opts[0], "--json")
        assert (code, out) == (2, "")
        assert option.opts[0] in err
    assert list(tmp_path.iterdir()) == []


def test_a_flag_without_its_value_is_refused_with_the_reason(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("build", "--compress", "--width", 12, "--modulus", "P-256", "-o", "out")
    assert code == 2
    text = " ".join(err.replace("│", " ").split())
    assert "'--compress': it needs a value, and --width is another option" in text
    assert "Values: true, false" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("build", *SMALL),
        ("tables", "hbe", "--no-synthesis"),
        ("primes", "--bits", 96, "--width", 12),
        ("curve", "--prime", 2**61 - 1, "--order", "none"),
    ],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.parametrize("place", ["/proc/none/out", "file/out"])
def test_unwritable_output_is_refused_at_once(run, tmp_path, monkeypatch, arguments, place):
    """Before any work: what works is replaced by what fails."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("residua.cores.specification.reading.load_any", None)
    monkeypatch.setattr("residua.papers.tables.PAPERS", {"hbe": None})
    monkeypatch.setattr("residua.explore.prime_search._new", None)
    monkeypatch.setattr("residua.explore.curve_search._random_curve", None)
    code, out, err = run(*arguments, "-o", place)
    assert (code, out) == (2, "")
    assert f"cannot write {place}: " in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("verb", [["verify"], ["synth", "--target", "xc7"], ["report"]])
def test_directory_that_takes_no_results_is_refused_at_once(run, built, monkeypatch, verb):
    def full(**_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    code, out, err = run(*verb, built[0])
    assert (code, out) == (2, "")
    assert err == f"residua: cannot write {built[0]}: No space left on device\n"


def test_defects_stay_visible(monkeypatch):
    def fail():
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(ZeroDivisionError):
        cli.main()


def test_tables_of_a_paper(run, tmp_path, monkeypatch):
    monkeypatch.setattr(Figure, "savefig", lambda _figure, text, **_: text.write("<svg></svg>"))
    code, out, _ = run("tables", "hbe", "--no-synthesis", "-o", tmp_path / "tables")
    assert code == 0
    for part in ("Table I:", "Table II:", "Table III:", "hbe_figure_6.svg"):
        assert part in out
    assert (tmp_path / "tables" / "hbe.md").read_text().startswith("# Tables and figures of")
    code, out, _ = run("tables", "hbe", "--no-synthesis", "-o", tmp_path / "tables", "--json")
    data = json.loads(out)
    assert data["rows"] == []
    assert {"n": 16, "c": 2, "cmm": 144, "cmr": 128}.items() <= data["costs"][1].items()
    code, _, err = run("tables", "nothing", "-o", tmp_path / "none")
    known = "hbe, sbmm, iddmm, inversion, ecpm"
    assert (code, err) == (2, f"residua: there are no tables of 'nothing': one of {known}\n")
    assert not (tmp_path / "none").exists()


def test_base_extension_alone(run, tmp_path):
    flags = ("--algorithm", "base-extension", "--channels", 4, "--width", 12)
    code, out, _ = run("build", *flags, "--extension", "hierarchical", "-o", tmp_path / "core")
    assert code == 0
    assert "hierarchical, rows of 2, t = " in out
    assert "base_extension_4x12" in out
    code, _, err = run("build", *flags, "--form", "plain", "-o", tmp_path / "other")
    assert (code, err) == (
        2,
        "residua: form means nothing for a base extension: leave it out\n",
    )
