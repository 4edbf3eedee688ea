"""reStructuredText: what the readers of a page see of labels, tables, lists, entries and formats (SRC-6)."""

import pytest

from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from headwater.parsing.rst.parser import RstParser


def read(source: str) -> str:
    return RstParser().parse(File(content=source.encode(), uri="docs/mill.rst")).text


TABLE = """\
+------+-------+-------+
| Mill | Wheel | Price |
+======+=======+=======+
| Old  | big   | 1     |
|      +-------+-------+
|      | small | 2     |
+------+-------+-------+
| New          | 3     |
+--------------+-------+
"""
TABLE_AS_MARKDOWN = """\
| Mill | Wheel | Price |
| --- | --- | --- |
| Old | big | 1 |
| Old | small | 2 |
| New |  | 3 |"""


def test_a_cell_that_spans_rows_stands_in_each() -> None:
    """So that later rows keep their columns; of columns, it stands in the first."""
    assert read(TABLE) == TABLE_AS_MARKDOWN


def test_a_cell_repeats_a_bounded_text() -> None:
    """A long cell that spans many rows does not multiply (SEC-1)."""
    width = 400
    rows = "\n".join(f"|{' ' * width}| {number:<5}|\n|{' ' * width}+------+" for number in range(100))
    source = f"+{'-' * width}+------+\n|{'x' * width}| 0    |\n|{' ' * width}+------+\n{rows}"
    text = read(source[: source.rindex("\n")] + f"\n+{'-' * width}+------+\n")
    assert "| 99 |" in text
    assert len(text) < 30_000


def test_lists_and_code_in_cells_stand_on_one_line() -> None:
    """Items are divided by semicolons, as in tables of other formats; comments stay unseen."""
    source = (
        ".. list-table::\n\n   * - - stones\n       - wheels\n"
        "     - .. code-block:: sh\n\n          mill\n          stop\n"
        "   * - .. unseen\n     - 1. one\n       2. two\n"
    )
    assert read(source) == "|  |  |\n| --- | --- |\n| stones; wheels | `mill stop` |\n|  | one; two |"


def test_a_table_of_pictures_is_nothing() -> None:
    """Without words for them, its cells are empty."""
    assert read("Before.\n\n.. list-table::\n\n   * - .. image:: a.png\n     - .. image:: b.png\n\nAfter.\n") == (
        "Before.\n\nAfter."
    )


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("(a) Grind.\n(b) Wait.\n", "- (a) Grind.\n- (b) Wait."),
        ("c) Grind.\n\n   ::\n\n      go\n", "- c) Grind.\n\n  ```\n  go\n  ```"),
        ("IX. Grind.\nX. Wait.\n", "- IX. Grind.\n- X. Wait."),
        ("ii) Grind.\niii) Wait.\n", "- ii) Grind.\n- iii) Wait."),
        ("A. Grind.\n#. Wait.\n", "- A. Grind.\n- B. Wait."),
        ("3. Grind.\n#. Wait.\n", "3. Grind.\n4. Wait."),
    ],
)
def test_letters_and_roman_numerals_stay(source: str, text: str) -> None:
    """The text around a list refers to them; markdown has numbers only."""
    assert read(source) == text


def test_the_fields_at_the_beginning_go_on_in_indented_lines() -> None:
    """As in the header of a PEP; a paragraph that only begins like one is none."""
    assert read("PEP: 9\nAuthor: Ann,\n        Bo,\n        Cy\nStatus: Draft\n\nText.\n") == (
        "PEP: 9\nAuthor: Ann, Bo, Cy\nStatus: Draft\n\nText."
    )
    assert read("Wind: none\nRain: much\n   falls\nwhere it can.\n") == (
        "Wind: none\nRain: much\n\n> falls\n\nwhere it can."
    )


@pytest.mark.parametrize("name", ["mill.rst.inc", "mill.rst.in", "docs/mill.rst.txt"])
def test_a_file_may_have_a_further_ending(name: str) -> None:
    """It is included, filled in, or a source that a server shows."""
    assert isinstance(parser_for(b"Mill\n====\n\nWords.\n", name), RstParser)


def test_what_the_settings_of_a_project_say_is_dropped() -> None:
    """The version, with the blank before it; not if the file says it itself."""
    document = RstParser().parse(
        File(content=b"Mill |version| guide\n====================\n\nOf |today|.\n", uri="a.rst")
    )
    assert document.title == "Mill guide"
    assert document.text == "# Mill guide\n\nOf."
    assert read("It is |version|.\n\n.. |version| replace:: 7\n") == "It is 7."


LABELS = """\
.. _the-mill:

Mill
====

See :ref:`the-wheel`, :ref:`prices`, :ref:`The-Mill`, :ref:`its words <the-wheel>`, :numref:`a-picture`,
:ref:`other_file-label`, :ref:`guide:other-label` and :term:`guide:big wheel`.

.. _the-wheel:

The ``big`` wheel
-----------------

.. _prices:

.. table:: What it costs

   == ==
   a  b
   == ==

.. _a-picture:

.. figure:: a.png

   The mill at night
"""


def test_a_reference_shows_the_title_behind_its_label() -> None:
    """Of a section, a table or a figure; the label of another file is read as words."""
    assert read(LABELS).startswith(
        "# Mill\n\nSee The big wheel, What it costs, Mill, its words, The mill at night,\n"
        "other file label, other label and big wheel.\n"
    )


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (".. setting:: SPEED\n\nSPEED\n-----\n\nWords.\n", "# SPEED\n\nWords."),
        (".. my:key:: speed\n.. my:key:: size\n\nBoth keys\n---------\n\nWords.\n", "# Both keys\n\nWords."),
        (".. stat:: a/b\n\n``a/b``\n    Words.\n", "- **`a/b`**: Words."),
        (".. signal:: started\n.. function:: started()\n\n   Words.\n", "function **`started()`**\n\nWords."),
        (".. key:: speed\n\nThe ``speed`` of a mill.\n", "The `speed` of a mill."),
        (".. function:: stop()\n\nTo stop() a mill.\n", "function **`stop()`**\n\nTo stop() a mill."),
        (".. replaced-by:: 7\n\nWords of 7.\n", "replaced by: 7\n\nWords of 7."),
        (
            ".. my:replaced-by:: the *new* one\n\nTitle\n-----\n\nWords.\n",
            "replaced by: the *new* one\n\n# Title\n\nWords.",
        ),
        (".. article:: May 1\n   :tags: news\n\nTitle\n-----\n\nWords.\n", "**May 1**\n\n# Title\n\nWords."),
    ],
)
def test_an_unknown_directive_without_content(source: str, text: str) -> None:
    """It is an entry of an index, if the text below holds its argument; otherwise its name says what that is."""
    assert read(source) == text


def test_a_label_above_an_entry_belongs_to_the_heading() -> None:
    """The entry between them is dropped."""
    text = read("Mill\n====\n\n:ref:`x-1`\n\n.. _x-1:\n\n.. setting:: SPEED\n\nThe SPEED\n---------\n\nWords.\n")
    assert text == "# Mill\n\nThe SPEED\n\n## The SPEED\n\nWords."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (".. only:: html\n\n   Page.\n\n.. only:: latex\n\n   Print.\n", "Page."),
        (".. only:: man or (latex and big)\n\n   Print.\n\n.. only:: html or latex\n\n   Page.\n", "Page."),
        (".. only:: html and draft\n\n   Page.\n\n.. only:: not html\n\n   Print.\n", "Page."),
        (".. only:: latex\n\n   Print.\n\n.. only:: draft\n\n   More.\n", "Print.\n\nMore."),
        (".. only:: not latex\n\n   Page.\n", "Page."),
    ],
)
def test_one_of_several_formats_is_read(source: str, text: str) -> None:
    """That of web pages; what stands in the file for another one only is read."""
    assert read(source) == text


def test_several_terms_have_one_definition() -> None:
    """In a glossary, where docutils knows one term only."""
    assert read(".. glossary::\n\n   mill\n   big mill\n      Grinds.\n\n   .. unseen\n\n   wheel\n      Turns.\n") == (
        "- **mill, big mill**: Grinds.\n\n- **wheel**: Turns."
    )


def test_words_for_the_index_are_words() -> None:
    """Docutils knows the name of the role, and nothing more."""
    assert read("It has :index:`wheels` and :index:`stones <stone>`.\n") == "It has wheels and stones."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (".. productionlist:: group\n   a: `~rules:b` `c`\n    : | `x:d`\n", "```\na: b c\n : | x:d\n```"),
        (".. productionlist::\n   a: `b`\n", "```\na: b\n```"),
        ("A :external+rules:token:`~rules:b`.\n", "A `b`."),
        (":mod:`python:os.path`, :class:`~rules:a.B`, :external:doc:`a`\n", "`os.path`, `B`, a"),
    ],
)
def test_the_rules_of_a_grammar_show_their_tokens(source: str, text: str) -> None:
    """Without the names of groups, which lead to other grammars."""
    assert read(source) == text
