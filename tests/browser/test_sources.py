"""From an empty installation to the ask box, and everything that the sources page does."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from headwater.administration.knowledge_bases import create_named
from headwater.administration.sources import add_source
from tests.browser.web import (
    PROBES,
    Web,
    bytes_counted,
    check_accessible,
    check_fits,
    check_unharmed,
    enter,
    eventually,
    expect,
    follow,
    picture,
    tab_to,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

_PUMP = "# Pump\n\nThe pump lifts forty litres of water per minute.\n"


def _row(page: "Page", name: str) -> "Locator":
    return page.locator(f'.upload-list .row[data-name="{name}"]')


def _card(page: "Page", slug: str) -> "Locator":
    return page.locator(f"#source-{slug}")


def test_from_the_first_visit_to_the_ask_box_by_mouse(web: Web, tmp_path: Path) -> None:
    """A visitor names a knowledge base, gives files, sees each become ready or why it failed, and can ask."""
    page = web.visit()
    check_accessible(page)
    picture(page, "page-home")
    page.get_by_label("Name of the knowledge base").fill("Pump handbook")
    follow(page.get_by_role("button", name="Create"))
    page.wait_for_url("**/kb/pump-handbook/sources")
    expect(page.get_by_role("button", name="Ask Pump handbook")).to_be_hidden()
    check_accessible(page)
    hostile = f"{PROBES[1]}.md".replace("/", "")
    files = {
        "pump.md": _PUMP,
        hostile: f"{PROBES[0]}\n\nText.",
        "broken.pdf": "%PDF-1.7 broken",
        "größe 1.txt": "Eins.",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Choose files").click()
    chooser.value.set_files([tmp_path / name for name in files])
    for name in files:
        _until(page, name, "queued")
    expect(_card(page, "uploads")).to_have_attribute("data-source", re.compile("."))
    _card(page, "uploads").get_by_text("Queued").wait_for()
    web.work()
    for name in ("pump.md", "größe 1.txt"):
        _until(page, name, "ready")
    _until(page, "broken.pdf", "failed")
    expect(_row(page, "broken.pdf")).to_contain_text("PDF")
    ask = page.get_by_role("button", name="Ask Pump handbook")
    ask.wait_for()
    expect(page.locator("form.ask")).to_have_attribute("action", "/kb/pump-handbook/chat")
    check_unharmed(page)
    check_accessible(page)
    check_fits(page)
    picture(page, "page-sources")
    _delete(web, page)


def _until(page: "Page", name: str, state: str) -> None:
    eventually(lambda: _state(page, name) == state, page)


def _state(page: "Page", name: str) -> object:
    return page.evaluate(
        "name => [...document.querySelectorAll('.upload-list .row')].find(r => r.dataset.name === name)?.dataset.state",
        name,
    )


def _delete(web: Web, page: "Page") -> None:
    """A deletion asks first; Escape means no, and gives the focus back; the receipt says what went."""
    card = _card(page, "uploads")
    delete = card.get_by_role("link", name="Delete uploads")
    delete.click()
    page.get_by_role("dialog").wait_for()
    check_accessible(page)
    card.evaluate("card => card.replaceWith(card.cloneNode(true))")  # as an event does that comes meanwhile
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    expect(delete).to_be_focused()
    delete.click()
    page.get_by_role("dialog").get_by_role("button", name="Delete uploads").click()
    page.locator("#receipt").get_by_text("were removed").wait_for()
    expect(page.get_by_text("There are no sources yet.")).to_be_visible()
    expect(page.locator("#receipt")).to_be_focused()


def test_buttons_of_a_source_and_its_rows(web: Web, tmp_path: Path) -> None:
    """An address is understood while it is typed; a source is paused, resumed, cancelled, and its documents listed."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "pump.md").write_text(f"# {PROBES[4]}\n\nThe pump lifts water.\n", encoding="utf-8")
    page = web.visit()
    page.get_by_label("Name of the knowledge base").fill(PROBES[0])
    follow(page.get_by_role("button", name="Create"))
    page.wait_for_url("**/sources")
    page.get_by_label("Address or path").fill(str(folder))
    page.get_by_text("It is a folder with files of any kind").wait_for()
    page.get_by_label("Read it as").select_option("markdown_tree")
    page.get_by_role("button", name="Add", exact=True).click()
    card = _card(page, "notes")
    card.get_by_role("button", name="Cancel the sync of notes").click()
    card.get_by_role("button", name="Pause notes").click()
    card.get_by_text("Paused").wait_for()
    card.get_by_role("button", name="Resume notes").click()
    card.get_by_role("button", name="Reindex notes").click()
    card.get_by_text("Queued").wait_for()
    web.work()
    card.get_by_text("1 document").wait_for()
    card.get_by_text("Documents", exact=False).last.click()
    card.locator(".row", has_text="pump.md").get_by_text("Ready").wait_for()
    check_unharmed(page)
    check_accessible(page)
    follow(card.get_by_role("link", name="notes", exact=True))
    page.get_by_role("heading", name="notes").wait_for()
    check_unharmed(page)
    check_accessible(page)
    with bytes_counted(page) as sizes:
        page.goto("/kb/script-window-hit-1-script/sources")
        card.wait_for()
    assert len(sizes) >= 8
    assert sum(sizes) <= 100_000
    home = web.visit("/", phone=True, dark=True)
    check_unharmed(home)
    check_accessible(home)
    check_fits(home)


def test_from_the_first_visit_to_the_ask_box_by_keyboard_without_a_script(web: Web, tmp_path: Path) -> None:
    """Every step is a link or a form: name, address, fields of a kind, sync, and the question that deletion asks."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "pump.md").write_text(_PUMP, encoding="utf-8")
    page = web.visit(script=False)
    page.keyboard.press("Tab")
    page.get_by_label("Name of the knowledge base").focus()
    page.keyboard.type("Notes")
    enter(page)
    page.wait_for_url("**/kb/notes/sources")
    page.get_by_label("Address or path").focus()
    page.keyboard.type("nonsense")
    web.expect_problem("422")
    enter(page)
    page.get_by_role("alert").get_by_text("must be an absolute path").wait_for()
    page.get_by_label("Address or path").fill(str(folder))
    enter(page)
    page.wait_for_url("**/sources#source-notes")
    web.work()
    page.reload()
    page.get_by_role("button", name="Ask Notes").wait_for()
    follow(page.get_by_role("link", name="Advanced: all source options"))
    page.get_by_label("Kind").select_option("website")
    follow(page.get_by_role("button", name="Show its fields"))
    page.get_by_label("Name", exact=True).fill("site")
    page.get_by_label("Address", exact=True).fill("ftp://example.com")
    follow(page.get_by_role("button", name="Add the source"))
    page.get_by_role("alert").get_by_text("url").wait_for()
    page.get_by_label("Address", exact=True).fill("https://example.com/docs/")
    page.get_by_label("Sync every").fill("6h")
    follow(page.get_by_role("button", name="Add the source"))
    page.wait_for_url("**/sources#source-site")
    site = _card(page, "site")
    expect(site.get_by_text("every 6h")).to_be_visible()
    follow(site.get_by_role("link", name="Delete site"))
    follow(page.get_by_role("button", name="Delete site"))
    page.locator("#receipt").get_by_text("site is deleted").wait_for()
    expect(_card(page, "site")).to_have_count(0)


def test_the_keyboard_alone_leads_from_the_first_visit_to_the_ask_box(web: Web, tmp_path: Path) -> None:
    """With scripts too: the focus is always visible, and no control needs a mouse."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "pump.md").write_text(_PUMP, encoding="utf-8")
    page = web.visit(phone=True, reduced=True)
    check_fits(page)
    tab_to(page, "#name")
    page.keyboard.type("Notes")
    enter(page)
    page.wait_for_url("**/kb/notes/sources")
    tab_to(page, "#address")
    page.keyboard.type(str(folder))
    page.keyboard.press("Enter")
    _card(page, "notes").get_by_text("Queued").wait_for()  # the card comes before its sync is requested
    web.work()
    page.get_by_role("button", name="Ask Notes").wait_for()
    page.locator("main").focus()
    page.keyboard.press("/")
    expect(page.locator("[name=q]:focus")).to_be_visible()
    check_fits(page)
    check_accessible(page)
    tab_to(page, "#source-notes summary")
    page.keyboard.press("Enter")
    _card(page, "notes").locator(".row").get_by_text("Ready").wait_for()


def test_a_name_without_latin_letters_asks_for_an_address(web: Web) -> None:
    """The form keeps the name, asks for one field more, and says what is wrong with it."""
    page = web.visit(script=False)
    web.expect_problem("422|400")
    page.get_by_label("Name of the knowledge base").fill("产品手册")
    enter(page)
    page.get_by_role("alert").get_by_text("no Latin letters").wait_for()
    page.get_by_label("Address").fill("Shou Ce")
    enter(page)
    page.get_by_role("alert").get_by_text("lower-case letters").wait_for()
    picture(page, "home-address")
    page.get_by_label("Address").fill("shouce")
    enter(page)
    page.wait_for_url("**/kb/shouce/sources")
    expect(page.locator(".kb-name").get_by_text("产品手册")).to_be_visible()


def test_three_files_are_sent_at_a_time_and_one_that_breaks_can_be_sent_again(web: Web) -> None:
    """Dropped files wait for their turn; one whose connection broke says so; a big file shows percents."""
    create_named(web.store, "Drops")
    page = web.visit("/kb/drops/sources")
    held: list[Route] = []
    page.route("**/files/**", lambda route: held.append(route))  # noqa: PLW0108 - the driver marks it
    page.evaluate(_DROP, [f"{number}.txt" for number in range(5)])
    eventually(lambda: len(held) == 3, page)
    page.wait_for_timeout(100)
    assert len(held) == 3
    states = ["sending"] * 3 + ["waiting"] * 2
    eventually(lambda: [_state(page, f"{number}.txt") for number in range(5)] == states, page)
    web.expect_problem("ERR_FAILED")
    next(route for route in held if "/0.txt" in route.request.url).abort()
    eventually(lambda: len(held) == 4, page)
    expect(_row(page, "0.txt")).to_contain_text("The connection broke")
    page.unroute("**/files/**")  # what is held goes on
    page.get_by_role("button", name="Try again 0.txt").click()
    for number in range(5):
        _until(page, f"{number}.txt", "queued")
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    limits = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 1_000_000}
    session.send("Network.emulateNetworkConditions", limits)
    page.evaluate(_WATCH)
    page.evaluate(_DROP, ["big.txt"])
    _until(page, "big.txt", "queued")
    eventually(lambda: page.evaluate("window.percents.some(percent => percent > 0 && percent < 100)"), page)
    web.work()
    _until(page, "4.txt", "ready")
    _until(page, "big.txt", "failed")  # so many lines would take too much memory
    expect(page.locator("[data-totals]")).to_have_text("6 files: 5 ready, 1 failed")


_DROP = """names => {
    const transfer = new DataTransfer();
    for (const name of names) transfer.items.add(new File(['word' + '\\n'.repeat(name === 'big.txt' ? 2e6 : 1)], name));
    const drop = (type) => new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true });
    const zone = document.querySelector('hw-upload');
    zone.dispatchEvent(drop('dragover'));
    zone.dispatchEvent(drop('drop'));
}"""
_WATCH = """() => {
    window.percents = [];
    new MutationObserver(() => {
        for (const bar of document.querySelectorAll('.upload-list progress')) window.percents.push(bar.value);
    }).observe(document.querySelector('.upload-list'), { subtree: true, childList: true, attributes: true });
}"""


def test_one_button_syncs_all_sources(web: Web, tmp_path: Path) -> None:
    """It is there as soon as there are two; a source that is paused stays as it is."""
    create_named(web.store, "Pumps")
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pump.md").write_text(_PUMP, encoding="utf-8")
        add_source(web.store, "pumps", name, kind="folder", config={"path": str(tmp_path / name)})
    httpx.patch(f"{web.url}/api/v1/knowledge-bases/pumps/sources/third", json={"paused": True}).raise_for_status()
    page = web.visit("/kb/pumps/sources", phone=True, dark=True)
    check_fits(page)
    follow(page.get_by_role("button", name="Sync all"))
    expect(_card(page, "second")).to_contain_text("Queued")
    assert web.work() == 2
    page.reload()
    expect(_card(page, "second")).to_contain_text("Ready")
    expect(_card(page, "third")).to_contain_text("0 documents")
    check_accessible(page)
