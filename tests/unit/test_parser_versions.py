"""Which version of a parser would read a document now, as far as what is stored of it tells."""

from typing import ClassVar

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing import registry
from headwater.parsing.markdown.parser import MarkdownParser
from headwater.parsing.registry import is_read_by


class _Letters:
    """Reads letters as plain text; shares its name with the parser of drawings."""

    media_types: ClassVar[tuple[str, ...]] = ("application/x-letter",)
    suffixes: ClassVar[tuple[str, ...]] = (".letter",)
    version: ClassVar[str] = "office-2"
    keeps_original: ClassVar[bool] = False

    def parse(self, content: bytes, *, uri: str, root: str = "") -> ParsedDocument:  # noqa: ARG002 - the protocol's
        """Read a file."""
        return ParsedDocument(uri=uri, title="", text=content.decode(), media_type="text/markdown")


class _Drawings(_Letters):
    media_types = ("application/x-drawing",)
    suffixes = (".drawing",)
    version = "office-1"


@pytest.mark.parametrize(
    ("version", "media_type", "uri", "is_read"),
    [
        ("markdown-16", "text/markdown", "a", True),
        ("markdown-1", "text/markdown", "a", False),
        ("markdown-16", "text/markdown; charset=utf-8", "a.md", True),
        ("site-1", "text/markdown", "a.md", True),  # its connector reads it itself
        ("site-0", "text/markdown", "a.md", False),
        ("office-1", "text/markdown", "a.drawing", True),  # what it gives is of another type than what it reads
        ("office-1", "text/markdown", "a.letter", False),  # that of letters was raised
        ("office-1", "application/x-letter", "a", False),  # an original says so too
        ("office-2", "text/markdown", "a", True),
        ("office-1", "application/x-drawing", "a", True),
        ("office-2", "application/x-letter", "a.drawing", False),  # either may have read it
        ("gone-1", "text/markdown", "a.gone", False),
    ],
)
def test_the_parser_of_a_document_is_told_by_its_type_and_name(
    monkeypatch: pytest.MonkeyPatch, version: str, media_type: str, uri: str, *, is_read: bool
) -> None:
    """A version that any other parser has says nothing."""
    installed = {"drawings": _Drawings(), "letters": _Letters(), "markdown": MarkdownParser()}
    monkeypatch.setattr(registry, "parsers", lambda: installed)
    assert is_read_by(version, media_type=media_type, uri=uri, own_version="site-1") is is_read
