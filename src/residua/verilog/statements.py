"""Statements of RTLIL processes as Verilog: clocked blocks, and the conditions of cases."""

from collections.abc import Callable
from dataclasses import dataclass

from residua.verilog.rtlil import (
    Assign,
    Case,
    Slice,
    Spec,
    Statement,
    Switch,
    from_bits,
    spec_bits,
    spec_width,
)

INDENT = "  "


@dataclass(frozen=True)
class StatementWriter:
    """Writes statements of one module; ``text`` makes an expression of a value."""

    text: Callable[[Spec], str]

    def clocked(
        self,
        statements: list[Statement],
        source: str,
        register: str,
        *,
        depth: int,
        overrides: bool = False,
    ) -> list[str]:
        """Statements of a clocked block; assignments to ``source`` go to ``register``.

        ``overrides`` tells that assignments before these may be in force.
        """
        lines: list[str] = []
        for statement in statements:
            if isinstance(statement, Assign):
                target = tuple(
                    Slice(register, chunk.high, chunk.low)
                    for chunk in statement.target
                    if isinstance(chunk, Slice)
                )
                # A register holds its value by itself, unless it was given another one.
                if target != statement.value or overrides:
                    overrides = True
                    text = f"{self.text(target)} <= {self.text(statement.value)};"
                    lines.append(INDENT * depth + text)
                continue
            bodies = [
                self.clocked(case.body, source, register, depth=1, overrides=overrides)
                for case in statement.cases
            ]
            overrides |= any(bodies)
            lines += [INDENT * depth + line for line in self._branch(statement, bodies)]
        return lines

    def _branch(self, switch: Switch, bodies: list[list[str]]) -> list[str]:
        """An if chain, or a case statement where the patterns allow one."""
        branches = list(zip(switch.cases, bodies, strict=True))
        if not any(bodies):
            return []
        if not switch.selector:
            return bodies[0]
        if spec_width(switch.selector) > 1 and len(branches) > 2 and _is_parallel(switch.cases):
            return self._case(switch.selector, branches)
        lines: list[str] = []
        while branches and not branches[-1][1]:
            branches.pop()
        for index, (case, body) in enumerate(branches):
            condition = self.condition(switch.selector, case)
            word = "if" if index == 0 else "else if"
            head = f"{word} ({condition})" if condition else ("else" if index else "if (1'b1)")
            lines += [f"{head} begin", *body, "end"]
            if not condition:
                break
        return lines

    def _case(self, selector: Spec, branches: list[tuple[Case, list[str]]]) -> list[str]:
        wild = any("-" in pattern for case, _ in branches for pattern in case.patterns)
        lines = [f"{'casez' if wild else 'case'} ({self.text(selector)})"]
        for case, body in branches:
            labels = ", ".join(_pattern(pattern) for pattern in case.patterns) or "default"
            inner = [INDENT + line for line in body]
            lines += (
                [f"{INDENT}{labels}: begin", *inner, f"{INDENT}end"]
                if body
                else [f"{INDENT}{labels}: ;"]
            )
        if branches[-1][0].patterns:
            lines.append(f"{INDENT}default: ;")
        return [*lines, "endcase"]

    def condition(self, selector: Spec, case: Case) -> str:
        """Whether the selector matches one of the patterns; empty for a default."""
        if any(set(pattern) == {"-"} for pattern in case.patterns):
            return ""
        bits, terms = spec_bits(selector), []
        for pattern in case.patterns:
            cared = [at for at, digit in enumerate(reversed(pattern)) if digit != "-"]
            value = self.text(from_bits([bits[at] for at in cared]))
            wanted = "".join(pattern[len(pattern) - 1 - at] for at in reversed(cared))
            if wanted == "1":
                terms.append(value)
            elif wanted == "0":
                terms.append(f"~{value}")
            else:
                terms.append(f"{value} == {literal(wanted)}")
        if len(terms) > 1:
            terms = [f"({term})" if " " in term else term for term in terms]
        return " || ".join(terms)


def assigns_after_branch(statements: list[Statement]) -> bool:
    """Whether an assignment follows a branch in the same list.

    Yosys' Verilog reader puts such an assignment to a part of a register before the branch.
    """
    branched = False
    for statement in statements:
        if isinstance(statement, Switch):
            if branched and not statement.selector:
                return True
            branched = True
            if any(assigns_after_branch(case.body) for case in statement.cases):
                return True
        elif branched:
            return True
    return False


def literal(text: str) -> str:
    """Constant bits as a number of their width."""
    if len(text) == 1 or "x" in text:
        return f"{len(text)}'b{text}"
    return f"{len(text)}'h{int(text, 2):0{(len(text) + 3) // 4}x}"


def _pattern(text: str) -> str:
    return f"{len(text)}'b{text.replace('-', '?')}" if "-" in text else literal(text)


def _is_parallel(cases: list[Case]) -> bool:
    """Whether no two patterns match the same value."""
    patterns = [pattern for case in cases for pattern in case.patterns]
    return not any(
        all(a == b or "-" in (a, b) for a, b in zip(one, other, strict=True))
        for index, one in enumerate(patterns)
        for other in patterns[:index]
    )
