"""The register map, and what is derived from it, against each other and against a C compiler."""

import json
import re
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from systemrdl.compiler import RDLCompiler

from residua.cores.bus.export import c_header, html_page, ip_xact
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.files import c_driver
from residua.curves.operations.codes import Operation, Status
from residua.errors import SpecificationError
from residua.hardware.bus import register_map
from residua.hardware.bus.register_map import (
    Capabilities,
    ModularCapabilities,
    RegisterMap,
)

FULL = Capabilities(curves=5, words=12, operations=range(1, 12), blinding=True)
STREAMS = Capabilities(curves=1, words=8, operations=(2, 1), data_registers=False)

SEVERAL = replace(FULL, instances=3)

ADDRESSES = {
    "ID": 0x00, "VERSION": 0x04, "CAPABILITY": 0x08, "OPERATIONS": 0x0C, "CONTROL": 0x10,
    "STATUS": 0x14, "INTERRUPT_STATE": 0x18, "INTERRUPT_ENABLE": 0x1C, "ZEROISE": 0x20,
    "OPERAND": 0x24, "RANDOM": 0x28, "RESULT": 0x2C,
}  # fmt: skip
"""What drivers in the field rely on."""

PRINT_OFFSETS = """
#include <stddef.h>
#include <stdio.h>
#include "residua_ecc_codes.h"
#include "residua_ecc_registers.h"
int main(void)
{{
    printf("{{");
{lines}
    printf("\\"size\\": %u}}\\n", (unsigned)sizeof(residua_ecc_t));
    return 0;
}}
"""


def constants(registers):
    """What the constant registers of a map read as."""
    words = {}
    for name in ("ID", "VERSION", "CAPABILITY", "OPERATIONS"):
        words[name] = sum(field.place(field.reset) for field in registers[name].fields.values())
    return words


@pytest.mark.parametrize("capabilities", [FULL, STREAMS])
def test_addresses(capabilities):
    registers = RegisterMap(capabilities)
    streamed = () if capabilities.data_registers else ("OPERAND", "RANDOM", "RESULT")
    right = {name: address for name, address in ADDRESSES.items() if name not in streamed}
    assert {name: register.address for name, register in registers.registers.items()} == right


@pytest.mark.parametrize(
    "capabilities",
    [
        FULL,
        STREAMS,
        Capabilities(2, 8, (1, 3), sparse_status=True),
        Capabilities(1, 8, (1, 3), data_registers=False, shared_scalars=True),
        ModularCapabilities(4, 3, 1, (1, 2), data_registers=False, takes_random=True),
    ],
)
def test_the_description_that_ships_gives_the_same_registers(capabilities, tmp_path):
    """One file, read by a compiler that has nothing else."""
    registers, wider = RegisterMap(capabilities), RegisterMap(replace(capabilities, words=99))
    path = tmp_path / "registers.rdl"
    path.write_text(registers.rdl("core_axi"))
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    top = compiler.elaborate().top
    assert top.inst_name == "core_axi"
    (instance,) = top.children()
    found = {node.inst_name: register_map._register(node) for node in instance.registers()}
    assert found == registers.registers != wider.registers


@pytest.mark.parametrize("capabilities", [FULL, STREAMS])
def test_ip_xact_gives_the_same_registers(capabilities):
    """Names, addresses, bits and access of all that are there, and of no other."""
    registers = RegisterMap(capabilities)
    root = ET.fromstring(ip_xact(registers, "core_axi"))
    namespace = {"x": root.tag[1:].partition("}")[0]}

    def text(node, tag, default=""):
        return node.findtext(f"x:{tag}", default, namespace)

    def number(node, tag):
        return int(text(node, tag).replace("'h", "0x"), 0)

    def present(node, kind):
        """Those of a kind that are there, by name."""
        return {
            text(one, "name"): one
            for one in node.iterfind(f".//x:{kind}", namespace)
            if text(one, "isPresent", "1") == "1"
        }

    assert [text(root, tag) for tag in ("library", "name")] == ["cores", "core_axi"]
    found = {}
    for name, register in present(root, "register").items():
        fields = present(register, "field").items()
        bits = {own: (number(one, "bitOffset"), number(one, "bitWidth")) for own, one in fields}
        found[name] = number(register, "addressOffset"), bits
    assert found == {
        name: (
            register.address,
            {own: (field.low, field.width) for own, field in register.fields.items()},
        )
        for name, register in registers.registers.items()
    }


def test_capabilities_are_constants():
    assert constants(RegisterMap(FULL)) == {
        "ID": 0x52530001, "VERSION": 0x00010000, "CAPABILITY": 0x00030C05, "OPERATIONS": 0x0FFE,
    }  # fmt: skip
    streams = constants(RegisterMap(STREAMS))
    assert (streams["CAPABILITY"], streams["OPERATIONS"]) == (0x0801, 0x6)


def test_fields_do_not_overlap():
    for register in RegisterMap(FULL).registers.values():
        used = 0
        for field in register.fields.values():
            assert field.low + field.width <= 32
            assert not used & field.mask
            used |= field.mask


def test_registers_of_several():
    """They are beside those of one, which stay where they are; an old driver finds no core."""
    one, several = RegisterMap(FULL), RegisterMap(SEVERAL)
    found = {name: register.address for name, register in several.registers.items()}
    assert found == ADDRESSES | {"CORES": 0x30, "ZEROISE_CORES": 0x34, "TRAILER": 0x38}
    majors = [registers["VERSION"].fields["major"].reset for registers in (one, several)]
    assert majors == [1, 2]
    assert several["CAPABILITY"].fields["instances"].reset == 3
    assert "instances" not in one["CAPABILITY"].fields
    for text in ("SEVERAL", "ZEROISE_CORES", "STATUS.ready"):
        assert text not in one.rdl("core")
    assert "`ifdef SEVERAL" not in several.rdl("core")
    with pytest.raises(SpecificationError, match="instances = 17"):
        replace(FULL, instances=17)


def test_codes():
    registers = RegisterMap(FULL)
    assert list(registers.statuses.values()) == list(range(len(Status)))
    assert [registers.statuses[name] for name in ("zeroised", "invalid", "fault")] == [9, 10, 11]
    assert list(registers.operations.values()) == list(Operation)
    assert registers.operations["x_multiply"] == 3
    assert registers.zeroise_key.to_bytes(4) == b"ZERO"


def test_a_field_of_a_word():
    field = RegisterMap(FULL)["CAPABILITY"].fields["words"]
    assert (field.place(0xAB), field.extract(0xFFFF12FF), field.mask) == (0xAB00, 0x12, 0xFF00)
    for value in (-1, 256):
        with pytest.raises(ValueError, match=f"words = {value} does not fit 8 bits"):
            field.place(value)


@pytest.mark.parametrize("capabilities", [FULL, STREAMS, SEVERAL])
def test_the_c_header_says_the_same(capabilities, tmp_path):
    registers = RegisterMap(capabilities)
    curves = [
        DriverCurve(f"c{i}", "weierstrass", 7, 5, 1, 1, 1) for i in range(capabilities.curves)
    ]
    for name, text in c_driver("core", capabilities, curves).items():
        (tmp_path / name).write_text(text)
    values = {f"OFFSET_{name}": f"offsetof(residua_ecc_t, {name})" for name in registers.registers}
    for register in registers.registers.values():
        for field in register.fields.values():
            prefix = f"RESIDUA_ECC__{register.name}__{field.name.upper()}"
            values |= {
                f"{register.name}.{field.name}": f"{prefix}_bm",
                f"{prefix}_bp": f"{prefix}_bp",
            }
    values |= {
        f"op_{name}": f"RESIDUA_ECC_OPERATION_{name.upper()}" for name in registers.operations
    }
    values |= {f"st_{name}": f"RESIDUA_ECC_STATUS_{name.upper()}" for name in registers.statuses}
    values["key"] = "RESIDUA_ECC_ZEROISE_KEY"
    lines = [
        f'    printf("\\"{name}\\": %lu, ", (unsigned long)({value}));'
        for name, value in values.items()
    ]
    source = tmp_path / "offsets.c"
    source.write_text(PRINT_OFFSETS.format(lines="\n".join(lines)))
    program = tmp_path / "offsets"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run(["cc", *flags, "-o", program, source], check=True)
    found = json.loads(subprocess.run([program], check=True, capture_output=True).stdout)

    # The layout of the header is that of several, which have registers more.
    right = {"size": 0x3C, "key": registers.zeroise_key}
    for register in registers.registers.values():
        right[f"OFFSET_{register.name}"] = register.address
        for field in register.fields.values():
            right[f"{register.name}.{field.name}"] = field.mask
            right[f"RESIDUA_ECC__{register.name}__{field.name.upper()}_bp"] = field.low
    right |= {f"op_{name}": code for name, code in registers.operations.items()}
    right |= {f"st_{name}": code for name, code in registers.statuses.items()}
    assert found == right


class Page(HTMLParser):
    """Checks that tags are balanced, and keeps the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text.append(text)


@pytest.mark.parametrize("capabilities", [FULL, STREAMS])
def test_the_page_is_complete_and_stands_alone(capabilities):
    registers, page = RegisterMap(capabilities), Page()
    page.feed(html_page(registers))
    assert page.open == []
    assert set(page.links) == {f"#{name}" for name in registers.registers}
    text = " ".join("".join(page.text).split())
    for register in registers.registers.values():
        assert f"0x{register.address:02X}" in text
        assert register.description in text
        for field in register.fields.values():
            assert field.description in text
            assert all(meaning in text for meaning in field.meanings.values())
    assert registers.description in text
    assert "little-endian" in text


def test_everything_is_described():
    for register in RegisterMap(FULL).registers.values():
        assert register.title
        for field in register.fields.values():
            assert field.description.endswith(".")
            assert all(meaning.endswith(".") for meaning in field.meanings.values())


def test_the_same_bytes_again():
    named = (
        lambda registers: c_header(registers, "registers.h"),
        lambda registers: ip_xact(registers, "core_axi"),
    )
    for make in (html_page, *named):
        assert make(RegisterMap(FULL)) == make(RegisterMap(FULL))
    assert not re.search(r"/tmp|/home|20\d\d-", c_header(RegisterMap(FULL), "registers.h"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"curves": 0}, "curves = 0: the register map holds 1 to 255"),
        ({"curves": 256}, "curves = 256"),
        ({"words": 0}, "words = 0"),
        ({"words": 256}, "words = 256"),
        ({"operations": [32]}, "operation 32: the register map holds 0 to 31"),
        ({"operations": [-1]}, "operation -1"),
    ],
)
def test_capabilities_out_of_range(values, message):
    with pytest.raises(SpecificationError, match=message):
        Capabilities(**{"curves": 1, "words": 8, "operations": [1], **values})
