"""The port through which a processor reaches memory and devices, and what spreads it over them."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import Component, In, Out, Signature

from residua.errors import SpecificationError

ADDRESS_BITS, WORD_BITS = 32, 32


def memory_port() -> Signature:
    """One access at a time; names and directions are the processor's.

    ``valid`` stays, and all else with it, until ``ready`` is there for one cycle. ``strobe`` has a
    bit for each byte that is written; none is a read, whose ``read_data`` comes with ``ready``.
    """
    return Signature(
        {
            "valid": Out(1),
            "address": Out(ADDRESS_BITS),
            "strobe": Out(WORD_BITS // 8),
            "write_data": Out(WORD_BITS),
            "ready": In(1),
            "read_data": In(WORD_BITS),
        }
    )


@dataclass(frozen=True)
class Region:
    """Addresses of a device.

    Attributes:
        base: the first one, a multiple of ``size``.
        size: bytes, a power of two.

    Raises:
        SpecificationError: no such region.
    """

    base: int
    size: int

    def __post_init__(self) -> None:
        if self.size.bit_count() != 1 or self.base % self.size:
            raise SpecificationError(
                f"a region of {self.size:#x} bytes at {self.base:#x}: its size has to be a "
                "power of two that divides its address"
            )

    @property
    def last(self) -> int:
        """The last address."""
        return self.base + self.size - 1


def check_regions(regions: Mapping[str, Region]) -> None:
    """Refuse regions that overlap.

    Raises:
        SpecificationError: two do.
    """
    ordered = sorted(regions.items(), key=lambda item: item[1].base)
    for (name, region), (other, following) in pairwise(ordered):
        if region.last >= following.base:
            raise SpecificationError(
                f"{name} ends at {region.last:#x}, behind the beginning of {other} at "
                f"{following.base:#x}"
            )


class Decoder(Component):
    """Spreads a processor's port over devices by address.

    Ports: ``port``, and one for each region, under its name. What no region has reads as 0 and
    ignores what is written, one cycle later; ``missed`` is set in that cycle. Regions do not
    overlap, see `check_regions`.
    """

    def __init__(self, regions: Mapping[str, Region]) -> None:
        self.regions = dict(regions)
        devices = {name: Out(memory_port()) for name in regions}
        super().__init__({"port": In(memory_port()), "missed": Out(1), **devices})

    def elaborate(self, platform: Any) -> Module:
        """Every device has what is asked; only the one that is meant sees that it is valid."""
        m = Module()
        port, nobody = self.port, Signal(name="nobody")
        m.d.comb += nobody.eq(port.valid & ~self.missed)
        m.d.comb += port.ready.eq(self.missed)
        for name, region in self.regions.items():
            device, meant = getattr(self, name), Signal(name=f"{name}_meant")
            shift = region.size.bit_length() - 1
            m.d.comb += [
                meant.eq(port.address[shift:] == region.base >> shift),
                device.valid.eq(port.valid & meant),
                device.address.eq(port.address),
                device.strobe.eq(port.strobe),
                device.write_data.eq(port.write_data),
            ]
            with m.If(meant):
                m.d.comb += [
                    nobody.eq(0),
                    port.ready.eq(device.ready),
                    port.read_data.eq(device.read_data),
                ]
        m.d.sync += self.missed.eq(nobody)
        return m
