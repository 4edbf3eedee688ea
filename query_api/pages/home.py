"""`/`: the knowledge bases, and the first one on a new installation.

Belongs here: the home page and its form. Not here: creating (`headwater.administration`), the sources of a knowledge
base (`sources`).
"""

from flask import Blueprint, Response

from headwater.administration.knowledge_bases import create_named
from headwater.errors import HeadwaterError
from query_api.context import store
from query_api.pages.forms import field, go_to
from query_api.pages.navigation import kb_url
from query_api.pages.rendering import render

routes = Blueprint("home_page", __name__)


@routes.get("/")
def show_home() -> Response:
    """List the knowledge bases."""
    return _home()


@routes.post("/")
def create() -> Response:
    """Create a knowledge base by its name, and go on with its sources."""
    name = field("name")
    try:
        made = create_named(store(), name, description=field("description"))
    except HeadwaterError as error:
        return _home(error, name)
    return go_to(kb_url(made.slug, "sources"))


def _home(error: HeadwaterError | None = None, name: str = "") -> Response:
    found = store().knowledge_bases.all(limit=1_000)
    return render(
        "home.html",
        status=error.http_status if error else 200,
        knowledge_bases=found,
        error=str(error) if error else "",
        name=name,
    )
