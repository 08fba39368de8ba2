"""The directory of a core: made in one piece, checked when it is opened again elsewhere."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from residua.algorithms.conversion import split_words
from residua.algorithms.terms import Residues
from residua.cores.base_extension import BaseExtensionCore
from residua.cores.base_extension_specification import BaseExtensionSpecification
from residua.cores.coprocessor_specification import CoprocessorSpecification
from residua.cores.digit_coprocessor_specification import DigitCoprocessorSpecification
from residua.cores.digit_directory import digit_description, digit_files
from residua.cores.digit_montgomery import DigitMontgomeryCore
from residua.cores.digit_specification import DigitSpecification
from residua.cores.ecc_build import CurveBuild, curve_build
from residua.cores.ecc_directory import coprocessor_files
from residua.cores.exponentiation import ExponentiationCore
from residua.cores.exponentiation_directory import exponentiation_description, exponentiation_files
from residua.cores.exponentiation_specification import UNIT, ExponentiationSpecification
from residua.cores.extended import ExtendedCore
from residua.cores.extended_directory import extended_description, extended_files
from residua.cores.extended_specification import ExtendedSpecification
from residua.cores.integration import integration_files
from residua.cores.inversion import InversionCore
from residua.cores.inversion_directory import inversion_description, inversion_files
from residua.cores.inversion_specification import InversionSpecification
from residua.cores.manifest import (
    MANIFEST,
    SCHEMA,
    SPECIFICATION,
    begun,
    commented,
    completed,
    ports,
    render,
    to_json,
    version,
)
from residua.cores.rns_montgomery import RnsMontgomeryCore
from residua.cores.rsa_crt import digit_core
from residua.cores.single_base import SingleBaseCore
from residua.cores.single_base_specification import SingleBaseSpecification
from residua.cores.specification import AnySpecification, Interface, Specification, load_any
from residua.cores.specification_keys import DIGIT_ALGORITHMS
from residua.errors import SpecificationError
from residua.hardware.core import WordDesign
from residua.hardware.rtl import PRIMITIVE_FILE, emit
from residua.machines.slots import Word

_ECP5_PRIMITIVES = "rtl/ecp5/primitives.v"

_MEANINGS = {
    "clk": "clock, rising edge",
    "rst": "synchronous reset, active high",
    "enable": "runs may start while it is 1",
    "operands_payload": "one operand word of every rower; rower r in bits (w+1)r to (w+1)r + w",
    "operands_valid": "the payload is a word",
    "operands_ready": "the word is taken in this cycle",
    "result": "one result word of every rower, arranged as the operands",
    "result_valid": "the result is there, in this cycle only",
    "result_word": "which of the result words it is",
}

_WORD_MEANINGS = {
    **_MEANINGS,
    "operands_payload": "one word of X or Y",
    "result_payload": "one word of the result in the low bits, the flag last in the top bit",
    "result_valid": "the payload is a word",
    "result_ready": "the word is taken in this cycle",
}

Kind = Literal[
    "multiplier",
    "extension",
    "sbmm",
    "coprocessor",
    "digit",
    "exponentiation",
    "inversion",
    "ecpm",
]

AnyEngineCore = RnsMontgomeryCore | BaseExtensionCore | SingleBaseCore
"""A core that is one engine with one program."""

AnyEngineSpecification = Specification | BaseExtensionSpecification | SingleBaseSpecification
"""What such a core is made of."""

C = TypeVar("C")

Progress = Callable[[str], None]
"""Called with the name of each step as it begins."""


def check_free(path: Path) -> None:
    """Refuse an output directory that holds anything.

    Raises:
        SpecificationError: it exists and is a file or not empty.
    """
    if path.is_dir():
        if any(path.iterdir()):
            raise SpecificationError(
                f"the output directory {path} exists and is not empty: "
                "name another one or remove it"
            )
    elif path.exists() or path.is_symlink():
        raise SpecificationError(f"the output directory {path} exists and is no directory")


def build(
    specification: AnySpecification,
    path: Path,
    progress: Progress = lambda step: None,
) -> "Directory":
    """Make the directory of a core; either all of it or nothing.

    Args:
        specification: what to build.
        path: a directory that does not exist or is empty.
        progress: called at each step.

    Raises:
        SpecificationError: the directory is not free, or the request cannot be met.
    """
    check_free(path)
    if isinstance(specification, DigitSpecification):
        progress("Verilog")
        files = digit_files(digit_core(specification))
    elif isinstance(specification, ExtendedSpecification):
        progress("Verilog")
        files = extended_files(ExtendedCore(specification))
    elif isinstance(specification, ExponentiationSpecification):
        progress("bases, schedule and microcode")
        files = exponentiation_files(ExponentiationCore(specification))
    elif isinstance(specification, InversionSpecification):
        progress("Verilog")
        files = inversion_files(InversionCore(specification))
    elif isinstance(specification, CoprocessorSpecification | DigitCoprocessorSpecification):
        progress("schedule and microcode")
        files = coprocessor_files(curve_build(specification), progress)
    else:
        progress("bases, schedule and microcode")
        core = _engine_core(specification)
        progress("Verilog")
        files = _files(core)
    progress("files")
    with _complete_or_absent(path) as draft:
        for name, text in files.items():
            target = draft / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
    return Directory(path, json.loads(files[MANIFEST]))


@dataclass(frozen=True)
class Directory:
    """A core's directory whose files are as they were built."""

    path: Path
    manifest: dict[str, Any]

    @classmethod
    def open(cls, path: Path) -> "Directory":
        """The directory at ``path``.

        Raises:
            SpecificationError: ``residua build`` did not write it, or a file was changed since.
        """
        try:
            text = (path / MANIFEST).read_text(encoding="utf-8")
            manifest = json.loads(text)
            schema = manifest["schema"]
        except OSError as error:
            raise SpecificationError(
                f"{path} is not a directory that residua build wrote: cannot read its {MANIFEST} "
                f"({error.strerror})"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise SpecificationError(f"{path / MANIFEST} is not a manifest of Residua") from error
        if schema != SCHEMA:
            raise SpecificationError(
                f"{path / MANIFEST} has schema {schema}, and this version reads {SCHEMA}: "
                "build again"
            )
        for name, expected in manifest["files"].items():
            _check_file(path / name, expected)
        return cls(path, manifest)

    @property
    def name(self) -> str:
        """Name of the core, and of its top module if it has no bus."""
        return str(self.manifest["name"])

    @property
    def interface(self) -> Interface:
        """What goes in and out of the core."""
        return "words" if self.manifest["parameters"].get("interface") == "words" else "residues"

    @property
    def kind(self) -> Kind:
        """What kind of core it is."""
        own: dict[str, Kind] = {"coprocessor": "coprocessor", "ecpm": "ecpm"}
        if self.manifest.get("kind") in own:
            return own[self.manifest["kind"]]
        algorithm = self.manifest["parameters"].get("algorithm")
        if self.manifest["parameters"].get("unit") == UNIT:
            return "exponentiation"
        if algorithm in DIGIT_ALGORITHMS:
            return "digit"
        kinds: dict[str, Kind] = {
            "base-extension": "extension",
            "sbmm": "sbmm",
            "inversion": "inversion",
        }
        return kinds.get(algorithm, "multiplier")

    @property
    def top(self) -> str:
        """Name of the top module; for a coprocessor on a bus, that of core and bus together."""
        return str(self.manifest["top"])

    @cached_property
    def core(self) -> AnyEngineCore:
        """The multiplier or base extension, made again from the specification.

        Raises:
            SpecificationError: this version of Residua makes another core of it.
        """
        return self._again(_engine_core, _description)

    @cached_property
    def digits(self) -> DigitMontgomeryCore:
        """The digit multiplier, made again from the specification.

        Raises:
            SpecificationError: this version of Residua makes another core of it.
        """
        return self._again(digit_core, digit_description)

    @cached_property
    def exponentiator(self) -> ExponentiationCore:
        """The exponentiator on an engine, made again from the specification.

        Raises:
            SpecificationError: this version of Residua makes another core of it.
        """
        return self._again(ExponentiationCore, exponentiation_description)

    @cached_property
    def extended(self) -> ExtendedCore:
        """The extended-RNS point multiplier, made again from the specification.

        Raises:
            SpecificationError: this version of Residua makes another core of it.
        """
        return self._again(ExtendedCore, extended_description)

    @cached_property
    def inverter(self) -> InversionCore:
        """The modular inverter, made again from the specification.

        Raises:
            SpecificationError: this version of Residua makes another core of it.
        """
        return self._again(InversionCore, inversion_description)

    @cached_property
    def coprocessor(self) -> CurveBuild:
        """The coprocessor, made again from the specification.

        Raises:
            SpecificationError: this version of Residua makes another core of it.
        """
        return self._again(curve_build, lambda made: made.description)

    def _again(self, make: Callable[[Any], C], describe: Callable[[C], dict[str, Any]]) -> C:
        """What ``make`` makes of the specification, if its description is that of the manifest."""
        core = make(load_any(self.path / SPECIFICATION, {}))
        self._check_same(describe(core))
        return core

    def _check_same(self, description: dict[str, Any]) -> None:
        for key, value in description.items():
            if json.loads(json.dumps(value)) != self.manifest[key]:
                raise SpecificationError(
                    f"{self.path} was built by Residua {self.manifest['tools']['residua']}, and "
                    f"this version ({version()}) makes a core with other {key} of its "
                    f"{SPECIFICATION}: build again"
                )

    def sources(self, *, ecp5: bool = False, top: str | None = None) -> list[Path]:
        """The Verilog files of one complete design, for any target or for ECP5.

        ``top`` is a module to take instead of the top module: a coprocessor without its bus.
        """
        primitives = _ECP5_PRIMITIVES if ecp5 else PRIMITIVE_FILE
        return [self.path / f"rtl/{top or self.top}.v", self.path / primitives]

    def store(self, name: str, result: dict[str, Any]) -> None:
        """Keep a result as results/<name>.json."""
        target = self.path / "results" / f"{name}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(to_json(result), encoding="utf-8", newline="\n")

    def results(self) -> dict[str, dict[str, Any]]:
        """What was stored, by name, in order."""
        files = sorted((self.path / "results").glob("*.json"))
        return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def summary(manifest: dict[str, Any]) -> dict[str, Any]:
    """What ``build`` reports of a manifest."""
    names = (
        "kind",
        "name",
        "top",
        "configuration",
        "specification",
        "parameters",
        "cycles",
        "utilisation",
        "files",
    )
    return {name: manifest[name] for name in names if name in manifest}


def _engine_core(specification: AnyEngineSpecification) -> AnyEngineCore:
    """The core that a specification of one asks for."""
    if isinstance(specification, SingleBaseSpecification):
        return SingleBaseCore(specification)
    if isinstance(specification, BaseExtensionSpecification):
        return BaseExtensionCore(specification)
    return RnsMontgomeryCore(specification)


def _description(core: AnyEngineCore) -> dict[str, Any]:
    """The part of a manifest that a core determines."""
    return {
        "specification": core.specification.items(),
        "parameters": core.parameters,
        "cycles": core.cycles,
        "utilisation": core.utilisation,
        "ranges": _ranges(core),
        "interface": _interface(core),
    }


def _ranges(core: AnyEngineCore) -> dict[str, list[str]]:
    """Closed intervals, as decimal strings."""
    word = 1 << core.width
    if isinstance(core, BaseExtensionCore | SingleBaseCore):
        ranges = core.ranges
    elif core.words:
        ranges = {
            "x": (0, core.words.largest_x),
            "y": (0, core.words.largest),
            "results": core.result_range,
            "words": (0, word - 1),
            "residues": (-word, word - 1),
        }
    else:
        ranges = {
            "operands": (-core.domain.bound, core.domain.bound),
            "results": core.result_range,
            "words": (-word, word - 1),
        }
    ranges["sums"] = core.design.sum_range
    if core.design.estimate:
        ranges["quotients"] = core.design.quotient_range
    return {name: [str(low), str(high)] for name, (low, high) in ranges.items()}


def _interface(core: AnyEngineCore) -> dict[str, Any]:
    """The words of the interface, in their order."""
    if core.words:
        return _streams(core.words)
    schedule = core.design.schedule
    return {
        "word_bits": core.width + 1,
        "operands": [_word(core, word) for word in schedule.inputs],
        "results": [_word(core, word) for word in schedule.outputs],
    }


def _streams(design: WordDesign) -> dict[str, Any]:
    """The streams of a core with words, and one transaction."""
    modulus = design.domain.modulus
    x, y = modulus // 3, modulus - 2
    product = design.expected(x, y)
    operands = [*_split(design, x), *_split(design, y)]
    return {
        "word_bits": design.width,
        "words": design.words,
        "operands": ["x", "y"],
        "order": "lowest word first",
        "example": {
            "x": str(x),
            "y": str(y),
            "result": str(product),
            "operand_words": operands,
            "result_words": _split(design, product),
        },
    }


def _split(design: WordDesign, number: int) -> list[str]:
    return [str(word) for word in split_words(number, design.words, design.width)]


def _word(core: AnyEngineCore, word: Word) -> dict[str, Any]:
    """A word of the interface: the vector that it belongs to and the channels of its rowers."""
    schedule, rowers = core.design.schedule, core.design.rowers
    first = word.group * rowers
    vector = schedule.values[word.value]
    found: dict[str, Any] = {"vector": vector, "channels": [first, first + rowers - 1]}
    if word in schedule.outputs and core.design.lanes > 1:
        found["vector"], found["beside"] = (value.name for value in schedule.held(word))
    if core.design.narrow:
        vectors = [*core.program.inputs, *core.program.outputs]
        own = next(v for v in vectors if isinstance(v, Residues) and v.name == found["vector"])
        found["extra"] = own.base.narrow and word.group == 0
    return found


def _words(words: list[dict[str, Any]]) -> list[str]:
    return [
        "{vector}[{channels[0]}..{channels[1]}]".format(**word)
        + (f" beside {word['beside']}" if "beside" in word else "")
        + (" and m_gamma" if word.get("extra") else "")
        for word in words
    ]


def _signed_hex(number: int) -> str:
    return f"{number:#x}"


def _files(core: AnyEngineCore) -> dict[str, str]:
    """All files by name, the manifest last."""
    specification, rtl = core.specification.toml(), emit(core.component(), core.name)
    top = f"rtl/{core.name}.v"
    meanings = _WORD_MEANINGS if core.words else _MEANINGS
    manifest: dict[str, Any] = {
        **begun(core.name, core.name, specification),
        **_description(core),
        "ports": ports(rtl[top], core.name, meanings.__getitem__),
    }
    suffix = _suffix(core)
    names = {"domain": core.domain, "words": _words, "signed": _signed_hex}
    rtl[top] = commented(render(f"header{suffix}.txt", manifest, **names)) + rtl[top]
    readme = render(f"README{suffix}.md", manifest, **names)
    files = {SPECIFICATION: specification, "README.md": readme, **rtl}
    files |= integration_files(manifest, _title(core))
    return completed(manifest, files)


def _suffix(core: AnyEngineCore) -> str:
    """What the names of a core's templates end in."""
    if isinstance(core, BaseExtensionCore):
        return "_extension"
    if isinstance(core, SingleBaseCore):
        return "_sbmm"
    return "_words" if core.words else ""


def _title(core: AnyEngineCore) -> str:
    """The core in one line."""
    if isinstance(core, BaseExtensionCore):
        return f"RNS base extension of {core.channels} channels of {core.width} bits"
    if isinstance(core, SingleBaseCore):
        bits = core.parameters["modulus_bits"]
        return f"SBMM multiplier modulo a prime M_a^2 - 2 of {bits} bits"
    return f"RNS Montgomery multiplier modulo {_modulus(core)}"


def _modulus(core: RnsMontgomeryCore) -> str:
    """The modulus in words."""
    name = core.parameters["modulus_name"]
    bits = core.parameters["modulus_bits"]
    return f"the prime of {name}" if name else f"a number of {bits} bits"


def _check_file(path: Path, expected: str) -> None:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SpecificationError(f"cannot read {path}: {error.strerror}; build again") from error
    if hashlib.sha256(content).hexdigest() != expected:
        raise SpecificationError(f"{path} is not as it was built: build again")


@contextmanager
def _complete_or_absent(path: Path) -> Iterator[Path]:
    """A draft beside ``path`` that takes its place at the end, or disappears."""
    made = _make_parents(path.parent)
    draft = None
    try:
        draft = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
        draft.chmod(0o755)
        yield draft
        os.replace(draft, path)  # noqa: PTH105 - over an empty directory, too
    except BaseException as error:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
        for parent in made:
            parent.rmdir()
        if isinstance(error, OSError):
            raise SpecificationError(f"cannot write {path}: {error.strerror}") from error
        raise


def _make_parents(path: Path) -> list[Path]:
    """Make a directory and what is missing above it; what was made, the innermost first."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    try:
        for each in reversed(missing):
            each.mkdir()
    except OSError as error:
        raise SpecificationError(f"cannot make the directory {path}: {error.strerror}") from error
    return missing
