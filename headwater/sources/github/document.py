"""A thread as a document.

Belongs here: its text, metadata, and which comments come first. Not here: reading threads (`threads`). Guarantee: the
answer that was accepted comes first, then the comments that people agree with most, then the others in order.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.fences import fence_end, has_mark, next_fence
from headwater.parsing.markdown.markup import without_markup
from headwater.sources.github.threads import Comment, Kind, Thread

_NOUNS: dict[Kind, str] = {"issues": "issue", "pull_requests": "pull request", "discussions": "discussion"}
_HEADING = re.compile(r"^( {0,3})(#{1,6})(?=[ \t]|$)", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?=[^ \n>|-])([^\n]++)\n(=++|-{3,}+)[ \t]*+$", re.MULTILINE)
_BLANKS = re.compile(r"\n{3,}")
_MAX_DEPTH = 6
_MAX_TITLE_CHARS = 300


def thread_document(uri: str, thread: Thread) -> ParsedDocument:
    """Write a thread."""
    title = " ".join(thread.title.split())[:_MAX_TITLE_CHARS]
    texts = [f"# {title}" if title else "", _describe_state(thread), _markdown(thread.body, below=2)]
    for comment in _sort_comments(thread.comments):
        texts += _comment(comment)
    return ParsedDocument(
        uri=uri,
        title=title,
        text="\n\n".join(filter(None, texts)),
        category=_NOUNS[thread.kind].replace(" ", "-") + "s",
        metadata=_metadata(thread),
    )


def _sort_comments(comments: Sequence[Comment]) -> list[Comment]:
    """Sorting keeps the order of comments that are equal."""
    return sorted(comments, key=lambda comment: (not comment.is_answer, -comment.likes))


def _describe_state(thread: Thread) -> str:
    """A sentence of what the page shows around the text."""
    facts = [f"{thread.state} {_NOUNS[thread.kind]} {thread.number}".strip().capitalize()]
    if thread.author or thread.created:
        facts.append(f"opened{_by(thread.author)}{f' on {thread.created[:10]}' if thread.created else ''}")
    lines = [f"{', '.join(facts)}."]
    lines += [f"Category: {thread.category}."] if thread.category else []
    lines += [f"Labels: {', '.join(thread.labels)}."] if thread.labels else []
    lines += [f"Milestone: {thread.milestone}."] if thread.milestone else []
    return " ".join(" ".join(line.split()) for line in lines)


def _comment(comment: Comment) -> Iterable[str]:
    yield f"## {'Accepted answer' if comment.is_answer else 'Comment'}{_by(comment.author)}"
    yield _markdown(comment.body, below=2)
    for reply in comment.replies:
        yield f"### Reply{_by(reply.author)}"
        yield _markdown(reply.body, below=3)


def _by(author: str) -> str:
    return f" by {' '.join(author.split())}" if author.strip() else ""


def _markdown(text: str, *, below: int) -> str:
    """Markdown without HTML, its headings below a level; code stays as it is."""
    plain = without_markup(text.replace("\r\n", "\n").replace("\r", "\n"), is_mdx=False)
    if not has_mark(plain):
        return _lower_headings(plain, below).strip()
    texts: list[str] = []
    position = 0
    while opening := next_fence(plain, position):
        end = fence_end(plain, opening)
        texts += [_lower_headings(plain[position : opening.start()], below), plain[opening.start() : end]]
        position = end
    return "".join([*texts, _lower_headings(plain[position:], below)]).strip()


def _lower_headings(text: str, below: int) -> str:
    """Headings with more marks; those that are underlined get marks as well."""
    marked = _UNDERLINED.sub(lambda match: f"{'#' if match[2][0] == '=' else '##'} {match[1].strip()}", text)
    deeper = _HEADING.sub(lambda match: match[1] + "#" * min(len(match[2]) + below, _MAX_DEPTH), marked)
    return _BLANKS.sub("\n\n", deeper)


def _metadata(thread: Thread) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "number": thread.number,
        "state": thread.state,
        "labels": list(thread.labels),
        "milestone": thread.milestone,
        "category_name": thread.category,
        "author": thread.author,
        "created": thread.created,
        "updated": thread.updated,
        "closed": thread.closed,
        "comments": len(thread.comments),
    }
    return {name: value for name, value in fields.items() if value not in ("", [])}
