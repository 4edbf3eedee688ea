"""AsciiDoc becomes markdown (SRC-4)."""

import time

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.asciidoc.parser import AsciiDocParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for

GUIDE = """= The {product} guide
Ann Author <ann@example.com>
v1.0, 2026-05-01
:toc:
:product: Mend
:page: https://mend.example

// a comment
First *bold*, _italic_ and `code {product}` of {product}.
See {page}[the page], <<options,it>>, xref:other.adoc#y[x], linkgit:git-add[1].

[[options]]
== Options

-n::
--dry-run::
    Only show.
+
[source,sh]
----
mend -n <1>
----
<1> shows all

*-v*:: Say more

[NOTE]
====
It costs \\$5.

* one
** inner
* two
====

TIP: Mend early.

[NOTE]
----
A note between dashes.
----

.Exit codes
[options="header"]
|===
|Code |Meaning

|0 |fine
|1
|not fine, a \\| b
|===

|===
|red |#f00
|blue |#00f
|===

. first
. second

include::secret.txt[]

 literal text

____
A word of someone.
____

////
hidden
////

++++
<script>raw</script>
++++
"""


def read(text: str, name: str = "docs/guide.adoc") -> ParsedDocument:
    """Read a document."""
    return AsciiDocParser().parse(File(content=text.encode(), uri=name))


def test_a_document_has_headings_lists_notes_tables_and_code() -> None:
    """Each block becomes what a reader sees; marks of blocks leave no trace."""
    document = read(GUIDE)
    assert document.text.split("\n\n") == [
        "# The Mend guide",
        "First **bold**, *italic* and `code Mend` of Mend.\nSee [the page](https://mend.example), it, x, git-add(1).",
        "## Options",
        "- **-n**, **--dry-run**: Only show.",
        "  ```sh\n  mend -n <1>\n  ```",
        "  1. shows all",
        "- **-v**: Say more",
        "**Note**",
        "It costs \\$5.",
        "- one\n  - inner\n- two",
        "**Tip:** Mend early.",
        "**Note**",
        "A note between dashes.",
        "**Exit codes**",
        "| Code | Meaning |\n| --- | --- |\n| 0 | fine |\n| 1 | not fine, a \\| b |",
        "|  |  |\n| --- | --- |\n| red | #f00 |\n| blue | #00f |",
        "1. first\n2. second",
        "```\nliteral text\n```",
        "> A word of someone.",
    ]


def test_a_label_may_be_on_two_lines() -> None:
    """Of a footnote or a link; a blank line ends the search for its end."""
    text = read("The ball footnote:[as in\nthe rules] and https://a.example[the\npage]. link:b[no\n\nend]\n").text
    assert text == "The ball  (as in the rules) and [the page](https://a.example). link:b[no\n\nend]"


def test_a_footnote_may_follow_a_word() -> None:
    """It stands in parentheses, as a reader of the page would find it below."""
    assert read("The wheelfootnote:[Of oak.] turns.\n").text == "The wheel (Of oak.) turns."


def test_an_example_of_a_directive_has_no_backslash() -> None:
    """It keeps the directive from being followed, and is not part of the example."""
    assert read("a\n\n----\ninclude::part.sh[tag=x]\n----\n\nb\n").text == "a\n\nb"
    assert read("----\ncut\ninclude::part.sh[]\nrun\n----\n").text == "```\ncut\nrun\n```"
    assert read("----\n\\include::part.adoc[]\nkeep \\n\n----\n").text == "```\ninclude::part.adoc[]\nkeep \\n\n```"


def test_letters_are_a_list_within_numbers() -> None:
    """The numbers go on behind them."""
    text = read("1. Open\n2. Choose:\n  a. *One*\n  b. Two\n3. Close\n").text
    assert text == "1. Open\n2. Choose:\n  1. **One**\n  2. Two\n3. Close"


def test_two_hyphens_between_words_are_a_dash() -> None:
    """Those of an option and of code stay."""
    text = read("At its end--or before -- it stops. Use --all, `a -- b` or x=--y.\n").text
    assert text == "At its end—or before — it stops. Use --all, `a -- b` or x=--y."


def test_titles_above_lines_are_headings() -> None:
    """The sign of the line below tells the level."""
    text = read("Mend\n====\n\nNAME\n----\nmend\n\nInner\n~~~~~\ntext\n").text
    assert text == "# Mend\n\n## NAME\n\nmend\n\n### Inner\n\ntext"


def test_the_title_and_the_lines_of_a_document_are_known() -> None:
    """A heading's place is its line."""
    document = read(GUIDE)
    assert document.title == "The Mend guide"
    assert document.places is not None
    at, line = document.text.index("- **-v**"), GUIDE.split("\n").index("*-v*:: Say more")
    place = document.places.between(at, at + 5, text=document.text)
    assert place is not None
    assert place.first == line + 1


def test_a_file_is_read_by_its_name() -> None:
    """The registry finds the parser."""
    assert isinstance(parser_for(b"= Title\n", "a.adoc"), AsciiDocParser)
    assert isinstance(parser_for(b"x", "a", "text/asciidoc"), AsciiDocParser)


@pytest.mark.attacks
@pytest.mark.parametrize(
    "part",
    ["*", "_a", "[", "[[", "<<", "link:", "https://", "{a}", "a::\n", "* a\n", "+\n", "----\n", "====\n", "|===\n", "|",
     "`", "``", "+++", "((", "\\", "a;;\n", ":a: b\n", "[NOTE]\n", ". a\n+\n", "a:: ", "image::"],
)  # fmt: skip
def test_any_document_is_read_in_linear_time(part: str) -> None:
    """No depth is too much; that twice the text is twice the work is counted (`test_growth`)."""
    begin = time.process_time()
    read(part * 5_000)
    read("= T\n\n" + part * 2_000 + "\n")
    assert time.process_time() - begin < 6


def test_attributes_cannot_grow_without_bound() -> None:
    """The more often a text uses them, the shorter they may be."""
    assert len(read(":a: " + "x" * 500 + "\n\n" + "{a}" * 100_000).text) < 3_000_000


def test_a_part_of_a_book_is_called_like_its_first_heading() -> None:
    """Files that a book includes begin with a heading of a lower level."""
    text = b"[[_oil]]\n=== Oiling\n\nOil it.\n\n==== Daily\n\nAt noon.\n"
    assert AsciiDocParser().parse(File(content=text, uri="sections/oil.asc")).title == "Oiling"


def test_cells_of_a_table_may_be_empty_and_may_span_columns_and_rows() -> None:
    """What spans columns stands in the first of them, what spans rows in each; a bar is a cell's end after any sign."""
    table = (
        '[cols="0,1,1"]\n|===\n|| Event | Foul\n\n3+| *Running*\n|| <<Stop, STOP>> | no\n| 2+| Ball\n'
        ".2+| Cards | yellow | a \\| b\n| red|no\n2.2+| Wide | x\n| y\n3*| z\n|===\n"
    )
    assert read(table).text.split("\n") == [
        "|  | Event | Foul |",
        "| --- | --- | --- |",
        "| **Running** |  |  |",
        "|  | STOP | no |",
        "|  | Ball |  |",
        "| Cards | yellow | a \\| b |",
        "| Cards | red | no |",
        "| Wide |  | x |",
        "| Wide |  | y |",
        "| z | z | z |",
    ]


def test_words_that_span_rows_do_not_multiply() -> None:
    """A long cell does not stand in hundreds of rows (SEC-1)."""
    text = read(f'[cols="1,1"]\n|===\n.999+| {"word " * 1_000}\n' + "| x\n" * 500 + "|===\n").text
    assert len(text) < 40_000
    assert text.count(" x |") == 500
    assert len(read('[cols="200*"]\n|===\n' + "200.200+|x\n" * 40 + "|===\n").text) < 300_000


def test_the_words_of_a_reference_may_be_on_two_lines() -> None:
    """They stand in one; a shift has a blank behind its marks."""
    text = read("Show a <<Red Card,\nred card>> or a <<Yellow\nCard>>; `a <<b` and c << d stay.\n").text
    assert text == "Show a red card or a Yellow Card; `a <<b` and c << d stay."
    assert read("Also e << f\ng >> h.\n").text == "Also e << f\ng >> h."
