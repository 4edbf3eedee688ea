"""The pages in a browser: a visitor who notices every error.

Belongs here: opening pages as people do (a phone, in the dark, without a script), and the checks that every page must
pass. Not here: what a page shows. Guarantee: a console error, a failed request or a request to another host fails the
test, unless the test said that it expects it; every look at a page waits until it holds.

A click returns before the page that it leads to is there, and before what it makes a script do. So a test waits with
`expect`, `follow` or `eventually`, and never looks at once; `tests/unit/test_browser_looks.py` holds that. That
something is *not* there says nothing about a page that is still coming: first expect what proves that it came.
"""

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.store.store import Store
from tests.support import Later

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request, Response

playwright_api = Later("playwright.sync_api")

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
PROBES = (
    "<script>window.hit=1</script>",
    "<img src=x onerror='window.hit=1'>",
    '"><svg onload=window.hit=1>',
    "{{191*7}}${191*7}",
    "</title><script>window.hit=1</script>",
)
"""Names and titles that would run, or be computed, if a page did not escape them; `window.hit` tells."""
_PATIENCE = 120_000  # milliseconds, because a machine may be busy: the first answer of a model imports litellm


@dataclass(kw_only=True)
class Visitors:
    """The address of a server of the pages, and the browser that looks at them."""

    url: str
    browser: "Browser"
    problems: list[str] = field(default_factory=list)
    expected: list[re.Pattern[str]] = field(default_factory=list)
    _contexts: "list[BrowserContext]" = field(default_factory=list)

    def visit(
        self, path: str = "/", *, phone: bool = False, dark: bool = False, reduced: bool = False, zoom: int = 1,
        script: bool = True, headers: Mapping[str, str] | None = None, language: str = "en-GB",
    ) -> "Page":  # fmt: skip
        """Open a page as a new visitor.

        Args:
            path: the address on this server.
            phone: on a small screen with touch.
            dark: the visitor prefers dark colours.
            reduced: the visitor prefers less motion.
            zoom: how many times the browser enlarges everything; this divides the width of the page.
            script: whether scripts run.
            headers: what every request has beside its own headers.
            language: of the browser.
        """
        shape = PHONE if phone else DESK
        context = self.browser.new_context(
            base_url=self.url,
            viewport={"width": shape["width"] // zoom, "height": shape["height"] // zoom},
            device_scale_factor=zoom,
            is_mobile=phone,
            has_touch=phone,
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if reduced else "no-preference",
            java_script_enabled=script,
            extra_http_headers=dict(headers or {}),
            locale=language,
        )
        context.set_default_timeout(_PATIENCE)
        self._contexts.append(context)
        page = context.new_page()
        self._watch(page)
        page.goto(path)
        return page

    def expect_problem(self, pattern: str) -> None:
        """Say that an error is meant: a problem that matches does not fail the test."""
        self.expected.append(re.compile(pattern))

    def close(self) -> list[str]:
        """Close every page; returns the problems that nobody expected."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()
        return [each for each in self.problems if not any(pattern.search(each) for pattern in self.expected)]

    def _watch(self, page: "Page") -> None:
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        page.on("requestfailed", self._failed)
        page.on("request", self._sent)
        page.on("response", self._answered)

    def _said(self, message: "ConsoleMessage") -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _failed(self, request: "Request") -> None:
        if request.failure != "net::ERR_ABORTED":  # the page left, or stopped a stream
            self.problems.append(f"failed: {request.method} {request.url}: {request.failure}")

    def _sent(self, request: "Request") -> None:
        if not request.url.startswith((f"{self.url}/", "data:", "blob:")):
            self.problems.append(f"to another host: {request.url}")

    def _answered(self, response: "Response") -> None:
        if response.status >= 400:
            self.problems.append(f"status {response.status}: {response.request.method} {response.url}")


@dataclass(kw_only=True)
class Web(Visitors):
    """A server of the pages in this process."""

    store: Store
    work: Callable[[], int]
    """Runs every sync that waits, as Dagster's daemon would have it run; returns how many sources."""


if TYPE_CHECKING:
    from playwright.sync_api import expect as expect
else:

    def expect(seen: Any) -> Any:
        """Playwright's assertions of a page or of what is on it; each waits until it holds."""
        playwright_api.expect.set_options(timeout=_PATIENCE)
        return playwright_api.expect(seen)


def follow(link: "Locator") -> None:
    """Click what leads to another page, also by a form, and wait until that one is there with its scripts."""
    with link.page.expect_navigation():
        link.click()


def enter(page: "Page") -> None:
    """Press Enter where it leads to another page, and wait until that one is there with its scripts."""
    with page.expect_navigation():
        page.keyboard.press("Enter")


def read_text(shown: "Locator") -> str:
    """The text of what appears, once it has one."""
    expect(shown).to_have_text(re.compile(r"\S"))
    return shown.inner_text()


def read_attribute(shown: "Locator", name: str) -> str:
    """An attribute of what appears, once it is not empty."""
    expect(shown).to_have_attribute(name, re.compile("."))
    return shown.get_attribute(name) or ""


def read_value(field: "Locator") -> str:
    """What is in a field that appears, once something is."""
    expect(field).to_have_value(re.compile("."))
    return field.input_value()


def reach(target: "Locator", step: Callable[[], object]) -> None:
    """Take steps until something is there; after each one the page is as it stays, as after `follow`."""
    while not target.first.is_visible():
        step()


@cache
def axe() -> str:
    """The script of axe."""
    spec = find_spec("axe_playwright_python")
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.rglob("axe*.js")).read_text(encoding="utf-8")


def picture(page: "Page", name: str) -> None:
    """Keep what the page looks like for the documentation, if HEADWATER_PICTURES names a folder."""
    folder = os.environ.get("HEADWATER_PICTURES")
    if folder:
        page.wait_for_load_state()
        page.screenshot(path=Path(folder) / f"{name}.png")


def check_accessible(page: "Page") -> None:
    """Fail for each violation that axe finds; the policy of our pages forbids script elements, so it is evaluated.

    Colours that still change are no colours of the page: axe looks when the transitions have ended.
    """
    page.wait_for_load_state()
    page.evaluate(_TRANSITIONS_END)
    page.evaluate(axe())
    found: list[dict[str, Any]] = page.evaluate("axe.run(document).then(result => result.violations)")
    said = [f"{each['id']}: {each['help']}: {[node['html'][:200] for node in each['nodes']]}" for each in found]
    assert not said, "\n".join(said)


def check_fits(page: "Page") -> None:
    """Fail if the page is wider than the screen, or if on a phone a control is smaller than 44 px."""
    page.wait_for_load_state()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} px too wide: {page.evaluate(_WIDE)}"
    if page.evaluate("matchMedia('(pointer: coarse)').matches"):
        assert page.evaluate(_SMALL) == []


_TRANSITIONS_END = """Promise.allSettled(document.getAnimations()
    .filter(animation => Number.isFinite(animation.effect.getComputedTiming().endTime))
    .map(animation => animation.finished)).then(() => null)"""
_WIDE = """[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .map(e => e.outerHTML.slice(0, 120)).slice(0, 5)"""
_SMALL = """[...document.querySelectorAll('button, .button, select, summary, .tabs a, .site-nav a, input')]
    .filter(e => e.checkVisibility() && !e.closest('label') && !e.matches('.cite') &&  // as targets in a text may be
         !e.matches('[type=checkbox], [type=radio], [type=file]'))
    .filter(e => e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML.slice(0, 120))"""


def check_unharmed(page: "Page") -> None:
    """Fail if a probe ran."""
    page.wait_for_load_state()
    assert page.evaluate("window.hit") is None
    assert not re.search(r"\b1337\b", page.inner_text("main")), "a template was computed"


def tab_to(page: "Page", selector: str, most: int = 60) -> None:
    """Move the focus to an element by the Tab key alone; the focus must be visible at each step."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            assert page.evaluate(_IS_SEEN), f"the focus on {selector} cannot be seen"
            return
    raise AssertionError(f"Tab does not lead to {selector}")


_IS_SEEN = """() => { const style = getComputedStyle(document.activeElement);
    return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 }"""


def eventually(holds: Callable[[], Any], page: "Page") -> None:
    """Wait until something holds, while the page runs, also if another page takes its place meanwhile."""
    deadline = time.monotonic() + _PATIENCE / 1000
    while not _holds(holds):
        assert time.monotonic() < deadline, "it did not happen"
        page.wait_for_timeout(50)


def _holds(holds: Callable[[], Any]) -> bool:
    try:
        return bool(holds())
    except playwright_api.Error as error:
        if "navigati" not in error.message:  # the page that was asked has left
            raise
        return False


@contextmanager
def bytes_counted(page: "Page") -> Iterator[list[int]]:
    """Collect the sizes of all responses in a block, headers and bodies, as they came over the network.

    The block ends when every response has ended that the page has asked for, but for streams of events.
    """
    sizes: list[int] = []
    awaited: set[str] = set()
    session = page.context.new_cdp_session(page)

    def received(event: Mapping[str, Any]) -> None:
        if event["response"]["mimeType"] == "text/event-stream":
            awaited.discard(event["requestId"])

    def finished(event: Mapping[str, Any]) -> None:
        awaited.discard(event["requestId"])
        sizes.append(int(event["encodedDataLength"]))

    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.on("Network.requestWillBeSent", lambda event: awaited.add(event["requestId"]))
    session.on("Network.responseReceived", received)
    session.on("Network.loadingFinished", finished)
    session.on("Network.loadingFailed", lambda event: awaited.discard(event["requestId"]))
    yield sizes
    session.send("Runtime.evaluate", {"expression": "0"})  # its reply comes after the news of the requests so far
    eventually(lambda: not awaited, page)
    session.detach()
