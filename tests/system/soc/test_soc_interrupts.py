"""A system whose program waits for the coprocessor's interrupt: its accesses, with their cycles."""

import pytest
from tests.small_curves import TINY
from tests.system.lines import opened_line

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.hardware.bus.register_map import RegisterMap
from residua.hardware.soc.soc import CORES_BASE, FIRST_INTERRUPT
from residua.systems import soc_directory
from residua.systems.host import Host
from residua.systems.soc_directory import SocRequest

WAIT = 8192
"""Cycles after which the program looks, without an interrupt."""

WATCH = """
  integer file, cycle;
  initial file = $fopen("{file}", "w");
  initial cycle = 0;
  always @(posedge clk) begin
    cycle <= cycle + 1;
    if (port_valid && port_ready && port_address[31:16] == 16'h{base:04x}) begin
      $fdisplay(file, "%x %d", port_address[7:0], cycle);
      $fflush(file);
    end
  end
endmodule
"""


@pytest.fixture(scope="module", params=[None, 25.0], ids=["one clock", "own clock"])
def system(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    keys = {"curve": [TINY], "bus": "wishbone", "name": "tiny", "blinding": 256}
    core = build(check_any(keys), folder / "core")
    asked = SocRequest((core,), baud=500_000, core_megahertz=request.param)
    return core, soc_directory.build(asked, folder / "soc")


def public_key(system, tmp_path, old="", new=""):
    """Reads of STATUS for a public key, and cycles, with a change of the processor's module."""
    core, directory = system
    path = next(path for path in directory.sources if path.name == "soc_cpu.v")
    kept, found = path.read_text(), tmp_path / "accesses"
    assert kept.count(old) == 1 or not old
    watch = WATCH.format(file=found, base=CORES_BASE >> 16)
    path.write_text(kept.replace(old, new, 1).replace("endmodule", watch))
    try:
        with opened_line(directory) as line:
            host = Host(line)
            (curve,) = host.curves
            before = len(found.read_text().splitlines())
            host.public_key(curve, (1234).to_bytes(curve.order_size))
            accesses = [text.split() for text in found.read_text().splitlines()[before:]]
    finally:
        path.write_text(kept)
    registers = RegisterMap(core.made.capabilities)
    places = [(int(place, 16), int(cycle)) for place, cycle in accesses]
    (begun,) = (cycle for place, cycle in places if place == registers["CONTROL"].address)
    ended = max(cycle for place, cycle in places if place == registers["RESULT"].address)
    reads = [cycle for place, cycle in places if place == registers["STATUS"].address]
    return len(reads), ended - begun


def test_it_waits_for_the_interrupt(system, tmp_path):
    """Without the line it looks later; a line that is always high has it look all the time."""
    core, directory = system
    (cycles,) = {one["BASE_MULTIPLY"] for one in core.manifest["cycles"]["operations"]}
    own = directory.manifest["core_megahertz"] or directory.manifest["megahertz"]
    least = cycles * directory.manifest["megahertz"] / own
    reads, taken = public_key(system, tmp_path)
    assert least < taken < least + WAIT
    _, later = public_key(system, tmp_path, ".irq(irq)", ".irq(32'd0)")
    most, polled = public_key(system, tmp_path, ".irq(irq)", f".irq(32'd{1 << FIRST_INTERRUPT})")
    assert taken <= polled + 500
    assert later > taken + 500
    assert reads < most / 3
