"""Fragments and selections of a text that a search found as one passage.

Belongs here: what tests of quotes share. Not here: passages (`tests.passages`).
"""

from typing import Any

from hypothesis import strategies as st

from headwater.quote.fragment_evidence import Question
from headwater.quote.fragments import Fragment, read_fragments
from headwater.quote.quote_markdown import render
from headwater.quote.selection import Selection
from headwater.quote.stretches import Stretch, make_stretches
from headwater.quote.windows import compare_windows
from headwater.understanding.words import content_words
from tests.passages import passage

MARKUP = st.text(alphabet="aB .?!:\n#-|`~>•1)=日[](*_\t\r", max_size=300)
"""Any text of the characters that mean something to a parser."""
BLOCKS = st.lists(
    st.sampled_from(
        [
            "# A\n\n", "## B\n\n", "**C**\n\n", "One. Two! Three: four.\n", "\n", "You need:\n\n", "- a. B\n",
            "  - c\n", "1. d\n", "2. e\n\n   f. G.\n", "```\ng\n```\n", "| h | i |\n|---|---|\n", "| j | k |\n",
            "> l. M.\n",
            "```\n" + "set the wheel to ten\n" * 45 + "```\n",
            "> - n\n", "!!! note\n    o. P.\n", "<b>q</b> ", "    r\n", "- " + "Long item. " * 45 + "\n",
            "The pump lifts ten litres of water in a minute. " * 6 + "\n\n",
        ]
    ),
    max_size=14,
).map("".join)  # fmt: skip
"""Markdown of whole blocks, in any order."""


def stretch(text: str, **values: Any) -> Stretch:
    """A text that was found as one passage."""
    return make_stretches([passage(text, **values)], ())[0]


def fragments(text: str, **values: Any) -> list[Fragment]:
    """The fragments of such a text."""
    return read_fragments(stretch(text, **values))


def verbatim(text: str, **values: Any) -> list[str]:
    """What each fragment is in the text."""
    return [one.stretch.text[one.start : one.end] for one in fragments(text, **values)]


def selections(question: str, text: str, **values: Any) -> list[Selection]:
    """The windows of such a text, best first, by words alone; each word of the question weighs one."""
    asked = Question(text=question, weights=dict.fromkeys(content_words(question), 1.0))
    return compare_windows(asked, [fragments(text, **values)], None)


def shown(text: str, *positions: int, deciding: int | None = None, **values: Any) -> str:
    """Some fragments of such a text as markdown; without positions, all of them."""
    found = fragments(text, **values)
    return render(found, positions or range(len(found)), deciding).text
