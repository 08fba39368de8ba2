"""Divisors of EHXPLLL, the phase-locked loop of the ECP5, for clocks of given frequencies.

The reference divisor takes the input to the phase detector; there it is compared with the primary
output CLKOP divided by the feedback divisor, so that the oscillator runs at

    detector * feedback * primary,

and each further output (CLKOS, CLKOS2, CLKOS3) is the oscillator divided by a divisor of its own.
CLKOP feeds back and does nothing else: the clocks come from the other three, which leaves the
oscillator free to be a multiple of all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from residua.errors import SpecificationError

INPUT_MHZ = (Fraction(8), Fraction(400))
OUTPUT_MHZ = (Fraction("3.125"), Fraction(400))
DETECTOR_MHZ = (Fraction(10), Fraction(400))
OSCILLATOR_MHZ = (Fraction(400), Fraction(800))
"""Limits of the frequencies, both ends included.

They are those of Lattice FPGA-DS-02012 (ECP5 and ECP5-5G Family Data Sheet, table "sysCLOCK PLL
Timing"), taken second-hand: input, outputs and oscillator as projectf.io/posts/ecp5-fpga-clock and
prjtrellis' ecppll have them, too; of the detector's two published minima, 10 MHz (LiteX) and 3.125
MHz (ecppll), the narrower one.
"""

LARGEST_DIVISOR = 128
LARGEST_FEEDBACK = 80
"""Of the feedback divisor; publications have 80 or 128, and the smaller one is in both."""

MOST_CLOCKS = 3


@dataclass(frozen=True)
class Pll:
    """A setting of the loop; all frequencies are in MHz.

    Attributes:
        input_mhz: what it is fed with.
        reference: CLKI_DIV.
        feedback: CLKFB_DIV.
        primary: CLKOP_DIV.
        outputs: CLKOS_DIV, CLKOS2_DIV and CLKOS3_DIV, as many as there are clocks.
    """

    input_mhz: Fraction
    reference: int
    feedback: int
    primary: int
    outputs: tuple[int, ...]

    @property
    def detector_mhz(self) -> Fraction:
        """At the phase detector."""
        return self.input_mhz / self.reference

    @property
    def oscillator_mhz(self) -> Fraction:
        """Of the oscillator."""
        return self.detector_mhz * self.feedback * self.primary

    @property
    def clocks_mhz(self) -> tuple[Fraction, ...]:
        """Of the outputs."""
        return tuple(self.oscillator_mhz / output for output in self.outputs)


def find_pll(input_mhz: Fraction, clocks_mhz: Sequence[Fraction]) -> Pll:
    """Find the divisors that make clocks exactly.

    Among several settings, that with the fastest detector is taken, then that whose oscillator is
    next to the middle of its range.

    Args:
        input_mhz: of the loop's input.
        clocks_mhz: of its outputs, 1 to `MOST_CLOCKS`.

    Raises:
        SpecificationError: there are none; of a single clock, the message has the nearest ones that
            can be made.
    """
    if not 0 < len(clocks_mhz) <= MOST_CLOCKS:
        raise SpecificationError(f"a PLL makes 1 to {MOST_CLOCKS} clocks, not {len(clocks_mhz)}")
    if not _within(input_mhz, INPUT_MHZ):
        raise SpecificationError(
            f"a PLL takes {_range(INPUT_MHZ)} MHz, and not {float(input_mhz):g} MHz"
        )
    for clock in clocks_mhz:
        if not _within(clock, OUTPUT_MHZ):
            raise SpecificationError(
                f"a PLL makes clocks of {_range(OUTPUT_MHZ)} MHz, and not {float(clock):g} MHz"
            )
    middle = (OSCILLATOR_MHZ[0] + OSCILLATOR_MHZ[1]) / 2
    for reference in _references(input_mhz):
        found = list(_settings(input_mhz, reference, clocks_mhz))
        if found:
            return min(found, key=lambda one: abs(one.oscillator_mhz - middle))
    raise SpecificationError(_refusal(input_mhz, clocks_mhz))


def _references(input_mhz: Fraction) -> Iterator[int]:
    """Reference divisors that the detector bears, from the fastest on."""
    for reference in range(1, LARGEST_DIVISOR + 1):
        if _within(input_mhz / reference, DETECTOR_MHZ):
            yield reference


def _multiples(detector_mhz: Fraction) -> Iterator[tuple[int, int]]:
    """Feedback and primary divisor for each frequency of the oscillator."""
    for multiple in count(1):
        oscillator = detector_mhz * multiple
        if oscillator > OSCILLATOR_MHZ[1]:
            return
        for feedback in range(1, LARGEST_FEEDBACK + 1):
            primary = multiple // feedback
            fits = feedback * primary == multiple and 0 < primary <= LARGEST_DIVISOR
            if (
                fits
                and _within(oscillator, OSCILLATOR_MHZ)
                and _within(oscillator / primary, OUTPUT_MHZ)
            ):
                yield feedback, primary
                break


def _settings(input_mhz: Fraction, reference: int, clocks_mhz: Sequence[Fraction]) -> Iterator[Pll]:
    """Settings that make all clocks, one for each frequency of the oscillator that does."""
    for feedback, primary in _multiples(input_mhz / reference):
        ratios = [input_mhz / reference * feedback * primary / clock for clock in clocks_mhz]
        if all(one.denominator == 1 and one <= LARGEST_DIVISOR for one in ratios):
            yield Pll(input_mhz, reference, feedback, primary, tuple(map(int, ratios)))


def _refusal(input_mhz: Fraction, clocks_mhz: Sequence[Fraction]) -> str:
    """Why there is no setting, and what would be one."""
    names = " and ".join(f"{float(clock):g}" for clock in clocks_mhz)
    reason = f"the PLL cannot make {names} MHz of {float(input_mhz):g} MHz"
    if len(clocks_mhz) > 1:
        return f"{reason} together: give clocks with a common multiple that it can make"
    wanted = clocks_mhz[0]
    made = {
        input_mhz / reference * feedback * primary / divisor
        for reference in _references(input_mhz)
        for feedback, primary in _multiples(input_mhz / reference)
        for divisor in range(1, LARGEST_DIVISOR + 1)
    }
    possible = [clock for clock in made if _within(clock, OUTPUT_MHZ) and _written(clock)]
    below = max((clock for clock in possible if clock < wanted), default=None)
    above = min((clock for clock in possible if clock > wanted), default=None)
    nearest = " or ".join(f"{float(one):g}" for one in (below, above) if one is not None)
    return f"{reason}: the nearest are {nearest}"


def _written(clock: Fraction) -> bool:
    """Whether ``g`` writes it in full, so that it can be asked for."""
    return Fraction(f"{float(clock):g}") == clock


def _within(value: Fraction, limits: tuple[Fraction, Fraction]) -> bool:
    return limits[0] <= value <= limits[1]


def _range(limits: tuple[Fraction, Fraction]) -> str:
    return " to ".join(f"{float(limit):g}" for limit in limits)
