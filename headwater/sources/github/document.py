"""A thread as a document.

Belongs here: its text, metadata, and which comments come first. Not here: reading threads (`threads`). Guarantee: the
answer that was accepted comes first, then the comments that people agree with most, then the others in order.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.heading_levels import plain_part
from headwater.sources.github.threads import Comment, Kind, Thread
from headwater.sources.thread_texts import name_author

_NOUNS: dict[Kind, str] = {"issues": "issue", "pull_requests": "pull request", "discussions": "discussion"}
_MAX_TITLE_CHARS = 300


def thread_document(uri: str, thread: Thread) -> ParsedDocument:
    """Write a thread."""
    title = " ".join(thread.title.split())[:_MAX_TITLE_CHARS]
    texts = [f"# {title}" if title else "", _describe_state(thread), plain_part(thread.body, below=2)]
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
        facts.append(f"opened{name_author(thread.author)}{f' on {thread.created[:10]}' if thread.created else ''}")
    lines = [f"{', '.join(facts)}."]
    lines += [f"Category: {thread.category}."] if thread.category else []
    lines += [f"Labels: {', '.join(thread.labels)}."] if thread.labels else []
    lines += [f"Milestone: {thread.milestone}."] if thread.milestone else []
    return " ".join(" ".join(line.split()) for line in lines)


def _comment(comment: Comment) -> Iterable[str]:
    yield f"## {'Accepted answer' if comment.is_answer else 'Comment'}{name_author(comment.author)}"
    yield plain_part(comment.body, below=2)
    for reply in comment.replies:
        yield f"### Reply{name_author(reply.author)}"
        yield plain_part(reply.body, below=3)


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
