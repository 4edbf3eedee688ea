"""`POST /language`: the language that a reader chooses, noted in a cookie.

Belongs here: the choice. Not here: which languages there are, the browser's own (`catalogue`). Guarantee: it changes
nothing but the cookie, and leads back to a page of ours.
"""

from flask import Blueprint, Response, request

from headwater.domain.access import Scope
from query_api.guards.route_facts import allow
from query_api.pages.catalogue import COOKIE, LANGUAGES
from query_api.pages.forms import field, go_to
from query_api.pages.navigation import own_path

routes = Blueprint("language_page", __name__)
_MAX_AGE_SECONDS = 31_536_000  # a year


@routes.post("/language")
@allow(Scope.READ, about="visible", body="form")  # it says nothing about what is stored here
def choose_language() -> Response:
    """Note a language, and go back."""
    response = go_to(own_path(field("next")))
    if (language := field("language")) in LANGUAGES:
        secure = request.is_secure
        response.set_cookie(COOKIE, language, max_age=_MAX_AGE_SECONDS, samesite="Lax", secure=secure, httponly=True)
    return response
