"""`/kb/<slug>/sources`: what a knowledge base reads (UI-2).

Belongs here: the page and its forms. Not here: registering and syncing (`headwater.administration`).
"""

from flask import Blueprint, Response

from query_api.context import store
from query_api.pages.rendering import render

routes = Blueprint("sources_page", __name__)


@routes.get("/kb/<kb>/sources")
def show_sources(kb: str) -> Response:
    """List the sources of a knowledge base."""
    return render("sources.html", kb=store().knowledge_bases.get(kb), sources=store().sources.all(kb))
