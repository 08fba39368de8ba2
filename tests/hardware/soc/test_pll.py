"""Settings of the phase-locked loop: exact, within every limit, the best ones; refusals."""

from fractions import Fraction

import pytest

from residua.errors import SpecificationError
from residua.hardware.soc.pll import (
    DETECTOR_MHZ,
    INPUT_MHZ,
    LARGEST_DIVISOR,
    LARGEST_FEEDBACK,
    OSCILLATOR_MHZ,
    OUTPUT_MHZ,
    find_pll,
)


def within(value, limits):
    return limits[0] <= value <= limits[1]


def everything(input_mhz, clocks):
    """All settings that make clocks, by trying every divisor."""
    for reference in range(1, LARGEST_DIVISOR + 1):
        detector = Fraction(input_mhz, reference)
        if not within(detector, DETECTOR_MHZ):
            continue
        for feedback in range(1, LARGEST_FEEDBACK + 1):
            for primary in range(1, LARGEST_DIVISOR + 1):
                if not 400 * reference <= input_mhz * feedback * primary <= 800 * reference:
                    continue
                oscillator = detector * feedback * primary
                ratios = [oscillator / clock for clock in clocks]
                if (
                    within(oscillator, OSCILLATOR_MHZ)
                    and within(oscillator / primary, OUTPUT_MHZ)
                    and all(one.denominator == 1 and one <= LARGEST_DIVISOR for one in ratios)
                ):
                    yield reference, abs(oscillator - 600)


@pytest.mark.parametrize("input_mhz", [25, 48, 100])
@pytest.mark.parametrize(
    "clocks", [["50"], ["62.5"], ["75"], ["64"], ["12"], ["50", "100"], ["50", "90"], ["60", "120"]]
)
def test_settings_are_exact_and_the_best(input_mhz, clocks):
    wanted = [Fraction(clock) for clock in clocks]
    known = list(everything(input_mhz, wanted))
    if not known:
        with pytest.raises(SpecificationError, match=r"the PLL cannot make .* of"):
            find_pll(Fraction(input_mhz), wanted)
        return
    found = find_pll(Fraction(input_mhz), wanted)
    assert list(found.clocks_mhz) == wanted
    assert within(found.input_mhz, INPUT_MHZ)
    assert within(found.detector_mhz, DETECTOR_MHZ)
    assert within(found.oscillator_mhz, OSCILLATOR_MHZ)
    assert found.oscillator_mhz == (
        Fraction(input_mhz, found.reference) * found.feedback * found.primary
    )
    assert 1 <= found.feedback <= LARGEST_FEEDBACK
    assert all(1 <= one <= LARGEST_DIVISOR for one in (found.primary, *found.outputs))
    assert within(found.oscillator_mhz / found.primary, OUTPUT_MHZ)
    # The fastest detector, then the oscillator next to its middle.
    assert (found.reference, abs(found.oscillator_mhz - 600)) == min(known)


@pytest.mark.parametrize(
    ("input_mhz", "clocks", "message"),
    [
        ("25", ["64"], "the PLL cannot make 64 MHz of 25 MHz: the nearest are 63.75 or 64.0625"),
        ("48", ["50", "90"], "cannot make 50 and 90 MHz of 48 MHz together"),
        ("7", ["50"], "a PLL takes 8 to 400 MHz, and not 7 MHz"),
        ("25", ["3"], "a PLL makes clocks of 3.125 to 400 MHz, and not 3 MHz"),
        ("25", ["401"], "a PLL makes clocks of 3.125 to 400 MHz, and not 401 MHz"),
        ("25", [], "a PLL makes 1 to 3 clocks, not 0"),
    ],
)
def test_refusals(input_mhz, clocks, message):
    with pytest.raises(SpecificationError, match=message):
        find_pll(Fraction(input_mhz), [Fraction(clock) for clock in clocks])


@pytest.mark.parametrize("clock", ["63.75", "64.0625"])
def test_the_nearest_clocks_can_be_asked_for(clock):
    assert find_pll(Fraction(25), [Fraction(clock)]).clocks_mhz == (Fraction(clock),)
