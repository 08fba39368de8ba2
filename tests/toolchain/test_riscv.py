"""Programs for RISC-V as words of memory."""

import pytest

from residua.errors import SpecificationError
from residua.toolchain.riscv import memory_words


def elf(*segments):
    """An ELF file of 32 bits with these segments: kind, address, content, bytes in memory."""
    table, content = b"", b""
    start = 52 + 32 * len(segments)
    for kind, address, data in segments:
        fields = kind, start + len(content), address, address, len(data), len(data), 7, 4
        table += b"".join(field.to_bytes(4, "little") for field in fields)
        content += data
    head = b"\x7fELF\x01\x01".ljust(28, b"\0") + (52).to_bytes(4, "little")
    head = head.ljust(42, b"\0") + (32).to_bytes(2, "little")
    head += len(segments).to_bytes(2, "little")
    return head.ljust(52, b"\0") + table + content


def test_segments_are_put_where_they_belong():
    image = elf((1, 8, b"\x01\x02\x03\x04\x05"), (2, 0, b"skipped"), (1, 0, b"\xff\xee\xdd\xcc"))
    assert memory_words(image) == [0xCCDDEEFF, 0, 0x04030201, 0x05]


@pytest.mark.parametrize(
    "image", [b"", b"\x7fELF\x02\x01" + bytes(60), b"\x7fELF\x01\x02" + bytes(60)]
)
def test_what_is_no_program(image):
    with pytest.raises(SpecificationError, match="ELF file of 32 bits, little-endian"):
        memory_words(image)
