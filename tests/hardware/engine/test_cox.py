"""The Cox against numbers.cox: several estimates in a row, any weights, any taps."""

import random
from fractions import Fraction

import pytest

from hardware.bench import pipelined
from residua.hardware.engine.cox import COX_LATENCY, FIRST_DELAY, WEIGHTS_DELAY, Cox
from residua.numbers.cox import Cox as Estimate

CHOICES = [-3, -1, 1, 2, 5]


@pytest.mark.parametrize("sigma0", ["0", "1/2", "13/16"])
@pytest.mark.parametrize("truncation", [4, 8])
@pytest.mark.parametrize(("channels", "taps"), [(12, 1), (12, 2), (12, 5), (4, 4)])
def test_quotients(channels, taps, truncation, sigma0):
    width = 17
    estimate = Estimate(truncation, Fraction(sigma0))
    span = sum(max(CHOICES) for _ in range(channels)) + 1
    # The register at the operand of a slot lies before the taps, the one at the bus after the Cox.
    dut = Cox(estimate, width, taps, CHOICES, (-span, span), word=width + 1)
    share = -(-channels // taps)
    generator = random.Random(4)
    cycles: list[dict] = []
    weights: list[list[int]] = []
    first: list[int] = []
    expected = {}
    for turn in range(12):
        pick = [-(1 << width), (1 << width) - 1, -1, generator.randrange(1 << width)]
        words = [generator.choice(pick) if turn > 1 else pick[turn] for _ in range(channels)]
        chosen = [generator.choice(CHOICES) for _ in range(channels)]
        for slot in range(share):
            seen = [tap * share + slot for tap in range(taps)]
            cycles.append(
                {
                    "taps": [
                        words[p] if p < channels else generator.randrange(1 << width) for p in seen
                    ]
                }
            )
            weights.append([CHOICES.index(chosen[p]) + 1 if p < channels else 0 for p in seen])
            first.append(int(slot == 0))
        expected[len(cycles) - 1] = estimate.quotient(words, chosen, width)
        for _ in range(generator.randrange(3)):
            cycles.append({"taps": [generator.randrange(1 << width) for _ in range(taps)]})
            weights.append([0] * taps)
            first.append(0)
    # Taps are driven a cycle after their slot: from there, the controls are that much earlier.
    cycles += [{"taps": [0] * taps}] * COX_LATENCY
    inputs = []
    for now, values in enumerate(cycles):
        code, start = now - (WEIGHTS_DELAY - 1), now - (FIRST_DELAY - 1)
        inputs.append(
            values
            | {
                "weights": weights[code] if 0 <= code < len(weights) else [0] * taps,
                "first": first[start] if 0 <= start < len(first) else 0,
            }
        )
    found = pipelined(dut, inputs, "quotient", COX_LATENCY - 1)
    assert {index: found[index] for index in expected} == expected
