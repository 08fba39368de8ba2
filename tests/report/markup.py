"""Whether the elements of a page are closed in order."""

from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img"}


class _Balanced(HTMLParser):
    """Checks that every element that opens closes in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, _attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, _tag, _attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_balanced(text):
    """Fail unless every element of a page is closed, in order."""
    checker = _Balanced()
    checker.feed(text)
    assert not checker.open
