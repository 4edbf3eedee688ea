"""The page of one source: its fields, its history, what a sync changed (UI-2, SRC-10)."""

from typing import Any

import httpx
import pytest

from headwater.administration.sources import SourceEdit, change_source
from tests.browser.test_chat import FILES
from tests.browser.web import PROBES, Web, check_accessible, check_fits, check_unharmed, expect, follow, picture
from tests.support import Headwater

SOURCE = "/kb/kb/sources/docs"

pytestmark = pytest.mark.synced("docs", files=FILES)


@pytest.mark.parametrize("shape", [{}, {"phone": True, "dark": True, "script": False}])
def test_every_field_of_a_source_can_be_edited(kb_web: Web, kb: Headwater, shape: dict[str, Any]) -> None:
    """Patterns, times, pause, tags and category; an empty field is cleared; a wrong form keeps what was entered."""
    change_source(kb.store, "kb", "docs", SourceEdit(kind="folder"))
    page = kb_web.visit(SOURCE, **shape)
    follow(page.get_by_role("link", name="Edit docs"))
    page.wait_for_url("**/edit")
    if "script" not in shape:
        check_accessible(page)
        picture(page, "source-edit")
    check_fits(page)
    page.get_by_label("Include").fill("*.md\n")
    page.get_by_label("Sync every").fill("6h")
    page.get_by_label("Tags").fill("staff\nnew")
    page.get_by_label("Category").fill("guides/water")
    page.get_by_label("Paused").check()
    follow(page.get_by_role("button", name="Save", exact=True))
    page.wait_for_url(f"**{SOURCE}")
    page.get_by_text("Paused").first.wait_for()
    found = kb.source("docs")
    assert (found.config["include"], found.refresh_seconds) == (["*.md"], 21_600)
    assert (found.tags, found.category) == (("new", "staff"), "guides/water")
    page.goto(f"{SOURCE}/edit")
    expect(page.get_by_label("Tags")).to_have_value("new\nstaff")
    page.get_by_label("Paused").uncheck()
    page.get_by_label("Include").fill("")
    page.get_by_label("Sync every").fill("soon")
    kb_web.expect_problem("422|400")
    follow(page.get_by_role("button", name="Save and sync"))
    page.get_by_role("alert").get_by_text("Sync every").wait_for()
    expect(page.get_by_label("Sync every")).to_have_value("soon")
    expect(page.get_by_label("Category")).to_have_value("guides/water")
    page.get_by_label("Sync every").fill("")
    follow(page.get_by_role("button", name="Save and sync"))
    page.wait_for_url(f"**{SOURCE}")
    page.get_by_text("Queued").first.wait_for()
    found = kb.source("docs")
    assert ("include" in found.config, found.refresh_seconds, found.paused_at) == (False, None, None)
    assert found.config["path"] == str(kb.folder / "docs")


def test_the_history_says_what_each_sync_changed(kb_web: Web, kb: Headwater) -> None:
    """How many documents, and which: new, changed and removed."""
    kb.write("mill.md", f"# {PROBES[1]}\n\nThe mill grinds wheat.\n")
    kb.write("pump.md", FILES["pump.md"].replace("forty", "fifty"))
    kb.remove("wheel.md")
    httpx.post(f"{kb_web.url}/api/v1/knowledge-bases/kb/syncs", json={}).raise_for_status()
    kb_web.work()
    page = kb_web.visit(SOURCE)
    page.get_by_text("1 added, 1 changed, 1 removed").wait_for()
    check_accessible(page)
    picture(page, "source-history")
    follow(page.get_by_role("link", name="Sync 2"))
    for name, change in (("mill.md", "added"), ("pump.md", "changed"), ("wheel.md", "removed")):
        expect(page.locator(".row", has_text=name).get_by_text(change, exact=True)).to_be_visible()
    check_unharmed(page)
    check_accessible(page)
    picture(page, "source-sync")
    follow(page.get_by_role("link", name="pump.md"))
    page.get_by_role("heading", name="Pump manual").first.wait_for()
