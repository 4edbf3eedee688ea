"""Info files become markdown with the manual's headings, options and examples (SRC-4)."""

import time

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.file_types import media_type_of
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser

MANUAL = """This is mend.info, produced by makeinfo version 6.8 from mend.texi.

Copyright (C) 2026 The menders.
INFO-DIR-SECTION Tools
START-INFO-DIR-ENTRY
* Mend: (mend).                 Mend what is broken.
END-INFO-DIR-ENTRY

\x1f
File: mend.info,  Node: Top,  Next: Invoking mend,  Up: (dir)

GNU Mend
********

This manual is for GNU Mend (version 2).

* Menu:

* Invoking mend::       How to run 'mend'.
* Index::               Words.

\x1f
File: mend.info,  Node: Invoking mend,  Next: Index,  Prev: Top,  Up: Top

1 Invoking 'mend'
*****************

'mend' reads a file.  It is
never slow.

   It asks before it writes, *note Index::.

1.1 Options
===========

'-t NUMBER'
'--tries=NUMBER'
     Try NUMBER times.  The default is to try
     20 times.  So:
          mend -t 20

     A second paragraph.

'-v'
     Say more:

        * what is read

        * what is
          written

   Use it so:

     $ mend <file>

     * mended

 -- Command: mend-all [-n]
     Mend all files.(1)

   ---------- Footnotes ----------

   (1) But for links.
\x00\x08[image src="mend.png" alt="A file" text="-- A --"\x00\x08]

\x1f
File: mend.info,  Node: Index,  Prev: Invoking mend,  Up: Top

Index
*****

\x00\x08[index\x00\x08]
* Menu:

* tries:                                 Invoking mend.         (line 12)

\x1f
Tag Table:
Node: Top\x7f230
Node: Invoking mend\x7f480
\x1f
End Tag Table
"""


def read(text: str, name: str = "mend.info") -> ParsedDocument:
    """Read a text as the parser of plain text does."""
    return PlainTextParser().parse(File(content=text.encode(), uri=name))


@pytest.mark.parametrize("name", ["mend.info", "mend.info-1", "mend", "mend.txt"])
def test_an_info_file_is_told_by_its_nodes_whatever_it_is_called(name: str) -> None:
    """Its index and its pictures have control characters, which make other files binary."""
    content = MANUAL.encode()
    assert media_type_of(content, name) == "text/plain"
    assert read(MANUAL, name).title == "GNU Mend"


def test_nodes_become_sections_with_options_lists_and_examples() -> None:
    """Menus, indexes and tables of nodes are left out; lines are joined."""
    assert read(MANUAL).text == (
        "# GNU Mend\n\n"
        "This manual is for GNU Mend (version 2).\n\n"
        "## 1 Invoking 'mend'\n\n"
        "'mend' reads a file. It is never slow.\n\n"
        "It asks before it writes, Index.\n\n"
        "### 1.1 Options\n\n"
        "- '-t NUMBER', '--tries=NUMBER': Try NUMBER times. The default is to try 20 times. So:\n\n"
        "  ```\n  mend -t 20\n  ```\n\n"
        "  A second paragraph.\n\n"
        "- '-v': Say more:\n\n"
        "  - what is read\n\n"
        "  - what is written\n\n"
        "Use it so:\n\n"
        "```\n$ mend <file>\n\n* mended\n```\n\n"
        "- Command: mend-all [-n]: Mend all files.(1)\n\n"
        "(1) But for links.\n\n"
        "## Index\n"
    )


def test_titles_within_a_menu_are_followed_by_more_of_it() -> None:
    """The first node of a large manual lists those of all levels."""
    head = "\x1f\nFile: mend.info,  Node: Top\n\n* Menu:\n\n* Tools::   Which.\n\n"
    detailed = "Tools\n\n* Thread::   How long.\n* Needle::\n\n"
    assert read(f"{head} -- The Detailed Node Listing --\n\n{detailed}").text == (
        "# mend\n\n-- The Detailed Node Listing --\n\nTools\n"
    )


@pytest.mark.parametrize("line", ["# no heading", "``` no fence", "> no quotation", "~~~", "---"])
def test_a_paragraph_cannot_become_markup(line: str) -> None:
    """A manual may begin a paragraph, an item or a term with any sign."""
    head = "\x1f\nFile: mend.info,  Node: Top\n\n"
    text = read(f"{head}{line}\n\nWords.\n\n   * {line}\n\n{line}\n     Of a term.\n").text
    assert text == f"# mend\n\n\\{line}\n\nWords.\n\n- \\{line}\n\n- \\{line}: Of a term.\n"


def test_a_page_break_ends_no_node() -> None:
    """Only the mark of a node does; a form feed may stand anywhere in its text."""
    text = read("\x1f\x0c\nFile: mend.info,  Node: Top\n\nOne.\n\n\x0c\nTwo.\n").text
    assert text == "# mend\n\nOne.\n\nTwo.\n"


def test_places_are_lines_of_the_file() -> None:
    """A citation of an option opens the line of the manual where it stands."""
    document = read(MANUAL)
    assert document.places is not None
    for words, line in (("- '-t NUMBER'", "'-t NUMBER'"), ("A second", "A second paragraph."), ("* men", "* mended")):
        start = document.text.index(words)
        place = document.places.between(start, start + len(words), text=document.text)
        assert place is not None
        assert MANUAL.split("\n")[int(place.first) - 1].strip() == line


def test_a_part_of_a_manual_has_the_name_of_the_manual() -> None:
    """Large manuals are divided into `mend.info-1` and so on; the first file only lists them."""
    part = MANUAL[MANUAL.index("\x1f\nFile: mend.info,  Node: Invoking") :]
    assert read(part, "mend.info-2").title == "mend"
    assert read("This is mend.info.\n\n\x1f\nIndirect:\nmend.info-1: 200\n\x1f\nTag Table:\n(Indirect)\n").text == "\n"


def test_a_manual_in_an_old_encoding_is_read() -> None:
    """Western letters are told by their bytes, once the marks of nodes are no control characters."""
    content = MANUAL.replace("(C)", "\xa9").encode("cp1252")
    assert media_type_of(content, "mend.info") == "text/plain"
    assert PlainTextParser().parse(File(content=content, uri="mend.info")).title == "GNU Mend"


@pytest.mark.parametrize(
    "part",
    ["*note a ", "*note a: (", "   * a\n", "a\n     b\n", "  x\n  - a\n", "* Menu:\n* a", " -- a\n", "-_",
     "\x1f\nFile: a,  Node: b\n"],
)  # fmt: skip
def test_any_nodes_become_text(part: str) -> None:
    """Nothing of a node is lost for its form, and the work grows with its length alone."""
    head = "\x1f\nFile: mend.info,  Node: Top\n\n"
    assert read(head + part).title == "mend"
    begin = time.process_time()
    read(head + part * 20_000)
    assert time.process_time() - begin < 20
