"""The body of a Verilog module while it is written."""

from dataclasses import dataclass, field

from residua.verilog.names import Scope


@dataclass
class Body:
    """What stands between the ports and the end of a module.

    ``scope`` has the names that are taken, ``read_texts`` all that reads a value, ``helpers`` the
    wires that the writer has added.
    """

    scope: Scope
    declarations: list[str] = field(default_factory=list)
    initials: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    read_texts: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)

    def assign(self, target: str, value: str) -> None:
        """Drive a wire."""
        self.lines.append(f"assign {target} = {value};")
        self.read_texts.append(value)

    def helper(self, wish: str, width: int) -> str:
        """A further wire, by its name."""
        name = self.scope.take(wish)
        self.helpers.append(name)
        self.declarations.append(f"wire {f'[{width - 1}:0] ' if width > 1 else ''}{name};")
        return name

    def consume(self, *texts: str) -> None:
        """Say that nothing else reads these bits, in the form that linters know."""
        name = self.scope.take("unused")
        self.declarations.append(f"wire {name};")
        self.assign(name, f"&{{1'b0, {', '.join(texts)}}}")
