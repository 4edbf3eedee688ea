"""The links of documents, symbols of code, and dead links.

Belongs here: reading links, as JSON and as pictures. Not here: reading them from texts, which only a sync does.
"""

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.domain.access import Scope
from headwater.domain.links import DocumentLinks, LinkEnd
from headwater.domain.versions import StoredDocument
from headwater.drawing.link_picture import document_picture, symbol_picture
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import DocumentPath, KnowledgeBasePath, Reply, SymbolQuery
from query_api.routes.link_payloads import (
    DeadLinkList,
    DocumentLinksPayload,
    SymbolPayload,
    address_of,
)

routes = APIBlueprint(
    "links",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Links")],
    abp_responses={"404": Problem, "410": Problem},
)
_PICTURE = {"description": "A picture", "content": {"image/svg+xml": {"schema": {"type": "string"}}}}


@routes.get("/documents/<id>/links", responses={"200": DocumentLinksPayload})
@allow(Scope.READ, about="document")
def get_links(path: DocumentPath) -> Reply:
    """Read the links from and to a document, with what they lead to."""
    document, links = _links(path)
    return DocumentLinksPayload.of(document.id, document.uri, links).model_dump(mode="json")


@routes.get("/documents/<id>/links.svg", responses={"200": _PICTURE})
@allow(Scope.READ, about="document")
def draw_links(path: DocumentPath) -> Response:
    """Draw the documents that a document is linked with."""
    document, links = _links(path)
    return _picture(document_picture(document.uri, document.title, links, _address))


@routes.get("/knowledge-bases/<kb>/symbols", responses={"200": SymbolPayload})
@allow(Scope.READ)
def get_symbol(path: KnowledgeBasePath, query: SymbolQuery) -> Reply:
    """Read where a symbol of code is defined, called and imported; lists are empty if there is none of the name."""
    symbol = store().link_reading.symbol(store().search_indexes.active(path.kb), query.name)
    return SymbolPayload.of(symbol).model_dump(mode="json")


@routes.get("/knowledge-bases/<kb>/symbols.svg", responses={"200": _PICTURE})
@allow(Scope.READ)
def draw_symbol(path: KnowledgeBasePath, query: SymbolQuery) -> Response:
    """Draw what calls and imports a symbol of code, and what it calls."""
    symbol = store().link_reading.symbol(store().search_indexes.active(path.kb), query.name)
    return _picture(symbol_picture(symbol, _address))


@routes.get("/knowledge-bases/<kb>/dead-links", responses={"200": DeadLinkList})
@allow(Scope.READ)
def list_dead_links(path: KnowledgeBasePath) -> Reply:
    """List the links that lead to documents which are not there."""
    owner, index = store().knowledge_bases.get(path.kb), store().search_indexes.active(path.kb)
    dead_links = store().link_reading.dead(owner, index)
    return DeadLinkList.of(dead_links, store().link_reading.words_of(index, dead_links)).model_dump(mode="json")


def _links(path: DocumentPath) -> tuple[StoredDocument, DocumentLinks]:
    document = store().versions.document(path.id)
    index = store().search_indexes.active(document.knowledge_base)
    return document, store().link_reading.of_document(index, document.id, document.uri)


def _address(end: LinkEnd) -> str:
    return address_of(end, settings().api_url)


def _picture(svg: str) -> Response:
    response = Response(svg, content_type="image/svg+xml; charset=utf-8")
    # A picture runs nothing, even if a browser opens it as a page.
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    )
    return response
