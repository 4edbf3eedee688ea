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
