"""An issue, a merge request or a wiki page of GitLab as a document.

Belongs here: texts, places and metadata. Not here: reading threads (`thread_shape`). Guarantee: every comment is a
section of its own, whose place opens that comment.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.heading_levels import plain_part
from headwater.sources.gitlab.thread_shape import Thread, Upload
from headwater.sources.part_places import heading_places, part_places
from headwater.sources.thread_texts import name_author

_NOUNS = {"issues": "Issue", "merge_requests": "Merge request"}
_MARKS = {"issues": "#", "merge_requests": "!"}
_KINDS = {"#": "issues", "!": "merge_requests"}
_REFERENCE_PATTERN = re.compile(
    r"(?<![\w/#!&])(?P<path>[\w.-]+(?:/[\w.-]+)+)?(?P<mark>[#!])(?P<number>\d{1,9})\b", re.ASCII
)
_ODD_PATTERN = re.compile(r"[^\w\- ]")
_MAX_TITLE_CHARS = 300
_MAX_REFERENCES = 500


def upload_uri(web: str, upload: Upload) -> str:
    """The URI of a file that a text links to."""
    return f"{web}/-/project/{upload.project}/uploads/{upload.secret}/{quote(upload.name, safe='')}"


def wiki_uri(web: str, root: str, slug: str) -> str:
    """The URI of a page of a wiki; `root` is the path of its project, or `groups/` and that of its group."""
    return f"{web}/{root}/-/wikis/{quote(slug)}"


def thread_document(thread: Thread, web: str) -> ParsedDocument:
    """Write a thread.

    Args:
        thread: the thread with all comments.
        web: the address that those of all pages begin with.
    """
    uri = f"{web}/{thread.address}"
    title = f"{thread.title} ({_MARKS[thread.kind]}{thread.number})"[:_MAX_TITLE_CHARS]
    details = f"## Details\n\n{' '.join(_facts(thread))}"  # behind the description, so that quotes begin with that
    text = "\n\n".join(filter(None, (f"# {title}", plain_part(thread.body, below=1), details)))
    starts: list[tuple[int, int | str]] = [(0, "")]
    for note in thread.notes:
        on = f" on {note.created[:10]}" if note.created else ""
        about = f" about `{note.file}`" if note.file else ""
        starts.append((len(text) + 2, f"#note_{note.id}"))
        body = plain_part(note.body, below=2)
        text = f"{text}\n\n## Comment{name_author(note.author)}{on}{about}\n\n{body}".rstrip()
    return ParsedDocument(
        uri=uri,
        title=title,
        text=text,
        category=thread.path,
        metadata=_metadata(thread),
        references=tuple(_references(thread, web, uri)),
        places=part_places(starts, uri),
    )


def wiki_document(uri: str, title: str, content: str, category: str) -> ParsedDocument:
    """Write a page of a wiki, whose places are its headings."""
    name = " ".join(title.split())[:_MAX_TITLE_CHARS]
    body = plain_part(content, below=0)
    text = body if body.startswith("# ") else "\n\n".join(filter(None, (f"# {name}", body)))
    places = heading_places(text, uri, _heading_ending)
    return ParsedDocument(uri=uri, title=name, text=text, category=category, metadata={"type": "wiki"}, places=places)


def upload_metadata(thread: Thread) -> dict[str, Any]:
    """What is known of a file: who wrote the thread that links to it, and its labels are not the file's."""
    return {"thread": f"{thread.path}{_MARKS[thread.kind]}{thread.number}"}


def _heading_ending(words: str, count: int) -> str:
    name = "-".join(_ODD_PATTERN.sub("", words.lower()).split())
    return f"#{quote(name)}{f'-{count}' if count else ''}" if name else ""


def _facts(thread: Thread) -> Iterator[str]:
    """Sentences of what the page shows around the text."""
    on = f" on {thread.closed[:10]}" if thread.closed else ""
    state = {"opened": "open"}.get(thread.state, thread.state or "without a state")
    yield f"{_NOUNS[thread.kind]} {thread.path}{_MARKS[thread.kind]}{thread.number}, {state}{on}."
    if thread.author or thread.created:
        yield f"Opened{name_author(thread.author)}{f' on {thread.created[:10]}' if thread.created else ''}."
    for words, value in (
        ("Assigned to", ", ".join(thread.assignees)), ("Milestone:", thread.milestone),
        ("Labels:", ", ".join(thread.labels)),
        ("From branch", " into ".join(f"`{branch}`" for branch in thread.branches)),
    ):  # fmt: skip
        if value:
            yield f"{words} {value}."
    if thread.is_confidential:
        yield "It is confidential."


def _references(thread: Thread, web: str, uri: str) -> Iterator[str]:
    """The threads that its texts name, such as `#12` and `mill/pumps!3`."""
    addresses: dict[str, None] = {}
    for text in (thread.body, *(note.body for note in thread.notes)):
        for match in _REFERENCE_PATTERN.finditer(text):
            kind = _KINDS[match["mark"]]
            addresses[f"{web}/{match['path'] or thread.path}/-/{kind}/{int(match['number'])}"] = None
            if len(addresses) > _MAX_REFERENCES:
                break
    return iter(address for address in addresses if address != uri)


def _metadata(thread: Thread) -> dict[str, Any]:
    values: dict[str, Any] = {
        "type": _NOUNS[thread.kind].lower(), "number": thread.number, "state": thread.state,
        "labels": list(thread.labels), "milestone": thread.milestone, "author": thread.author,
        "assignees": list(thread.assignees), "created": thread.created, "updated": thread.updated,
        "closed": thread.closed, "confidential": thread.is_confidential or "", "comments": len(thread.notes),
    }  # fmt: skip
    return {name: value for name, value in values.items() if value not in ("", [])}
