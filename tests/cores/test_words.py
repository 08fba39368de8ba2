"""Cores with binary words: their directory and their verification."""

import json
import random
import re

import pytest

from residua import cli
from residua.cores.directory import Directory, build
from residua.cores.drawing import gantt
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.simulation.runs import MOST_RESETS, Runs
from residua.cores.simulation.words import (
    build_word_simulator,
    edge_pairs,
    random_pairs,
    verify_words,
)
from residua.cores.specification.reading import check, load
from residua.errors import SpecificationError
from residua.hardware.converters import residue_to_binary
from residua.hardware.delay import delayed
from residua.report import page

P64 = 2**64 - 59
WORDS = {"modulus": P64, "width": 17, "channels": 4, "interface": "words"}


def contents(path):
    return {
        str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()
    }


@pytest.fixture(scope="module", params=["montgomery", "plain"])
def built(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "core"
    return build(
        check(
            RnsMontgomerySpecification, {**WORDS, "result": request.param, "output_multipliers": 2}
        ),
        path,
    )


@pytest.fixture(scope="module")
def simulator(built):
    return build_word_simulator(
        built.made.words,
        built.sources(),
        top=built.name,
    )


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return build(
        check(RnsMontgomerySpecification, {**WORDS, "result": "plain"}),
        tmp_path_factory.mktemp("plain") / "core",
    )


def test_spec_can_be_fed_back(plain, tmp_path):
    again = build(
        load(RnsMontgomerySpecification, plain.path / "spec.toml", {}), tmp_path / "again"
    )
    assert contents(again.path) == contents(plain.path)
    assert Directory.open(plain.path).made.parameters == plain.manifest["parameters"]


def test_defaults_are_written_down():
    resolved = RnsMontgomeryCore(check(RnsMontgomerySpecification, WORDS)).specification.items()
    assert (resolved["result"], resolved["output_multipliers"]) == ("montgomery", 1)
    assert resolved["name"].startswith("rns_montgomery_4x17_words_")


def test_residues_have_no_keys_of_words():
    core = RnsMontgomeryCore(
        check(RnsMontgomerySpecification, {"modulus": P64, "interface": "residues"})
    )
    items = core.specification.items()
    assert not {"interface", "result", "output_multipliers"} & {*items, *core.parameters}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"result": "plain"},
            (
                "result = 'plain': a core with interface = 'residues' has no binary result; "
                "give interface = 'words' too"
            ),
        ),
        (
            {"output_multipliers": 2, "interface": "residues"},
            (
                "output_multipliers = 2: a core with interface = 'residues' has no binary result; "
                "give interface = 'words' too"
            ),
        ),
        (
            {"interface": "bytes"},
            (
                "interface = 'bytes': expected one of residues, words (inputs and outputs: the "
                "residues of all channels in parallel, or streams of binary words of w bits, the "
                "lowest word first)"
            ),
        ),
        (
            {"interface": "words", "output_multipliers": 0},
            (
                "output_multipliers = 0: expected 1 to n (multipliers that turn the residues of a "
                "result into words: more of them, a shorter interval; needs interface words, or "
                "exponent loaded)"
            ),
        ),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError) as caught:
        check(RnsMontgomerySpecification, {"modulus": P64, **values})
    assert str(caught.value) == message


def test_more_multipliers_than_channels_are_refused(tmp_path):
    with pytest.raises(SpecificationError, match=r"^output_multipliers = 5: n = 4 channels"):
        build(
            check(RnsMontgomerySpecification, {**WORDS, "output_multipliers": 5}), tmp_path / "core"
        )
    assert list(tmp_path.iterdir()) == []


def test_manifest_describes_the_streams(built):
    manifest = built.manifest
    assert built.manifest["parameters"]["interface"] == "words"
    widths = {port["name"]: port["width"] for port in manifest["ports"]}
    assert (widths["operands_payload"], widths["result_payload"]) == (17, 18)
    interface, words = manifest["interface"], built.made.words
    assert (interface["words"], interface["word_bits"]) == (4, 17)
    example = {name: int(interface["example"][name]) for name in ("x", "y", "result")}
    assert words.expected(example["x"], example["y"]) == example["result"]
    taken = [int(word) for word in interface["example"]["operand_words"]]
    assert sum(w << 17 * i for i, w in enumerate(taken)) == example["x"] + (example["y"] << 68)
    cycles = manifest["cycles"]
    assert (cycles["latency"], cycles["interval"]) == (words.latency, words.interval)
    assert cycles["latency"] == 1 + cycles["engine_latency"] + cycles["conversion_latency"]
    assert cycles["residues_latency"] < cycles["engine_latency"]
    assert manifest["ranges"]["results"] == ["0", str(P64 - 1)]
    readme = (built.path / "README.md").read_text()
    assert hex(example["result"]) in readme
    assert f"| {cycles['latency']} |" in readme


def test_expected_result_is_the_plain_product(plain):
    assert plain.made.words.expected(P64 - 1, P64 - 2) == 2


@pytest.mark.parametrize("stalls", [False, True])
def test_core_is_right(built, simulator, stalls):
    told = []
    runs = Runs(3000, 5, stalls, progress=lambda done, total: told.append((done, total)))
    found = verify_words(simulator, runs)
    assert found.failures == ()
    assert (found.vectors, found.mismatches, found.oracle_checks) == (3000, 0, 3000)
    assert found.resets == MOST_RESETS
    assert found.latency == built.manifest["cycles"]["latency"]
    assert found.interval == (None if stalls else built.manifest["cycles"]["interval"])
    assert told[-1] == (3000, 3000)


def test_hierarchical_extensions(tmp_path):
    """Binary words, super-residues and serial results share one engine."""
    rows = {"channels": 6, "extension": "hierarchical", "columns": 3, "schedule": "interval"}
    made = build(check(RnsMontgomerySpecification, {**WORDS, **rows}), tmp_path / "core")
    simulator = build_word_simulator(
        made.made.words,
        made.sources(),
        top=made.name,
    )
    found = verify_words(simulator, Runs(1000, 5, False))
    assert found.failures == ()
    assert (found.vectors, found.mismatches, found.oracle_checks) == (1000, 0, 1000)
    assert found.interval == made.manifest["cycles"]["interval"]


def test_one_run(simulator):
    assert verify_words(simulator, Runs(1, stalls=True)).vectors == 1


def test_wrong_cycles_are_found(built, simulator, monkeypatch):
    monkeypatch.setattr(type(built.made.words), "latency", 1)
    monkeypatch.setattr(type(built.made.words), "wake", 1)
    found = verify_words(simulator, Runs(20, 1, False))
    assert re.fullmatch(r"latency: \d+ cycles measured, 1 computed", found.failures[0])
    assert found.failures[1] == "from a reset to the first word: 0 cycles measured, 1 computed"


def broken_simulator(core, text, path):
    """A simulator of a core with words whose Verilog is another text."""
    broken = path / "core.v"
    broken.write_text(text)
    sources = [broken, *core.sources()[1:]]
    return build_word_simulator(core.made.words, sources, top=core.name)


def test_a_result_that_waits_to_be_taken_is_found(plain, tmp_path):
    """Its first word is offered only when there is room for another one, which is never so."""
    text, count = re.subn(
        r"(assign n\d+ = )n\d+ \| result_ready;", r"\1result_ready;", plain.sources()[0].read_text()
    )
    assert count == 1
    found = verify_words(broken_simulator(plain, text, tmp_path), Runs(400, 1, True, 0))
    assert found.failures[0].endswith("the core stopped")


def test_an_engine_that_runs_ahead_of_its_results_is_found(plain, tmp_path):
    """It starts another product while results that wait have all places: they wait long enough."""
    text, count = re.subn(
        r"(assign enable = )reserved != \d'h\d;", r"\g<1>1'b1;", plain.sources()[0].read_text()
    )
    assert count == 1
    found = verify_words(broken_simulator(plain, text, tmp_path), Runs(400, 1, True, 0))
    assert not found.passed


def test_wrong_result_is_found(plain, tmp_path):
    """One bit of one constant of the conversion to words."""
    text = plain.sources()[0].read_text()
    memories = list(re.finditer(r"(constants_0\w*\[\d+\] = \d+'h)([0-9a-f]+);", text))
    assert memories
    chosen = memories[1]
    digit = "1" if chosen[2][-1] == "0" else "0"
    broken = text[: chosen.end(2) - 1] + digit + text[chosen.end(2) :]
    found = verify_words(broken_simulator(plain, broken, tmp_path), Runs(500, 1, False))
    assert not found.passed
    assert found.mismatches > 0
    assert re.match(r"word \d of the product of x = \d+ and y = \d+: expected", found.failures[0])


def test_a_register_of_state_without_a_reset_is_found(monkeypatch, tmp_path):
    """The marks of words on their way to binary, without a reset."""

    def unreset(m, value, cycles, name, **_):
        return delayed(m, value, cycles, name, data=True)

    monkeypatch.setattr(residue_to_binary, "delayed", unreset)
    keys = {"modulus": 0x1000B, "width": 12, "interface": "words"}
    made = build(check(RnsMontgomerySpecification, keys), tmp_path / "core")
    simulator = build_word_simulator(made.made.words, made.sources(), top=made.name)
    assert not verify_words(simulator, Runs(40, 1, False)).passed


def test_operands_are_within_their_ranges_and_reach_the_edges(built):
    words, chooser = built.made.words, random.Random(1)
    pairs = edge_pairs(words, chooser)
    stream = random_pairs(words, chooser)
    for x, y in [*pairs, *(next(stream) for _ in range(500))]:
        assert 0 <= x <= words.largest_x
        assert 0 <= y <= words.largest
    xs, ys = ({pair[i] for pair in pairs} for i in range(2))
    factor = words.domain.montgomery_factor % P64
    assert {0, 1, P64 - 1, P64, words.largest, factor, 2**17 - 1, 2**63} <= xs & ys
    assert words.largest_x in xs
    results = {words.expected(x, y) for x, y in pairs}
    assert {0, 1, P64 - 1, 2**17, 2**17 - 1, 2**34 + 1} <= results
    assert edge_pairs(words, random.Random(1)) == pairs


def test_report(plain):
    text = page.render(plain)
    assert "X Y modulo P, in [0, P)" in text
    assert "operand word on the bus" in text
    schedule = plain.made.design.schedule
    assert ("binary", "operand word on the bus") in gantt.legend(schedule)
    for placed in schedule.placed:
        bars = gantt.slot_bars(placed)
        cycles = [cycle for bar in bars for cycle in range(bar.start, bar.start + bar.length)]
        assert cycles == list(range(placed.start, placed.last + 1))


def test_command_line(tmp_path, monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["residua", *map(str, arguments), "--json"])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        out, err = capsys.readouterr()
        assert not caught.value.code, err
        return json.loads(out)

    path = tmp_path / "core"
    made = run(
        "build", "--modulus", 0x1000B, "--width", 12, "--interface", "words", "--result", "plain",
        "--output-multipliers", 2, "-o", path,
    )  # fmt: skip
    found = run("verify", path, "--vectors", 1_000)
    assert (found["passed"], found["mismatches"], found["vectors"]) == (True, 0, 1_000)
    assert found["cycles"] == {k: made["cycles"][k] for k in ("latency", "interval")}
    assert run("verify", path, "--vectors", 1_000, "--stalls")["passed"]
    assert run("report", path)["results"] == ["verify", "verify-stalls"]
