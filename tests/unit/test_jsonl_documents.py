"""Writing documents as lines of JSON, and reading them again (SRC-8).

Belongs here: that nothing is lost, and wrong fields. Not here: files, and what the database does to a document
(`integration/test_source_export`).
"""

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.documents import ParsedDocument
from headwater.domain.media_types import MediaType
from headwater.domain.places import Mark, PlaceKind, Places
from headwater.errors import DocumentError
from headwater.sources.json_lines import json_object
from headwater.sources.jsonl_documents import LINES, read_document, write_line

# Half of the characters are those that programs take for something else.
_SIGNS = '\u2028\u2029\x85\r\n\t\x01"\\/ 𝄞é\ufeff'
ODD = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(_SIGNS)))
NUMBERS = st.one_of(st.integers(), st.integers(-(10**300), 10**300), st.floats(allow_nan=False, allow_infinity=False))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, ODD),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ODD, inner, max_size=3)),
    max_leaves=8,
)

_CELLS = [("Prices!B14", "Prices!B14"), ("'It''s'!A1:F2", "'It''s'!A1:F2"), ("Prices!A:F", -3), ("Prices!A:F", 7)]
NAMES = ("category", "language", "page")


@st.composite
def places(draw: st.DrawFn, text: str) -> Places | None:
    """Places of a text, or none."""
    kind = draw(st.sampled_from([None, *PlaceKind]))
    if kind is None:
        return None
    offsets = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    is_text = kind in (PlaceKind.SHEET, PlaceKind.PART)
    value: st.SearchStrategy[Any] = ODD if is_text else st.integers(-(10**9), 10**9)
    values = st.sampled_from(_CELLS) if kind == PlaceKind.CELL else st.tuples(value, value)
    marks = tuple(Mark(offset, *draw(values)) for offset in offsets)
    return Places(kind=kind, marks=marks, address=draw(ODD) if marks else "")


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    """Any document, as any connector may make it."""
    text = draw(ODD)
    return ParsedDocument(
        uri=draw(ODD.filter(lambda uri: bool(uri.strip()) and "\x00" not in uri)),
        title=draw(ODD),
        text=text,
        media_type=draw(st.sampled_from(get_args(MediaType))),
        category=draw(ODD),
        language=draw(ODD),
        metadata=draw(st.dictionaries(st.one_of(ODD, st.sampled_from(NAMES)), JSON, max_size=4)),
        references=tuple(draw(st.lists(ODD, max_size=3))),
        places=draw(places(text)),
    )


def read(line: bytes) -> ParsedDocument:
    """Read a line as a source of plain text does."""
    return read_document(json_object(line), "text/plain")


@given(documents())
def test_a_written_line_is_read_and_written_as_the_same_bytes(document: ParsedDocument) -> None:
    """Whatever is in it; and it is one line for every program (SRC-8)."""
    line = write_line(document)
    assert write_line(read(line)) == line
    assert line.endswith(b"\n")
    assert len(line.decode().splitlines()) == 1


@given(documents())
def test_what_is_read_is_the_document(document: ParsedDocument) -> None:
    """But for outer spaces of names, and line ends."""
    found = read(write_line(document))
    assert (found.uri, found.title, found.media_type) == (document.uri, document.title.strip(), document.media_type)
    assert found.text == document.text.replace("\r\n", "\n").replace("\r", "\n")
    assert (found.language, found.references) == (document.language.strip(), document.references)
    assert dict(found.metadata) == dict(document.metadata)


def test_a_citation_has_its_place_again() -> None:
    """Marks move with line ends that become shorter; a place that is unknown stays unknown."""
    marked = ParsedDocument(uri="a", title="", text="a\r\nb", places=Places.of(PlaceKind.PAGE, [(0, 1), (3, 2)]))
    assert read(write_line(marked)).places == Places.of(PlaceKind.PAGE, [(0, 1), (2, 2)])
    unknown = read(write_line(ParsedDocument(uri="a", title="", text="ab"))).places
    assert unknown is not None
    assert unknown.between(0, 1, text="ab") is None
    assert read(b'{"uri": "a", "text": "b"}').places == LINES
    parts = Places(kind=PlaceKind.PART, marks=(Mark(0, "#Use", "#Use"),), address="https://a.test/b")
    assert read(write_line(replace(marked, places=parts))).places == parts


def test_a_line_says_only_what_is_not_clear_without() -> None:
    """And begins with the URI and ends with the text, for people who look at it."""
    document = ParsedDocument(
        uri="a", title="T", text="x\u2028y", category="c/d", metadata={"category": "/c/d/"}, places=LINES
    )
    expected = '{"uri": "a", "media_type": "text/markdown", "title": "T", "metadata": {"category": "/c/d/"}, '
    assert write_line(document).decode() == expected + '"text": "x\\u2028y"}\n'


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("media_type", "text/html", "media_type must be one of text/markdown, "),
        ("media_type", ["a"], "media_type must be one of"),
        ("references", "a", "references must be a list of strings"),
        ("references", [1], "references must be a list of strings"),
        ("places", [], "places must be an object"),
        ("places", {"kind": "mile", "marks": []}, "places must be an object whose kind is one of page, slide"),
        ("places", {"kind": ["page"], "marks": []}, "places must be an object"),
        ("places", {"kind": "page"}, "places must have marks"),
        ("places", {"kind": "page", "marks": [[0]]}, "places must have marks"),
        ("places", {"kind": "page", "marks": [[9, 1]]}, "the offsets in places"),
        ("places", {"kind": "page", "marks": [[1, 1], [0, 2]]}, "the offsets in places"),
        ("places", {"kind": "page", "marks": [[True, 1]]}, "the offsets in places"),
        ("places", {"kind": "page", "marks": [["a", 1]]}, "the offsets in places"),
        ("places", {"kind": "page", "marks": [[0, "1"]]}, "a place in places is not a page"),
        ("places", {"kind": "second", "marks": [[0, 10**13]]}, "a place in places is not a second"),
        ("places", {"kind": "sheet", "marks": [[0, 1]]}, "a place in places is not a sheet"),
        ("places", {"kind": "part", "marks": [[0, 1]]}, "a place in places is not a part"),
        ("places", {"kind": "cell", "marks": [[0, "Prices"]]}, "a place in places is not a cell"),
        ("places", {"kind": "cell", "marks": [[0, "A!A:B"]]}, "a place in places is not a cell"),
        ("places", {"kind": "page", "marks": [[0, 1]], "address": 1}, "address in places must be a string"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: Any, message: str) -> None:
    """It costs that line."""
    line = json.dumps({"uri": "a", "text": "bcd", field: value}).encode()
    with pytest.raises(DocumentError) as caught:
        read(line)
    assert str(caught.value).startswith(message)
