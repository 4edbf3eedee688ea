"""An issue of Jira as a document.

Belongs here: its text, places and metadata. Not here: reading issues (`issue`). Guarantee: every comment is a section
of its own, whose place opens that comment.
"""

from collections.abc import Iterator
from typing import Any

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.fragments_apart import read_fragments
from headwater.sources.jira.issue import Attachment, Issue
from headwater.sources.part_places import part_places

_MAX_TITLE_CHARS = 300


def issue_uri(web: str, key: str) -> str:
    """The URI of an issue."""
    return f"{web}/browse/{key}"


def issue_document(issue: Issue, web: str) -> ParsedDocument:
    """Write an issue.

    Args:
        issue: the issue with all comments.
        web: the address that those of all pages begin with.

    Raises:
        DocumentError: the HTML of one of its texts cannot be read.
    """
    uri = issue_uri(web, issue.key)
    title = f"{issue.key}: {issue.summary}"[:_MAX_TITLE_CHARS]
    pieces = [(issue.html, 1), *((comment.html, 2) for comment in issue.comments)]
    (description, *bodies), links = read_fragments(pieces, uri)
    details = f"## Details\n\n{' '.join(_facts(issue))}"  # behind the description, so that quotes begin with that
    text = "\n\n".join(filter(None, (f"# {title}", description.strip(), details)))
    starts: list[tuple[int, int | str]] = [(0, "")]
    for comment, body in zip(issue.comments, bodies, strict=True):
        on = f" on {comment.created[:10]}" if comment.created else ""
        starts.append((len(text) + 2, f"?focusedCommentId={comment.id}#comment-{comment.id}"))
        text = f"{text}\n\n## Comment{_by(comment.author)}{on}\n\n{body.strip()}".rstrip()
    linked_issues = [issue_uri(web, key) for _, key in issue.links]
    return ParsedDocument(
        uri=uri,
        title=title,
        text=text,
        category=issue.project_name or issue.project,
        metadata=_metadata(issue),
        references=tuple(dict.fromkeys([*linked_issues, *links])),
        places=part_places(starts, uri),
    )


def attachment_metadata(attachment: Attachment) -> dict[str, Any]:
    """What Jira says about a file."""
    values = {"author": attachment.author, "created": attachment.created}
    return {name: value for name, value in values.items() if value}


def _facts(issue: Issue) -> Iterator[str]:
    """Sentences of what the page shows around the text."""
    ended = f" ({issue.resolution})" if issue.resolution else ""
    yield f"{issue.kind or 'Issue'} {issue.key}, {issue.status or 'without a status'}{ended}."
    if issue.reporter or issue.created:
        yield f"Opened{_by(issue.reporter)}{f' on {issue.created[:10]}' if issue.created else ''}."
    for name, value in (
        ("Assigned to", issue.assignee), ("Priority:", issue.priority), ("Part of", issue.parent),
        ("Labels:", ", ".join(issue.labels)), ("Components:", ", ".join(issue.components)),
        ("Fix versions:", ", ".join(issue.versions)),
        ("Links:", ", ".join(f"{words} {key}" for words, key in issue.links)),
    ):  # fmt: skip
        if value:
            yield f"{name} {value}."


def _by(author: str) -> str:
    return f" by {author}" if author else ""


def _metadata(issue: Issue) -> dict[str, Any]:
    values: dict[str, Any] = {
        "key": issue.key, "type": issue.kind, "status": issue.status, "resolution": issue.resolution,
        "priority": issue.priority, "labels": list(issue.labels), "components": list(issue.components),
        "fix_versions": list(issue.versions), "parent": issue.parent, "author": issue.reporter,
        "assignee": issue.assignee, "created": issue.created, "updated": issue.updated, "closed": issue.resolved,
        "comments": len(issue.comments),
    }  # fmt: skip
    return {name: value for name, value in values.items() if value not in ("", [])}
