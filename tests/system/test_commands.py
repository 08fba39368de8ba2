"""The commands of README and the documentation, page by page, as they stand there.

Those that take minutes are left out, and what needs a board; and the pages of which other tests
give commands smaller cores or fewer runs.
"""

import pytest
from tests.docs.commands import DOCS, OWN, PAGES, ROOT, files, is_run, lines, name
from tests.system.shell import ran

TIMEOUT = 580
"""Seconds that the commands of a page may take; any test ends after 600."""


def run_lines(page):
    """The commands of a page that are run; those of make need the repository."""
    return [line for line in lines(page) if is_run(line) and not line.startswith("make ")]


RUN = [page for page in PAGES if run_lines(page) and page.name not in OWN]


def test_pages_with_tests_of_their_own():
    for page, test in OWN.items():
        assert (DOCS / page).is_file()
        assert (ROOT / test).is_file()


@pytest.mark.parametrize("page", RUN, ids=name)
def test_commands_of_a_page(page, tmp_path):
    for file, text in files(page).items():
        (tmp_path / file).write_text(text)
    commands = "\n".join(line.removeprefix(".venv/bin/") for line in run_lines(page))
    ran(commands, tmp_path, TIMEOUT)
