"""The list of sources below a text, and the messages of a request (API-3)."""

import re
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query_api.openai.bodies import ChatMessage
from query_api.openai.conversation import read, with_text
from query_api.openai.source_list import annotations, source_list, without_sources
from query_api.response_urls import address_of
from query_api.routes.citation_payloads import CitationPayload

ROOT = "http://kb.example"
ID = uuid.UUID(int=7)


def _citation(marker: str = "[1]", **values: Any) -> CitationPayload:
    made: dict[str, Any] = {
        "marker": marker, "title": "Pump", "uri": "pump.md", "source": "docs", "chunk_id": ID, "document_id": ID,
        "document_version_id": ID, "breadcrumb": ["Pump"], "start": 3, "end": 9, "score": 0.5,
    }  # fmt: skip
    found = CitationPayload(**{**made, **values})
    found.original = values.get("original")
    return found


@given(st.text(max_size=80), st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_a_list_can_be_removed_again(text: str, titles: list[str]) -> None:
    """Whatever the titles are; a text without one stays as it is."""
    citations = [_citation(f"[{n}]", title=title, uri=f"{n}.md") for n, title in enumerate(titles, start=1)]
    added = text.rstrip() + source_list(citations, ROOT)
    assert without_sources(added) == text.rstrip()
    assert without_sources(text + " **Sources**") == text + " **Sources**"


@pytest.mark.parametrize("end", ["end", ""])
def test_text_that_is_almost_a_list_takes_no_time(end: str) -> None:
    """A rule that tries every way to read it would take for ever."""
    text = "Forty.\n\n**Sources**\n\n" + "- [1] [a](b)](c)\n" * 5_000 + end
    assert without_sources(text) == (text if end else "Forty.")
    spaces = "a" + " " * 200_000 + "b"
    assert without_sources(spaces) == spaces


def test_an_address_opens_the_document_or_what_we_keep_of_it() -> None:
    """Its own on the web first, then the original, then the text; nothing in it ends a link of markdown."""
    assert address_of(_citation(uri="https://a.example/b (c)"), ROOT) == "https://a.example/b%20%28c%29"
    assert address_of(_citation(), ROOT, "/api/v1/x#page=2") == f"{ROOT}/api/v1/x#page=2"
    assert address_of(_citation(), ROOT) == f"{ROOT}/api/v1/document-versions/{ID}?start=3&end=9"
    assert source_list([_citation(title="A [b](c)")], ROOT).endswith(
        f"- [1] [A \\[b\\](c)]({address_of(_citation(), ROOT)})"
    )


def test_documents_behind_one_marker_have_their_own_addresses() -> None:
    """A summary has one marker, and a citation of each document below it."""
    uris = ("https://a.example/a", "https://a.example/b")
    below = [_citation(uri=uri, document_version_id=uuid.UUID(int=n), node_id=ID) for n, uri in enumerate(uris)]
    assert re.findall(r"\]\((.*?)\)", source_list(below, ROOT)) == list(uris)


def test_an_annotation_stands_at_its_marker() -> None:
    """In characters of the text."""
    (found,) = annotations([_citation("[2]")], "Ünder [1] and [2].", ROOT)
    assert (found["url_citation"]["start_index"], found["url_citation"]["end_index"]) == (14, 17)


def _messages(*pairs: tuple[str, Any]) -> list[ChatMessage]:
    return [ChatMessage(role=role, content=content) for role, content in pairs]


def test_a_conversation_is_read_as_turns() -> None:
    """Questions with their answers, ten at most; answers without our sources; instructions apart."""
    listed = "Forty." + source_list([_citation()], ROOT)
    earlier = [("user", "How much?"), ("assistant", listed), ("user", "Why?"), ("user", "Well?"), ("assistant", None)]
    found = read(_messages(("system", "Be brief."), *earlier, ("developer", "Rhyme."), ("user", "And now?")))
    assert (found.question, found.position, found.instructions) == ("And now?", 7, "Be brief.\n\nRhyme.")
    assert [(turn.question, turn.answer) for turn in found.history] == [
        ("How much?", "Forty."),
        ("Why?", ""),
        ("Well?", ""),
    ]
    many = read(_messages(*[("user", f"{n}?") for n in range(30)]))
    assert [turn.question for turn in many.history] == [f"{n}?" for n in range(19, 29)]


def test_parts_of_other_kinds_stay_with_a_model() -> None:
    """They follow the text that replaces the question's."""
    picture = {"type": "image_url", "image_url": {"url": "x"}}
    message = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture], "name": "ann"}
    assert with_text(message, "New")["content"] == [{"type": "text", "text": "New"}, picture]
    assert with_text({**message, "content": "a"}, "New") == {"role": "user", "content": "New", "name": "ann"}
    parts = _messages(("user", message["content"]))
    assert read(parts, takes_images=True).question == "What is it?"
    with pytest.raises(Exception, match="image_url"):
        read(parts)
