"""What visitors of a widget send, and what they get: settings, answers, citations, search results (INT-2).

Belongs here: the models of requests and responses. Not here: what programs with a key get (`query_api.routes`).
Guarantee: nothing here says where Headwater's files are, which model answered or what it cost; a link is one that
anybody can open.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from headwater.domain.widgets import Theme, Widget
from query_api.request_shapes import Body
from query_api.routes.search_payloads import HitPayload

_MAX_QUESTION_CHARS = 20_000  # characters; the kernel says what is too long for a question
_TOKEN = 1_000  # characters
Json = Mapping[str, Any]
UNTITLED = "Untitled"
_HEADING = re.compile(r"^#{1,6}[ \t]+", re.MULTILINE)
_BLANK = re.compile(r"\n\s*\n")
_AROUND = 240
"""Characters of a passage that are shown before and after the cited part."""


class ShownSettings(BaseModel):
    """How a widget looks."""

    label: str
    greeting: str
    placeholder: str
    theme: Theme
    accent: str

    @classmethod
    def of(cls, widget: Widget) -> "ShownSettings":
        """Make it from the kernel's object."""
        return cls.model_validate(widget.settings, from_attributes=True)


class SessionPayload(BaseModel):
    """A visitor's session: the token for the other requests, valid for so many seconds."""

    token: str
    expires_in: int


class PublicPassage(BaseModel):
    """A part of a document: `before` and `after` surround the `text` that matters.

    `link` is null if the public cannot open the document.
    """

    title: str
    breadcrumb: list[str]
    place: str
    link: str | None
    before: str = ""
    text: str
    after: str = ""


class PublicCitation(PublicPassage):
    """The passage behind a marker of the answer."""

    marker: str

    @classmethod
    def of(cls, citation: Json, passages: Mapping[str, Json]) -> "PublicCitation":
        """Make it from a citation, and the passages of its answer by the ids of their chunks, as events hold them."""
        passage = passages.get(citation["chunk_id"])
        leading = text = trailing = ""
        if passage is not None and citation["kind"] == "passage":
            start, end = (max(0, citation[name] - passage["start"]) for name in ("start", "end"))
            passage_text = passage["text"]
            leading, text, trailing = (
                _end(plain(passage_text[:start])),
                plain(passage_text[start:end]),
                _begin(plain(passage_text[end:])),
            )
        return cls(
            marker=citation["marker"],
            title=public_title(citation["title"], citation["uri"]),
            breadcrumb=citation["breadcrumb"],
            place=_place(citation["place"]),
            link=public_link(citation["link"], citation["uri"]),
            before=leading,
            text=text,
            after=trailing,
        )


class PublicAnswer(BaseModel):
    """An answer that has ended; `refused` means that the documents do not say it.

    `quote` is the marker of the passage that is quoted beneath a model's answer, empty without one. `unsupported`
    counts sentences that no passage supports. `further` are passages that the answer does not cite, each `text` is
    one line; a refusal has none.
    """

    id: str
    state: Literal["done", "cancelled"]
    refused: bool
    citations: list[PublicCitation]
    quote: str = ""
    unsupported: int = 0
    further: list[PublicPassage] = []

    @classmethod
    def of(cls, question_id: str, answer: Json) -> "PublicAnswer":
        """Make it from the data of the event `done`."""
        passages = {passage["chunk_id"]: passage for passage in answer["passages"]}
        return cls(
            id=question_id,
            state="cancelled" if answer["state"] == "cancelled" else "done",
            refused=answer["refused"],
            citations=[PublicCitation.of(citation, passages) for citation in answer["citations"]],
            quote=answer["quote"],
            unsupported=sum(not statement["supported"] for statement in answer["statements"]),
            further=[] if answer["refused"] else [_further(passage) for passage in answer["further"]],
        )


class PublicResults(BaseModel):
    """What a search found, best first."""

    results: list[PublicPassage]

    @classmethod
    def of(cls, hits: Sequence[HitPayload]) -> "PublicResults":
        """Make it from search results."""
        return cls(results=[_result(hit) for hit in hits])


def public_link(link: str | None, uri: str) -> str | None:
    """An address that a visitor's browser may open; None for files of this machine and the like."""
    address = link or uri
    return address if address.startswith(("https://", "http://")) else None


def public_title(title: str, uri: str) -> str:
    """A document's title; for one without, the name of its file without the folders above."""
    is_path = title == uri and public_link(None, uri) is None
    return (uri.rstrip("/").rpartition("/")[2] if is_path else title) or UNTITLED


def plain(text: str) -> str:
    """A document's text without the marks of headings and of bold words, and without empty lines."""
    return _BLANK.sub("\n", _HEADING.sub("", text).replace("**", ""))


def _place(place: Json | None) -> str:
    """A page or a time, as people know it; lines of a file say nothing to a visitor."""
    return "" if place is None or place["kind"] == "line" else str(place["label"])


def _result(hit: HitPayload) -> PublicPassage:
    return PublicPassage(
        title=public_title(hit.title, hit.uri),
        breadcrumb=hit.breadcrumb,
        place=_place(hit.place.model_dump(mode="json") if hit.place else None),
        link=public_link(hit.link, hit.uri),
        text=plain(hit.excerpt.text),
    )


def _further(passage: Json) -> PublicPassage:
    return PublicPassage(
        title=public_title(passage["title"], passage["uri"]),
        breadcrumb=passage["breadcrumb"],
        place=_place(passage["place"]),
        link=public_link(passage["link"], passage["uri"]),
        text=passage["line"],
    )


def _begin(text: str) -> str:
    return text if len(text) <= _AROUND else f"{text[:_AROUND].rsplit(' ', 1)[0]} …"


def _end(text: str) -> str:
    return text if len(text) <= _AROUND else f"… {text[-_AROUND:].split(' ', 1)[-1]}"


class WidgetIdPath(BaseModel):
    """A widget by its public id."""

    id: str = Field(max_length=40)


class SessionBody(Body):
    """The widget that a page has; `token` is that of the visitor's session before."""

    widget: str = Field(max_length=40)
    token: str = Field(default="", max_length=_TOKEN)


class VisitorSearchBody(Body):
    """What a visitor searches for."""

    query: str = Field(max_length=_MAX_QUESTION_CHARS)


class VisitorQuestionBody(Body):
    """A visitor's question; `follows` is the id of the answer before it in the visitor's conversation."""

    question: str = Field(max_length=_MAX_QUESTION_CHARS)
    follows: UUID | None = None


class VisitorFeedbackBody(Body):
    """What a visitor thinks of an answer."""

    vote: Literal["up", "down"]
    comment: str = Field(default="", max_length=1_000)
