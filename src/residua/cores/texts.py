"""The files that take a core into a design, read back: do they name what is there?"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from residua.cores.manifest import modules
from residua.hardware.rtl import TARGET_FORMS

_FILE_TYPES = {
    ".v": "verilogSource",
    ".hex": "user",
    ".lpf": "LPF",
    ".xdc": "xdc",
    ".tcl": "tclSource",
}

_LPF = re.compile(
    r'FREQUENCY PORT "(?P<port>\w+)" (?P<mhz>\d+(?:\.\d+)?) MHZ;|BLOCK (?:ASYNCPATHS|RESETPATHS);'
)

_VHDL_PORT = re.compile(
    r"^      (\w+) : (in|out) std_logic(?:_vector\((\d+) downto 0\))?(?:;|\n    \);)$", re.MULTILINE
)

_XDC_COMMANDS = {
    "create_clock", "set", "set_input_delay", "set_output_delay", "set_property", "get_ports",
    "get_runs",
}  # fmt: skip


def verify_texts(directory: Path, manifest: dict[str, Any]) -> list[str]:
    """Check the names in the files for FuseSoC, VHDL and constraints; a line for each wrong one."""
    top = manifest["top"]
    ports = {port["name"]: port["direction"] for port in manifest["ports"]}
    found = [f"{top}.core: {text}" for text in _core_file(directory, manifest)]
    component = f"vhdl/{top}.vhd"
    found += [f"{component}: {one}" for one in _vhdl(_text(directory, component), manifest)]
    for name in sorted((directory / "constraints").iterdir()):
        text = name.read_text(encoding="utf-8")
        told = _lpf(text, ports) if name.suffix == ".lpf" else _tcl(text, ports, top)
        found += [f"constraints/{name.name}: {one}" for one in told]
    return found


def _core_file(directory: Path, manifest: dict[str, Any]) -> Iterator[str]:
    """Faults of the FuseSoC core file."""
    top = manifest["top"]
    head, _, body = (directory / f"{top}.core").read_text(encoding="utf-8").partition("\n")
    if head != "CAPI=2:":
        yield "its first line is not CAPI=2:"
    try:
        core = yaml.safe_load(body)
        filesets, targets = core["filesets"], core["targets"]
        files = {name: dict(_files(one)) for name, one in filesets.items()}
        tops = {name: (one["toplevel"], one["filesets"]) for name, one in targets.items()}
    except (yaml.YAMLError, TypeError, KeyError, AttributeError) as error:
        yield f"it is no core file of FuseSoC: {error}"
        return
    if not re.fullmatch(r"[\w.-]+:[\w.-]+:[\w.-]+:\d[\w.]*", str(core.get("name"))):
        yield f"its name {core.get('name')!r} is no vendor:library:name:version"
    for name, kind in ((n, k) for one in files.values() for n, k in one.items()):
        if not (directory / name).is_file():
            yield f"there is no file {name}"
        if kind != _FILE_TYPES.get(Path(name).suffix):
            yield f"{name} is no file of type {kind}"
    for name, (toplevel, used) in tops.items():
        yield from _target(directory, manifest, f"target {name}", toplevel, used, files)
    if "default" not in targets:
        yield "there is no target default"


def _files(fileset: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The files of a file set with their types."""
    for one in fileset["files"]:
        if isinstance(one, dict):
            ((name, options),) = one.items()
            yield name, options["file_type"]
        else:
            yield one, fileset["file_type"]


def _target(
    directory: Path,
    manifest: dict[str, Any],
    name: str,
    toplevel: str,
    used: list[str],
    files: dict[str, dict[str, str]],
) -> Iterator[str]:
    """Faults of one target: its top, and whether its Verilog is the whole design, once."""
    if missing := [one for one in used if one not in files]:
        yield f"{name} has no file sets {', '.join(missing)}"
        return
    there = [file for one in used for file in files[one]]
    verilog = [file for file in there if file.endswith(".v")]
    if not any(f"module {toplevel} (" in _text(directory, one) for one in verilog) and not any(
        f"module {toplevel};" in _text(directory, one) for one in verilog
    ):
        yield f"{name} has no module {toplevel}"
    for module in modules(manifest):
        if verilog.count(f"rtl/{module}.v") != 1:
            yield f"{name} does not have rtl/{module}.v once"
    if sum(verilog.count(form) for form in TARGET_FORMS) != 1:
        yield f"{name} does not have one of {', '.join(TARGET_FORMS)}"


def _text(directory: Path, name: str) -> str:
    path = directory / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _vhdl(text: str, manifest: dict[str, Any]) -> Iterator[str]:
    """Faults of the component for VHDL: its ports and those of the port map are the core's."""
    top = manifest["top"]
    expected = [(one["name"], one["direction"], one["width"]) for one in manifest["ports"]]
    declared = [
        (name, f"{direction}put", int(highest) + 1 if highest else 1)
        for name, direction, highest in _VHDL_PORT.findall(text)
    ]
    if declared != expected:
        yield "its ports are not those of the core"
    mapped = re.findall(r"^--       (\w+) => (\w+)(?:,|\n--     \);)$", text, re.MULTILINE)
    if mapped != [(name, name) for name, *_ in expected]:
        yield "its port map does not name the core's ports"
    for line in (
        f"--   instance : {top}",
        f"package {top}_component is",
        f"  component {top} is",
        "  end component;",
        "end package;",
    ):
        if text.splitlines().count(line) != 1:
            yield f"it does not have the line '{line}' once"


def _lpf(text: str, ports: dict[str, str]) -> Iterator[str]:
    """Faults of constraints for nextpnr."""
    clocks = []
    for line in filter(None, (line.partition("#")[0].strip() for line in text.splitlines())):
        found = _LPF.fullmatch(line)
        if not found:
            yield f"'{line}' is no constraint"
        elif found["port"]:
            clocks.append(found["port"])
            if ports.get(found["port"]) != "input":
                yield f"'{found['port']}' is no input of the core"
            if not float(found["mhz"]) > 0:
                yield f"{found['mhz']} MHz is no clock"
    if clocks != ["clk"]:
        yield "it does not constrain clk once"


def _tcl(text: str, ports: dict[str, str], top: str) -> Iterator[str]:
    """Faults of constraints or a script for Vivado."""
    for name in re.findall(r"-ref (\w+)", text):
        if name != top:
            yield f"'{name}' is not the top module"
    for line in filter(None, map(str.strip, text.splitlines())):
        if not line.startswith("#"):
            for fault in _tcl_line(line, ports, re.findall(r"^set (\w+) ", text, re.MULTILINE)):
                yield f"{fault} in '{line}'"


def _tcl_line(line: str, ports: dict[str, str], variables: list[str]) -> Iterator[str]:
    """Faults of one command."""
    yield from _unbalanced(line)
    for command in [line.split(maxsplit=1)[0], *re.findall(r"\[(\w*)", line)]:
        if command not in _XDC_COMMANDS:
            yield f"'{command}' is no command of constraints"
    named = re.findall(r"\[get_ports (\w+)\]", line) + re.findall(r"NAME != (\w+)", line)
    yield from (f"'{port}' is no port of the core" for port in named if port not in ports)
    for number in re.findall(r"(?:-period|_delay -clock \w+) (\S+)", line):
        if not re.fullmatch(r"\d+\.\d+", number) or not float(number) > 0:
            yield f"'{number}' is no time"
    used = re.findall(r"\$(\w+)", line)
    yield from (f"${name} is not set" for name in used if name not in variables)


def _unbalanced(line: str) -> Iterator[str]:
    """Brackets and braces of a command that do not match."""
    opened: list[str] = []
    for letter in line:
        if letter in "[{":
            opened.append(letter)
        elif letter in "]}" and (not opened or opened.pop() != {"]": "[", "}": "{"}[letter]):
            yield f"a '{letter}' too many"
    yield from (f"a '{letter}' that is not closed" for letter in opened)
