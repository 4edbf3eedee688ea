"""`/kb/<slug>/passages/<version>/page`: the page or slide that a citation cites, as a picture with the passage marked.

Belongs here: which page, the response, and keeping pictures. Not here: drawing (`headwater.parsing.pdf.page_picture`,
`headwater.parsing.office.slide_picture`), the passage's text (`passages`). Guarantee: a picture is drawn where parsers
run; the same page of the same file is drawn once while it is among the last that were looked at.
"""

from functools import lru_cache
from uuid import UUID

from flask import Blueprint, Response, request

from headwater.administration.original_access import original_of
from headwater.domain.access import Scope
from headwater.domain.documents import Original
from headwater.errors import NotFoundError
from headwater.files.file_store import open_files
from headwater.parsing.office.slide_picture import VERSION as SLIDE_VERSION
from headwater.parsing.office.slide_picture import slide_picture
from headwater.parsing.pdf.page_picture import VERSION as PAGE_VERSION
from headwater.parsing.pdf.page_picture import page_picture
from headwater.parsing.signatures import PPTX
from query_api.app_context import settings, store
from query_api.guards.route_facts import PICTURE, allow
from query_api.pages.passages import DRAWN, offsets
from query_api.routes.original_headers import PDF

routes = Blueprint("page_picture_page", __name__)
_KEPT = 64  # pictures
_MAX_BYTES = 60_000_000  # of a file
_VERSIONS = {PDF: PAGE_VERSION, PPTX: SLIDE_VERSION}
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
    media_type = original.media_type or ""
    if place is None or DRAWN.get(place.kind) != media_type:
        raise NotFoundError("The passage is on no page or slide that can be drawn.")
    page, words = int(place.first), text[start : min(end, start + _MAX_PASSAGE_CHARS)]
    response = Response(status=200)
    response.set_etag(f"{original.hash[:32]}-{page}-{start}-{end}-{_VERSIONS[media_type]}")
    response.headers["Cache-Control"] = "private, max-age=3600"
    response.make_conditional(request.environ)
    if response.status_code == 200:
        picture = _picture(original.hash, media_type, page, words)
        response.set_data(picture.content)
        response.mimetype = picture.media_type
    return response


@lru_cache(maxsize=_KEPT)
def _picture(file_hash: str, media_type: str, page: int, words: str) -> Original:
    files = open_files(settings())
    if files.size(file_hash) > _MAX_BYTES:
        raise NotFoundError("The file is too large to draw a page of it. Open the original file.")
    draw = page_picture if media_type == PDF else slide_picture
    return draw(files.read(file_hash), page, words)
