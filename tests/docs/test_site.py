"""The rendered documentation: order, search, tables, and nothing that is loaded from elsewhere."""

import json
import re
from html.parser import HTMLParser

import pytest
import yaml
from scripts import site_tables
from tests.docs.site import ROOT, build_site

DOCS = ROOT / "docs"
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
PARTS = ["Start", "Tutorials", "How-to guides", "Reference", "Explanation", "Results"]


def pages(entry) -> list[str]:
    """The pages of an entry of the navigation, in their order."""
    if isinstance(entry, str):
        return [entry]
    entries = entry.values() if isinstance(entry, dict) else entry
    return [page for one in entries for page in pages(one)]


def test_every_page_has_its_place():
    assert [next(iter(part)) for part in SETTINGS["nav"]] == PARTS
    listed = pages(SETTINGS["nav"])
    assert sorted(listed) == sorted(p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md"))
    assert {"start/engineer.md", "start/researcher.md", "start/evaluator.md"} <= set(listed)


def test_the_first_page_leads_to_every_other_part():
    start = (DOCS / "index.md").read_text(encoding="utf-8")
    for part in SETTINGS["nav"][:-1]:
        for page in pages(part):
            assert page == "index.md" or f"({page})" in start


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("site"))


class Loaded(HTMLParser):
    """What a page loads by itself: scripts, style sheets, fonts, pictures, frames."""

    def __init__(self, text):
        super().__init__()
        self.addresses = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag in {"script", "img", "iframe", "source"} and found.get("src"):
            self.addresses.append(found["src"])
        if tag == "link" and found["rel"] != "canonical":
            self.addresses.append(found["href"])


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        addresses = Loaded(page.read_text(encoding="utf-8")).addresses
        assert addresses
        assert [one for one in addresses if re.match(r"(\w+:)?//", one)] == [], page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text(encoding="utf-8"))


def test_a_page_can_be_searched_without_a_server(site):
    text = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    found = json.loads(text.removeprefix("var __index = "))
    titles = {entry["title"] for entry in found["docs"]}
    assert {"Specification", "Plus-minus", "For evaluators"} <= titles
    assert 'src="assets/iframe-worker.js"' in (site / "index.html").read_text(encoding="utf-8")
    assert (site / "assets" / "iframe-worker.js").is_file()


def test_both_themes_follow_the_system(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    for media, scheme in (("light", "default"), ("dark", "slate")):
        chosen = rf'data-md-color-media="\(prefers-color-scheme: {media}\)"'
        assert re.search(rf'{chosen} data-md-color-scheme="{scheme}"', page)


def test_the_table_of_keys_can_be_stacked(site):
    page = (site / "specification.html").read_text(encoding="utf-8")
    (table,) = re.findall(r'<div class="stacked"><table>.*?</table>', page, re.DOTALL)
    for heading in ("key", "meaning", "values", "default"):
        assert table.count(f'<td data-heading="{heading}">') == table.count("<tr>") - 1


def test_cells_keep_what_they_have():
    rows = '<tr>\n<td>{}</td>\n<td style="text-align: right;">1 &lt; 2</td>\n</tr>'
    table = f'<table>\n<thead><tr><th>a</th><th><code>b</code> "</th></tr></thead>\n{rows}</table>'
    assert site_tables.stacked(table.format("short")) == table.format("short")
    assert site_tables.stacked(table.format("long " * 9)) == (
        '<div class="stacked">'
        + table.format("long " * 9)
        .replace("<td>", '<td data-heading="a">')
        .replace("<td style", '<td data-heading="b &quot;" style')
        + "</div>"
    )
