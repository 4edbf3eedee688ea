"""A question and its answers as one document.

Belongs here: its text, its metadata, links to other questions of the site. Not here: which answers it has (`posts`).
Guarantee: the text does not contain scores, so that a new score changes no text and embeds nothing.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.fragments_apart import read_fragments

_TAG = re.compile(r"[^<>|\s]+")
_MAX_TITLE_CHARS = 300


def question_uri(site: str, number: int) -> str:
    """The address of a question: the short one, which does not change with its title."""
    return f"https://{site}/q/{number}"


def thread_document(
    site: str, uri: str, question: Mapping[str, str], answers: Sequence[Mapping[str, str]]
) -> ParsedDocument:
    """Write a question and its answers.

    Args:
        site: the host of the site, such as stackoverflow.com.
        uri: the question's address.
        question: the attributes of its row.
        answers: those of its answers, in order.

    Raises:
        DocumentError: the HTML of one of them is too large, or nested too deeply.
    """
    title = " ".join(question.get("Title", "").split())[:_MAX_TITLE_CHARS]
    tags = _TAG.findall(question.get("Tags", ""))
    links: list[str] = []
    accepted = question.get("AcceptedAnswerId", "")
    blocks = [f"# {title}"] if title else []
    blocks += [f"Tags: {', '.join(tags)}"] if tags else []
    blocks.append(_body(question, uri, links))
    for answer in answers:
        blocks += [_heading(answer, accepted), _body(answer, uri, links)]
    return ParsedDocument(
        uri=uri,
        title=title,
        text="\n\n".join(filter(None, blocks)),
        metadata=_metadata(question, answers, tags),
        references=_references(links, site, uri),
    )


def _heading(answer: Mapping[str, str], accepted: str) -> str:
    message = "Accepted answer" if answer.get("Id") == accepted else "Answer"
    return f"## {message} by {author}" if (author := _author(answer)) else f"## {message}"


def _body(post: Mapping[str, str], uri: str, links: list[str]) -> str:
    body = post.get("Body", "")
    if not body.strip():
        return ""
    texts, body_links = read_fragments([(body, 2)], uri)
    links += body_links
    return texts[0]


def _author(post: Mapping[str, str]) -> str:
    return " ".join(post.get("OwnerDisplayName", "").split())


def _metadata(question: Mapping[str, str], answers: Sequence[Mapping[str, str]], tags: Sequence[str]) -> dict[str, Any]:
    posts = (question, *answers)
    dates = [date for post in posts for name in ("CreationDate", "LastEditDate") if (date := post.get(name))]
    fields: dict[str, Any] = {
        "tags": list(tags),
        "score": int(question.get("Score") or 0),
        "author": _author(question),
        "created": question.get("CreationDate", ""),
        "updated": max(dates, default=""),
        "closed": question.get("ClosedDate", ""),
        "license": question.get("ContentLicense", ""),
        "answers": [_answer(answer, question.get("AcceptedAnswerId", "")) for answer in answers],
    }
    return {name: value for name, value in fields.items() if value not in ("", [])}


def _answer(answer: Mapping[str, str], accepted: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": int(answer.get("Id") or 0),
        "score": int(answer.get("Score") or 0),
        "accepted": answer.get("Id") == accepted,
        "author": _author(answer),
        "created": answer.get("CreationDate", ""),
    }
    return {name: value for name, value in fields.items() if value != ""}


def _references(links: Sequence[str], site: str, uri: str) -> tuple[str, ...]:
    """The questions of the site that are linked to."""
    question_url = re.compile(rf"https?://(?:www\.)?{re.escape(site)}/(?:q|questions)/(\d{{1,18}})(?:[/?#]|\Z)")
    targets = (question_uri(site, int(match[1])) for link in links if (match := question_url.match(link)))
    return tuple(dict.fromkeys(target for target in targets if target != uri))
