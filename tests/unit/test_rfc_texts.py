"""RFCs and Internet-Drafts in files of text become markdown with their sections (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser
from headwater.parsing.text_structure import RFC_TEXT, detect_structure

MEMO = """



Network Working Group                                          I. Mender
Request for Comments: 7                                      Pump Factory
Obsoletes: 5                                                   March 2026
Category: Informational


             The Pump <Protocol>
                 Version 1.1

Abstract

   Pumps talk to each other, and this memo says in which words they do that
   when they stand in a well, at the end of the page, or are broken and in

Mender                       Informational                      [Page 1]
\f
RFC 7                     The Pump Protocol                   March 2026


   need of help from others.

Table of Contents

   1.  Words  . . . . . . . . . . . . . . . . . . . . . . . . . . . .  2
     1.1.  Greetings  . . . . . . . . . . . . . . . . . . . . . . . .  2
Appendix A.  Wells  . . . . . . . . . . . . . . . . . . . . . . . . .  3

1.  Words

1.1.  Greetings, and what pumps say to each other if they
      are broken

   A pump says these words:

   o  HELLO, which means that it stands in a well and that it has water for
      everybody.

   o  BYE, which means that it is broken and that it will say nothing at all
      until it is mended.

   greeting
      The first word that a pump says to another pump in the same well.

   The words have this form:

      word = "HELLO" / "BYE"
      pump = 1*word ; one or more

Mender                       Informational                      [Page 2]
\f
RFC 7                     The Pump Protocol                   March 2026

Appendix A.  Wells

   See Section 1.

Author's Address

   Ida Mender
"""


def parsed(text: str) -> ParsedDocument:
    """What is made of a file."""
    return PlainTextParser().parse(File(content=text.encode(), uri="rfc/rfc7.txt", root="rfc"))


def test_a_memo_becomes_markdown() -> None:
    """Without heads and feet of pages and without its table of contents."""
    document = parsed(MEMO)
    assert document.title == "RFC 7: The Pump <Protocol> Version 1.1"
    assert document.text == (
        "# RFC 7: The Pump \\<Protocol> Version 1.1\n\n"
        "- Network Working Group\n- Request for Comments: 7\n- Obsoletes: 5\n- Category: Informational\n"
        "- I. Mender, Pump Factory, March 2026\n\n"
        "## Abstract\n\n"
        "Pumps talk to each other, and this memo says in which words they do that when they stand in a well, at the "
        "end of the page, or are broken and in need of help from others.\n\n"
        "## 1. Words\n\n"
        "### 1.1. Greetings, and what pumps say to each other if they are broken\n\n"
        "A pump says these words:\n\n"
        "- HELLO, which means that it stands in a well and that it has water for everybody.\n\n"
        "- BYE, which means that it is broken and that it will say nothing at all until it is mended.\n\n"
        "- **greeting**: The first word that a pump says to another pump in the same well.\n\n"
        "The words have this form:\n\n"
        '```\nword = "HELLO" / "BYE"\npump = 1*word ; one or more\n```\n\n'
        "## Appendix A. Wells\n\nSee Section 1.\n\n"
        "## Author's Address\n\nIda Mender"
    )


def test_its_lines_are_its_places() -> None:
    """Also below the head of a page (SRC-4)."""
    document = parsed(MEMO)
    assert document.places is not None
    offset = document.text.index("## Appendix A")
    mark = [mark for mark in document.places.marks if mark.offset <= offset][-1]
    assert MEMO.split("\n")[document.text.count("\n", 0, offset) + int(mark.first)] == "Appendix A.  Wells"


def test_a_sentence_below_a_field_explains_it() -> None:
    """A blank line stands between them; an example is none (SRC-4)."""
    fields = (
        "   Port:  16 bits\n\n     The source port number (see [6]).\n\n   Form:  one word\n\n     word = 1*ALPHA\n"
    )
    text = parsed(f"{MEMO}\n2.  Header\n\n   These are:\n\n{fields}").text
    assert "- **Port: 16 bits**: The source port number (see [6]).\n" in text
    assert "```\n" in text.partition("Form")[2]


def test_a_draft_has_its_name() -> None:
    """A draft has no number, but a name below its title."""
    head = "Internet-Draft                 I. Mender\nExpires: May 2026\n\n\n          Pumps\n     draft-pump-01\n"
    document = parsed(f"{head}\nAbstract\n\n   Text.\n\n1 Introduction\n\n   Text.\n")
    assert document.title == "Pumps"
    assert document.text.startswith("# Pumps\n\n- Internet-Draft\n- Expires: May 2026\n- I. Mender\n- draft-pump-01\n")
    assert "## 1 Introduction\n\nText." in document.text


def test_a_line_may_stand_above_the_header() -> None:
    """Programs that keep versions write one; it is no title and no header (SRC-4)."""
    document = parsed(f"\t$Id: rfc7.txt,v 1.1 mender Exp $\n{MEMO}")
    assert document.title == "RFC 7: The Pump <Protocol> Version 1.1"
    assert "\n\n- $Id: rfc7.txt,v 1.1 mender Exp $\n- Network Working Group\n- Request" in document.text


@pytest.mark.parametrize(
    "text",
    [
        "Some notes on Request for Comments: 7\n\nAbstract\n\n   Text.",
        "Request for Comments: 7\n\nWe should read it.",
        "Internet-Draft\n",
        "Plan\n\nInternet-Draft tools\n\nTable of Contents\n\n1. One\n\n   text of one\n",
    ],
)
def test_what_only_mentions_one_is_text(text: str) -> None:
    """It has the header, and a section that all of them have."""
    assert detect_structure(text.encode()) != RFC_TEXT


def test_a_cut_memo_loses_nothing() -> None:
    """Whatever it ends with, the words before stay."""
    words = (
        "Factory",
        "Abstract",
        "they do that",
        "others.",
        "HELLO,",
        "everybody.",
        "mended.",
        "greeting",
        "1*word",
        "Ida",
    )
    for end in range(0, len(MEMO), 97):
        text = parsed(MEMO[:end] or "x").text
        assert [word for word in words if MEMO.find(word) + len(word) <= end and word not in text] == []
