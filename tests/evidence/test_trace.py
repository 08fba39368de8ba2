"""Recordings of operations, and the names of what happens in each cycle."""

import re

import numpy as np
import pytest
from tests.cores.generated import MONTGOMERY
from tests.evidence.attacks.attacked import BARE
from tests.schedules import quick_schedules

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.curves import affine
from residua.curves.operations import codes
from residua.errors import SpecificationError
from residua.evidence.small_curves import TINY
from residua.evidence.traces import names
from residua.evidence.traces.recording import Recording, operands_of, record
from residua.evidence.traces.runs import Operation

CORES = {
    "engine": {"curve": [TINY, MONTGOMERY], "bus": "stream", "blinding": 0}
    | {"protections": ["exit-check", "scalar-check", "status"]},
    "digits": BARE | {"algorithm": "iddmm"},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traced")
    with quick_schedules():
        yield {name: build(check_any(keys), folder / name) for name, keys in CORES.items()}


OPERATION = {"operation": "name", "operands": "operands", "curve": "curve", "seed": "seed"}


def asked(**keys):
    """A recording; some of the keys are those of its operation."""
    own = {OPERATION[key]: keys.pop(key) for key in [*keys] if key in OPERATION}
    return Recording(Operation(**own), **keys)


def recorded(directory, tmp_path, **keys):
    """The arrays of a recording, and what is told of it."""
    file = tmp_path / "run.npz"
    told = record(directory, asked(**keys), arrays=file)
    with np.load(file) as found:
        return dict(found), told


def register(found, name):
    """What a register of at most 32 bits holds in each cycle."""
    (index,) = np.flatnonzero(found["registers"] == name)
    place, width = int(found["places"][index]), int(found["widths"][index])
    word, bit = divmod(place, 32)
    wide = found["states"][:, word].astype(np.uint64)
    if bit + width > 32:
        wide |= found["states"][:, word + 1].astype(np.uint64) << np.uint64(32)
    return wide >> np.uint64(bit) & np.uint64((1 << width) - 1)


def test_names_are_those_of_the_hardware(made, tmp_path):
    """A slot is there just while the sequencer is busy, whose counters go along with it."""
    found, told = recorded(made["engine"], tmp_path)
    busy = register(found, "processor.sequencer.busy")
    assert told["status"] == "OK"
    assert len(busy) == told["cycles"]
    assert ((found["slot"] >= 0) == busy).all()
    rounds = register(found, "processor.sequencer.rounds")
    ladder = found["program"] == list(found["programs"]).index("ladder_step")
    steps = ladder & (found["slot"] >= 0)
    served = made["engine"].made.core.design.scalars.rounds[0]
    assert (rounds[steps] == served - 1 - found["round"][steps]).all()
    assert set(found["round"][steps]) == set(range(served))


def test_every_cycle_has_a_name_and_every_slot_of_a_ladder_a_step(made, tmp_path):
    found, _ = recorded(made["engine"], tmp_path)
    assert (found["program"][:-1] > 0).all()
    ladder = found["program"] == list(found["programs"]).index("ladder_step")
    named = found["step"][ladder & (found["slot"] >= 0)] > 0
    assert named.mean() > 0.5
    assert {"read scalar", "on_curve", "ladder_step", "receive", "end"} <= set(found["programs"])


def test_an_operation_that_is_refused_has_names_up_to_there(made, tmp_path):
    found, told = recorded(made["engine"], tmp_path, operands=(3, 1, 2))
    assert (told["status"], told["results"]) == ("NOT_ON_CURVE", [])
    busy = register(found, "processor.sequencer.busy")
    assert ((found["slot"] >= 0) == busy).all()
    assert "ladder_step" not in found["programs"]


@pytest.mark.parametrize(
    ("name", "keys", "results"),
    [
        ("engine", {"operation": "field_multiply", "operands": (3, 5)}, [15]),
        ("engine", {"operation": "ORDER_INVERT", "operands": (1,), "curve": 1}, [1]),
        ("digits", {"operation": "FIELD_MULTIPLY", "operands": (3, 5)}, [15]),
    ],
)
def test_any_operation(made, tmp_path, name, keys, results):
    _, told = recorded(made[name], tmp_path, **keys)
    assert [int(number, 16) for number in told["results"]] == results


def test_digits_have_programs_alone(made, tmp_path):
    found, told = recorded(made["digits"], tmp_path)
    assert told["status"] == "OK"
    assert (found["slot"] == -1).all()
    assert {"window_start", "ladder_step", "end"} & set(found["programs"])


def test_what_goes_where_its_operands_say_has_no_names(made, tmp_path, monkeypatch):
    """As verification does; here it is said of an operation that all cores have."""
    monkeypatch.setattr(names, "PUBLIC_OPERATIONS", {codes.Operation.VALIDATE})
    found, told = recorded(made["engine"], tmp_path, operation="VALIDATE", operands=(1, 1))
    assert told["status"] == "OK"
    assert not found["program"].any()


def test_changes_are_those_of_the_states(made, tmp_path):
    found, told = recorded(made["engine"], tmp_path, cycles=(100, 300), where="processor.*")
    assert told["span"] == [100, 300]
    assert list(found["cycle"]) == list(range(100, 300))
    values = {name: register(found, name) for name, width in zip(
        found["registers"], found["widths"], strict=True
    ) if width <= 32}  # fmt: skip
    module = "processor.sequencer"
    own = [name for name in values if name.rpartition(".")[0] == module]
    wide = [
        name
        for name, width in zip(found["registers"], found["widths"], strict=True)
        if width > 32 and name.rpartition(".")[0] == module
    ]
    if not wide:
        total = sum(np.bitwise_count(values[name][1:] ^ values[name][:-1]) for name in own)
        line = found["changes"][list(found["modules"]).index(module)]
        assert (line[1:] == total).all()
    assert found["changes"].sum() > 0


def test_a_part_is_that_of_the_whole(made, tmp_path):
    whole, _ = recorded(made["engine"], tmp_path)
    part, _ = recorded(made["engine"], tmp_path, cycles=(500, 900))
    for name in ("states", "program", "slot", "round", "step"):
        assert (part[name] == whole[name][500:900]).all()


def test_a_waveform_has_the_states(made, tmp_path):
    """Read again: the values in some cycles, and names as texts."""
    file, looks = tmp_path / "run.vcd", (1, 1999, 2000, 2400)
    found, _ = recorded(made["engine"], tmp_path, cycles=(0, 2500))
    record(made["engine"], Recording(cycles=(0, 2500)), vcd=file)
    seen = read_waveform(file.read_text(), looks)
    busy = register(found, "processor.sequencer.busy")
    for at in looks:
        assert int(seen[at]["processor.sequencer.busy"]) == busy[at]
        assert int(seen[at]["names.cycle"], 2) == at
        program = str(found["programs"][found["program"][at]]).replace(" ", "_")
        assert seen[at]["names.program"] == program


def read_waveform(text, looks):
    """What variables are in some cycles, by their names with scopes."""
    head, _, body = text.partition("$enddefinitions $end")
    known, scope = {}, []
    for line in head.splitlines():
        if opens := re.match(r"\$scope module (\S+) \$end", line.strip()):
            scope.append(opens[1])
        elif line.strip().startswith("$upscope"):
            scope.pop()
        elif variable := re.match(r"\$var \w+ \d+ (\S+) (.+?) \$end", line.strip()):
            known[variable[1]] = ".".join([*scope, variable[2].split()[0]])
    values, cycle, seen = {}, 0, {}
    for line in body.splitlines():
        if re.fullmatch(r"#\d+", line):
            seen[cycle] = dict(values) if cycle in looks else None
            cycle = int(line[1:])
        elif found := re.fullmatch(r"[bs](\S+) (\S+)", line):
            values[known[found[2]]] = found[1]
        elif line[1:] in known:
            values[known[line[1:]]] = line[0]
    return seen


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"curve": 2}, "curve = 2: the core has 0 .tiny., 1 .little."),
        ({"operation": "FLY"}, "tiny has no operation 'FLY': one of .*POINT_MULTIPLY"),
        ({"operands": (1,)}, "POINT_MULTIPLY takes 3 operands, k, x, y, not 1"),
        ({"operation": "FIELD_INVERT"}, "FIELD_INVERT takes a: give its operands"),
        ({"operands": (1, 1 << 32, 1)}, "4294967296 does not fit 1 words of 32 bits"),
        ({"operands": (1, -1, 1)}, "-1 does not fit"),
        ({"cycles": (7, 7)}, "no cycle from 7 to before 7"),
        ({"cycles": (0, 999_999)}, "cycles 0 to 999999: the operation has"),
        ({"where": "nothing*"}, "no register has a name like 'nothing.'"),
    ],
)
def test_what_cannot_be_is_refused(made, tmp_path, keys, message):
    file = tmp_path / "run.npz"
    with pytest.raises(SpecificationError, match=message):
        record(made["engine"], asked(**keys), arrays=file)
    assert not list(tmp_path.iterdir())


def test_files_are_refused_before_anything_runs(made, tmp_path):
    with pytest.raises(SpecificationError, match="give --vcd FILE, --arrays FILE, or both"):
        record(made["engine"], Recording())
    with pytest.raises(SpecificationError, match=r"cannot write .*: No such file"):
        record(made["engine"], Recording(), vcd=tmp_path / "nowhere" / "run.vcd")


def test_a_file_is_no_directory_and_takes_one_thing(made, tmp_path):
    with pytest.raises(SpecificationError, match="it is a directory"):
        record(made["engine"], Recording(), vcd=tmp_path)
    file = tmp_path / "run"
    with pytest.raises(SpecificationError, match="cannot take both: name two files"):
        record(made["engine"], Recording(), vcd=file, arrays=file)
    assert not list(tmp_path.iterdir())


def test_operands_are_numbers():
    assert operands_of(["12", "0x1f"]) == (12, 31)
    assert operands_of(None) is None
    with pytest.raises(SpecificationError, match="operand 'ten': give a decimal number"):
        operands_of(["1", "ten"])


def test_the_results_are_those_of_plain_integers(made, tmp_path):
    curve = made["engine"].made.core.curves[0]
    _, told = recorded(made["engine"], tmp_path, operands=(5, curve.x, curve.y))
    point = affine.multiply(curve, 5, curve.base_point)
    assert [int(number, 16) for number in told["results"]] == list(point)
