"""Threads from a file that GitHub's command line wrote.

Belongs here: the file's lines. Not here: lines of JSON (`headwater.sources.json_lines`), texts (`document`).
Guarantee: a line that cannot be read costs only itself; while there is one, no document counts as removed.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, SourceError
from headwater.identity import bytes_fingerprint
from headwater.sources.connector import FetchedDocument
from headwater.sources.github.document import thread_document
from headwater.sources.github.threads import PATHS, Kind, read_graph_thread
from headwater.sources.json_lines import json_lines, json_object

_URL = re.compile(
    r"(?P<url>https?://[\w.-]+(?::\d{1,5})?/[\w.-]+/[\w.-]+/(?P<path>issues|pull|discussions)/(?P<number>\d{1,15}))"
    r"(?:[/?#].*)?", re.ASCII,
)  # fmt: skip
_KINDS: dict[str, Kind] = {path: kind for kind, path in PATHS.items()}


def read_threads(path: Path) -> Iterator[FetchedDocument | DocumentProblem]:
    """Read every line of a file.

    Raises:
        SourceError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            for line_number, line in json_lines(file):
                try:
                    yield _thread(line)
                except DocumentError as error:
                    message = f"line {line_number}: {error}"
                    yield DocumentProblem(uri="", code="DOCUMENT_FAILED", message=message)
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({error.strerror}).") from error


def _thread(line: bytes) -> FetchedDocument:
    values = json_object(line)
    match = _URL.fullmatch(str(values.get("url", "")))
    if match is None:
        raise DocumentError("url must be the address of an issue, a pull request or a discussion")
    if str(values.get("number")) != match["number"]:
        raise DocumentError("number must be the one in url")
    uri, thread = match["url"], read_graph_thread(values).thread(_KINDS[match["path"]])
    return FetchedDocument(uri=uri, fingerprint=bytes_fingerprint(line), parse=partial(thread_document, uri, thread))
