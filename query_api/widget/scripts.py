"""`/widget.js`, and the modules that it loads when a visitor first opens the widget (INT-2).

Belongs here: serving them to pages of any site. Not here: the scripts (`query_api/static/widget`). Guarantee: only the
files listed here are served, and all of them together are small. Which sites may ask is decided elsewhere
(`page_admission`).
"""

import re
from functools import cache

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from headwater.domain.access import Scope
from query_api.guards.route_facts import allow
from query_api.pages.static_files import FOLDER, TYPES, static_version

SCRIPT = "widget/launcher.js"
MODULES = (
    "js/api.js",
    "js/dom.js",
    "js/sse.js",
    "js/words.js",
    "widget/answers.js",
    "widget/panel.js",
    "widget/session.js",
    "widget/style.js",
)
"""What the panel imports, itself included."""
_VERSION = "__VERSION__"
"""Stands in the script for the version of the modules."""
_COMMENTS = re.compile(r"^[ ]*(/\*\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_INDENTATION = re.compile(r"^ +", re.MULTILINE)

routes = Blueprint("widget_script", __name__)


@cache
def load_script(name: str) -> str:
    """A file as it is sent: without comments on lines of their own and without indentation, a quarter of its length."""
    text = (FOLDER / name).read_text(encoding="utf-8").replace(_VERSION, static_version())
    return _INDENTATION.sub("", _COMMENTS.sub("", text))


@routes.get("/widget.js")
@allow(Scope.OPEN, visitors="nothing")
def get_script() -> Response:
    """Send the script that shows the button; it names the modules by their version, so browsers may keep those."""
    return _for_every_site(SCRIPT, "public, max-age=600")


@routes.get("/widget/v1/files/<version>/<path:name>")
@allow(Scope.OPEN, visitors="nothing")
def get_file(version: str, name: str) -> Response:
    """Send a module."""
    if name not in MODULES:
        raise NotFound
    is_current = version == static_version()
    return _for_every_site(name, "public, max-age=31536000, immutable" if is_current else "no-cache")


def _for_every_site(name: str, cache_control: str) -> Response:
    response = Response(load_script(name), content_type=TYPES[".js"])
    response.headers["Cache-Control"] = cache_control
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
