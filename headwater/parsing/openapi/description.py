"""The description of an API: its operations.

Belongs here: reading the file, and naming operations. Not here: their texts (`operation_text`), fetching
(`headwater.sources.openapi`). Guarantee: an operation has the same name in every sync; `operations_apart` reads in a
process that can be killed.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import yaml

from headwater.errors import DocumentError
from headwater.parsing.openapi.operation_text import OperationText, items, values
from headwater.parsing.parser import File
from headwater.parsing.reader import Reader, invalid_answer
from headwater.parsing.text import decode

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_MAX_OPERATIONS = 10_000  # operations


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """An operation: `fragment` names it within the description; `method` is empty for what is said of the whole API."""

    fragment: str
    operation_id: str
    method: str
    path: str
    title: str
    tags: tuple[str, ...]
    version: str
    text: str


class DescriptionReader(Reader):
    """Reads a description in a process of its own."""

    def answer(self, file: File) -> Any:
        """The operations' fields."""
        return [asdict(operation) for operation in read_operations(file.content)]


def operations_apart(content: bytes, url: str) -> list[Operation]:
    """The same as `read_operations`, in a process that can be killed."""
    operations = DescriptionReader.read(content, url)
    try:
        return [Operation(**{**fields, "tags": tuple(fields["tags"])}) for fields in operations]
    except (TypeError, KeyError) as error:
        raise invalid_answer(error) from error


def read_operations(content: bytes) -> list[Operation]:
    """Read a description of version 2 or 3, in JSON or YAML.

    Raises:
        DocumentError: it is none.
    """
    root = values(_load_text(decode(content)))
    if not any(name in root for name in ("openapi", "swagger")) or not isinstance(root.get("paths", {}), Mapping):
        raise DocumentError("It is no description of an API: it has neither `openapi` nor `swagger`, or no `paths`.")
    text = OperationText(root)
    version = str(values(root.get("info")).get("version", ""))[:100]
    about = text.about()
    title = about.partition("\n")[0].removeprefix("# ")
    operations = [
        Operation(
            fragment="info", operation_id="", method="", path="", title=title, tags=(), version=version, text=about
        )
    ]
    ids = Counter(str(operation.get("operationId")) for _, _, operation, _ in _operations(root))
    for method, path, operation, shared in _operations(root):
        if len(operations) > _MAX_OPERATIONS:
            raise DocumentError(f"The description has more than {_MAX_OPERATIONS:,} operations.")
        operation_id = str(operation.get("operationId") or "")[:200]
        fragment = (
            f"operation/{operation_id}"
            if operation_id and ids[operation_id] == 1
            else f"/paths/{_pointer(path)}/{method}"
        )
        summary = str(operation.get("summary") or "")
        operations.append(
            Operation(
                fragment=fragment, operation_id=operation_id, method=method.upper(), path=path,
                title=f"{method.upper()} {path}{f': {summary}' if summary else ''}"[:300],
                tags=tuple(str(tag)[:100] for tag in items(operation.get("tags"))), version=version,
                text=text.write(method.upper(), path, operation, shared),
            )
        )  # fmt: skip
    return operations


def _operations(root: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any], Any]]:
    for path, entry in values(root.get("paths")).items():
        item = values(entry)
        for method in _METHODS:
            if isinstance(item.get(method), Mapping):
                yield method, path, values(item[method]), item.get("parameters")


def _pointer(path: str) -> str:
    return path.replace("~", "~0").replace("/", "~1").replace("#", "%23").replace(" ", "%20")


def _load_text(text: str) -> Any:
    """JSON, or YAML; aliases of YAML share their values, so they cannot grow."""
    try:
        if text.lstrip("\ufeff \t\r\n").startswith("{"):
            return json.loads(text.lstrip("\ufeff"))
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    except (ValueError, RecursionError, yaml.YAMLError, AttributeError, TypeError, LookupError) as error:
        raise DocumentError(f"It is neither JSON nor YAML ({type(error).__name__}: {str(error)[:200]}).") from None
