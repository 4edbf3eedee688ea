"""`/kb/<slug>/passages/<version>/page`: the page of a PDF that a citation cites, as a picture with the passage marked.

Belongs here: which page, the response, and keeping pictures. Not here: drawing (`headwater.parsing.pdf.page_picture`),
the passage's text (`passages`). Guarantee: a picture is drawn where parsers run; the same page of the same file is
drawn once while it is among the last that were looked at.
"""

from functools import lru_cache
from uuid import UUID

from flask import Blueprint, Response, request

from headwater.administration.original_access import original_of
from headwater.domain.access import Scope
from headwater.domain.documents import Original
from headwater.domain.places import PlaceKind
from headwater.errors import NotFoundError
from headwater.files.file_store import open_files
from headwater.parsing.pdf.page_picture import VERSION, page_picture
from query_api.app_context import settings, store
from query_api.guards.route_facts import PICTURE, allow
from query_api.pages.passages import offsets
from query_api.routes.original_headers import PDF

routes = Blueprint("page_picture_page", __name__)
_KEPT = 64  # pictures
_MAX_BYTES = 60_000_000  # of a PDF
_MAX_PASSAGE_CHARS = 4_000  # characters of a passage to mark


@routes.get("/kb/<kb>/passages/<uuid:version_id>/page")
@allow(Scope.READ, cost=PICTURE)
def show_page(kb: str, version_id: UUID) -> Response:
    """Draw the page that the passage from `start` to `end` begins on."""
    owner, version = store().knowledge_bases.get(kb), store().versions.get(version_id)
    if version.knowledge_base != owner.slug:
        raise NotFoundError(f"{kb} has no document version {version_id}.")
    text = version.text or ""
    start, end = offsets(text)
    (places,) = store().places.of_spans([(version.id, start, end)])
    place = places.between(start, end, text=text) if places else None
    original = original_of(store(), version.id)
    if place is None or place.kind is not PlaceKind.PAGE or original.media_type != PDF:
        raise NotFoundError("The passage is on no page of a PDF, so there is no picture of it.")
    page, words = int(place.first), text[start : min(end, start + _MAX_PASSAGE_CHARS)]
    response = Response(status=200)
    response.set_etag(f"{original.hash[:32]}-{page}-{start}-{end}-{VERSION}")
    response.headers["Cache-Control"] = "private, max-age=3600"
    response.make_conditional(request.environ)
    if response.status_code == 200:
        picture = _picture(original.hash, page, words)
        response.set_data(picture.content)
        response.mimetype = picture.media_type
    return response


@lru_cache(maxsize=_KEPT)
def _picture(file_hash: str, page: int, words: str) -> Original:
    files = open_files(settings())
    if files.size(file_hash) > _MAX_BYTES:
        raise NotFoundError("The PDF is too large to draw a page of it. Open the original file.")
    return page_picture(files.read(file_hash), page, words)
