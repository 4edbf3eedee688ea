"""Logging in, keys and the audit, as a person with a browser meets them (API-6)."""

import httpx

from headwater.administration.keys import create_key
from headwater.administration.knowledge_bases import create_named
from headwater.domain.access import Scope
from headwater.store.store import Store
from tests.browser.web import (
    Web,
    check_accessible,
    check_fits,
    enter,
    eventually,
    expect,
    follow,
    picture,
    read_text,
    tab_to,
)


def test_an_administrator_logs_in_makes_a_key_and_sees_it_once(web: Web, store: Store) -> None:
    """Also on a phone and without a script; the page that was asked for follows; logging out ends it."""
    key = create_key(store, "<b>me</b>", Scope.ADMIN).text
    for way in ({"phone": True}, {"script": False}):
        page = web.visit("/keys", **way)  # type: ignore[arg-type]
        expect(page).to_have_url(f"{web.url}/login?next=/keys")
        if "phone" in way:
            check_fits(page)
            check_accessible(page)
        page.get_by_label("API key").fill(key)
        follow(page.get_by_role("button", name="Log in"))
        expect(page).to_have_url(f"{web.url}/keys")
        if "phone" in way:
            check_fits(page)
            check_accessible(page)
        page.get_by_label("Name").fill("support bot")
        follow(page.get_by_role("button", name="Make the key"))
        new_key = read_text(page.locator("#new-key"))
        assert httpx.get(f"{web.url}/api/v1/keys", headers={"Authorization": f"Bearer {new_key}"}).status_code == 403
        again = page.goto("/keys")
        assert again is not None
        assert new_key not in again.text()
        follow(page.get_by_role("button", name="Revoke support bot").first)
        page.goto("/audit")
        expect(page.get_by_role("main")).to_contain_text("key.revoke")
        if "phone" in way:
            check_fits(page)
            check_accessible(page)
        if "phone" in way:
            page.get_by_label("Menu").click()
            check_accessible(page)
        follow(page.get_by_role("button", name="Log out"))
        expect(page).to_have_url(f"{web.url}/login")
        page.goto("/audit")
        expect(page).to_have_url(f"{web.url}/login?next=/audit")


def test_the_login_page_works_by_keyboard_alone(web: Web, store: Store) -> None:
    """A wrong key is said where it can be heard, and the right one follows."""
    key = create_key(store, "me", Scope.READ).text
    web.expect_problem(r"status 422|422 \(")
    page = web.visit("/login", dark=True)
    check_accessible(page)
    tab_to(page, "#key")
    page.keyboard.type("hw_wrong")
    enter(page)
    expect(page.get_by_role("alert")).to_contain_text("wrong, expired or revoked")
    tab_to(page, "#key")
    page.keyboard.type(key)
    enter(page)
    expect(page).to_have_url(f"{web.url}/")
    expect(page.get_by_role("link", name="Keys")).to_have_count(0)  # a reader has no use for it


def test_the_first_key_its_copy_and_the_account(web: Web) -> None:
    """Whoever makes the first key stays, copies it, and sees who they are; a reader's pages fit a phone in the dark."""
    page = web.visit("/keys")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("Name").fill("me")
    follow(page.get_by_role("button", name="Make the key"))
    new_key = read_text(page.locator("#new-key"))
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied").wait_for(state="attached")
    eventually(lambda: page.evaluate("navigator.clipboard.readText()") == new_key, page)
    check_accessible(page)
    picture(page, "keys-first")
    follow(page.get_by_role("link", name="Account"))
    page.get_by_text("You are logged in with me").wait_for()
    check_accessible(page)
    picture(page, "account")
    page.goto("/audit?what=key.create")
    page.get_by_text("key.create").last.wait_for()
    check_accessible(page)
    picture(page, "audit")
    key = create_key(web.store, "Reader", Scope.READ).text
    create_named(web.store, "Pumps")
    reader = web.visit("/login", phone=True, dark=True)
    reader.get_by_label("API key").fill(key)
    follow(reader.get_by_role("button", name="Log in"))
    expect(reader).to_have_url(f"{web.url}/")
    reader.get_by_role("link", name="See its sources").wait_for()
    expect(reader.get_by_role("link", name="Add sources")).to_have_count(0)
    reader.goto("/kb/pumps/sources")
    reader.get_by_text("There are no sources yet.").wait_for()
    expect(reader.get_by_role("heading", name="Add a source")).to_have_count(0)
    check_accessible(reader)
    check_fits(reader)
    picture(reader, "sources-reader-phone")
    web.expect_problem("40[34]")
    reader.goto("/audit")
    reader.get_by_role("heading", name="You don't have access to this").wait_for()
    expect(reader.get_by_role("main")).not_to_contain_text("headwater keys create")
    reader.get_by_role("link", name="Log in with another key").wait_for()
    check_accessible(reader)
    picture(reader, "error-403-phone")
    reader.goto("/kb/pumps/chat/00000000-0000-0000-0000-000000000007")
    reader.get_by_role("link", name="To the knowledge base", exact=True).click()
    reader.wait_for_url("**/kb/pumps/chat")
