"""Choosing among parsers that other packages bring: what a file is not, they do not get."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing import registry
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import find_parser


class _Pages(Parser):
    media_types = ("application/pdf",)
    suffixes = (".pdf",)
    version = "pages-1"

    def parse(self, file: File) -> ParsedDocument:
        return ParsedDocument(uri=file.uri, title="", text="")


class _Own(_Pages):
    media_types = ("application/x-own",)
    suffixes = (".own",)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two more parsers are there, one of them instead of that for PDF files."""
    others = {name: parser for name, parser in registry.parsers().items() if name != "pdf"}
    installed = {**others, "own": _Own(), "pages": _Pages()}
    monkeypatch.setattr(registry, "parsers", lambda: installed)


@pytest.mark.parametrize(
    ("found", "name", "media_type", "parser"),
    [
        ("application/pdf", "a.txt", "text/plain", "_Pages"),
        ("application/octet-stream", "a.pdf", "application/pdf", ""),
        ("text/plain", "a.pdf", "application/pdf", "PlainTextParser"),
        ("application/octet-stream", "a.own", "", "_Own"),
        ("application/octet-stream", "a", "application/x-own", "_Own"),
        ("application/zip", "a.own", "", "_Own"),
        ("application/octet-stream", "a.md", "", ""),
        ("text/plain", "a.own", "", "_Own"),
    ],
)
def test_a_parser_gets_what_it_may_be_able_to_read(found: str, name: str, media_type: str, parser: str) -> None:
    """A format that its bytes would show is not assumed from a name; a format of another package may be."""
    chosen = find_parser(found, name, media_type)
    assert (type(chosen).__name__ if chosen else "") == parser
