"""No word from before a reset reaches a result, in cores of several kinds; faults are found.

`make proofs` has cores of every kind.
"""

import numpy as np
import pytest
from tests.evidence.attacks.attacked import LADDER
from tests.schedules import quick_schedules

from residua.cores.coprocessor import verification
from residua.cores.directory import build
from residua.cores.proofs.boundary import Boundary
from residua.cores.proofs.freshness import STALE, write_marked
from residua.cores.proofs.netlist import read_netlist
from residua.cores.specification.reading import check_any
from residua.evidence.freshness import run_marked
from residua.hardware.converters import residue_to_binary
from residua.hardware.delay import delayed
from residua.hardware.digit import word_radix2
from residua.hardware.engine import rower
from residua.toolchain.aiger import Network
from residua.toolchain.gates import gates_script
from residua.toolchain.yosys import run_script

KINDS = {
    "words of one rower": {"modulus": "0x1000b", "width": 12, "interface": "words", "rowers": 1},
    "mwr2mm": {"algorithm": "mwr2mm", "bits": 16, "digit": 8},
    "iddmm": {"algorithm": "iddmm", "bits": 24, "digit": 5, "inverse": "supplied"},
    "coprocessor": LADDER | {"register_memory": "block"},
}


def marked(name, folder):
    """What the verification of a marked core says."""
    with quick_schedules():
        directory = build(check_any(KINDS[name]), folder / "core")
        # Resets of a coprocessor come in each of its operations.
        vectors, resets = (1, 1) if directory.made.complete_run else (8, 6)
        return run_marked(directory, vectors=vectors, resets=resets)


@pytest.fixture
def once(monkeypatch):
    """One case of each operation with each status: marks say of one word what they do of any."""
    all_cases = verification.all_cases

    def first_cases(*arguments):
        cases = {}
        for case in all_cases(*arguments):
            cases.setdefault((case.curve, case.operation, case.expected[0]), case)
        assert len(cases) > 20
        return cases.values()

    monkeypatch.setattr(verification, "all_cases", first_cases)


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("name", KINDS)
def test_results_are_fresh(name, tmp_path):
    found = marked(name, tmp_path)
    assert found["passed"], found["failures"]
    assert found["resets"] >= 6


def unreset(m, value, cycles, name, *, data=False):
    """`delayed` as if all that it delays were data."""
    del data
    return delayed(m, value, cycles, name, data=True)


@pytest.mark.parametrize(
    ("module", "name"), [(residue_to_binary, "words of one rower"), (word_radix2, "mwr2mm")]
)
def test_a_valid_bit_without_a_reset_is_found(module, name, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "delayed", unreset)
    assert marked(name, tmp_path)["failures"] == [STALE]


def test_a_zero_that_no_reset_writes_is_found(monkeypatch, tmp_path):
    """Register 0 of a rower, which is right in simulation as long as memories begin with zeros.

    (A coprocessor wipes its memories after a reset.)
    """
    signal = rower.Signal

    def uninitialised(*arguments, **options):
        options.pop("init", None)
        return signal(*arguments, **options)

    monkeypatch.setattr(rower, "Signal", uninitialised)
    assert marked("words of one rower", tmp_path)["failures"] == [STALE]


KEEPER = """
module keeper(input wire clk, input wire rst, input wire take, input wire give,
              input wire [1:0] word, output reg result_valid, output reg [1:0] result);
  reg [1:0] kept;
  always @(posedge clk) begin
    kept <= rst ? {after_reset} : take ? word : kept;
    result_valid <= give && !rst;
    result <= kept;
  end
endmodule
"""
"""A word is taken, and given out later; a reset clears it or not."""

TAKE, RESET, GIVE, WAIT = {"take"}, {"rst"}, {"give"}, set()


def marked_network(text, top, folder):
    """The gates of a marked design, whose output says whether a marked result is valid."""
    (folder / f"{top}.v").write_text(text)
    boundary = Boundary(top, ("word",), {"result": 2}, {})
    path = write_marked(read_netlist([folder / f"{top}.v"], top, folder, boundary), top, folder)
    # Yosys does not know the task that ends a simulation.
    path.write_text(path.read_text().replace(f'$fatal(1, "{STALE}")', ""))
    script = [f"read_verilog {path.name}", "proc", "expose w:stale", *gates_script("marked.aig")]
    run_script(script, reads=[path.name], writes=["marked.aig"], out_dir=folder, name="gates")
    return Network.read(folder / "marked.aig")


def runs_stale(network, steps):
    """Whether a marked result is valid at the end of some cycles, with these inputs set in each."""
    inputs = ([[-(name in on)] for name in network.inputs] for on in steps)
    cycles = network.simulate(len(steps), 1, lambda _: np.array(next(inputs)).astype(np.uint64))
    stale = network.output_names.index("stale")
    return [bool(found[stale].any()) for found in cycles][-1]


@pytest.mark.parametrize(("after_reset", "stale"), [("2'd0", False), ("kept", True)])
def test_a_register_that_is_not_reset_holds_a_word_from_before(after_reset, stale, tmp_path):
    network = marked_network(KEEPER.format(after_reset=after_reset), "keeper", tmp_path)
    assert runs_stale(network, [TAKE, RESET, GIVE, WAIT]) == stale
    # A word that came after the reset is fresh.
    assert not runs_stale(network, [TAKE, RESET, TAKE, GIVE, WAIT])
