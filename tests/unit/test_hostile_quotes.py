"""Texts that only an attacker writes: each kind took from 20 seconds to minutes somewhere (ANS-4, SEC-1).

Not here: that work grows with the length (`test_growth`, which counts it).
"""

import pytest

from headwater.domain.documents import ChunkKind
from headwater.quote.quotes import choose_quotes
from tests.passages import passage

LONG = 6_000  # characters
ANSWER = "The red valve opens at a pressure of 3 bar."
PIECES = (
    "[", "![", "[[", "[![", "](", "[a](", "![a](", "*", "**a", "_", "|", "| a ", "|a|\n|-|\n", "(", "<a ", "<a b='",
    "{#", "``a", "```\n", "~~~\n", "> ", "- ", "- a\n", "  - a\n", "1. a\n", "#", "# [", "a. B", "!!! a\n", "> [!",
    "::: ", "•a\n", "x\n", "\\", "\n", "\t", "A ", "é", "水",
)  # fmt: skip

pytestmark = [pytest.mark.timeout(20), pytest.mark.attacks]


@pytest.mark.parametrize("kind", list(ChunkKind))
@pytest.mark.parametrize("piece", PIECES)
def test_what_is_repeated_does_not_keep_the_rest_from_answering(piece: str, kind: ChunkKind) -> None:
    """Runs of marks, in a passage of any kind; the sentence below them is found."""
    text = f"{piece * (LONG // len(piece))}\n\n{ANSWER}\n"
    quotes = choose_quotes("At which pressure?", [passage(text, kind=kind)], weights={"pressur": 1.0})
    assert "3 bar" in quotes[0].plain


def test_blank_lines_in_code_do_not_keep_other_blocks_from_answering() -> None:
    """Rules that begin with blanks look at one line."""
    text = f"# Pump\n\n{ANSWER}\n\n```\n{chr(10) * LONG}pump\n```\n"
    best, *_ = choose_quotes("At which pressure?", [passage(text)], weights={"pressur": 1.0})
    assert "3 bar" in best.text


def test_a_document_of_one_endless_sentence_is_quoted() -> None:
    """It has no end that it could be cut at; it is one fragment."""
    (quote,) = choose_quotes("pump?", [passage("pump " * LONG)], weights={"pump": 1.0})
    assert quote.word_count == LONG
