"""The palette (Ctrl+K) and the theme, on every page."""

from typing import TYPE_CHECKING

import pytest

from tests.browser.test_chat import CHAT, FILES, ask
from tests.browser.web import Web, check_accessible, check_fits, enter, eventually, expect, picture

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.synced("docs", files=FILES)


def _open(page: "Page") -> "Locator":
    """Press the keys, and wait for what they open: what is typed before goes elsewhere."""
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Go to")
    expect(palette.get_by_role("combobox")).to_be_focused()
    return palette


def test_the_palette_goes_anywhere_by_keyboard(kb_web: Web) -> None:
    """Pages, documents and conversations by a few letters; Escape gives the focus back."""
    page = kb_web.visit(CHAT)
    ask(page)
    palette = _open(page)
    palette.get_by_role("option", name="Sources").wait_for()
    check_accessible(page)
    page.keyboard.type("wheel")
    palette.get_by_role("option", name="Wheel manual").wait_for()
    picture(page, "palette")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("add")
    palette.get_by_role("option", name="Add a source command").wait_for()
    page.keyboard.press("Escape")
    expect(page.locator("#question")).to_be_focused()
    _open(page)
    page.keyboard.type("How many litres")
    palette.get_by_role("option", name="How many litres of water").first.wait_for()
    page.keyboard.press("Escape")
    expect(palette).to_have_count(0)
    _open(page)
    page.keyboard.insert_text("wheel m")  # at once: no list of fewer letters comes between the keys
    palette.get_by_role("option", name="Wheel manual").wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    enter(page)
    page.wait_for_url("**/documents/*")
    phone = kb_web.visit("/", phone=True)
    _open(phone)
    phone.get_by_role("option", name="kb knowledge base").wait_for()
    check_fits(phone)


def test_the_theme_is_switched_and_kept(kb_web: Web) -> None:
    """Against the system's, from the first byte of the next page."""
    page = kb_web.visit("/kb/kb/sources")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    switch = page.get_by_role("button", name="Theme")
    switch.click()
    switch.click()
    expect(page.locator("[data-theme-name]")).to_have_text("dark")
    eventually(lambda: page.evaluate(background) != light, page)
    check_accessible(page)
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("button", name="Theme")).to_be_visible()
    picture(page, "theme-dark")
