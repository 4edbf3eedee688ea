"""Components in MDX, and what a reader sees of their attributes.

Belongs here: cards, notes. Not here: how tags go (`test_parsing_markup`).
"""

import pytest

from headwater.parsing.markdown.parser import parse_markdown


def md(text: str, uri: str = "docs/page.md") -> str:
    return parse_markdown(text, uri=uri).text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<Warning>\nMind it.\n</Warning>\n", "Warning"),
        ('<Callout type="warning">\nMind it.\n</Callout>\n', "Warning"),
        ('<Admonition type="tip" title="A word">\nMind it.\n</Admonition>\n', "A word"),
        ('<Callout type="wide">\nMind it.\n</Callout>\n', ""),
        ('<Button type="danger">\nMind it.\n</Button>\n', ""),
    ],
)
def test_the_kind_of_a_note_stands_above_it(text: str, title: str) -> None:
    """As in all other dialects of markdown; a title stands in its place. A colour is no kind."""
    assert md(text).strip() == (f"**{title}**\n\nMind it." if title else "Mind it.")


def test_a_note_in_a_list_stays_in_it() -> None:
    """What follows in the item is text of the item."""
    text = "1. One.\n\n   <Note>\n   Mind it.\n   </Note>\n\n2. Two.\n"
    assert md(text, "a.mdx") == "1. One.\n\n   **Note**\n\n   Mind it.\n\n2. Two.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<Card title="Pumps" href="/a">\nRun.\n</Card>\n', "**[Pumps](/a)**\n\nRun.\n\n"),
        ('<Card title="Pumps" href="/a" cta="Go on">\nRun.\n</Card>\n', "**[Pumps](/a)**\n\nRun.\n\n[Go on](/a)\n\n"),
        ('<Card title="Pumps" href="/a" cta="Go on" />\n', "**[Pumps](/a)**\n\n[Go on](/a)\n\n"),
        ('<Card title="A [b]" href="/a" />\n', "**A [b]**\n\n"),
        ('<Card title="Pumps" href={to} />\n', "**Pumps**\n\n"),
    ],
)
def test_a_card_is_a_link(text: str, expected: str) -> None:
    """It leads where its readers go on."""
    assert md(text, "a.mdx") == expected
