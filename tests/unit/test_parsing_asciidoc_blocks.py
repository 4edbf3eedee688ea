"""The blocks of AsciiDoc: values on several lines, tables with blocks, what is attached to items."""

import pytest

from headwater.parsing.asciidoc.parser import AsciiDocParser
from headwater.parsing.parser import File


def _read(text: str) -> str:
    return AsciiDocParser().parse(File(content=text.encode(), uri="mill.adoc")).text


def test_the_value_of_an_attribute_may_go_on_in_the_next_line() -> None:
    """Also below the header; what it passes through is unwrapped."""
    text = _read(
        "= Mill\n:a: pass:q[`Oak` and \\\nelm]\n\n{a}.\n\n:b: one + \\\ntwo \\\nthree\n\n{b}.\n\nLast \\\nline\n"
    )
    assert text == "# Mill\n\n`Oak` and elm.\n\none two three.\n\nLast \\\nline"


@pytest.mark.parametrize("columns", ["*", "<*", "^*,>"])
def test_a_column_with_a_star_and_no_number_leaves_the_width_open(columns: str) -> None:
    """It is that of the first row; columns without any words at the end go."""
    text = _read(f'[cols="{columns}",options="header"]\n|===\n|a |b |c |\n|1 |2 |3 |\n|===\n')
    assert text == "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |"


def test_blocks_in_cells_stand_on_one_line() -> None:
    """Items are divided by semicolons, code is a span; no mark of a block is left, and the header has no style."""
    text = _read(
        '[cols="1,2a,l",options="header"]\n|===\n|Wheel |Use |Code\n\n|oak\n|Or:\n\n* `a`\n** b\n* c\n+\nd <x>\n\n'
        "[NOTE]\n====\nOil it.\n====\n\n[source,sh]\n----\ngo \\| stop\n----\n\nspeed:: fast\n\n== End\n"
        "!===\n! 1 ! 2\n! 3 ! 4\n!===\n|<x>\n  <y/>\n</x>\n\na|image::z.png[z]|elm|e `f`\n|===\n"
    )
    assert text.split("\n") == [
        "| Wheel | Use | Code |",
        "| --- | --- | --- |",
        "| oak | Or: `a`; b; c d <x> **Note** Oil it. `go \\| stop` **speed**: fast End 1, 2; 3, 4 | `<x> <y/> </x>` |",
        "| z | elm | `` e `f` `` |",
    ]


def test_comments_and_directives_in_tables_are_no_text() -> None:
    """Neither are the bars in them."""
    text = _read("|===\n|a\n// no | cell\n|b\n\nifdef::x[]\n|1\n|2\nendif::[]\n|===\n")
    assert text == "|  |\n| --- |\n| a |\n| b |\n| 1 |\n| 2 |"


def test_what_is_passed_to_the_page_is_read_if_it_has_words() -> None:
    """As HTML, without scripts; a formula stays."""
    text = _read(
        "++++\n<div><p>Oak <b>turns</b>.</p><script>x()</script></div>\n++++\n\n++++\n<hr><style>a{}</style>\n++++\n\n"
        "[stem]\n++++\na < b_c\n++++\n\nEnd\n"
    )
    assert text == "Oak **turns**.\n\n$$\na < b_c\n$$\n\nEnd"


def test_blank_lines_around_a_plus_do_not_end_an_item() -> None:
    """A block that it attaches stays in the item, and in the list further out for each blank line above the sign."""
    assert _read(". a\n+\n\n----\nx\n----\n\n+\nmore\n. b\n") == "1. a\n\n   ```\n   x\n   ```\n\n   more\n\n2. b"
    assert _read("* a\n** b\n\n+\nof a\n\n** c\n") == "- a\n\n  - b\n\n  of a\n\n  - c"
    assert _read("* a\n+\n\n* b\n+\n\n== Next\n") == "- a\n- b\n\n## Next"


def test_indented_code_below_a_blank_line_stays_in_its_item() -> None:
    """The list goes on behind it."""
    assert _read(". a\n\n  turn\n   now\n\n. b\n") == "1. a\n\n   ```\n   turn\n    now\n   ```\n\n2. b"


def test_repeated_cells_do_not_multiply() -> None:
    """Neither by themselves nor in tables within cells (SEC-1)."""
    table = "|===\n200*a|\n!===\n200*a! x\n!===\n|===\n\n"
    assert len(_read(table * 20)) < 500_000
    assert _read("|===\n2*a| x | y\n|===\n") == "|  |  |  |\n| --- | --- | --- |\n| x | x | y |"
