"""`/api/v1/document-versions/{id}/original`: the file that a version was read from.

Belongs here: serving originals. Not here: storing them (`headwater.files`), which types are shown (`original_headers`).
Guarantee: no original runs as a page of ours, whatever it claims to be; a large one needs neither its size in memory
nor a thread while its client reads.
"""

import tempfile
from collections.abc import Iterator
from typing import BinaryIO

from flask import Response, request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.original_access import original_of
from headwater.domain.access import Scope
from headwater.files.file_store import BLOCK, FileStore, open_files
from headwater.private_files import private_folder
from headwater.store.content.originals import ServedOriginal
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import VersionPath
from query_api.routes.original_headers import choose_media_type, disposition, policy
from query_api.server.file_body import body

routes = APIBlueprint(
    "originals",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Documents")],
    abp_responses={"404": Problem, "410": Problem},
)
_DESCRIBED = {"description": "The file", "content": {"application/octet-stream": {"schema": {"type": "string"}}}}


@routes.get("/document-versions/<id>/original", responses={"200": _DESCRIBED, "206": _DESCRIBED, "416": Problem})
@allow(Scope.READ, about="version")
def get_original(path: VersionPath) -> Response:
    """Read the file that a version was read from, or a range of it; 404 if its text is the whole document."""
    original = original_of(store(), path.id)
    files = open_files(settings())
    size = files.size(original.hash)
    response = Response(status=200)
    _describe(response, original, files)
    response.content_length = size
    response.set_etag(original.hash)
    environ = request.environ if request.headers.get("Range", "").count(",") == 0 else _whole()
    response.make_conditional(environ, accept_ranges=True, complete_length=size)
    if response.status_code in (200, 206):
        start, length = (response.content_range.start or 0, response.content_length or 0)
        response.response = _content(files, original.hash, start, length)
    return response


def _whole() -> dict[str, object]:
    """The request without its Range: of several ranges, the whole file is sent, as RFC 9110 allows."""
    return {name: value for name, value in request.environ.items() if name != "HTTP_RANGE"}


def _describe(response: Response, original: ServedOriginal, files: FileStore) -> None:
    beginning = next(iter(files.blocks(original.hash, 0, BLOCK)), b"")
    media_type, is_shown = choose_media_type(original.media_type, beginning)
    response.content_type = media_type
    response.headers["Content-Disposition"] = disposition(original.uri, is_shown=is_shown)
    response.headers["Content-Security-Policy"] = policy(media_type)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "private, no-cache"  # a cache asks by its ETag


def _content(files: FileStore, file_hash: str, start: int, length: int) -> Iterator[bytes]:
    """A part of a file."""
    return body(_open_original(files, file_hash, start, length), length)


def _open_original(files: FileStore, file_hash: str, start: int, length: int) -> BinaryIO:
    """A file on this machine, where the part begins; that of a remote store is copied, to be read without waiting."""
    if files.folder is not None:
        file = files.open(file_hash)
        file.seek(start)
        return file
    copy = tempfile.TemporaryFile(dir=private_folder(settings().home / "uploads"))  # noqa: SIM115 - `body` closes it
    for block in files.blocks(file_hash, start, length):
        copy.write(block)
    copy.seek(0)
    return copy
