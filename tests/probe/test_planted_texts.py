"""Texts that documents, questions or models plant for those who read them elsewhere (SEC-1, CNV-1, INT-1, SUM-1)."""

import re

import pytest

from integrations.dialects import DISCORD
from query_api.routes.transcripts import without_html
from tests.probe.rights import QUESTION, TALK, Ground
from tests.probe.wire import KB

_TAG = re.compile(r"<(?:img|script|svg|b)\b")
_LINK = re.compile(r'(?:href|action|src)="([^"]*)"')

TEXTS = {
    "an_image": "<img src=x onerror=alert(1)>", "a_backslash_before_it": "\\<img src=x onerror=alert(1)>\nAnd?",
    "two_backslashes": "\\\\<script>alert(1)</script>\nAnd?", "a_tag_over_lines": "Why?\n<img\nsrc=x>",
    "bold": "<b>Why?</b>", "a_picture": "<svg onload=alert(1)>",
}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_an_export_holds_no_html(ground: Ground, text: str) -> None:
    """Of a question and of a title: other programs show an export, and let HTML through."""
    ground.talk = str(ground.send("victim", "POST", f"{KB}/conversations", {"title": text}).json["id"])
    ground.send("victim", "POST", f"{KB}/answers", {"question": f"{text} pump", "conversation": ground.talk,
                                                    "model": "builtin/extractive"})  # fmt: skip
    exported = ground.send("victim", "GET", f"{TALK}/export?format=markdown").body.decode()
    assert "pump" in exported
    assert not _TAG.search(exported), exported
    assert without_html(exported) == exported


@pytest.mark.parametrize("path", ["shared", "/shared/none", "/login"])
def test_strangers_are_led_nowhere_and_search_engines_away(ground: Ground, path: str) -> None:
    """By the page of a shared conversation, of a link that was withdrawn, and to log in on."""
    ground.talk = str(ground.send("write", "POST", f"{KB}/conversations", {}).json["id"])
    asked = {"question": QUESTION, "conversation": ground.talk, "model": "builtin/extractive"}
    ground.send("write", "POST", f"{KB}/answers", asked)
    shared = ground.send("write", "PUT", f"{TALK}/share").json["shared"]
    page = ground.send("", "GET", shared if path == "shared" else path, Accept="text/html")
    shown = page.body.decode()
    assert page.headers["x-robots-tag"] == "noindex, nofollow"
    assert 'name="robots" content="noindex, nofollow"' in shown
    links = {
        link for link in re.findall(r'(?:href|action|src)="([^"]*)"', shown) if not link.startswith(("/static/", "#"))
    }
    assert links <= {"/login"}, links


@pytest.mark.parametrize(
    "path", [f"{KB}/tree?depth=9", f"{KB}/sources/docs/tree?depth=9", f"{KB}/tree.svg", "/kb/kb/contents"]
)
def test_a_summary_leads_nowhere(ground: Ground, path: str) -> None:
    """A model wrote what a planted text ordered: an image, a link and an address."""
    shown = ground.send("other", "GET", path)
    assert (shown.status, b"It pumps" in shown.body) == (200, True)
    assert b"evil.example" not in shown.body


def test_no_summary_is_stored_as_it_was_ordered(ground: Ground) -> None:
    """So nothing that is made of it later leads anywhere either."""
    stored = [
        node.text for node in ground.store.summaries.nodes(ground.store.sources.get("kb", "docs"), depth=9, limit=99)
    ]
    assert any("It pumps" in text for text in stored)
    assert not [text for text in stored if "evil" in text or "<img" in text]


CALLS = [
    "@everyone", "\\@everyone", "\\@here", "\\\\\\@everyone", "\\<@123>", "<\\@!123>", "@[everyone](x:y)",
    "[@](x:y)here",
    "<[@123](x:y)>", "[a](https://h.example/@everyone)", "`@everyone`", "```\n@here <@1>\n```",
    "| @here |\n|---|\n| <@&1> |",
]  # fmt: skip


@pytest.mark.parametrize("text", CALLS)
def test_no_text_calls_people_in_discord(text: str) -> None:
    """Whatever the message allows: the text itself names nobody."""
    for written in (DISCORD.convert(text), DISCORD.plain(text), DISCORD.format_link(text, "https://h.example/")):
        assert not re.search(r"@(?:everyone|here)|<@[!&]?\d", written, re.IGNORECASE), written
