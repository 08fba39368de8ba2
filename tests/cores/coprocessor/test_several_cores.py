"""Several cores in one design, and one C program that drives all of its coprocessors.

An engine and a digit coprocessor on AXI, a Montgomery curve on Wishbone, and RSA on plain streams.
"""

import re
import shutil
from pathlib import Path

import pytest
import yaml
from tests.cores.coprocessor.test_ecc_directory import SMALL
from tests.cores.coprocessor.test_shipped import CORE
from tests.cores.generated import MONTGOMERY, RSA
from tests.schedules import quick_schedules
from tests.small_curves import MIDDLE, TINY

from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.program import build_driver_program, run_driver_program
from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any
from residua.curves import affine
from residua.curves.parameters import curve_from_parameters
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.toolchain import verilator
from residua.toolchain.process import run
from residua.toolchain.yosys import gather, run_script

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
CORES = {
    "engine": SMALL,
    "montgomery": {
        "curve": [MONTGOMERY], "algorithm": "iddmm", "bus": "wishbone", "lanes": 2,
        "blinding": 0,
    },
    "digits": CORE | {"bus": "axi"},
    "rsa": RSA,
}  # fmt: skip
COPROCESSORS = ("engine", "montgomery", "digits")
LITTLE, LARGE = map(curve_from_parameters, (MONTGOMERY, MIDDLE))
REGISTERS = RegisterMap(Capabilities(1, 1, range(1, 12)))


@pytest.fixture(scope="module")
def cores(tmp_path_factory):
    """The directories by their part in the design, with default names."""
    folder = tmp_path_factory.mktemp("cores")
    with quick_schedules():
        return {key: build(check_any(values), folder / key) for key, values in CORES.items()}


def system(cores):
    """A module with an instance of every core, whose ports it has after the core's part."""
    ports, instances = ["input wire clk", "input wire rst"], []
    for key, core in cores.items():
        pins = {"clk": "clk", "rst": "rst"}
        for port in core.manifest["ports"]:
            name, top = port["name"], port["width"] - 1
            if name not in pins:
                pins[name] = f"{key}_{name}"
                bits = f"[{top}:0] " if top else ""
                ports.append(f"{port['direction']} wire {bits}{pins[name]}")
        connected = ",\n    ".join(f".{name}({net})" for name, net in pins.items())
        instances.append(f"  {core.top} {key} (\n    {connected}\n  );")
    declared = ",\n  ".join(ports)
    return f"module system (\n  {declared}\n);\n" + "\n".join(instances) + "\nendmodule\n"


@pytest.fixture(scope="module")
def sources(cores, tmp_path_factory):
    top = tmp_path_factory.mktemp("system") / "system.v"
    top.write_text(system(cores))
    # What a core and its bus share is there once.
    return [top, *dict.fromkeys(path for core in cores.values() for path in core.sources())]


def test_no_name_is_there_twice(cores):
    assert len({core.name for core in cores.values()}) == len(cores)
    modules = [
        name
        for core in cores.values()
        for path in core.sources()
        for name in re.findall(r"^module (\w+)", path.read_text(), re.MULTILINE)
    ]
    assert len(modules) > len(cores)
    assert sorted(modules) == sorted({name.lower() for name in modules})


def test_core_files_have_names_of_their_own(cores):
    files = [path for core in cores.values() for path in core.path.glob("*.core")]
    described = [yaml.safe_load(path.read_text()) for path in files]
    assert len({entry["name"] for entry in described}) == len(cores)
    for entry, core in zip(described, cores.values(), strict=True):
        assert entry["name"].split(":")[:3] == ["residua", "cores", core.top]


def test_lint(sources):
    assert verilator.lint(sources, "system") == []


def test_synthesis(cores, sources, tmp_path):
    """Yosys' passes up to the logic of every register; mapping would take minutes."""
    files, listing = gather(sources, tmp_path), tmp_path / "system.txt"
    script = [
        *(f"read_verilog {file}" for file in files),
        "hierarchy -check -top system",
        "proc",
        "opt_expr",
        "opt_clean",
        "check -assert",
        f"tee -q -o {listing.name} stat -width",
    ]
    run_script(script, reads=files, writes=[listing.name], out_dir=tmp_path, name="system")
    found = listing.read_text()
    assert all(core.top in found for core in cores.values())
    assert "$mul" in found


def test_lint_finds_two_modules_of_one_name(cores, tmp_path):
    """The check that the others rely on."""
    core, again = cores["rsa"], tmp_path / "again.v"
    again.write_text(core.sources()[0].read_text())
    assert any("MODDUP" in line for line in verilator.lint([*core.sources(), again], core.top))


def split(numbers, words):
    return [number >> 32 * i & 0xFFFFFFFF for number in numbers for i in range(words)]


def program(cores):
    """What is done at the same time: the header of the simulation, and what has to come out."""
    curves = {"montgomery": LITTLE, "digits": LARGE}
    control = REGISTERS["CONTROL"].fields
    right, lines = {}, ['#include "Vsystem.h"', "using Top = Vsystem;"]
    example = cores["engine"].manifest["example"]
    for key in COPROCESSORS:
        words = cores[key].manifest["interface"]["words"]
        if key == "engine":
            operation = example["operation"].lower()
            operands = [int(word, 16) for word in example["operand_words"]]
            right[key] = [int(word, 16) for word in example["result_words"]]
        else:
            prime, operation = curves[key].prime, "field_multiply"
            a, b = prime - 5, prime // 3
            operands, right[key] = split([a, b], words), split([a * b % prime], words)
        start = control["start"].place(1) | control["operation"].place(
            REGISTERS.operations[operation]
        )
        lines += macros(key, start=f"{start}u", operands=braced(operands), words=len(right[key]))
    example = cores["rsa"].manifest["interface"]["example"]
    right["rsa"] = [int(word) for word in example["result_words"]]
    right["rsa"][-1] |= 1 << cores["rsa"].manifest["interface"]["word_bits"]
    operands, key_words = (map(int, example[name]) for name in ("operand_words", "modulus_words"))
    lines += macros(
        "rsa", operands=braced(operands), key=braced(key_words), words=len(right["rsa"])
    )
    fields = REGISTERS["STATUS"].fields
    bits = ("busy", "operand_ready", "random_ready", "result_valid")
    lines += [f"#define {name.upper()} {fields[name].mask}u" for name in bits]
    names = ("STATUS", "CONTROL", "OPERAND", "RANDOM", "RESULT")
    lines += [f"#define {name} {REGISTERS[name].address}u" for name in names]
    return "\n".join(lines), right


def macros(core, **values):
    return [f"#define {core.upper()}_{name.upper()} {value}" for name, value in values.items()]


def braced(words):
    return f"std::deque<std::uint32_t>{{{', '.join(f'{word}u' for word in words)}}}"


def test_simulation_of_all_at_the_same_time(cores, sources, tmp_path):
    header, right = program(cores)
    harness = tmp_path / "several_cores.cpp"
    harness.write_text(f"#include <deque>\n{header}\n{(HERE / harness.name).read_text()}")
    simulator = verilator.build(sources, "system", harness)
    text = run([simulator], tool="simulation", cwd=tmp_path, log=tmp_path / "log", timeout=600)
    found = {
        line.split()[0]: [int(word, 16) for word in line.split()[1:]] for line in text.splitlines()
    }
    assert found == right


def write_program(cores, folder):
    """The C program and its header, which says how the cores are called."""
    folder.mkdir(exist_ok=True)
    lines = [f'#include "{cores[key].name}_simulated.h"' for key in COPROCESSORS]
    lines += [f"#define {key.upper()}(name) {cores[key].name}_##name" for key in COPROCESSORS]
    lines.append(f"#define MONTGOMERY_CURVE {cores['montgomery'].name.upper()}_CURVE_LITTLE")
    (folder / "cores.h").write_text("\n".join(lines) + "\n")
    return HERE / "several_cores.c"


def test_one_program_drives_all_coprocessors(cores, tmp_path):
    main = write_program(cores, tmp_path / "work")
    directories = [cores[key] for key in COPROCESSORS]
    made = build_driver_program(directories, main, tmp_path / "work")
    found = dict(line.split() for line in run_driver_program(made, timeout=600).splitlines())
    tiny = curve_from_parameters(TINY)
    point = affine.multiply(tiny, 0x3039, tiny.base_point)
    assert found["engine"] == "04" + "".join(f"{part:04x}" for part in point)
    public = affine.multiply(LARGE, int("42" * 5, 16), LARGE.base_point)
    assert found["digits"] == "04" + "".join(f"{part:010x}" for part in public)
    k = DriverCurve.of(LITTLE).clamped(int("55" * 3, 16))
    u = affine.multiply_x(LITTLE, k, LITTLE.x)
    assert found["montgomery"] == u.to_bytes(3, "little").hex()


def test_programs_that_are_refused(cores, tmp_path):
    digits, main = cores["digits"], HERE / "several_cores.c"
    with pytest.raises(SpecificationError, match="two cores of one name"):
        build_driver_program([digits, digits], main, tmp_path)
    path = shutil.copytree(cores["engine"].path, tmp_path / "other")
    other = Directory(path, cores["engine"].manifest)
    library = path / "driver" / "residua_ecc.h"
    library.write_text(library.read_text() + "\n")
    with pytest.raises(SpecificationError, match="one version of Residua"):
        build_driver_program([digits, other], main, tmp_path / "work")
    with pytest.raises(SpecificationError, match="no coprocessor on a bus"):
        build_driver_program([Directory.open(cores["rsa"].path)], HERE / "x.c", tmp_path / "work")
