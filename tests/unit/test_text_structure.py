"""Texts whose name says only that they are text are read as what they are (SRC-4, SRC-6)."""

import time

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser
from headwater.parsing.registry import parse_file, parser_for
from headwater.parsing.text_structure import detect_structure

PRODUCT = """Acme Router 3

## Set up

Connect the router as follows:

```sh
router connect --port 8080
  [1] waits for the link
```

## Prices

The router costs $90. See [the shop](https://shop.example/router).
"""
UNDERLINED = "Chunker parameters\n==================\n\nThe default is 19.\n\nDetails\n-------\n\nIt is 2^19 bytes.\n"
GIT = """git-mend(1)
===========

NAME
----
git-mend - Mend what is broken

OPTIONS
-------
-n::
--dry-run::
\tOnly show what it would do.

[NOTE]
----
It never asks.
----

--force::
\tAsk nothing, see linkgit:git-add[1].
"""
REST = ".. _start:\n\nStart\n=====\n\n.. note:: Mind :ref:`the gap <gap>`.\n\n.. code-block:: sh\n\n   make all\n"
MANUAL = (
    '.nh\n.TH "mend" "1"\n\n.SH NAME\nmend - Mend things\n\n.SH OPTIONS\n\\fB-n\\fP, \\fB--dry-run\\fP=0\n\tonly show\n'
)
COMPLETION = "#compdef mend\n_mend() {\n  _arguments '-n[only show]'\n}\n"
SETTINGS = """# How long a visitor is shut out, in minutes.
# 0 means for ever.
#ban 10

# How many tries a visitor has.
# More are counted, too.
#tries 5

## The file of words
## that are refused.
words /var/words
"""
COMPLETES = "# for mend\n_mend()\n{\n    COMPREPLY=()\n}\ncomplete -F _mend mend\ncomplete -F _mend mend2\n"


def read(text: str, name: str = "a.txt") -> ParsedDocument:
    """Read a text."""
    return PlainTextParser().parse(File(content=text.encode(), uri=name))


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        (PRODUCT, "text/markdown"),
        (UNDERLINED, "text/markdown"),
        ("# Only a title\n\nSee [the page](https://example.com) for **more**.\n", "text/markdown"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "text/markdown"),
        ("Use it:\n\n~~~\ncode\n~~~\n", "text/markdown"),
        (GIT, "text/asciidoc"),
        ("= Title\n:toc:\n\n== One\n\nText.\n\n== Two\n\nMore.\n", "text/asciidoc"),
        (REST, "text/x-rst"),
        (MANUAL, "text/troff"),
        (".Dd May 1\n.Dt MEND 1\n.Os\n.Sh NAME\n.Nm mend\n", "text/troff"),
        (COMPLETION, "text/x-code"),
        (COMPLETES, "text/x-code"),
        ("# fish completion for mend\ncomplete -c mend\n", "text/x-code"),
        (SETTINGS, "text/x-code"),
        ("# made for all  -*- shell-script -*-\n\nf() { :; }\n", "text/x-code"),
        ("", ""),
        ("Just some words.\n\nAnd some more - with a dash, *.txt and <tags>.\n", ""),
        ("# a comment\nflask==3.0\n# another\nrequests\n", ""),
        ("# Section\n\nkey = value\n\n# Other\n\nkey = 2\n", ""),
        ("Settings:\n\n" + SETTINGS, ""),
        ("# One\n\nText.\n\n# Two\n\nText.\n\n# Three\n# Four\n", ""),
        ("Name    Age\n-----------\nBob     30\n", ""),
        ("2026-01-01 10:00 GET /a\n2026-01-01 10:01 GET /b\n", ""),
        (".gitignore holds names.\nThe TH is a tag.\n", ""),
        ("He said: complete the form.\nThen complete it again.\n", ""),
    ],
)
def test_the_structure_of_a_text_tells_what_it_is(text: str, media_type: str) -> None:
    """Fences, headings, macros and the like decide; comments, rules and single signs do not."""
    assert detect_structure(text.encode()) == media_type
    assert detect_structure(text.replace("\n", "\r\n").encode()) == media_type


def test_a_text_file_with_fences_is_markdown() -> None:
    """Its code stays on its lines, its headings are headings, its links are links."""
    document = read(PRODUCT)
    assert document.media_type == "text/markdown"
    assert "```sh\nrouter connect --port 8080\n  [1] waits for the link\n```" in document.text
    assert document.title == ""
    assert read("# The router\n\n" + PRODUCT).title == "The router"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[1mNAME\x1b[0m of \x1b[4mit\x1b[24m\nN\x08Na\x08am\x08me\n", "NAME of it\nName\n"),
        ("We recom-\n  mend it; recommend all.\n", "We recommend\n  it; recommend all.\n"),
        ("A well-\nknown, well-known thing.\n", "A well-\nknown, well-known thing.\n"),
        ("up- or\ndown- and\nPart-\nTwo\n", "up- or\ndown- and\nPart-\nTwo\n"),
    ],
)
def test_a_printed_text_has_whole_words_and_no_marks_of_a_terminal(text: str, expected: str) -> None:
    """Each line stays a line, so that citations lead to those of the file."""
    assert read(text).text == expected


@pytest.mark.parametrize("name", ["page.1", "page", "page.txt"])
def test_a_manual_page_is_rendered_whatever_it_is_called(name: str) -> None:
    """No macro and no escape is left of it."""
    document = read(MANUAL, name)
    assert (document.media_type, document.title) == ("text/markdown", "mend(1)")
    assert "- **-n**, **--dry-run**=0: only show" in document.text
    assert not {"\\f", ".SH", ".nh"} & {document.text[at : at + 3].rstrip() for at in range(len(document.text))}


def test_completions_of_a_shell_are_code() -> None:
    """Their text stays as it is."""
    document = read(COMPLETION, "_mend")
    assert (document.media_type, document.text) == ("text/x-code", COMPLETION)


def test_comments_of_settings_are_no_headings() -> None:
    """They stay line by line, and the title is the file's name."""
    document = read(SETTINGS, "etc/bans")
    assert (document.media_type, document.text) == ("text/x-code", SETTINGS)
    assert "How long" not in document.title


def test_a_log_is_plain_whatever_it_holds() -> None:
    """The same text under another name is markdown."""
    assert read(PRODUCT, "run.log").media_type == "text/plain"
    assert read(PRODUCT, "run.txt").media_type == "text/markdown"


def test_a_text_without_structure_stays_as_it_is() -> None:
    """Plain text has no title and all its characters."""
    text = "Some words.\n\n  And more.\n"
    document = read(text)
    assert (document.text, document.title, document.media_type) == (text, "", "text/plain")


@pytest.mark.parametrize(
    "part", ["`", "# \n", "=\n", "[", "|-", "::\n", ":a:`", ".. a", "- x\n---\n", "**a", "![", ".TH\n"]
)
def test_any_text_is_told_in_time(part: str) -> None:
    """The work is linear in what is looked at."""
    begin = time.process_time()
    detect_structure((part * 16_384)[:16_384].encode())
    assert time.process_time() - begin < 1


@pytest.mark.parametrize(
    ("uri", "part", "title"),
    [
        ("guide.txt", "# Pump\n\nThe pump lifts water.\n\n```sh\npump --on\n```\n\n", "Pump"),
        ("pump.1", ".SH NAME\npump \\- lifts water\n.SH DESCRIPTION\nIt lifts \\fBwater\\fP.\n", "pump(1)"),
    ],
)
def test_a_large_text_is_read_by_its_structure(uri: str, part: str, title: str) -> None:
    """It is read in a process of its own, which reads it by its structure itself and starts no other."""
    head = ".TH PUMP 1\n" if uri == "pump.1" else ""
    content = (head + part * (40_000 // len(part))).encode()
    read = parse_file(parser_for(content, uri), File(content=content, uri=uri))
    assert read.title == title
    assert read.text.startswith("# ")
    assert "\\f" not in read.text
