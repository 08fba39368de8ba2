"""Networks of gates: what Yosys writes is read, written again, simulated, and added to."""

import numpy as np
import pytest

from residua.toolchain.aiger import Network
from residua.toolchain.gates import excluded, gates_script, watch
from residua.toolchain.yosys import run_script

COUNTER = """
module counter(input wire clk, input wire clear, input wire [3:0] step, output wire [7:0] count,
               output wire odd);
  reg [7:0] held = 0;
  always @(posedge clk) held <= clear ? 0 : held + {3'b000, step, 1'b0};
  assign count = held;
  assign odd = held[0];
endmodule
"""


@pytest.fixture
def network(tmp_path):
    (tmp_path / "counter.v").write_text(COUNTER)
    script = ["read_verilog counter.v", "hierarchy -top counter", "proc", "flatten"]
    script += gates_script("counter.aig")
    run_script(script, reads=["counter.v"], writes=["counter.aig"], out_dir=tmp_path, name="gates")
    return Network.read(tmp_path / "counter.aig")


def test_names(network):
    assert "clear" in network.inputs
    assert {f"step[{i}]" for i in range(4)} <= set(network.inputs)
    assert {"odd", *(f"count[{i}]" for i in range(8))} == set(network.output_names)


def test_simulation_counts(network):
    """Each bit of the words is a counter of its own, held against plain integers."""
    words, cycles = 2, 40
    expected = np.zeros(64 * words, np.int64)
    places = [network.output_names.index(f"count[{i}]") for i in range(8)]
    steps = [network.inputs.index(f"step[{i}]") for i in range(4)]
    clear = network.inputs.index("clear")
    driven = []

    def drive(random):
        inputs = random.integers(0, 2**64, (len(network.inputs), words), dtype=np.uint64)
        inputs[clear] &= inputs[steps[0]] & inputs[steps[1]]
        driven.append(inputs)
        return inputs

    def number(rows):
        return sum(_bits(row) << place for place, row in enumerate(rows))

    for outputs in network.simulate(cycles, words, drive):
        assert (number(outputs[places]) == expected).all()
        taken = (expected + 2 * number(driven[-1][steps])) % 256
        expected = np.where(_bits(driven[-1][clear]) == 1, 0, taken)
    assert len(driven) == cycles


def _bits(row):
    return np.unpackbits(row.view(np.uint8)).astype(np.int64)


def test_written_as_read(network):
    again = Network(network.content())
    assert again.following == network.following
    assert again.outputs == network.outputs
    assert [set(pair) for pair in again.gates] == [set(pair) for pair in network.gates]


@pytest.mark.parametrize(("name", "proved"), [("odd", True), ("count[1]", False)])
def test_outputs_that_only_help(network, tmp_path, name, proved):
    """Of all outputs the first ones are asked for; what is added beside them may be 1."""
    first = network.outputs[network.output_names.index(name)]
    second = network.outputs[network.output_names.index("count[2]")]
    helping = network.both(second, network.outputs[network.output_names.index("count[3]")])
    network.outputs = [first, helping]
    (tmp_path / "asked.aig").write_bytes(network.content())
    outcome = watch(tmp_path / "asked.aig", cpu_seconds=5, outputs=1)
    assert outcome.proved == proved
    assert outcome.raised == (frozenset() if proved else {0})


@pytest.mark.parametrize(
    ("output", "cycles", "any_state", "never"),
    [
        ("odd", 5, False, True),
        # A first step comes to no more than 30, two of them to more.
        ("count[5]", 2, False, True),
        ("count[5]", 3, False, False),
        ("count[5]", 1, True, False),
    ],
)
def test_cycles_side_by_side(network, tmp_path, output, cycles, any_state, never):
    """Without registers, from the initial values on or from any others."""
    network.outputs = [network.outputs[network.output_names.index(output)]]
    unrolled = network.unrolled(cycles, any_state=any_state)
    assert not unrolled.following
    (tmp_path / "unrolled.aig").write_bytes(unrolled.content())
    assert (not unrolled.outputs or excluded(tmp_path / "unrolled.aig", cpu_seconds=5)) == never


def test_any_state_is_over_after_a_cycle_that_clears(network, tmp_path):
    """What it was before is of no account then."""
    clear = 2 * (1 + network.inputs.index("clear"))
    network.outputs = [network.both(clear, signal) for signal in network.following]
    (tmp_path / "unrolled.aig").write_bytes(network.unrolled(3, any_state=True).content())
    assert excluded(tmp_path / "unrolled.aig", cpu_seconds=5)
