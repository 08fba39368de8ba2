"""Windows of a browser with a page in each."""

from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Page

WIDTHS = (1280, 390)
"""Of windows, in CSS pixels: of a desk, and of a phone."""

SCHEMES = ("light", "dark")

_PHONE = 500
"""Width up to which a window is that of a phone."""

_OF_THE_DRIVER = "GL Driver Message (OpenGL, Performance"
"""Begins what Chromium says of itself where it draws without a graphics card."""

_DRAWN = 300
"""Milliseconds in which scripts have drawn what they draw after a page was loaded or touched."""


@dataclass
class Seen:
    """A page in a window; ``faults`` are what the console said, and what was loaded from elsewhere.

    ``own`` begins the addresses that the page may load; without it, it is a single file.
    """

    page: Page
    width: int
    scheme: str
    is_phone: bool
    own: str | None = None
    faults: list[str] = field(default_factory=list)

    def said(self, message):
        if message.type in ("error", "warning") and _OF_THE_DRIVER not in message.text:
            self.faults.append(f"{message.type}: {message.text}")

    def asked(self, request):
        allowed = ("data:", "blob:", *([self.own] if self.own else []))
        if not request.is_navigation_request() and not request.url.startswith(allowed):
            self.faults.append(f"loads {request.url}")

    def settle(self):
        self.page.wait_for_timeout(_DRAWN)


@contextmanager
def opened(browser, file, *, width=WIDTHS[0], scheme="light", scripts=True, folder=None):
    """A page from a file, without a server, in a window of its own.

    It may load what is in ``folder``, if one is given.
    """
    is_phone = width < _PHONE
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        java_script_enabled=scripts,
        is_mobile=is_phone,
        has_touch=is_phone,
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    own = folder.as_uri() if folder else None
    seen = Seen(context.new_page(), width, scheme, is_phone, own)
    seen.page.on("console", seen.said)
    seen.page.on("pageerror", lambda error: seen.faults.append(f"uncaught: {error}"))
    seen.page.on("request", seen.asked)
    seen.page.goto(file.as_uri())
    seen.settle()
    yield seen
    context.close()
