"""Requests made up from the OpenAPI document.

Belongs here: strategies for values of a schema, right ones and wrong ones, and checking replies against the document.
Not here: attacks. Guarantee: derived from the document alone; nothing names a route.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st
from openapi_schema_validator import OAS31Validator

from tests.probe.wire import Reply, message

_NAMES = ["generated", "docs", "kb2", "en", "builtin/hash", "hybrid", "a", "", "..", "%", "\x00", "ü", "'", "1"]
_NUMBERS = [-(2**63) - 1, -1, 0, 1, 2, 5, 100, 101, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308]
_TEXTS = st.one_of(st.sampled_from(_NAMES), st.text(max_size=20), st.just("\ud800"), st.just("x" * 5000))
_LINE_ENDS = dict.fromkeys((*range(32), 127))  # else they would end the header
_SCALARS = st.one_of(st.none(), st.booleans(), st.sampled_from(_NUMBERS), _TEXTS)
_ANYTHING = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3), max_leaves=6
)


def values(schema: Mapping[str, Any], document: Mapping[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Values of a schema, one in eight of them of any other kind."""
    right = _right(schema, document, depth)
    return st.integers(0, 7).flatmap(lambda number: right if number else _ANYTHING)


def _right(schema: Mapping[str, Any], document: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _right(document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], document, depth)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return st.one_of([_right(each, document, depth) for each in schema[several]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    kind = schema.get("type")
    if kind == "object" and depth < 4:
        fields = {name: values(each, document, depth + 1) for name, each in schema.get("properties", {}).items()}
        required = {name: fields[name] for name in schema.get("required", ()) if name in fields}
        optional = {name: each for name, each in fields.items() if name not in required}
        return st.fixed_dictionaries(required, optional=optional)
    if kind == "array" and depth < 4:
        return st.lists(values(schema.get("items", {}), document, depth + 1), max_size=3)
    simple: dict[Any, st.SearchStrategy[Any]] = {
        "integer": st.sampled_from([n for n in _NUMBERS if isinstance(n, int)]) | st.integers(-5, 300),
        "number": st.sampled_from(_NUMBERS) | st.floats(0, 1),
        "string": _TEXTS,
        "boolean": st.booleans(),
        "null": st.none(),
    }
    return simple.get(kind, _ANYTHING)


@st.composite
def requests(draw: st.DrawFn, document: Mapping[str, Any], path: str, method: str) -> bytes:
    """A request of one operation; its parameters and its body are mostly as they should be."""
    operation = document["paths"][path][method]
    query, headers = [], {}
    for parameter in operation.get("parameters", ()):
        value = str(draw(values(parameter["schema"], document)))
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(value.encode("utf-8", "replace"), safe="")[:1500])
        elif parameter["in"] == "header" and draw(st.integers(0, 3)) == 0:
            headers[parameter["name"]] = value.encode("ascii", "ignore").decode().translate(_LINE_ENDS)
        elif parameter["in"] == "query" and draw(st.booleans()):
            query.append(f"{parameter['name']}={quote(value.encode('utf-8', 'replace'), safe='')[:1500]}")
    target = path + ("?" + "&".join(query) if query else "")
    media = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if media is None:
        return message(method.upper(), target, headers)
    body = draw(st.one_of(values(media["schema"], document), st.none()))
    kind = draw(st.sampled_from(["application/json"] * 9 + ["text/plain"]))
    return message(method.upper(), target, {**headers, "Content-Type": kind}, json.dumps(body).encode())


def assert_described(reply: Reply, document: Mapping[str, Any], path: str, method: str) -> None:
    """The status is one that the document names, and the body has the media type and the shape that it gives."""
    described = document["paths"][path][method]["responses"]
    assert str(reply.status) in described, (path, method, reply)
    content = described[str(reply.status)]["content"]
    media = reply.headers["content-type"].split(";")[0]
    assert media in content, (path, method, reply)
    if media != "text/event-stream":
        schema = {**content[media]["schema"], "components": document["components"]}
        is_json = media.endswith("json")
        OAS31Validator(schema).validate(reply.json if is_json else reply.body.decode())
