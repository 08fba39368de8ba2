"""Operators of RTLIL as expressions of Verilog."""

from collections.abc import Callable
from dataclasses import dataclass

from residua.verilog.body import Body
from residua.verilog.rtlil import Cell, Spec, resize, spec_width

_SYMBOLS = {
    "$add": "+", "$sub": "-", "$mul": "*", "$and": "&", "$or": "|", "$xor": "^",
    "$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">=",
    "$not": "~", "$neg": "-",
    "$reduce_bool": "|", "$reduce_or": "|", "$reduce_and": "&", "$reduce_xor": "^",
}  # fmt: skip

_SHIFTS = ("$shl", "$shr", "$sshr", "$shift")

OPERATORS = frozenset([*_SYMBOLS, *_SHIFTS])
"""Kinds of cells that are operators."""


@dataclass(frozen=True)
class OperatorWriter:
    """Writes the operators of one module into its body.

    ``text`` makes an expression of a value, ``signed`` has the names that are declared signed.
    """

    text: Callable[[Spec], str]
    signed: frozenset[str]
    body: Body

    def write(self, cell: Cell) -> None:
        """Drive the output of a cell of `OPERATORS`."""
        if cell.kind in _SHIFTS:
            self._shift(cell)
        else:
            self.body.assign(self.text(cell.ports["Y"]), self._operation(cell))

    def _operation(self, cell: Cell) -> str:
        symbol, width = _SYMBOLS[cell.kind], cell.integer("Y_WIDTH")
        if cell.kind.startswith("$reduce"):
            return f"{symbol}{self.text(cell.ports['A'])}"
        if cell.kind in ("$not", "$neg"):
            return f"{symbol}{bracket(self._operand(cell, 'A', width))}"
        signed = bool(cell.parameters["A_SIGNED"])
        if cell.kind == "$mul":
            return self._product(cell, width, signed=signed)
        if width == 1 and symbol[0] in "=!<>":
            width = max(1, spec_width(cell.ports["A"]), spec_width(cell.ports["B"]))
        left, right = (self._operand(cell, port, width) for port in "AB")
        if symbol[0] in "<>":
            cast = "$signed" if signed else "$unsigned"
            must = signed or self._both_signed(left, right)
            left, right = (f"{cast}({text})" if must else text for text in (left, right))
        return f"{left} {symbol} {right}"

    def _both_signed(self, *texts: str) -> bool:
        return all(text in self.signed for text in texts)

    def _product(self, cell: Cell, width: int, *, signed: bool) -> str:
        """Operands keep their own widths: multipliers are recognised by them."""
        left, right = (self.text(cell.ports[port]) for port in "AB")
        natural = max(1, spec_width(cell.ports["A"])) + max(1, spec_width(cell.ports["B"]))
        cast = "$signed" if signed else "$unsigned"
        if signed or self._both_signed(left, right):
            left, right = f"{cast}({left})", f"{cast}({right})"
        if natural == width:
            return f"{left} * {right}"
        product = self.body.helper(f"{self.text(cell.ports['Y'])}_product", natural)
        self.body.assign(product, f"{left} * {right}")
        if natural > width:
            self.body.consume(f"{product}[{natural - 1}:{width}]")
            return f"{product}[{width - 1}:0]"
        sign = f"{product}[{natural - 1}]" if signed else "1'b0"
        return f"{{{{{width - natural}{{{sign}}}}}, {product}}}"

    def _shift(self, cell: Cell) -> None:
        target, width = self.text(cell.ports["Y"]), cell.integer("Y_WIDTH")
        signed = cell.kind == "$sshr" and bool(cell.parameters["A_SIGNED"])
        work = max(width, spec_width(cell.ports["A"])) if cell.kind != "$shl" else width
        value = resize(cell.ports["A"], work, signed=bool(cell.parameters["A_SIGNED"]))
        operator = "<<" if cell.kind == "$shl" else ">>>" if signed else ">>"
        shifted = f"{self.text(value)} {operator} {self.text(cell.ports['B'])}"
        if signed:
            shifted = f"$signed({self.text(value)}) >>> {self.text(cell.ports['B'])}"
        if work == width:
            self.body.assign(target, shifted)
            return
        whole_value = self.body.helper(f"{target}_whole", work)
        self.body.assign(whole_value, shifted)
        self.body.assign(
            target, f"{whole_value}[{width - 1}:0]" if width > 1 else f"{whole_value}[0]"
        )
        self.body.consume(f"{whole_value}[{work - 1}:{width}]")

    def _operand(self, cell: Cell, port: str, width: int) -> str:
        signed = bool(cell.parameters.get(f"{port}_SIGNED", 0))
        return self.text(resize(cell.ports[port], width, signed=signed))


def bracket(text: str, *, chain: bool = False) -> str:
    """Parentheses around all but a single operand or the rest of a chain of conditions."""
    return text if " " not in text or text[0] == "{" or (chain and "?" in text) else f"({text})"
