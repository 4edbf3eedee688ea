"""Scripts, styles and images of the pages.

Belongs here: their addresses and how they are served. Not here: the files (`query_api/static`). Guarantee: an address
contains a digest of all files, so browsers may keep them for a year and still load new ones after an update; nothing
outside the folder is served.
"""

import hashlib
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, request
from werkzeug.security import safe_join

from headwater.domain.access import Scope
from headwater.errors import NotFoundError
from query_api.guards.route_facts import allow

FOLDER = Path(__file__).resolve().parent.parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
"""The types of the files; the system's own table of types may lack some."""
_YEAR = "public, max-age=31536000, immutable"

routes = Blueprint("static_files", __name__)


@cache
def static_version() -> str:
    """The digest of all files, as it is in their addresses."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*")):
        if path.suffix in TYPES:
            digest.update(path.relative_to(FOLDER).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def static_url(name: str) -> str:
    """The address of a file, such as `js/api.js`."""
    return f"/static/{static_version()}/{name}"


@routes.get("/static/<version>/<path:name>")
@allow(Scope.OPEN)
def get_file(version: str, name: str) -> Response:
    """Send a file; a page from before an update gets the new one, which its browser does not keep."""
    return _send(name, _YEAR if version == static_version() else "no-cache")


@routes.get("/favicon.ico")
@allow(Scope.OPEN)
def get_icon() -> Response:
    """Send the icon to browsers that look for it here."""
    return _send("icon.svg", "public, max-age=86400")


def _send(name: str, cache_control: str) -> Response:
    path = safe_join(str(FOLDER), name)
    if path is None or not Path(path).is_file():
        raise NotFoundError(f"There is no file {name}.")
    content_type = TYPES.get(Path(name).suffix, "application/octet-stream")
    response = Response(Path(path).read_bytes(), content_type=content_type)  # a stream would not be compressed
    response.headers["Cache-Control"] = cache_control
    response.add_etag()
    response.make_conditional(request)
    return response
