"""Texts and questions that only an attacker writes: each of these took from 20 seconds to minutes (ANS-4, SEC-1)."""

import pytest

from headwater.answering.asked import clauses
from headwater.answering.choosing import choose_units
from tests.unit.test_block_choice import evidence, trusted

LONG = 50_000  # characters

pytestmark = pytest.mark.timeout(20)


def test_blank_lines_in_code_do_not_keep_other_blocks_from_answering() -> None:
    """Rules that begin with blanks look at one line."""
    text = f"# Pump\n\nThe red valve opens at a pressure of 3 bar.\n\n```\n{chr(10) * LONG}pump\n```\n"
    (best, *_) = choose_units(evidence("At which pressure does the red valve open?", [trusted(text, rank=1)]))
    assert "3 bar" in best.unit.text


def test_a_question_that_asks_hundreds_of_things_is_read_as_one() -> None:
    """Each clause is answered by itself, so there are at most four."""
    assert len(clauses("How is it set and why is it set and when is it set and where is it set?")) == 4
    assert clauses("and how " * 500) == ()
