"""`/`: the knowledge bases, and the first one on a new installation.

Belongs here: the home page and its form. Not here: creating (`headwater.administration`), the sources of a knowledge
base (`sources`).
"""

from flask import Blueprint, Response, request

from headwater.administration.knowledge_bases import create_named
from headwater.domain.access import Scope
from headwater.errors import HeadwaterError
from headwater.sources.source_kind import slug_of
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.pages.forms import field, go_to
from query_api.pages.navigation import kb_url, tabs
from query_api.pages.page_renderer import render

routes = Blueprint("home_page", __name__)

_MAX_KNOWLEDGE_BASES = 24  # knowledge bases on a page
_MAX_QUERY_CHARS = 200  # characters of a text to find


@routes.get("/")
@allow(Scope.READ, about="visible")
def show_home() -> Response:
    """List the knowledge bases."""
    return _home()


@routes.post("/")
@allow(Scope.ADMIN, about="server", body="form")
def create() -> Response:
    """Create a knowledge base by its name, and go on with its sources."""
    name = field("name")
    try:
        knowledge_base = create_named(store(), name, slug=field("slug"), description=field("description"))
    except HeadwaterError as error:
        return _home(error, name)
    return go_to(kb_url(knowledge_base.slug, "sources"))


@routes.get("/kb/<kb>")
@allow(Scope.READ)
def open_knowledge_base(kb: str) -> Response:
    """Go to the first page of a knowledge base."""
    return go_to(tabs(store().knowledge_bases.get(kb).slug, "")[0].url)


def _home(error: HeadwaterError | None = None, name: str = "") -> Response:
    find_text, last_slug = (request.args.get(key, "")[:_MAX_QUERY_CHARS].strip() for key in ("find", "after"))
    knowledge_bases = store().overviews.knowledge_bases(
        after=last_slug, named=find_text, limit=_MAX_KNOWLEDGE_BASES + 1
    )
    page = knowledge_bases[:_MAX_KNOWLEDGE_BASES]
    return render(
        "home.html",
        status=error.http_status if error else 200,
        knowledge_bases=page,
        following=page[-1].slug if len(knowledge_bases) > _MAX_KNOWLEDGE_BASES else "",
        named=find_text,
        after=last_slug,
        is_first=not (page or find_text or last_slug),
        error=str(error) if error else "",
        name=name,
        slug=field("slug") if error else "",
        asks_slug=error is not None and bool(field("slug") or (name and not slug_of(name, otherwise=""))),
    )
