"""The palette (Ctrl+K) and the theme, on every page."""

import pytest

from tests.browser.test_chat import CHAT, FILES, ask
from tests.browser.web import Web, check_accessible, check_fits, eventually, picture

pytestmark = pytest.mark.synced("docs", files=FILES)


def test_the_palette_goes_anywhere_by_keyboard(kb_web: Web) -> None:
    """Pages, documents and conversations by a few letters; Escape gives the focus back."""
    page = kb_web.visit(CHAT)
    ask(page)
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Go to")
    palette.get_by_role("option", name="Sources").wait_for()
    check_accessible(page)
    page.keyboard.type("wheel")
    palette.get_by_role("option", name="Wheel manual").wait_for()
    picture(page, "palette")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.press("Control+k")
    page.keyboard.type("How many litres")
    palette.get_by_role("option", name="How many litres of water").first.wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("wheel m")
    palette.get_by_role("option", name="Wheel manual").wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents/*")
    phone = kb_web.visit("/", phone=True)
    phone.keyboard.press("Control+k")
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
    assert page.locator("[data-theme-name]").inner_text() == "dark"
    assert page.evaluate(background) != light
    check_accessible(page)
    page.goto("/")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    eventually(lambda: page.get_by_role("button", name="Theme").is_visible(), page)
    picture(page, "theme-dark")
