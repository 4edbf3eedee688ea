"""Files of Word 97 to 2003, as markdown."""

import random
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.office.doc import DocParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from tests.outlook_files import compound_file
from tests.word_files import (
    BOLD,
    DELETED,
    HIDDEN,
    IN_TABLE,
    SPECIAL,
    Paragraph,
    Run,
    Style,
    doc_file,
    font,
    item,
    level,
    paragraph,
    row,
    summary,
)

_STYLES = (
    Style("Standard", 0),
    Style("Überschrift 1", 1, 0),
    Style("Überschrift 2", 2, 0),
    Style("Kapitel", base=2),
    Style("Titel", 62, 0),
    Style("Verzeichnis 1", 19, 0),
    Style("Notiz", base=0, characters=HIDDEN),
)
_COURIER, _SYMBOL = font(1), font(2)


def read(content: bytes, **values: Any) -> ParsedDocument:
    return DocParser().parse(File(content=content, uri="a.doc", **values))


def text_of(*paragraphs: Paragraph, **values: Any) -> str:
    return read(doc_file(*paragraphs, **values)).text


def cells(texts: Sequence[str], ending: bytes) -> list[Paragraph]:
    """A row of a table."""
    return [*(paragraph(text, sprms=IN_TABLE, mark="\x07") for text in texts), paragraph("", sprms=ending, mark="\x07")]


def test_headings_come_from_styles_of_any_language() -> None:
    """Word numbers its own styles; others inherit, or have an outline level."""
    document = read(
        doc_file(
            paragraph("Die Pumpe", style=4),
            paragraph("Bau", style=1),
            paragraph("Welle", style=2),
            paragraph("Lager", style=3),
            paragraph("Dichtung", sprms=b"\x40\x26\x02"),
            paragraph("Sie hebt “Wasser”."),
            paragraph("水车 \U0001f4a7 dreht."),
            paragraph("Bau\t3", style=5),
            styles=_STYLES,
        )
    )
    assert document.title == "Die Pumpe"
    assert document.text == (
        "# Die Pumpe\n\n## Bau\n\n### Welle\n\n### Lager\n\n#### Dichtung\n\nSie hebt “Wasser”.\n\n"
        "水车 \U0001f4a7 dreht."
    )


def test_lists_have_the_numbers_that_word_shows() -> None:
    """With levels, bullets, a list that starts at another number, and one that changes its format."""
    formats = struct.pack("<HI22xBx", 3, 7, 0) + struct.pack("<I22xBx", 8, 1) + struct.pack("<I22xBx", 9, 1)
    formats += level("\x00.") + level("(\x01)", 4) + level("\x00.\x01.\x02") * 7 + level("\x00)") + level("*")
    lists = struct.pack("<I", 4)
    lists += b"".join(struct.pack("<I8xBxxx", name, changes) for name, changes in ((7, 0), (8, 0), (8, 1), (9, 1)))
    lists += bytes(8) + b"\xff\xff\xff\xff" + struct.pack("<II", 5, 0x10)
    lists += b"\xff\xff\xff\xff" + struct.pack("<II", 0, 0x20) + level("·", 23)
    text = text_of(
        paragraph("Open it.", sprms=item(1)),
        paragraph("slowly", sprms=item(1, 1)),
        paragraph("with care", sprms=item(1, 1)),
        paragraph("Close it.", sprms=item(1)),
        paragraph("one", sprms=item(2)),
        paragraph("five", sprms=item(3)),
        paragraph("a lid", sprms=item(4)),
        paragraph("No item.", sprms=item(0)),
        structures={73: formats, 74: lists},
    )
    assert (
        text == "1. Open it.\n   - (a) slowly\n   - (b) with care\n2. Close it.\n1) one\n5) five\n- a lid\n\nNo item."
    )


def test_tables_have_their_rows_and_merged_cells() -> None:
    """A cell may have several paragraphs, span columns, or go on from the row above."""
    edges = (0, 1000, 2000, 3000)
    header = row((0, 1000, 3000)) + b"\x04\x34\x01"
    text = text_of(
        paragraph("Parts:"),
        *cells(["part", "size"], header),
        *cells(["lid", "1", "2"], row(edges, (0x60, 0, 0))),
        paragraph("", sprms=IN_TABLE, mark="\x07"),
        paragraph("3", sprms=IN_TABLE),
        *cells(["to 4", "5"], row(edges, (0x20, 0, 0))),
    )
    rows = ["| part | size | size |", "|---|---|---|", "| lid | 1 | 2 |", "| lid | 3 to 4 | 5 |"]
    assert text == "\n\n".join(["Parts:", "\n".join(rows)])
    joined = text_of(
        *cells(["a", "b", "c"], row(edges)), *cells(["wide", "", "6"], row(edges, (1, 2, 0))), paragraph("All.")
    )
    assert joined == "| a | b | c |\n|---|---|---|\n| wide |  | 6 |\n\nAll."


def test_a_nested_table_stands_in_its_cell() -> None:
    """Its rows are separated by semicolons."""
    deep = IN_TABLE + b"\x49\x66\x02\x00\x00\x00"
    inner_cell, inner_end = b"\x4b\x24\x01", b"\x4c\x24\x01"
    text = text_of(
        *cells(["part", "sizes"], row((0, 1000, 2000))),
        paragraph("lid", sprms=IN_TABLE, mark="\x07"),
        paragraph("1", sprms=deep + inner_cell),
        paragraph("2", sprms=deep + inner_cell),
        paragraph("", sprms=deep + inner_end),
        *cells([""], row((0, 1000, 2000))),
    )
    assert text == "| part | sizes |\n|---|---|\n| lid | 1, 2 |"


def test_fields_show_their_results() -> None:
    """A link has its address; an instruction, what an index marks, and a table of contents are left out."""
    text = text_of(
        paragraph('See \x13 HYPERLINK "https://example.org/a" \x14the \x13 REF x \x14plan\x15\x15\x13 XE "lid" \x15.'),
        paragraph('\x13 TOC \\o \x14\x13 HYPERLINK \\l "b" \x14Lid\t1\x15'),
        paragraph("Pump\t2\x15"),
        paragraph("Page \x13 PAGE \x147\x15, \x13open"),
    )
    assert text == "See [the plan](https://example.org/a).\n\nPage 7, open"


def test_a_field_without_a_result_shows_what_stands_below() -> None:
    """Word stores characters with others above them so; addresses of links may hold spaces."""
    ruby = "He met \x13 EQ \\o\\ad(\\s\\up 9(taro),Taro)\x15 today."
    assert text_of(paragraph(ruby)) == "He met Taro today."
    link = 'See \x13 HYPERLINK "https://example.org/a b.pdf" \x14the plan\x15.'
    assert text_of(paragraph(link)) == "See [the plan](https://example.org/a%20b.pdf)."


def test_weight_may_be_switched_off() -> None:
    """A clause whose author took the bold off is no heading."""
    styles = [Style("Normal", 0), Style("Clause", base=0, characters=BOLD)]
    long_text = paragraph("The pump runs all night, and somebody looks after it in the morning.")
    light = paragraph("The tenant pays in advance", style=1, looks=b"\x35\x08\x00")
    assert "#" not in text_of(long_text, light, long_text, styles=styles)
    assert "## The tenant" in text_of(long_text, paragraph("The tenant pays", style=1), long_text, styles=styles)


def test_hidden_and_deleted_text_is_left_out() -> None:
    """Also of a hidden style, unless the text says that it is unlike its style."""
    unlike = HIDDEN[:2] + b"\x81"
    text = text_of(
        Paragraph([Run("It "), Run("never ", DELETED), Run("lifts"), Run(" secretly", HIDDEN), Run(".")]),
        Paragraph([Run("A note"), Run("for all", unlike)], style=6),
        styles=_STYLES,
    )
    assert text == "It lifts.\n\nfor all"


def test_runs_have_their_looks() -> None:
    """Code by its font, a bold line as a heading, signs of Symbol, hyphens, pictures."""
    symbol = struct.pack("<HHH", 0x6A09, 2, 0xF06D)
    text = text_of(
        paragraph("Setup", looks=BOLD),
        paragraph("pump --start", looks=_COURIER),
        Paragraph([Run("5 "), Run("(", symbol), Run("m non\x1estop co\x1fop\x0bnext"), Run("\x01", SPECIAL)]),
        paragraph("\uf0b3 3", looks=_SYMBOL),
    )
    assert text == "## Setup\n\n```\npump --start\n```\n\n5 μm non-stop coop\nnext\n\n≥ 3"


def test_notes_follow_the_paragraph_that_cites_them() -> None:
    """Their own marks are left out."""
    text = text_of(
        Paragraph([Run("It lifts"), Run("\x02", SPECIAL), Run(".")]), paragraph("It stops."), notes=[(8, "Up to 9 m.")]
    )
    assert text == "It lifts[^1].\n\n[^1]: Up to 9 m.\n\nIt stops."


def test_text_boxes_follow_their_anchor() -> None:
    """One whose shape is in a group has no anchor, and stands at the end."""
    anchors = struct.pack("<III22x", 3, 4, 77)
    boxes = struct.pack("<III", 0, 4, 9) + b"".join(struct.pack("<8xH4xI4x", 0, shape) for shape in (77, 78))
    text = text_of(
        Paragraph([Run("Go "), Run("\x08", SPECIAL), Run("on.")]),
        paragraph("End."),
        boxes=["Lid", "Pump"],
        structures={40: anchors, 56: boxes},
    )
    assert text == "Go on.\n\nLid\n\nEnd.\n\nPump"


def test_the_properties_name_title_and_author() -> None:
    """In the encoding that they state."""
    document = read(doc_file(paragraph("It lifts."), properties=summary(title="Mühle", author="Ö")))
    assert document.title == "Mühle"
    assert document.metadata == {"author": "Ö"}


def test_a_file_is_known_by_its_bytes() -> None:
    """Whatever it is called."""
    assert isinstance(parser_for(doc_file(paragraph("It lifts.")), "pump.docx"), DocParser)


def test_older_and_other_files_say_what_to_do() -> None:
    """Word 95, a file with a password, and one that only looks like Word's."""
    with pytest.raises(DocumentError, match=r"Word 95.*Save it as \.docx"):
        read(doc_file(paragraph("It lifts."), version=101))
    with pytest.raises(DocumentError, match="password"):
        read(doc_file(paragraph("It lifts."), flags=0x0300))
    with pytest.raises(DocumentError, match="no Word file"):
        read(compound_file({"Document": b"It lifts."}))


def test_a_damaged_file_says_so() -> None:
    """Cut off, without its table stream, or with bytes that lie, it never raises anything else."""
    content = doc_file(*cells(["a", "b"], row((0, 10, 20))), paragraph("Go\x02."), styles=_STYLES, notes=[(9, "Up.")])
    for length in (400, 700, 2_000, 5_000):
        with suppress(DocumentError):
            read(content[:length])
    with pytest.raises(DocumentError, match="damaged"):
        read(doc_file(paragraph("It lifts."), flags=0))
    lying = random.Random(1)
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(lying.choice((1, 4, 40))):
            damaged[lying.randrange(512, len(damaged))] = lying.choice((0, 1, 127, 255))
        with suppress(DocumentError):
            read(bytes(damaged))


def test_structures_that_lie_end() -> None:
    """A box that is anchored in itself, notes that overlap, a vector in the properties without an end."""
    anchors = struct.pack("<III22x", 8, 9, 77)
    boxes = struct.pack("<II", 0, 5) + struct.pack("<8xH4xI4x", 0, 77)
    text = text_of(paragraph("Go on."), boxes=["Li\x08d"], structures={40: anchors, 56: boxes})
    assert text == "Go on.\n\nLid"
    ranges = struct.pack("<200I", *([0, 9] * 100))
    cited = doc_file(Paragraph([Run("It"), Run("\x02", SPECIAL)]), notes=[(2, "Up 9 m.")], structures={3: ranges})
    assert read(cited).text == "It[^1]\n\n[^1]: Up 9 m."
    for place in (44, 64, 72):
        with pytest.raises(DocumentError, match="longer than it is"):
            read(cited[:place] + b"\xff\xff\xff\x7f" + cited[place + 4 :])
    lying = summary(title="Mill").replace(struct.pack("<I", 0x1E), struct.pack("<I", 0x101E))
    assert read(doc_file(paragraph("It lifts."), properties=lying)).title == ""
