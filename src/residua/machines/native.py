"""The native interpreter: a program as a C++ function, equal to the values interpreter.

For volume: it keeps pace with a simulated engine, word for word. Sums are kept in 64 bits where the
bounds interpreter proves that they fit, else in 128 bits.
"""

from collections.abc import Iterable, Sequence

from residua.algorithms.program import Program
from residua.algorithms.terms import (
    Broadcast,
    Correction,
    Gated,
    HeldBroadcast,
    HeldCorrection,
    Product,
    Quotient,
    Reduction,
    Residues,
    Rotated,
    Rows,
    Scaled,
    Stored,
    Term,
    Words,
)
from residua.errors import SpecificationError
from residua.machines.bounds import Bounds, analyse, quotient_range, word_ranges
from residua.machines.scheduling.rows import broadcast_rows
from residua.numbers.bases import Base
from residua.numbers.cox import Range
from residua.numbers.folding import Folding, fits_word
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Redundant

WORD_BITS = 64
"""Bits of a word of the model, one of them to spare: moduli have up to 62 bits."""

LARGEST_SUM_BITS = 128
"""Bits of the widest sum."""

_PRELUDE = """\
#include <cstdint>

namespace model {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

// Sums wrap in unsigned arithmetic, so that only the total has to fit.
inline std::uint64_t product(std::int64_t, std::int64_t x, std::int64_t y) {
  return static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y);
}
inline UnsignedWide product(Wide, std::int64_t x, std::int64_t y) {
  return static_cast<UnsignedWide>(static_cast<Wide>(x) * y);
}

template <int count, class Sum> inline std::int64_t fold(Sum sum, std::int64_t offset) {
  constexpr Sum centring = Sum{1} << (width - 1), mask = (Sum{1} << width) - 1;
  sum += centring;
  for (int i = 0; i < count; ++i) sum = (sum >> width) * offset + (sum & mask);
  return static_cast<std::int64_t>(sum - centring);
}

// A signed residue of an extra channel.
template <class Sum> inline std::int64_t low_bits(Sum sum, int bits) {
  const std::int64_t low = static_cast<std::int64_t>(sum & ((Sum{1} << bits) - 1));
  return low >> (bits - 1) ? low - (std::int64_t{1} << bits) : low;
}
"""


def emit(program: Program) -> str:
    """C++17 source of namespace ``model`` with ``evaluate(inputs, outputs, fractions)``.

    ``inputs`` and ``outputs`` are arrays of std::int64_t that hold the program's inputs and outputs
    one after another, ``input_words`` and ``output_words`` long. ``fractions`` receives, for each
    of the ``quotients`` Cox quotients in the order of the steps, the fraction bits that the floor
    dropped; there are ``truncations[i]`` of them.

    Raises SpecificationError for a program that is not on redundant residues, or whose words or
    sums are too wide (`supports`).
    """
    if not isinstance(program.representation, Redundant):
        raise SpecificationError(
            f"{program.name}: the native model is for redundant residues, not "
            f"{type(program.representation).__name__.lower()} ones"
        )
    kept = program.representation
    bounds = analyse(program, kept.folds, kept.row_folds if broadcast_rows(program) else 0)
    width = max(step.result.base.width for step in program.steps)
    widest = _sum_bits(program, bounds)
    if width + 2 > WORD_BITS or widest > LARGEST_SUM_BITS:
        raise SpecificationError(
            f"{program.name}: the native model holds words of {WORD_BITS - 1} bits and sums of "
            f"{LARGEST_SUM_BITS} bits, but w = {width} needs {width + 1} and {widest}; "
            "use the values interpreter or moduli of at most 58 bits"
        )
    return _Emitter(program, bounds, width).emit()


def supports(program: Program) -> bool:
    """Whether `emit` accepts the program: up to w = 58, and beyond if its sums fit 128 bits."""
    try:
        emit(program)
    except SpecificationError:
        return False
    return True


def layout(vectors: Iterable[Residues | Words]) -> dict[str, tuple[int, int]]:
    """Position and length of each vector by name, when they lie one after another."""
    places, position = {}, 0
    for vector in vectors:
        length = vector.count if isinstance(vector, Words) else len(vector.base)
        places[vector.name] = (position, length)
        position += length
    return places


class _Emitter:
    def __init__(self, program: Program, bounds: Bounds, width: int) -> None:
        self.program, self.bounds, self.width = program, bounds, width
        self.names: dict[int, str] = {}
        self.tables: list[str] = []
        self.body: list[str] = []
        self.truncations: list[int] = []

    def emit(self) -> str:
        inputs, outputs = layout(self.program.inputs), layout(self.program.outputs)
        for number, source in enumerate(self.program.inputs):
            self.names[id(source)] = f"i{number}"
            position = inputs[source.name][0]
            self.body.append(f"const Word* const i{number} = in + {position};  // {source.name}")
        for number, step in enumerate(self.program.steps):
            self._step(number, step)
        for value in self.program.outputs:
            position, length = outputs[value.name]
            word = self._read(value, "k")
            self.body.append(f"for (int k = 0; k < {length}; ++k) out[{position} + k] = {word};")
        constants = _constants(self.width, self.bounds)
        return "\n".join([constants, _PRELUDE, *self._definitions()])

    def _definitions(self) -> list[str]:
        counts = [
            f"constexpr int input_words = {_total(self.program.inputs)};",
            f"constexpr int output_words = {_total(self.program.outputs)};",
            f"constexpr int quotients = {len(self.truncations)};",
            f"constexpr int truncations[] = {_braces(self.truncations or [0])};",
        ]
        body = [f"  {line}" for line in self.body]
        head = "inline void evaluate(const Word* in, Word* out, Word* fractions) {"
        if not self.truncations:
            body.insert(0, "  static_cast<void>(fractions);")
        word = "using Word = std::int64_t;"
        return [word, *counts, *self.tables, head, *body, "}", "}  // namespace model", ""]

    def _step(self, number: int, step: Reduction) -> None:
        """The loop over the channels of one reduction."""
        name, channels = f"s{number}", len(step.result.base)
        sums = _stage_ranges(step, self.bounds, number)
        narrow = all(fits_word(r, 64) for r in sums)
        kind, unsigned = ("Word", "std::uint64_t") if narrow else ("Wide", "UnsignedWide")
        offsets = self._table(f"{name}_offset", [m.offset for m in step.result.base])
        terms = [
            line
            for index, term in enumerate(step.terms)
            for line in self._term(f"{name}_{index}", kind, step, term)
        ]
        total = f"static_cast<{kind}>(sum)"
        word = _in_channel(step.result.base, f"fold<folds>({total}, {offsets}[k])", total)
        self.body += [
            f"Word {name}[{channels}];  // {step.result.name}",
            f"for (int k = 0; k < {channels}; ++k) {{",
            f"  {unsigned} sum = 0;",
            *(f"  {line}" for line in terms),
            f"  {name}[k] = {word};",
            "}",
        ]
        self.names[id(step.result)] = name

    def _term(self, name: str, kind: str, step: Reduction, term: Term) -> list[str]:
        """Statements that add one term to the sum of channel k."""
        moduli = step.result.base.moduli
        match term:
            case Product(left, right, sign):
                product = f"product({kind}{{}}, {self._read(left, 'k')}, {self._read(right, 'k')})"
                return [f"sum {'+' if sign > 0 else '-'}= {product};"]
            case Stored(constants):
                table = self._table(name, _centred(moduli, constants))
                return [f"sum += product({kind}{{}}, 1, {table}[k]);"]
            case Gated() | Rotated() | HeldBroadcast() | HeldCorrection():
                raise SpecificationError(
                    f"{step.result.name}: the native model has no bits, nor bases that they choose"
                )
            case Scaled(value, constants, _):
                table = self._table(name, _centred(moduli, constants))
                return [f"sum += product({kind}{{}}, {self._read(value, 'k')}, {table}[k]);"]
            case Correction(quotient, constants):
                self._quotient(name, quotient)
                table = self._table(name, _centred(moduli, constants))
                return [f"sum += product({kind}{{}}, {name}_q, {table}[k]);"]
            case Broadcast(source, matrix, _):
                return [self._broadcast(name, kind, step.result.base, source, matrix)]

    def _broadcast(
        self,
        name: str,
        kind: str,
        base: Base,
        source: Residues | Words | Rows,
        matrix: Sequence[Sequence[int]],
    ) -> str:
        """The loop over the words of a source; channel k reduces super-residues first."""
        # Row k holds what channel k multiplies the source's words by.
        rows = [
            _centred((m,) * len(matrix), column)
            for m, column in zip(base, zip(*matrix, strict=True), strict=True)
        ]
        count = len(matrix)
        table = self._table(name, [constant for row in rows for constant in row])
        if isinstance(source, Rows):
            offsets = self._table(f"{name}_offset", [m.offset for m in base])
            own = f"{self._super_residues(source)}[j]"
            word = _in_channel(base, f"fold<row_folds>({own}, {offsets}[k])", own)
        else:
            word = self._read(source, "j")
        loop = f"for (int j = 0; j < {count}; ++j)"
        return f"{loop} sum += product({kind}{{}}, {word}, {table}[{count} * k + j]);"

    def _quotient(self, name: str, quotient: Quotient) -> None:
        """The Cox's quotient ``name``_q, ahead of the loop over the channels."""
        cox = quotient.cox
        low, high = quotient_range(quotient, word_ranges(quotient.source))
        limits = (low << cox.truncation, (high + 1) << cox.truncation)
        kind = "Word" if fits_word(limits, 63) else "Wide"
        weights = self._table(f"{name}_weight", quotient.weights)
        leading = self._leading(name, kind, quotient)
        loop = f"for (int j = 0; j < {len(quotient.weights)}; ++j)"
        mask = f"((static_cast<{kind}>(1) << {cox.truncation}) - 1)"
        self.body += [
            f"{kind} {name}_cox = {cox.start};  // {quotient.name}",
            f"{loop} {name}_cox += {leading} * {weights}[j];",
            f"const Word {name}_q = static_cast<Word>({name}_cox >> {cox.truncation});",
            f"fractions[{len(self.truncations)}] = static_cast<Word>({name}_cox & {mask});",
        ]
        self.truncations.append(cox.truncation)

    def _leading(self, name: str, kind: str, quotient: Quotient) -> str:
        """The leading bits of word j as the Cox adds them up."""
        seen, kept = self._estimated(quotient.source), quotient.cox.truncation
        drops = [max(width - kept, 0) for width in quotient.widths]
        lifts = [max(kept - width, 0) for width in quotient.widths]
        right, left = str(drops[0]), str(lifts[0])
        if len(set(quotient.widths)) > 1:
            right = f"{self._table(f'{name}_drop', drops)}[j]"
            left = f"{self._table(f'{name}_lift', lifts)}[j]"
        scale = f" * (static_cast<{kind}>(1) << {left})" if any(lifts) else ""
        return f"static_cast<{kind}>({seen} >> {right}){scale}"

    def _estimated(self, source: Residues | Rows) -> str:
        """Words that the Cox adds: residue j, or super-residue j with its constant."""
        if isinstance(source, Residues):
            return self._read(source, "j")
        base, offset = source.source.base, "(Wide{1} << (width - 1))"
        if base.extra:
            offset = f"(j < {source.count - 1} ? {offset} : 0)"
        return f"({self._super_residues(source)}[j] + {offset})"

    def _super_residues(self, rows: Rows) -> str:
        """The array of super-residues, made where it is first wanted."""
        if id(rows) not in self.names:
            name = self.names[id(rows)] = f"r{len(self.names)}"
            self.tables.append(f"constexpr Wide {name}_c[] = {_wide_braces(rows.multipliers)};")
            # The row of an extra channel ends after its first word.
            word = self._read(rows.source, "i")
            self.body += [
                f"Wide {name}[{rows.count}] = {{}};  // {rows.name}",
                f"for (int i = 0; i < {len(rows.multipliers)}; ++i)",
                f"  {name}[i / {rows.columns}] += static_cast<Wide>({word}) * {name}_c[i];",
            ]
        return self.names[id(rows)]

    def _read(self, value: Residues | Words, index: str) -> str:
        stored, first = (value, 0) if isinstance(value, Words) else value.root()
        position = f"{first} + {index}" if first else index
        return f"{self.names[id(stored)]}[{position}]"

    def _table(self, name: str, values: Sequence[int]) -> str:
        self.tables.append(f"constexpr Word {name}_c[] = {_braces(values)};")
        return f"{name}_c"


def _in_channel(base: Base, wide: str, total: str) -> str:
    """The residue of a sum in channel k: ``wide``, or the low bits of it for an extra modulus."""
    if base.extra is None:
        return wide
    low = f"low_bits({total}, {base.extra.width})"
    return f"(k == {len(base) - 1} ? {low} : {wide})" if base.wide else low


def _constants(width: int, bounds: Bounds) -> str:
    values = {"width": width, "folds": bounds.folds, "row_folds": bounds.row_folds}
    listed = ", ".join(f"{name} = {value}" for name, value in values.items())
    return (
        "// The program as a function, word for word.\n"
        f"namespace model {{ constexpr int {listed}; }}"
    )


def _stage_ranges(step: Reduction, bounds: Bounds, number: int) -> list[Range]:
    """Ranges of the sum and of every fold, in every channel of one step."""
    return [
        stage
        for modulus, total in zip(step.result.base, bounds.accumulators[number], strict=True)
        for stage in (total, *Folding(modulus, bounds.folds).stages(total))
    ]


def _sum_bits(program: Program, bounds: Bounds) -> int:
    """Signed bits of the widest sum, or super-residue."""
    ranges = [
        stage
        for number, step in enumerate(program.steps)
        for stage in _stage_ranges(step, bounds, number)
    ]
    if bounds.super_residues:
        ranges.append(bounds.super_residues)
    return 1 + max(max(abs(low), abs(high)).bit_length() for low, high in ranges)


def _centred(moduli: Sequence[Modulus], constants: Sequence[int]) -> list[int]:
    return [m.centre(c) for m, c in zip(moduli, constants, strict=True)]


def _total(vectors: Iterable[Residues | Words]) -> int:
    return sum(length for _, length in layout(vectors).values())


def _wide_braces(values: Iterable[int]) -> str:
    """Numbers that a literal of 64 bits need not hold, in two parts."""
    parts = ((value >> 62, value & ((1 << 62) - 1)) for value in values)
    return (
        "{"
        + ", ".join(f"(Wide{{{high}}} * (Wide{{1}} << 62)) + {low}" for high, low in parts)
        + "}"
    )


def _braces(values: Iterable[int]) -> str:
    return "{" + ", ".join(str(value) for value in values) + "}"
