"""Pages of a bucket's list of objects.

Belongs here: reading one page, of S3 or of Azure. Not here: asking for it (`objects`). Guarantee: whatever a server
sends is read in a process that can be killed; what is no list is an error.
"""

from dataclasses import dataclass
from typing import Any

from headwater.errors import DocumentError
from headwater.parsing.parser import File
from headwater.parsing.reader import Reader, invalid_answer
from headwater.parsing.xml import Element, local_name, parse_xml

_FIELDS = {
    "ListBucketResult": ("Contents", "Key", "ETag", "Size", "LastModified", "NextContinuationToken"),
    "EnumerationResults": ("Blob", "Name", "Etag", "Content-Length", "Last-Modified", "NextMarker"),
}
"""By the root of the list: the element of an object, its key, version, size and date, and how the list goes on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Object:
    """An object as the list has it; `changed` is the time of its last change as its server writes it."""

    key: str
    version: str
    size: int
    changed: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page of a list, and the token of the next one; empty on the last."""

    objects: tuple[Object, ...]
    following: str


class PageReader(Reader):
    """Reads a page in a process of its own."""

    def answer(self, file: File) -> Any:
        """The rows of the page, and the token of the next one."""
        root = parse_xml(file.content.lstrip(b"\xef\xbb\xbf"))
        names = _FIELDS.get(local_name(root))
        if names is None:
            raise DocumentError("It is no list of objects.")
        entry, *fields, following = names
        rows = [_row(element, fields) for element in root.iter() if local_name(element) == entry]
        token = next((element.text or "" for element in root if local_name(element) == following), "")
        return [rows, token]


def read_page(content: bytes, url: str) -> Page:
    """Read a page of a list.

    Raises:
        DocumentError: it is none, or of another form.
    """
    reply = PageReader.read(content, url)
    try:
        rows, following = reply
        objects = tuple(
            Object(key=str(key), version=str(version).strip('"'), size=int(size or 0), changed=str(last_modified))
            for key, version, size, last_modified in rows
        )
        return Page(objects=objects, following=str(following))
    except (TypeError, ValueError) as error:
        raise invalid_answer(error) from error


def error_code(content: bytes) -> str:
    """The code in a server's explanation of an error, such as NoSuchKey; empty if there is none."""
    try:
        root = parse_xml(content.lstrip(b"\xef\xbb\xbf"), limit=64_000)
    except DocumentError:
        return ""
    code = next((element.text or "" for element in root.iter() if local_name(element) == "Code"), "")
    return code if code.isascii() and code.isalnum() and len(code) <= 60 else ""


def _row(element: Element, fields: list[str]) -> list[str]:
    properties = [child for outer in element if local_name(outer) == "Properties" for child in outer]  # Azure's
    values = {local_name(child): child.text or "" for child in (*properties, *element)}
    return [values.get(name, "") for name in fields]
