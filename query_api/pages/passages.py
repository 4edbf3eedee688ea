"""`/kb/<slug>/passages/<version>`: the text that a citation cites, within its document.

Belongs here: the page and the part of it that the chat page shows beside the answer. Not here: the whole document
(`documents`), the original file (`query_api.routes.originals`).
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote, urlencode
from uuid import UUID

from flask import Blueprint, Response, request

from headwater.administration.original_access import original_of
from headwater.domain.access import Scope
from headwater.domain.code_files import EXTENSIONS
from headwater.domain.places import PlaceKind
from headwater.domain.versions import StoredVersion
from headwater.errors import InvalidInputError, NotFoundError
from headwater.parsing.signatures import PPTX
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.pages.catalogue import N_, translate
from query_api.pages.highlight import highlight_span
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import HEADERS, render, render_part
from query_api.pages.table_head import find_table_head
from query_api.pages.turns import file_type
from query_api.routes.original_headers import IMAGES, PDF
from query_api.routes.place_payloads import PlacePayload, original_url, place_link

routes = Blueprint("passage_page", __name__)
DRAWN: Mapping[PlaceKind, str] = {PlaceKind.PAGE: PDF, PlaceKind.SLIDE: PPTX}
"""The type of the files whose pages or slides are drawn, by the kind of their places."""
_SKETCH = N_("Drawn from the texts and pictures of the slide. The original file shows it as it is.")
_AROUND = 900  # characters of the document that are shown on each side of the span
_BEFORE_IN_PANE = 300  # the same before it in the pane, which opens at its top
_NAMED, _LEAST_NAMED = 8, 3  # words of a quote in a link
_SIGNS = re.compile(r"[*_`#>|\[\]]+|^[^\S\n]*(?:[-+]|\d+[.)])\s", re.MULTILINE)  # of markdown
_WORDS = re.compile(r"\S+")


@routes.get("/kb/<kb>/passages/<uuid:version_id>")
@allow(Scope.READ)
def show_passage(kb: str, version_id: UUID) -> Response:
    """Show a span of a document version; with `part`, only what the pane beside an answer holds."""
    owner, version = store().knowledge_bases.get(kb), store().versions.get(version_id)
    if version.knowledge_base != owner.slug:
        raise NotFoundError(f"{kb} has no document version {version_id}.")
    is_part = "part" in request.args
    passage = _passage(version, *offsets(version.text or ""), level=2 if is_part else 1)
    if is_part:
        return Response(render_part("passage_part.html", "passage", owner, passage), headers=dict(HEADERS))
    return render("passage.html", kb=owner, passage=passage)


def offsets(text: str) -> tuple[int, int]:
    """The span that the address names; one beyond the text is that much of it as there is."""
    start, end = _offset("start"), _offset("end")
    return min(start, len(text)), min(max(start, end), len(text))


def _offset(name: str) -> int:
    text = request.args.get(name, "")
    if text and not (text.isdecimal() and len(text) < 10):
        raise InvalidInputError(f"`{name}` is {text[:20]}, but it must be a number of characters.")
    return int(text or 0)


def _passage(version: StoredVersion, start: int, end: int, *, level: int) -> dict[str, object]:
    """What the template shows, below a heading of a level."""
    text = version.text or ""
    margin = _BEFORE_IN_PANE if level > 1 else _AROUND
    first = text.rfind("\n", 0, max(0, start - margin)) + 1
    last = text.find("\n", end + _AROUND)
    last = len(text) if last < 0 else last
    (places,) = store().places.of_spans([(version.id, start, end)])
    place_range = places.between(start, end, text=text) if places else None
    if "second" in request.args and place_range and place_range.kind is PlaceKind.SECOND:
        second = _offset("second")
        place_range = replace(place_range, first=second, last=second)
    place = PlacePayload.model_validate(place_range) if place_range else None
    has_original = version.id in store().originals.among({version.id})
    is_markdown = version.media_type not in ("text/plain", *EXTENSIONS)
    head = find_table_head(text, first) if is_markdown else ""
    return {
        "version": version,
        "title": version.title or version.uri,
        "level": level,
        "html": highlight_span(
            head + text[first:last],
            len(head) + start - first,
            len(head) + end - first,
            below=level,
            is_markdown=is_markdown,
            language=file_type(version.uri),
        ),
        "is_cut_before": first > 0,
        "is_cut_after": last < len(text),
        "place": place.label if place else "",
        "is_video": place is not None and place.kind is PlaceKind.SECOND,
        "link": _to_quote(place_link(version.uri, place), text[start:end]),
        "original": original_url(version.id, place) if has_original else None,
        "picture": _picture(version, place, start, end) if has_original else None,
    }


def _picture(version: StoredVersion, place: PlacePayload | None, start: int, end: int) -> dict[str, str] | None:
    """The picture beside the text: the page of a PDF, a slide, or the image itself; None if there is none."""
    original, title = original_of(store(), version.id), version.title or version.uri
    if place is not None and DRAWN.get(place.kind) == original.media_type:
        query = urlencode({"start": start, "end": end})
        url = f"{kb_url(version.knowledge_base, 'passages')}/{version.id}/page?{query}"
        return {
            "url": url,
            "words": translate(N_("%(place)s of %(title)s, with the passage marked"), place=place.label, title=title),
            "note": translate(_SKETCH) if place.kind is PlaceKind.SLIDE else "",
        }
    if original.media_type in IMAGES:
        return {"url": original_url(version.id, None), "words": title, "note": ""}
    return None


def _to_quote(link: str | None, quote_text: str) -> str | None:
    """A link to a web page that also names the first words of the quote, to which browsers scroll."""
    words = _WORDS.findall(_SIGNS.sub(" ", quote_text.split("\n\n")[0]))[:_NAMED]
    if link is None or "#" in link or not link.startswith(("http://", "https://")) or len(words) < _LEAST_NAMED:
        return link
    return f"{link}#:~:text={quote(' '.join(words), safe='').replace('-', '%2D')}"
