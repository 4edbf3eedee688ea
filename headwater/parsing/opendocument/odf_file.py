"""An OpenDocument file as trees of XML.

Belongs here: opening it safely, its styles and properties. Not here: what is in its body. Guarantee: only the file's
own parts are read, within the bounds of `archives` and `xml`; an encrypted file says that it is.
"""

import re
from collections.abc import Iterator
from typing import Any
from zipfile import BadZipFile, ZipFile

from headwater.errors import DocumentError
from headwater.parsing.archives import open_archive
from headwater.parsing.office.package import one_line, usable_title
from headwater.parsing.xml import Element, parse_xml

_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
OFFICE, TEXT, TABLE, DRAW, STYLE, META, PRESENTATION = (
    f"{{{_NAMESPACE.format(name)}}}" for name in ("office", "text", "table", "drawing", "style", "meta", "presentation")
)
FO = f"{{{_NAMESPACE.format('xsl-fo-compatible')}}}"
SVG = f"{{{_NAMESPACE.format('svg-compatible')}}}"
HREF = "{http://www.w3.org/1999/xlink}href"
_DC = "{http://purl.org/dc/elements/1.1/}"
CODE_STYLE = "Preformatted Text"
LEFT_OUT = frozenset(
    {f"{TEXT}{name}" for name in ("table-of-content", "alphabetical-index", "illustration-index", "table-index",
                                  "object-index", "user-index", "tracked-changes", "number", "ruby-text", "script",
                                  "variable-decls", "sequence-decls", "user-field-decls", "page-number", "page-count")}
    | {f"{OFFICE}{name}" for name in ("annotation", "annotation-end", "forms", "event-listeners", "scripts")}
    | {f"{SVG}{name}" for name in ("title", "desc")}
    | {f"{TABLE}covered-table-cell", f"{DRAW}object", f"{DRAW}object-ole", f"{DRAW}enhanced-geometry"}
)  # fmt: skip
"""Elements whose text no reader of the document sees, or that repeat it."""
_ARCHIVE = b"PK\x03\x04"
_PARENTS = 20
_POINTS = re.compile(r"\d{1,3}(?:\.\d{1,3})?pt")
_KEYWORD = f"{META}keyword"  # the only property that a file may have several times
_FIELDS = {f"{META}initial-creator": "author", f"{_DC}creator": "author", f"{_DC}subject": "subject",
           _KEYWORD: "keywords", f"{META}creation-date": "created", f"{_DC}date": "modified"}  # fmt: skip


class OdfFile:
    """The body of a file, its styles, and what it says about itself."""

    def __init__(self, content: bytes) -> None:
        """Open a file.

        Raises:
            DocumentError: it is damaged, encrypted or not OpenDocument. UnsafeFileError: it would exhaust memory.
        """
        self.is_archive = content.startswith(_ARCHIVE)
        self._archive = open_archive(content) if self.is_archive else None
        self._objects_left = set(self._archive.namelist()) if self._archive else set()
        roots = [parse_xml(content)] if self._archive is None else _roots(self._archive)
        body = roots[0].find(f"{OFFICE}body")
        if body is None or not len(body):
            raise DocumentError("The file has no content that OpenDocument knows. Open it in its program and save it.")
        self.body: Element = body[-1]
        self._styles = {
            (style.get(f"{STYLE}name", ""), style.get(f"{STYLE}family", "")): style
            for root in reversed(roots)  # the styles of the body come last, and win
            for style in root.iter(f"{STYLE}style")
        }
        defaults = [style for root in reversed(roots) for style in root.iter(f"{STYLE}default-style")]
        sizes = (
            properties.get(f"{FO}font-size", "")
            for style in defaults
            if style.get(f"{STYLE}family") == "paragraph"
            for properties in style
        )
        self.text_size = next((float(size.removesuffix("pt")) for size in sizes if _POINTS.fullmatch(size)), 12.0)
        """The size of text whose style says none, in points."""
        self.lists = {
            style.get(f"{STYLE}name", ""): style for root in reversed(roots) for style in root.iter(f"{TEXT}list-style")
        }
        self.title, self.metadata = _properties(roots)

    def read_object(self, element: Element) -> Element | None:
        """The content of an object such as a chart, where it first stands; None if it is damaged or not in the file."""
        if len(element) and element[0].tag == f"{OFFICE}document":
            return element[0]
        name = f"{(element.get(HREF) or '').removeprefix('./').rstrip('/')}/content.xml"
        if self._archive is None or name not in self._objects_left:
            return None
        self._objects_left.remove(name)
        try:
            return parse_xml(self._archive.read(name))
        except (BadZipFile, DocumentError):
            return None

    def styles(self, name: str | None, family: str) -> Iterator[Element]:
        """A style and those that it is based on."""
        for _ in range(_PARENTS):
            style = self._styles.get((name or "", family))
            if style is None:
                return
            yield style
            name = style.get(f"{STYLE}parent-style-name")

    def style_names(self, name: str | None, family: str) -> list[str]:
        """The names of a style and those that it is based on, also of those that the file does not describe."""
        chain = list(self.styles(name, family))
        inherited = [style.get(f"{STYLE}parent-style-name") or "" for style in chain]
        return [(style_name or "").replace("_20_", " ") for style_name in (name, *inherited)]

    def is_hidden(self, element: Element, family: str) -> bool:
        """Whether the style of a paragraph or of words hides them."""
        return self.style_value(element.get(f"{TEXT}style-name"), family, f"{TEXT}display") == "none"

    def style_value(self, name: str | None, family: str, attribute: str) -> str:
        """A property of a style, or of the nearest one that it is based on which has it."""
        for style in self.styles(name, family):
            for properties in style:
                if (value := properties.get(attribute)) is not None:
                    return str(value)
        return ""


def _roots(archive: ZipFile) -> list[Element]:
    """The content first, then the styles and the properties."""
    names = set(archive.namelist())
    if "META-INF/manifest.xml" in names and b":encryption-data" in archive.read("META-INF/manifest.xml"):
        raise DocumentError("The file is protected by a password. Save it without one.")
    if "content.xml" not in names:
        raise DocumentError("The file is incomplete: content.xml is missing. Copy or export it again.")
    return [parse_xml(archive.read(name)) for name in ("content.xml", "styles.xml", "meta.xml") if name in names]


def _properties(roots: list[Element]) -> tuple[str, dict[str, Any]]:
    meta = next((element for root in roots for element in root.iter(f"{OFFICE}meta")), None)
    if meta is None:
        return "", {}
    fields: dict[str, Any] = {}
    for tag, name in _FIELDS.items():
        for element in meta.iter(tag):
            if (text := one_line(element.text or "")) and (name not in fields or tag == _KEYWORD):
                fields[name] = f"{fields[name]}, {text}"[:500] if name in fields else text[:500]
    return usable_title(one_line(meta.findtext(f"{_DC}title") or "")), fields


def count_of(element: Element, attribute: str, *, default: int = 1) -> int:
    """A positive number that an attribute says; the default if it says none, or one of nine digits."""
    value = element.get(attribute, "")
    return int(value) or 1 if value.isdecimal() and len(value) < 9 else default
