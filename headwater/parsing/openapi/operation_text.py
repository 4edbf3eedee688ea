"""An operation of an API as markdown.

Belongs here: its heading, parameters, request, responses and what it needs. Not here: schemas (`schema_text`), reading
the description (`description`). Guarantee: whatever the description holds, the result is text; wrong parts are left
out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from headwater.parsing.markdown.heading_levels import plain_part
from headwater.parsing.markdown.writer import fence_code, pipe_table
from headwater.parsing.openapi.schema_text import References, SchemaText, is_small

_MAX_EXAMPLE_CHARS = 4_000  # characters
Values = Mapping[str, Any]


class OperationText:
    """Writes the operations of one description."""

    def __init__(self, root: Values) -> None:
        self._root = root
        self._references = References(root)
        self._schemas = SchemaText(self._references)

    def write(self, method: str, path: str, operation: Values, shared: Any) -> str:
        """One operation; `shared` are the parameters of its path."""
        parameters = self._parameters(operation.get("parameters"), shared)
        summary = _text(operation.get("summary"))
        texts = [
            f"# {method} {path}{f': {summary}' if summary else ''}",
            "This operation is deprecated." if operation.get("deprecated") is True else "",
            _prose(operation.get("description"), 1),
            self._describe_state(operation),
            *self._parameter_table([parameter for parameter in parameters if parameter.get("in") != "body"]),
            *self._request(operation, [parameter for parameter in parameters if parameter.get("in") == "body"]),
            *self._responses(operation.get("responses")),
        ]
        return "\n\n".join(filter(None, texts))

    def about(self) -> str:
        """What the description says of the whole API."""
        info = values(self._root.get("info"))
        servers = [_text(values(server).get("url")) for server in items(self._root.get("servers"))]
        if host := _text(self._root.get("host")):
            servers.append(f"https://{host}{_text(self._root.get('basePath'))}")
        schemes = self._schemes()
        texts = [
            f"# {_text(info.get('title')) or 'API'}",
            _prose(info.get("description"), 1),
            f"Version {_text(info.get('version'))}." if info.get("version") else "",
            *(["## Servers", "\n".join(f"- {server}" for server in servers if server)] if any(servers) else []),
            *(["## Authentication", "\n".join(schemes)] if schemes else []),
            *self._tags(),
        ]
        return "\n\n".join(filter(None, texts))

    def _tags(self) -> Iterator[str]:
        for tag in map(values, items(self._root.get("tags"))):
            if _text(tag.get("name")) and _text(tag.get("description")):
                yield f"## {_text(tag.get('name'))}"
                yield _prose(tag.get("description"), 2)

    def _schemes(self) -> list[str]:
        schemes = values(values(self._root.get("components")).get("securitySchemes")) or values(
            self._root.get("securityDefinitions")
        )
        lines = []
        for name, value in schemes.items():
            scheme = values(self._references.follow(value))
            location = f" in the {scheme['in']} `{scheme.get('name')}`" if scheme.get("in") else ""
            kind = " ".join(filter(None, (_text(scheme.get("type")), _text(scheme.get("scheme")))))
            told = " ".join(_text(scheme.get("description")).split())
            lines.append(f"- `{name}`: {kind}{location}{f'. {told}' if told else ''}")
        return lines

    def _describe_state(self, operation: Values) -> str:
        needs = operation.get("security", self._root.get("security"))
        names = [
            " and ".join(f"`{name}`" for name in requirement)
            for requirement in map(values, items(needs))
            if requirement
        ]
        facts = [f"Operation id: `{_text(operation.get('operationId'))}`."] if operation.get("operationId") else []
        facts += [f"It needs {' or '.join(names)}."] if names else []
        return " ".join(facts)

    def _parameters(self, own: Any, shared: Any) -> list[Values]:
        """The parameters of an operation, over those of its path."""
        by_name: dict[tuple[str, str], Values] = {}
        for entry in (*items(shared), *items(own)):
            parameter = values(self._references.follow(entry))
            if parameter.get("name"):
                by_name[str(parameter["name"]), str(parameter.get("in"))] = parameter
        return list(by_name.values())

    def _parameter_table(self, parameters: Sequence[Values]) -> Iterator[str]:
        if not parameters:
            return
        rows = [["Name", "In", "Type", "Required", "Meaning"]]
        for parameter in parameters:
            schema = _schema_of(parameter)
            told = ". ".join(
                filter(None, [_text(parameter.get("description")).rstrip("."), self._schemas.facts(schema)])
            )
            is_required = "yes" if parameter.get("required") is True else "no"
            rows.append(
                [
                    f"`{parameter['name']}`",
                    str(parameter.get("in", "")),
                    self._schemas.type_of(schema),
                    is_required,
                    told,
                ]
            )
        yield "## Parameters"
        yield pipe_table(rows)

    def _request(self, operation: Values, bodies: Sequence[Values]) -> Iterator[str]:
        body = values(self._references.follow(operation.get("requestBody"))) or (values(bodies[0]) if bodies else {})
        if not body:
            return
        yield "## Request body"
        yield " ".join(
            filter(
                None, [_prose(body.get("description"), 2), "It is required." if body.get("required") is True else ""]
            )
        )
        yield from self._content(body)

    def _responses(self, responses: Any) -> Iterator[str]:
        by_status = values(responses)
        if by_status:
            yield "## Responses"
        for status, value in by_status.items():
            response = values(self._references.follow(value))
            yield f"### {status}"
            yield _prose(response.get("description"), 3)
            yield from self._content(response)

    def _content(self, owner: Values) -> Iterator[str]:
        """The schemas of a body by media type; version 2 has one without."""
        content = values(owner.get("content")) or ({"": owner} if owner.get("schema") else {})
        told: list[str] = []
        for media_type, value in content.items():
            media = values(value)
            lines = self._schemas.lines(media["schema"]) if media.get("schema") else []
            if lines and lines != told:
                yield f"`{media_type}`:" if media_type else ""
                yield "\n".join(lines)
                told = lines
            yield from self._example(media)

    def _example(self, media: Values) -> Iterator[str]:
        example = media.get("example")
        if example is None:
            first = next(iter(values(media.get("examples")).values()), None)
            example = values(self._references.follow(first)).get("value")
        if example is None or not is_small(example):
            return
        text = example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False, default=str)
        if len(text) <= _MAX_EXAMPLE_CHARS:
            yield "Example:"
            yield fence_code(text, "json")


def values(value: Any) -> Values:
    """A mapping with names as keys; an empty one for anything else."""
    return {str(name): member for name, member in value.items()} if isinstance(value, Mapping) else {}


def items(value: Any) -> Sequence[Any]:
    """A list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def _schema_of(parameter: Values) -> Any:
    """The schema of a parameter: its own, that of its content, or, in version 2, the parameter itself."""
    of_content = [values(media).get("schema") for media in values(parameter.get("content")).values()]
    return parameter.get("schema") or next(filter(None, of_content), parameter)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.replace("\x00", "").strip()
    return str(value) if isinstance(value, int | float | date) else ""


def _prose(value: Any, below: int) -> str:
    """A description in markdown, without HTML, its headings below a level."""
    return plain_part(_text(value), below=below)
