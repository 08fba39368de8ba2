"""Tables of papers, made in one folder."""

from residua.evidence.rows import Row, Store
from residua.papers import tables


def make(paper, folder, **options):
    """Make the tables of a paper; the page, and its data with rows as they are."""
    document, data = tables.make(paper, Store(folder), folder, **options)
    return document, data | {"rows": [Row(**row) for row in data["rows"]]}


def stored(paper, folder):
    """Read the rows of a paper."""
    return list(Store(folder).read(paper).values())


def change(paper, folder, **values):
    """Change the first row of a paper."""
    first, *others = stored(paper, folder)
    Store(folder).write(paper, [first.model_copy(update=values), *others])
