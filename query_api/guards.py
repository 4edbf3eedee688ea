"""Checks on every request before a route sees it.

Belongs here: who may send requests (host names, pages of other sites), and the form of a body. Not here:
fields (`requests`), slow clients (`worker`). Guarantee: no page of another site can change anything, not even through a
name that an attacker points at this machine (DNS rebinding); a body is read completely, or refused, before anything
happens.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Flask, Response, request
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from headwater.settings import Settings
from query_api.arriving import LARGEST_BODY
from query_api.context import settings
from query_api.problems import problem

_READING = ("GET", "HEAD", "OPTIONS", "TRACE")
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?", re.IGNORECASE)
_LOCALLY = "Use localhost in the address, or start the server with --trusted-network."
_BY_ADDRESS = "Use an IP address or a name without a dot, or set HEADWATER_API_URL to the address in use."
_NO_PAGES = (
    "Only pages at the API's own address may change something. Call the API from a program instead, such as your"
    " site's server."
)
_COMPRESSED = "Send the body uncompressed, without Content-Encoding."
TAKES_FILES = ("uploads.put_file",)
"""The endpoints whose body is a file."""
_NO_OBJECT = {"field": "body", "message": "Input should be an object"}


def install(app: Flask, chosen: Settings) -> None:
    """Add the checks to an app."""
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.url_map.merge_slashes = False  # no redirects for doubled slashes
    names = Names.of(chosen)
    app.before_request(names.check)
    app.before_request(_path_is_plain)
    app.before_request(names.check_origin)
    app.before_request(_body_can_be_read)


@dataclass(frozen=True, kw_only=True)
class Names:
    """The host names that the API accepts.

    On a trusted network these are addresses and names without a dot, which no attacker can point at this machine, and
    the public name, which a proxy in front may have replaced; otherwise they are this machine's own.
    """

    trusted: bool
    public: str
    """The public name and port; empty if only this machine's names are accepted."""

    @classmethod
    def of(cls, settings: Settings) -> "Names":
        """The names for an app's settings."""
        public = urlsplit(settings.api_url).netloc.lower() if settings.trusted_network else ""
        return cls(trusted=settings.trusted_network, public=public)

    def check(self) -> Response | None:
        """Refuse a request for another name."""
        given = request.headers.get("Host")
        if given is None and request.environ.get("SERVER_PROTOCOL") == "HTTP/1.1":
            return problem(400, "MALFORMED_REQUEST", "The request has no Host header.")
        name = host_name(request.environ.get("SERVER_NAME", "") if given is None else given)
        target = request.environ.get("RAW_URI", "/").split("?")[0]
        if name is None or (not target.startswith("/") and "://" in target and _netloc(target) != given):
            return problem(403, "HOST_NOT_ALLOWED", "The request's Host and its target do not name this server.")
        if not self.trusted and name not in _LOCAL:
            return problem(403, "HOST_NOT_ALLOWED", f"The host {name} is not allowed. {_LOCALLY}")
        if self.trusted and name != host_name(self.public) and not cannot_be_rebound(name):
            detail = f"The host {name} is not allowed. {_BY_ADDRESS}"
            return problem(403, "HOST_NOT_ALLOWED", detail)
        return None

    def check_origin(self) -> Response | None:
        """Refuse changes requested by pages of other sites. Browsers say so in either header; programs send neither."""
        if request.method in _READING:
            return None
        site = request.headers.get("Sec-Fetch-Site", "none").strip().lower()
        origin = request.headers.get("Origin")
        hosts = {request.headers.get("Host", "").lower(), self.public} - {""}
        is_ours = origin is None or any(_is_page_of(origin, host) for host in hosts)
        if site not in ("same-origin", "none") or not is_ours:
            sender = "another site" if is_ours or origin == "null" else str(origin)[:200]
            return problem(403, "ORIGIN_NOT_ALLOWED", f"A page of {sender} sent this request. {_NO_PAGES}")
        return None


def host_name(header: str) -> str | None:
    """The name in a Host header, in lower case and without port and brackets; None if it is malformed."""
    found = _HOST.fullmatch(header)
    return (found.group(1) or found.group(2)).lower() if found else None


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:  # malformed, so it is no server's name
        return ""


def cannot_be_rebound(name: str) -> bool:
    """Whether an attacker cannot point this name at this machine: it is an address, or a name without a dot."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name
    return True


def _is_plain() -> bool:
    return request.headers.get("Content-Encoding", "identity").strip().lower() == "identity"


def _path_is_plain() -> Response | None:
    """Refuse encoded slashes: no name contains one, and decoded they would lead to another route.

    Only OpenAI's names of models contain them, and no other route lies below their address.
    """
    path = request.environ.get("RAW_URI", "/").split("?")[0].lower().removeprefix("/v1/models/headwater%2f")
    if "%2f" in path or "%5c" in path:
        return problem(404, "NOT_FOUND", "Nothing has this name: no name contains an encoded slash or a backslash.")
    return None


def _is_page_of(origin: str, host: str) -> bool:
    """Whether a page's origin is a host; the scheme is not compared, because a proxy may have ended TLS."""
    try:
        parts = urlsplit(origin.strip().lower())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host and not parts.path


def _body_can_be_read() -> Response | None:
    """Refuse bodies that are not JSON (any page can send a form without permission), too large or incomplete.

    An upload may be of any type: a page of another site needs permission for every PUT. Its route reads it in blocks.
    """
    if request.endpoint in TAKES_FILES:
        request.max_content_length = settings().upload_limit * 1_000_000
        return None if _is_plain() else problem(415, "UNSUPPORTED_MEDIA_TYPE", _COMPRESSED)
    try:
        body = request.get_data()
    except RequestEntityTooLarge:
        raise
    except (ParseException, OSError, BadRequest):
        return problem(400, "MALFORMED_REQUEST", "The body is not framed as HTTP requires, or it is incomplete.")
    if request.method in _READING:
        return None
    if not _is_plain():
        return problem(415, "UNSUPPORTED_MEDIA_TYPE", _COMPRESSED)
    if (body or request.mimetype) and not request.is_json:
        return problem(415, "UNSUPPORTED_MEDIA_TYPE", "Send JSON, with the header Content-Type: application/json.")
    if not body:
        return None
    if not isinstance(request.get_json(), dict | None):  # raises for what is not JSON
        return problem(422, "INVALID_INPUT", "body: Input should be an object", [_NO_OBJECT])
    return None
