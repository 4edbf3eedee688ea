"""Schemas of an API in words.

Belongs here: what a value must be, as lines of markdown, and following references. Not here: operations
(`operation_text`). Guarantee: references lead within the description only; recursive and huge schemas end.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater.parsing.markdown.markup import without_markup

_MAX_DEPTH, _MAX_TYPE_DEPTH = 4, 2
_MAX_VALUES = 2_000  # of a value that is written as JSON
_MAX_LINES = 400  # of one schema
_MAX_VALUE_CHARS = 300  # characters of a value that is shown
_BOUNDS = (
    ("minimum", "at least {}"), ("maximum", "at most {}"), ("exclusiveMinimum", "more than {}"),
    ("exclusiveMaximum", "less than {}"), ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"), ("pattern", "matches `{}`"), ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
)  # fmt: skip


class References:
    """Follows the references of one description."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def follow(self, value: Any) -> Any:
        """What a value refers to, if it is a reference within the description; else the value itself."""
        for _ in range(20):
            reference = value.get("$ref") if isinstance(value, Mapping) else None
            if not isinstance(reference, str):
                return value
            target = self._find(reference)
            if target is None:
                return {"description": f"See {reference[:_MAX_VALUE_CHARS]}."}
            value = target
        return {}

    def _find(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            return None  # elsewhere: it is not fetched
        node: Any = self._root
        for segment in reference[2:].split("/"):
            name = segment.replace("~1", "/").replace("~0", "~")
            node = _get(node, name) if isinstance(node, Mapping) else None
        return node


class SchemaText:
    """Writes schemas."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._left = 0
        self._merged: dict[tuple[int, int], Mapping[str, Any]] = {}

    def lines(self, schema: Any) -> list[str]:
        """A schema as list items: each property with its type, and what it must be."""
        self._left = _MAX_LINES
        merged = self._merge_schema(schema)
        item_schema = merged.get("items") if _type(merged) == "array" else None
        begin = [f"It is {self.type_of(merged)}."] if item_schema is not None or not merged.get("properties") else []
        return begin + list(self._properties(self._merge_schema(item_schema) if item_schema is not None else merged, 0))

    def type_of(self, schema: Any, depth: int = 0) -> str:
        """The type of a schema in a few words; that of what is nested deeply is any value."""
        merged = self._merge_schema(schema)
        if depth > _MAX_TYPE_DEPTH:
            return "any value"
        if choices := merged.get("oneOf") or merged.get("anyOf"):
            names = dict.fromkeys(self._name(choice, depth + 1) for choice in _list(choices)[:8])
            return " or ".join(names)
        kind = _type(merged) or ("object" if merged.get("properties") else "any value")
        if kind == "array":
            return f"array of {self._name(merged.get('items'), depth + 1)}"
        form = merged.get("format")
        return f"{kind} ({form})" if isinstance(form, str) and len(form) < 40 else kind

    def facts(self, schema: Any) -> str:
        """What a value must be, besides its type: choices, default, bounds."""
        merged = self._merge_schema(schema)
        facts = []
        if choices := _list(merged.get("enum")):
            facts.append(f"one of {', '.join(f'`{_to_text(choice)}`' for choice in choices[:30])}")
        if "const" in merged:
            facts.append(f"always `{_to_text(merged['const'])}`")
        if "default" in merged:
            facts.append(f"default `{_to_text(merged['default'])}`")
        facts += [
            words.format(_to_text(merged[name]))
            for name, words in _BOUNDS
            if isinstance(merged.get(name), str | int | float)
        ]
        facts += ["read-only"] if merged.get("readOnly") is True else []
        return "; ".join(facts)

    def _name(self, schema: Any, depth: int) -> str:
        return self.type_of(schema, depth) if _type(self._merge_schema(schema)) != "array" else "array"

    def _properties(self, schema: Mapping[str, Any], depth: int) -> Iterator[str]:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or depth >= _MAX_DEPTH:
            return
        required = {name for name in _list(schema.get("required")) if isinstance(name, str)}
        for name, value in properties.items():
            if self._left <= 0:
                return
            self._left -= 1
            property_schema = self._merge_schema(value)
            about = ", ".join(filter(None, [self.type_of(property_schema), "required" if name in required else ""]))
            told = ". ".join(
                filter(None, [_line(property_schema.get("description")).rstrip("."), self.facts(property_schema)])
            )
            yield f"{'  ' * depth}- `{name}` ({about}){f': {told}' if told else ''}"
            nested = property_schema.get("items") if _type(property_schema) == "array" else property_schema
            yield from self._properties(self._merge_schema(nested), depth + 1)

    def _merge_schema(self, schema: Any, depth: int = 0) -> Mapping[str, Any]:
        """A schema without a reference, with the schemas that it combines."""
        resolved = self._references.follow(schema)
        if not isinstance(resolved, Mapping):
            return {}
        members = _list(resolved.get("allOf"))
        if not members or depth > _MAX_DEPTH:
            return resolved
        key = id(resolved), depth  # the description lives as long as this
        if key not in self._merged:
            self._merged[key] = self._combine(resolved, members[:20], depth)
        return self._merged[key]

    def _combine(self, schema: Mapping[str, Any], members: Sequence[Any], depth: int) -> Mapping[str, Any]:
        merged: dict[str, Any] = {name: value for name, value in schema.items() if name != "allOf"}
        for member in members:
            member_schema = self._merge_schema(member, depth + 1)
            properties = {**_as_mapping(member_schema.get("properties")), **_as_mapping(merged.get("properties"))}
            required = dict.fromkeys(
                name
                for name in (*_list(member_schema.get("required")), *_list(merged.get("required")))
                if isinstance(name, str)
            )
            merged = {**member_schema, **merged, "properties": properties, "required": list(required)}
        return merged


def is_small(value: Any, most: int = _MAX_VALUES) -> bool:
    """Whether a value has at most some parts: an alias of YAML may make a short text a huge or an endless one."""
    waiting, count = [value], 0
    while waiting and count <= most:
        member = waiting.pop()
        count += 1
        if isinstance(member, Mapping):
            waiting.extend(member.values())
        elif isinstance(member, list):
            waiting.extend(member)
    return count <= most


def _get(node: Mapping[Any, Any], name: str) -> Any:
    """A member by its name, which YAML may have read as a number, such as the status 404."""
    return node[int(name)] if name not in node and name.isdecimal() and int(name) in node else node.get(name)


def _type(schema: Mapping[str, Any]) -> str:
    """The type; version 3.1 may list several."""
    kind = schema.get("type")
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind or "")


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _line(value: Any) -> str:
    """A description on one line, without HTML."""
    if not isinstance(value, str):
        return ""
    return " ".join((without_markup(value, is_mdx=False) if "<" in value else value).split())


def _to_text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str) if is_small(value) else "…"
    return text[:_MAX_VALUE_CHARS].replace("`", "'").replace("\n", " ")
