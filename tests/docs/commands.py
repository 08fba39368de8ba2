"""The commands of README and the documentation, as a reader would type them.

A comment behind a command says what keeps tests from running it: ``takes minutes``, ``takes an
hour``, ``takes hours``, ``needs the board`` or ``needs the exploration``.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))

OWN = {
    "adding-a-core.md": "tests/docs/test_adding_a_core.py",
    "first-core.md": "tests/docs/test_first_core.py",
    "openssl.md": "tests/system/provider/test_page.py",
    "traces.md": "tests/docs/test_traces_page.py",
}
"""Pages whose commands are run by tests of their own: for smaller cores, or in other places."""

_COMMANDS = re.compile(
    r"^```sh\n((?:(?!```).*\n)+)```\n(?:\n```text\n((?:(?!```).*\n)+)```\n)?", re.MULTILINE
)
"""A block of commands, and the block of text that follows it at once, if there is one."""

_FILE = re.compile(r"^```toml\n# ([\w.-]+\.toml)\b.*\n((?:(?!```).*\n)+)```\n", re.MULTILINE)
"""A file that commands of the page read, with its name in the first line."""

_NOT_RUN = re.compile(
    r" # (?:.*\b)?(?:takes (?:minutes|an hour|hours)|needs the (?:board|exploration))$"
)


def name(page):
    return page.relative_to(ROOT).as_posix()


def printed(page):
    """Blocks of commands of a page with all that they print."""
    return [found for found in _COMMANDS.findall(page.read_text(encoding="utf-8")) if found[1]]


def lines(page):
    """Lines of the blocks of a page that do not say what they print; none goes on in the next."""
    found = _COMMANDS.findall(page.read_text(encoding="utf-8"))
    blocks = [re.sub(r"\\\n\s*", "", commands) for commands, text in found if not text]
    return [line for block in blocks for line in block.splitlines()]


def is_run(line):
    """Whether tests run a line."""
    return _NOT_RUN.search(line) is None


def files(page):
    """The files that a page gives, by name."""
    return dict(_FILE.findall(page.read_text(encoding="utf-8")))
