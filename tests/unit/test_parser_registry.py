"""The registry of parsers, and what every parser promises."""

from importlib.metadata import entry_points

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind
from headwater.errors import DocumentError
from headwater.parsing import registry
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import GROUP, parse_file, parser_for, parser_of_name, parser_of_type, parsers
from tests.outlook_files import compound_file


def test_every_parser_is_found_by_its_entry_point() -> None:
    """Those that are built in are installed like any other."""
    assert {"markdown", "mdx", "plain_text"} <= set(parsers())
    assert set(parsers()) == {entry.name for entry in entry_points(group=GROUP)}


@pytest.mark.parametrize("name", sorted(parsers()))
def test_every_parser_keeps_the_protocol(name: str) -> None:
    """Types and endings are as they are looked up, its version is set, and no two parsers read the same."""
    parser = parsers()[name]
    assert parser.version
    assert parser.media_types
    assert all(one == one.lower() and ";" not in one for one in parser.media_types)
    assert all(one == one.lower() and one.startswith(".") for one in parser.suffixes)
    assert all(parser_of_type(one) is parser for one in parser.media_types)
    assert all(parser_of_name(f"a{one}") is parser for one in parser.suffixes)


@pytest.mark.parametrize(
    ("name", "media_type", "text"),
    [
        ("a/B.MD", "text/markdown", "# A"),
        ("a.markdown", "text/markdown; charset=utf-8", "# A"),
        ("a.mdx", "text/mdx", "# A"),
        ("a.md.erb", "text/markdown", "# A"),
        ("a.txt", " Text/Plain ;charset=x", "---\na: 1\n---\n# A"),
    ],
)
def test_a_parser_is_found_by_name_and_by_type(name: str, media_type: str, text: str) -> None:
    """Case and parameters do not matter; the result is a text with places."""
    assert parser_of_name(name) is parser_of_type(media_type)
    assert not parser_of_name(name).keeps_original
    document = parser_of_name(name).parse(File(content=b"---\na: 1\n---\n# A", uri=name))
    assert (document.uri, document.text) == (name, text)
    assert document.places is not None
    assert document.places.kind == PlaceKind.LINE


@pytest.mark.parametrize("media_type", ["application/x-rar", "application/x-rar; a=b", ""])
def test_what_no_parser_reads_is_an_error_of_the_document(media_type: str) -> None:
    """The message says which type it is, and does not list the others."""
    named = media_type.partition(";")[0]
    with pytest.raises(DocumentError, match=rf"^This file type isn't supported{f': {named}' if named else ''}\.$"):
        parser_of_type(media_type)
    with pytest.raises(DocumentError, match=r"^This file type isn't supported\.$"):
        parser_of_name("a.rar")


def test_a_parser_of_someone_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One class, one line of packaging; of two that read the same type, the first by name counts."""

    class Shout(Parser):
        media_types = ("text/plain", "text/x-shout")
        suffixes = (".shout",)
        version = "shout-1"
        keeps_original = True

        def parse(self, file: File) -> ParsedDocument:
            return ParsedDocument(uri=file.uri, title="", text=file.content.decode().upper(), media_type="text/plain")

    shout = Shout()
    found = dict(sorted({**parsers(), "shout": shout}.items()))
    monkeypatch.setattr(registry, "parsers", lambda: found)
    assert parser_of_name("a.shout") is parser_of_type("text/x-shout") is shout
    assert parser_of_type("text/plain") is not shout
    found_text = parse_file(shout, File(content=b"hey", uri="a.shout"))
    assert found_text.text == "HEY"
    assert found_text.original is not None
    assert found_text.original.content == b"hey"


@pytest.mark.parametrize(
    ("content", "name", "advice"),
    [
        (b"\xffWPC\x10\x00\x00\x00", "mill.doc", ".docx"),
        (b"\xdb\xa5\x2d\x00\x00\x00", "MILL.DOC", ".docx"),
        (compound_file({"PowerPoint Document": b"slides"}), "mill", ".pptx"),
    ],
)
def test_files_of_older_office_programs_say_what_to_do(content: bytes, name: str, advice: str) -> None:
    """Their programs, or later ones, save them in a format that is read."""
    with pytest.raises(DocumentError, match=rf"supported: .*\. Save it as \{advice} or PDF\.$"):
        parser_for(content, name)
