"""The blocks of AsciiDoc: values on several lines, what is attached to items."""

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
