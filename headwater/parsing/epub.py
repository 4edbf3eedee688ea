"""Parsing EPUB books.

Belongs here: the order and the titles of chapters. Not here: what is no text of a book (`epub_cleanup`), archives
(`archives`), HTML (the parser of `text/html`). Guarantee: only the book's own archive is read, within bounds; a chapter
that cannot be read is noted and costs only itself.
"""

import posixpath
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.archives import open_archive
from headwater.parsing.epub_cleanup import describe_pictures, drop_frame, is_placeholder
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category, parser_of_type
from headwater.parsing.xml import parse_xml

_CONTAINER = "META-INF/container.xml"
_PROTECTED = {"META-INF/rights.xml", "META-INF/license.lcpl"}
_MAX_CHAPTERS = 2_000
_HTML = "text/html"
_LINK_WITHIN = re.compile(
    r"(?<![\\!])\[(?P<words>(?:\\.|[^\[\]\\\n]){0,300})\]"
    r"\((?!<?(?:[a-z][a-z\d+.-]*:|//))(?:<[^<>\n]{1,500}>|[^()\s]{1,500})\)",
    re.IGNORECASE,
)
_LINKED = 0.6  # share of characters in links: .84 to .92 in contents and indexes of eleven books, elsewhere at most .44
_MIN_INDEX_CHARS = 500
_HEADING = re.compile(r"^(#{1,6})(?= )", re.MULTILINE)
_CODE = re.compile(
    r"^[ \t>]*(?:[-*+] +|\d+[.)] +)*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^[ \t>]*(?P=fence)"
    r"|(?P<ticks>`+)[^\n]{0,2000}?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_FIELDS = ("creator", "publisher", "date", "language", "identifier")
_SHOWN_FIELDS = ("author", "publisher", "date")


class EpubParser(Parser):
    """Reads books as markdown: chapters in the order of reading."""

    media_types: ClassVar[tuple[str, ...]] = ("application/epub+zip",)
    suffixes: ClassVar[tuple[str, ...]] = (".epub",)
    version: ClassVar[str] = "epub-6"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def parse(self, file: File) -> ParsedDocument:
        """Read a book; it has no places, because its pages depend on the reader's screen.

        Raises:
            DocumentError: it is damaged, encrypted or too large.
        """
        archive = open_archive(file.content)
        folder = _find_folder(archive)
        if any(f"{folder}{name}" in archive.NameToInfo for name in _PROTECTED):
            raise DocumentError("The book is protected by DRM. Use a copy without protection.")
        package_path = _package_path(archive, folder)
        package = parse_xml(_read(archive, package_path))
        metadata = _metadata(package)
        title = metadata.pop("title", "")
        notes: list[str] = []
        chapters = list(_chapters(archive, package, package_path, notes))
        chapters = [_change_text(chapter, lambda text: _text_of_links(describe_pictures(text))) for chapter in chapters]
        chapters = [_change_text(chapter, _lower_headings) if title else chapter for chapter in chapters]
        body = drop_frame("\n\n".join(stripped for chapter in chapters if (stripped := chapter.strip())))
        text = "\n\n".join([*_front(title, metadata), body]) if body else ""
        return ParsedDocument(
            uri=file.uri,
            title=title,
            text=text,
            category=folder_category(file.uri, file.root),
            language=metadata.get("language", ""),
            metadata=metadata,
            notes=tuple(notes),
        )


def _read(archive: ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except KeyError:
        raise DocumentError(f"The file is incomplete: {name} is missing. Copy or export it again.") from None
    except (BadZipFile, EOFError, NotImplementedError, OSError, ValueError, zlib.error) as error:
        raise DocumentError(f"{name} is damaged ({error}). Copy or export the file again.") from error


def _find_folder(archive: ZipFile) -> str:
    """The folder of a book in its archive, with a slash: some programs pack the folder and not what is in it."""
    containers = [name for name in archive.NameToInfo if name == _CONTAINER or name.endswith(f"/{_CONTAINER}")]
    return min(containers, key=len, default=_CONTAINER).removesuffix(_CONTAINER)


def _package_path(archive: ZipFile, folder: str) -> str:
    for element in parse_xml(_read(archive, f"{folder}{_CONTAINER}")).iter("{*}rootfile"):
        if path := element.get("full-path"):
            return f"{folder}{path}"
    raise DocumentError("The book names no package file. Export it again.")


def _metadata(package: Any) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name in (*_FIELDS, "title"):
        elements = package.iter(f"{{http://purl.org/dc/elements/1.1/}}{name}")
        texts = (" ".join((element.text or "").split()) for element in elements)
        author = fields.get("author", "") if name == "title" else ""
        values = [text for text in texts if text and not is_placeholder(text, is_title_of=author)]
        if name == "creator" and values:
            fields["author"] = ", ".join(values)[:500]
        elif values:
            fields[name] = values[0][:500]
    return fields


def _front(title: str, metadata: Mapping[str, str]) -> Iterator[str]:
    """The title of a book, and who wrote it, which many books say in their metadata alone."""
    if title:
        yield f"# {title}"
    if fields := [f"{name.capitalize()}: {metadata[name]}" for name in _SHOWN_FIELDS if name in metadata]:
        yield "  \n".join(fields)


def _chapters(archive: ZipFile, package: Any, package_path: str, notes: list[str]) -> Iterator[str]:
    items = {element.get("id"): element for element in package.iter("{*}item")}
    order = [element.get("idref") for element in package.iter("{*}itemref")][:_MAX_CHAPTERS]
    for item in (items[name] for name in order if name in items):
        if "html" not in (item.get("media-type") or "") or "nav" in (item.get("properties") or "").split():
            continue
        path = posixpath.normpath(posixpath.join(posixpath.dirname(package_path), unquote(item.get("href") or "")))
        try:
            # A book's chapters declare themselves as XML; as HTML, they are read even if they are not well-formed.
            chapter = File(content=_read(archive, path), uri=path, media_type=_HTML)
            text = parser_of_type(_HTML).parse(chapter).text.strip()
        except DocumentError as error:
            notes.append(f"{path} could not be read: {error}")
            continue
        if text := _without_index(text):
            yield text


def _without_index(chapter: str) -> str:
    """A chapter; of one that is mostly links within the book, its contents or index, what is above and below them."""
    links = list(_LINK_WITHIN.finditer(chapter))
    linked = sum(len(link[0]) for link in links)
    if len(chapter) <= _MIN_INDEX_CHARS or linked <= _LINKED * len(chapter):
        return chapter
    introduction = chapter[: links[0].start()].rpartition("\n")[0].strip()
    outside = f"{introduction}\n\n{chapter[links[-1].end() :].partition(chr(10))[2].strip()}".strip()
    return outside if any(line.strip() and not _HEADING.match(line) for line in outside.split("\n")) else ""


def _change_text(chapter: str, change: Callable[[str], str]) -> str:
    """A chapter with its text changed, and its code as it is."""
    texts: list[str] = []
    position = 0
    for code in _CODE.finditer(chapter):
        texts += [change(chapter[position : code.start()]), code[0]]
        position = code.end()
    return "".join([*texts, change(chapter[position:])])


def _text_of_links(text: str) -> str:
    """A text whose links within the book, which lead nowhere outside it, are their words."""
    return _LINK_WITHIN.sub(r"\g<words>", text)


def _lower_headings(text: str) -> str:
    """A text with its headings one level lower, below the book's title."""
    return _HEADING.sub(lambda match: f"#{match[1]}"[:6], text)
