"""RTF files as markdown."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from headwater.parsing.rich_text import RtfParser

LETTER = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title The old mill}{\author Ann}}"
    r"\pard\b The pump\b0\par It lifts 40 litres \'96 each minute, \u8805?38 in winter.\par"
    r"\pard \bullet\tab a lid\par \bullet\tab a filter\par"
    r"\trowd part\cell price\cell\row\trowd lid\cell 3\cell\row\pard # not a heading\par"
    r"{\pict\pngblip 89504e470d0a}{\*\generator x;}}"
)


def read(source: str) -> ParsedDocument:
    return RtfParser().parse(File(content=source.encode("latin-1"), uri="a.rtf"))


def test_a_letter_has_paragraphs_items_and_tables() -> None:
    """Characters by their numbers are read; pictures and what programs note are left out."""
    document = read(LETTER)
    assert document.title == "The old mill"
    assert document.text.split("\n\n") == [
        "The pump", "It lifts 40 litres – each minute, ≥38 in winter.", "- a lid\n- a filter",
        "| part | price |\n| --- | --- |\n| lid | 3 |", "\\# not a heading",
    ]  # fmt: skip


@pytest.mark.parametrize("source", [r"{\rtf1", r"{\rtf1 {{{{", r"{\rtf1 \'zz}", "{\\rtf1" + "{" * 20_000])
def test_odd_files_have_the_text_that_can_be_read(source: str) -> None:
    """Also what is never closed."""
    assert len(read(source).text) < 10


def test_a_title_has_the_characters_of_its_language() -> None:
    """In the code page of the file; a box is a paragraph."""
    source = r"{\rtf1\ansi\ansicpg1252{\info{\title Gr\'f6\'dfe der Pumpe}}\trowd A note.\cell\row\pard It lifts.\par}"
    document = read(source)
    assert document.title == "Größe der Pumpe"
    assert document.text == "A note.\n\nIt lifts."


def test_a_damaged_file_says_so() -> None:
    """Such as a character that does not exist."""
    with pytest.raises(DocumentError, match="damaged"):
        read(r"{\rtf1 \u99999999 a}")


def test_a_file_is_known_by_its_beginning() -> None:
    """Word names many of them .doc."""
    assert isinstance(parser_for(LETTER.encode(), "letter.doc"), RtfParser)


def test_characters_in_two_halves_are_whole() -> None:
    """The format writes emoji and old scripts so; a half that stands alone is a sign for what is missing."""
    assert read(r"{\rtf1\ansi\uc1 A \u-10179?\u-8704? and \u-10179? alone}").text == "A \U0001f600 and \ufffd alone"
