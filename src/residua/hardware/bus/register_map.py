"""The register map of a core, read from its SystemRDL description.

The SystemRDL files beside this module are the only place that holds addresses, fields, codes and
their meanings. The hardware, the C header, the register page and the drivers take them from here.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from typing import Any, ClassVar, Literal, Protocol

from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegNode
from systemrdl.rdltypes.builtin_enums import OnWriteType

from residua.errors import SpecificationError
from residua.hardware.bus.limits import MOST_INSTANCES

_INCLUDE = re.compile(r'^`include "(.+)"$', re.MULTILINE)

_SEVERAL = "SEVERAL"
"""Definition by which the description has the parts that only several coprocessors have."""

_OF_SEVERAL = re.compile(
    rf"^`ifdef {_SEVERAL}\n(.*?)(?:^`else\n(.*?))?^`endif\n", re.MULTILINE | re.DOTALL
)
"""Such a part, and what is in its place otherwise."""
FieldKind = Literal["constant", "status", "storage", "pulse", "sticky", "written", "taken"]
"""Kinds of fields in hardware:

* ``constant``: reads as its reset value
* ``status``: reads as what the core reports
* ``storage``: reads as what was written
* ``pulse``: high for one cycle after 1 was written, reads as 0
* ``sticky``: set by the core, cleared by writing 1
* ``written``: handed to the core in the cycle of the access
* ``taken``: handed out by the core in the cycle of the access
"""


@dataclass(frozen=True)
class Field:
    """Bits ``low`` to ``low + width - 1`` of a register; ``codes`` names its values, if any."""

    name: str
    low: int
    width: int
    kind: FieldKind
    reset: int
    description: str
    codes: dict[str, int]
    meanings: dict[str, str]

    @property
    def mask(self) -> int:
        """The field's bits in the register."""
        return ((1 << self.width) - 1) << self.low

    def extract(self, word: int) -> int:
        """The field's value in a word of the register."""
        return (word & self.mask) >> self.low

    def place(self, value: int) -> int:
        """A word of the register with the field at ``value`` and all else 0.

        Raises:
            ValueError: the value does not fit.
        """
        if not 0 <= value < 1 << self.width:
            raise ValueError(f"{self.name} = {value} does not fit {self.width} bits")
        return value << self.low


@dataclass(frozen=True)
class Register:
    """A 32-bit register at the byte address ``address``."""

    name: str
    address: int
    title: str
    description: str
    readable: bool
    writable: bool
    fields: dict[str, Field]

    @property
    def reset(self) -> int:
        """Value of the register after a reset."""
        return sum(field.place(field.reset) for field in self.fields.values())

    @property
    def handed(self) -> bool:
        """Whether an access moves a word to or from the core."""
        return any(field.kind in ("written", "taken") for field in self.fields.values())

    @property
    def refusable(self) -> bool:
        """Whether the core can refuse an access."""
        return self.handed or any(field.kind == "pulse" for field in self.fields.values())


class CoreCapabilities(Protocol):
    """Capabilities of any core on a bus, as its registers report them.

    Attributes:
        source: the description of its registers, beside this module.
        address_map: its name in there.
    """

    source: ClassVar[str]
    address_map: ClassVar[str]

    @property
    def takes_random(self) -> bool:
        """Whether operations take random words."""

    @property
    def words(self) -> int:
        """32-bit words of a number."""

    @property
    def operations(self) -> Collection[int]:
        """Codes of the operations."""

    @property
    def data_registers(self) -> bool:
        """Whether operands and results go through registers; if not, through streams."""

    def rdl_parameters(self) -> dict[str, Any]:
        """The parameters of the address map."""

    def rdl_defines(self) -> dict[str, str]:
        """The definitions by which the description has other parts."""


@dataclass(frozen=True)
class Capabilities:
    """Capabilities of an elliptic-curve coprocessor, as its registers report them.

    Args:
        curves: number of curves, 1 to 255.
        words: 32-bit words of a number, 1 to 255.
        operations: codes of the operations, each below 32.
        blinding: whether scalars are blinded.
        data_registers: operands and results go through registers; if not, through streams.
        sparse_status: codes of STATUS are those that a few wrong bits do not exchange.
        shared_scalars: secret scalars come as two shares.
        instances: coprocessors behind the bus, 1 to `MOST_INSTANCES`.

    Raises:
        SpecificationError: a value is out of range.
    """

    source: ClassVar[str] = "ecc.rdl"
    address_map: ClassVar[str] = "residua_ecc"
    takes_random: ClassVar[bool] = True

    curves: int
    words: int
    operations: Collection[int]
    blinding: bool = False
    data_registers: bool = True
    sparse_status: bool = False
    shared_scalars: bool = False
    instances: int = 1

    def __post_init__(self) -> None:
        for name in ("curves", "words"):
            _check_held(name, getattr(self, name), 255)
        _check_held("instances", self.instances, MOST_INSTANCES)
        _check_codes(self.operations)

    def rdl_parameters(self) -> dict[str, Any]:
        """The parameters of the address map."""
        return {
            "CURVES": self.curves,
            "WORDS": self.words,
            "OPERATION_MASK": _mask(self.operations),
            "BLINDING": self.blinding,
            "DATA_REGISTERS": self.data_registers,
            "SPARSE_CODES": self.sparse_status,
            "SHARED_SCALARS": self.shared_scalars,
            **({"INSTANCES": self.instances} if self.instances > 1 else {}),
        }

    def rdl_defines(self) -> dict[str, str]:
        """Sparse codes of statuses and the registers of several cores, if it has them."""
        chosen = {"SPARSE_STATUS": self.sparse_status, _SEVERAL: self.instances > 1}
        return {name: "" for name, is_there in chosen.items() if is_there}


@dataclass(frozen=True)
class ModularCapabilities:
    """Capabilities of a core for modular arithmetic, as its registers report them.

    Args:
        words: 32-bit words of a number, 1 to 65535.
        load_numbers: numbers that a load takes, 0 to 255.
        operand_numbers: numbers that another operation takes, 1 to 15.
        operations: codes of the operations, each below 32.
        data_registers: operands and results go through registers; if not, through streams.
        takes_random: whether operations take random words.

    Raises:
        SpecificationError: a value is out of range.
    """

    source: ClassVar[str] = "modular.rdl"
    address_map: ClassVar[str] = "residua_modular"

    words: int
    load_numbers: int
    operand_numbers: int
    operations: Collection[int]
    data_registers: bool = True
    takes_random: bool = False

    def __post_init__(self) -> None:
        _check_held("words", self.words, 0xFFFF)
        _check_held("load_numbers", self.load_numbers, 255, least=0)
        _check_held("operand_numbers", self.operand_numbers, 15)
        _check_codes(self.operations)

    def rdl_parameters(self) -> dict[str, Any]:
        """The parameters of the address map."""
        return {
            "WORDS": self.words,
            "LOAD_NUMBERS": self.load_numbers,
            "OPERAND_NUMBERS": self.operand_numbers,
            "OPERATION_MASK": _mask(self.operations),
            "DATA_REGISTERS": self.data_registers,
            "TAKES_RANDOM": self.takes_random,
        }

    def rdl_defines(self) -> dict[str, str]:
        """Nothing: there is one form of the description."""
        return {}


def _check_held(name: str, value: int, most: int, least: int = 1) -> None:
    if not least <= value <= most:
        raise SpecificationError(f"{name} = {value}: the register map holds {least} to {most}")


def _check_codes(operations: Collection[int]) -> None:
    for code in operations:
        if not 0 <= code < 32:
            raise SpecificationError(f"operation {code}: the register map holds 0 to 31")


def _mask(operations: Collection[int]) -> int:
    return sum(1 << code for code in sorted(set(operations)))


class RegisterMap:
    """The registers of a core with these capabilities.

    ``node`` is the compiled description, for exporters.
    """

    def __init__(self, capabilities: CoreCapabilities) -> None:
        self.capabilities = capabilities

    @cached_property
    def node(self) -> AddrmapNode:
        """The address map, compiled."""
        compiler = _compiled(self.capabilities.source, **self.capabilities.rdl_defines())
        parameters = self.capabilities.rdl_parameters()
        return compiler.elaborate(self.capabilities.address_map, parameters=parameters).top

    def rdl(self, name: str) -> str:
        """The description as one file of SystemRDL, the last address map of which has a name."""
        defined = self.capabilities.rdl_defines()
        several = defined.pop(_SEVERAL, None) is not None
        source = _OF_SEVERAL.sub(
            lambda part: part[1] if several else part[2] or "", _source(self.capabilities.source)
        )
        values = ", ".join(
            f".{parameter}({str(value).lower()})"
            for parameter, value in self.capabilities.rdl_parameters().items()
        )
        return (
            "".join(f"`define {macro} {text}".rstrip() + "\n" for macro, text in defined.items())
            + _INCLUDE.sub(lambda found: _source(found[1]), source)
            + f"\naddrmap {name} {{\n"
            + f"    {self.capabilities.address_map} #({values}) registers;\n}};\n"
        )

    @property
    def name(self) -> str:
        """Name of the address map."""
        return self.node.inst_name

    @property
    def title(self) -> str:
        """Title of the address map."""
        return str(self.node.get_property("name"))

    @property
    def description(self) -> str:
        """Byte order, refused accesses: what holds for all registers."""
        return _text(self.node.get_property("desc"))

    @cached_property
    def registers(self) -> dict[str, Register]:
        """The registers by name, in the order of their addresses."""
        return {node.inst_name: _register(node) for node in self.node.registers()}

    def __getitem__(self, name: str) -> Register:
        return self.registers[name]

    @property
    def operations(self) -> dict[str, int]:
        """Codes of all operations that are defined, by name."""
        return self["CONTROL"].fields["operation"].codes

    @property
    def statuses(self) -> dict[str, int]:
        """Status codes by name."""
        return self["STATUS"].fields["code"].codes

    @property
    def zeroise_key(self) -> int:
        """The word that ZEROISE accepts."""
        return self["ZEROISE"].fields["key"].codes["zeroise"]


@cache
def _compiled(source: str, **defines: str) -> RDLCompiler:
    """The compiler that has read a description, which it elaborates any number of times."""
    compiler = RDLCompiler()
    with as_file(files(__package__)) as folder:
        compiler.compile_file(str(folder / source), defines=defines)
    return compiler


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _register(node: RegNode) -> Register:
    return Register(
        name=node.inst_name,
        address=node.address_offset,
        title=str(node.get_property("name")),
        description=_text(node.get_property("desc")),
        readable=node.has_sw_readable,
        writable=node.has_sw_writable,
        fields={field.inst_name: _field(field) for field in node.fields()},
    )


def _field(node: FieldNode) -> Field:
    reset, encode = node.get_property("reset"), node.get_property("encode")
    codes: list[Any] = list(encode.__members__.values()) if encode is not None else []
    return Field(
        name=node.inst_name,
        low=node.low,
        width=node.width,
        kind=_kind(node),
        reset=int(reset) if isinstance(reset, int) else 0,
        description=_text(node.get_property("desc")),
        codes={code.name: int(code.value) for code in codes},
        meanings={code.name: _text(code.rdl_desc) for code in codes},
    )


def _kind(node: FieldNode) -> FieldKind:
    """The first rule that applies; see the top of the description."""
    rules: list[tuple[bool, FieldKind]] = [
        (bool(node.get_property("singlepulse")), "pulse"),
        (node.get_property("onwrite") is OnWriteType.woclr, "sticky"),
        (bool(node.get_property("swmod")), "written"),
        (bool(node.get_property("swacc")), "taken"),
        (node.is_sw_writable, "storage"),
        (node.is_hw_writable, "status"),
    ]
    return next((kind for applies, kind in rules if applies), "constant")


def _text(text: str | None) -> str:
    """A description on one line."""
    return " ".join((text or "").split())
