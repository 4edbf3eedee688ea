"""The messages of MCP: JSON-RPC, in both forms of the protocol.

Belongs here: reading a message, which form it has, the errors of the protocol. Not here: what a method does
(`methods`), tools. Guarantee: pure; a request that passes `read` has an id, a method, parameters and a version that is
spoken here, and its headers say what its body says.

Until 2025-11-25 a client begins with `initialize`. Since 2026-07-28 there is no beginning: every request names its
version in `params._meta`, and repeats it with its method in headers.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The versions with `initialize`, newest first."""
SUPPORTED = (MODERN, *LEGACY)
META = "io.modelcontextprotocol/"
"""The beginning of the protocol's own names in `_meta`."""
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The methods whose parameter of this name is repeated in a header."""

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, HEADER_MISMATCH, UNSUPPORTED_VERSION = -32603, -32020, -32022
_STATUSES = {METHOD_NOT_FOUND: HTTPStatus.NOT_FOUND, INTERNAL_ERROR: HTTPStatus.INTERNAL_SERVER_ERROR}
_VERSION = f"{META}protocolVersion"
_ENCODED = ("=?base64?", "?=")
Id = str | int


class RpcError(Exception):
    """A request that breaks the protocol, or cannot be carried out."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    @property
    def status(self) -> int:
        """The HTTP status, for the form of the protocol that defines it."""
        return _STATUSES.get(self.code, HTTPStatus.BAD_REQUEST)


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A request; `is_modern` if it names its version itself."""

    id: Id
    method: str
    params: Mapping[str, Any]
    is_modern: bool


def is_notification(body: Mapping[str, Any]) -> bool:
    """Whether a message wants no reply.

    Raises:
        RpcError: it is no message of JSON-RPC.
    """
    _check_shape(body)
    return "id" not in body


def id_of(body: Mapping[str, Any]) -> Id | None:
    """The id to which a reply belongs; None if there is none that a reply could have."""
    identity = body.get("id")
    return identity if isinstance(identity, Id) and not isinstance(identity, bool) else None


def read(body: Mapping[str, Any], headers: Mapping[str, str]) -> Request:
    """Read a request.

    Raises:
        RpcError: it breaks the protocol, or names a version that is not spoken here.
    """
    _check_shape(body)
    identity = id_of(body)
    if identity is None:
        raise RpcError(INVALID_REQUEST, "The id of a request must be a text or a whole number.")
    is_modern = _is_modern(body, headers)
    if is_modern:
        _check_modern(body, headers)
    elif body["method"] != "initialize":
        _check_version(headers.get(VERSION_HEADER, LEGACY[0]), LEGACY)
    return Request(id=identity, method=body["method"], params=_params(body), is_modern=is_modern)


def headers_of(body: Any) -> dict[str, str]:
    """The headers that repeat what a request says, for a client that was given only the request."""
    if not isinstance(body, Mapping) or not isinstance(body.get("params"), Mapping):
        return {}
    version, method = _meta(body["params"]).get(_VERSION), body.get("method")
    if not isinstance(version, str) or not isinstance(method, str):
        return {}
    name = body["params"].get(NAMED.get(method, ""))
    mirrored = {
        VERSION_HEADER: version,
        METHOD_HEADER: method,
        **({NAME_HEADER: name} if isinstance(name, str) else {}),
    }
    return {header: _encode(value) for header, value in mirrored.items()}


def _check_shape(body: Mapping[str, Any]) -> None:
    if body.get("jsonrpc") != "2.0" or not isinstance(body.get("method"), str):
        raise RpcError(INVALID_REQUEST, 'A message is an object with "jsonrpc": "2.0" and a method.')
    if not isinstance(body.get("params"), Mapping | None):
        raise RpcError(INVALID_REQUEST, "params must be an object.")


def _params(body: Mapping[str, Any]) -> Mapping[str, Any]:
    return body.get("params") or {}


def _meta(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, Mapping) else {}


def _is_modern(body: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
    """Whether a request names its version itself, or says in a header that it should."""
    version = headers.get(VERSION_HEADER)
    return (
        _VERSION in _meta(_params(body))
        or body["method"] == "server/discover"
        or (version not in (None, *LEGACY) and body["method"] != "initialize")
    )


def _check_modern(body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Refuse a request whose `_meta` lacks something, or whose headers say something else."""
    params = _params(body)
    meta = _meta(params)
    if _VERSION not in meta:
        _check_version(headers.get(VERSION_HEADER, MODERN), SUPPORTED)
    missing = [name for name in (_VERSION, f"{META}clientCapabilities") if name not in meta]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.")
    expected = {VERSION_HEADER: meta[_VERSION], METHOD_HEADER: body["method"]}
    if body["method"] in NAMED:
        expected[NAME_HEADER] = params.get(NAMED[body["method"]])
    for header, value in expected.items():
        if value is not None and _decode(headers.get(header)) != value:
            raise RpcError(HEADER_MISMATCH, f"The header {header} must say what the body says.")
    _check_version(meta[_VERSION], (MODERN,))


def _check_version(version: Any, spoken: tuple[str, ...]) -> None:
    if version not in spoken:
        message = f"The protocol version {str(version)[:40]} is not supported. Use one of {', '.join(SUPPORTED)}."
        raise RpcError(UNSUPPORTED_VERSION, message, {"supported": list(SUPPORTED), "requested": version})


def _encode(value: str) -> str:
    """A value as a header can hold it."""
    begin, end = _ENCODED
    is_plain = value.isascii() and value.isprintable() and value == value.strip()
    if is_plain and not (value.startswith(begin) and value.endswith(end)):
        return value
    return f"{begin}{base64.b64encode(value.encode()).decode()}{end}"


def _decode(value: str | None) -> str | None:
    """The value that a header holds; None if it is malformed."""
    begin, end = _ENCODED
    if value is None or not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
