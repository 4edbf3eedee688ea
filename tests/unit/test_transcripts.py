"""Conversations as markdown (CNV-1)."""

import re
import uuid
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from query_api.routes.citation_payloads import CitedPayload
from query_api.routes.conversation_payloads import ConversationPayload, TurnPayload
from query_api.routes.transcripts import transcript, without_html

COST = "*m, 1.2 s*"
BEGUN = datetime(2026, 11, 24, 9, 30, tzinfo=UTC)


def _turn(number: int, parent: int | None, **fields: Any) -> TurnPayload:
    values: dict[str, Any] = {
        "question": f"Question {number}?",
        "search_text": "",
        "answer": "Text.",
        "state": "done",
        "refused": False,
        "reason": None,
        "error_code": None,
        "error_detail": None,
        "model": "m",
        "usage": {},
        "timings_ms": {"total": 1200.0},
        "created_at": BEGUN,
        "vote": None,
        "comment": None,
        "cited": [],
    }
    return TurnPayload(id=UUID(int=number), parent_id=None if parent is None else UUID(int=parent), **values | fields)


def _written(*turns: TurnPayload, title: str = "Talk") -> list[str]:
    conversation = ConversationPayload(
        id=uuid.uuid4(),
        knowledge_base="kb",
        title=title,
        turn_count=len(turns),
        created_at=BEGUN,
        updated_at=BEGUN,
        turns=list(turns),
    )
    parts = transcript(conversation).rstrip("\n").split("\n\n")
    assert parts.count(COST) == len(turns)
    return [part for part in parts if part != COST]


def test_a_branch_says_where_it_goes_on() -> None:
    """Each turn comes after all that follow the version before it, whenever it was asked."""
    parts = _written(_turn(1, None), _turn(2, 1), _turn(3, 1), _turn(4, 2), _turn(5, None), _turn(6, 3))
    assert [part for part in parts[2:] if part != "Text."] == [
        "## 1. Question 1?",
        "## 2. Question 2?",
        "## 3. Question 4?",
        "## 4. Question 3?",
        "*Follows question 1, instead of question 2.*",
        "## 5. Question 6?",
        "## 6. Question 5?",
        "*Begins anew, instead of question 1.*",
    ]


def test_a_long_question_is_quoted_below_its_heading() -> None:
    """With its lines; so is one of several lines."""
    parts = _written(_turn(1, None, question="What does this do?\n\n    run()"), _turn(2, 1, question="word " * 60))
    assert parts[2:4] == ["## 1. What does this do? run()", "> What does this do?\n>\n>     run()"]
    assert len(parts[5]) < 120
    assert parts[5].endswith("…")
    assert parts[6] == f"> {'word ' * 60}".rstrip()


def test_what_became_of_a_turn_and_what_readers_think_is_said() -> None:
    """A reason, a vote, a comment."""
    (*_, state, vote) = _written(_turn(1, None, state="failed", error_detail="No model.", vote="up", comment="a\nb"))
    assert (state, vote) == ("*This answer failed. No model.*", "*Voted up: a b*")


def test_sources_have_their_addresses() -> None:
    """A link can be followed; another URI is shown as it is; titles are plain text."""
    fields: dict[str, Any] = {"source": "s", "document_id": uuid.uuid4(), "document_version_id": uuid.uuid4()}
    address = "https://example.com/a_(b)#c"
    cited = [
        CitedPayload(
            markers=["[1]", "[2]"],
            title="A [b]",
            uri=address,
            breadcrumb=["A [b]", "C"],
            score=1,
            link=address,
            **fields,
        ),
        CitedPayload(markers=["[3]"], title="d.md", uri="d.md", breadcrumb=[], score=1, **fields),
    ]
    (*_, heading, items) = _written(_turn(1, None, cited=cited))
    assert heading == "Sources:"
    shown = address.replace("(", "%28").replace(")", "%29")
    assert items == f"- [1] [2] A \\[b\\]: A \\[b\\] \\> C: <{shown}>\n- [3] d.md: d.md"


@given(st.lists(st.integers(min_value=0, max_value=20), max_size=20))
def test_every_turn_is_there_once_after_its_parent(parents: list[int]) -> None:
    """Whatever the tree is."""
    turns = [_turn(n, parent % n if parent % n else None) for n, parent in enumerate(parents, start=1)]
    shown = [part.partition(". Question ")[2][:-1] for part in _written(*turns) if part.startswith("## ")]
    assert sorted(map(int, shown)) == [turn.id.int for turn in turns]
    for turn in turns:
        if turn.parent_id is not None:
            assert shown.index(str(turn.parent_id.int)) < shown.index(str(turn.id.int))


@pytest.mark.parametrize(
    ("answer", "end"),
    [("```sh\nrun", "run\n```"), ("```sh\nrun\n```", "run\n```"), ("~~~~\n~~~\nx", "x\n~~~~"), ("Plain.", "Plain.")],
)
def test_code_that_an_answer_left_open_is_closed(answer: str, end: str) -> None:
    """Otherwise all that follows it would be code."""
    assert any(part.startswith(answer) and part.endswith(end) for part in _written(_turn(1, None, answer=answer)))


TAGS = [
    "<img src=x onerror=alert(1)>", "\\<img src=x>", "\\\\<script>alert(1)</script>", "a <b>bold</b> word",
    "<!-- x -->",
    "&lt;img src=x&gt;", "| a |\n|---|\n| <img src=x> |", "- item\n\n  <details>\n  x\n  </details>",
    "> <svg onload=x>",
    "`<b>` and \\`<i>\\`", "<a\nhref=x>", "![x](https://evil.example/p.png)", "```\n<div>\n```", "see <https://h.example/a>",
]  # fmt: skip


def _tags(markdown: str) -> list[str]:
    """What a reader of markdown that lets HTML through makes of it: tags that are not ours, and images."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    found = re.findall(r"<(img|script|b|i|svg|details|div|!--)[\s>-]", html)
    return [name for name in found if name not in ("div",) or "<pre>" not in html]


@pytest.mark.attacks
@pytest.mark.parametrize("text", TAGS)
@pytest.mark.parametrize("field", ["question", "title", "search_text", "error_detail", "comment", "source", "answer"])
def test_an_export_holds_no_html(field: str, text: str) -> None:
    """Of whoever wrote it, wherever it stands: people open exports in programs that show HTML (SEC-1)."""
    fields: dict[str, Any] = {"state": "failed", "vote": "up"}
    title = text if field == "title" else "Talk"
    if field == "source":
        ids = {"source": "s", "document_id": uuid.uuid4(), "document_version_id": uuid.uuid4()}
        fields["cited"] = [CitedPayload(markers=["[1]"], title=text, uri=text, breadcrumb=[text], score=1, **ids)]
    elif field != "title":
        fields[field] = text
    exported = "\n\n".join(_written(_turn(1, None, **fields), title=title))
    has_image = field == "answer" and text.startswith("![")  # a model's images become links before they are stored
    assert _tags(exported) == (["img"] if has_image else [])


def test_code_in_an_export_stays_as_it_is() -> None:
    """Also a comparison and an address in angle brackets."""
    answer = "If `a < b`, see <https://h.example/a>.\n\n```html\n<div>\n```"
    assert without_html(answer) == answer


@given(st.lists(st.sampled_from([*"<>!-/`\\ \n|", "img src=x", "b", "- ", "> ", "```\n", "?", "a="]), max_size=40))
def test_no_mixture_makes_html(pieces: list[str]) -> None:
    """Whatever markdown makes of it."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(without_html("".join(pieces)))
    assert not [one for token in tokens for one in (token, *(token.children or ())) if one.type.startswith("html_")]
