"""Every page of the documentation in a real browser."""

import pytest
from tests.docs.site import ROOT, build_site
from tests.system.looks import too_wide, troubles, unreadable, wrong_ground
from tests.system.window import SCHEMES, WIDTHS, opened

PICTURED = ("index.html", "specification.html", "results/coprocessors.html", "papers.html")
"""Pages of which a screenshot is left: text, the widest tables, drawings."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("site"))


def faults_of(seen):
    """What is wrong with a page; of its menus only what moves the page itself."""
    found = [*too_wide(seen), *wrong_ground(seen), *unreadable(seen, "article")]
    return found + troubles(seen)


def pictured(seen, pictures, name):
    if name in PICTURED:
        flat = name.removesuffix(".html").replace("/", "-")
        seen.page.screenshot(path=pictures / f"site-{flat}-{seen.width}-{seen.scheme}.png")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_page(browser, site, pictures, width, scheme):
    sources = {p.relative_to(ROOT / "docs") for p in (ROOT / "docs").rglob("*.md")}
    names = sorted(p.with_suffix(".html").as_posix() for p in sources)
    assert set(PICTURED) <= set(names)
    faults = {}
    for name in names:
        with opened(browser, site / name, width=width, scheme=scheme, folder=site) as seen:
            pictured(seen, pictures, name)
            faults[name] = faults_of(seen)
    assert {name: found for name, found in faults.items() if found} == {}
