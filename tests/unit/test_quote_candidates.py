"""Candidates: the runs of fragments that may be quoted (ANS-4)."""

from hypothesis import given

from headwater.quote.blocks import Kind
from headwater.quote.candidates import MAX_WORDS, find_candidates
from headwater.quote.fragments import Fragment, read_fragments
from tests.fragments import BLOCKS, candidates, stretch

SENTENCE = "The pump lifts ten litres of water in a minute. "
"""Ten words."""
MAX_CODE_WORDS = 120


def texts(text: str, *breadcrumb: str) -> list[str]:
    return [one.plain for one in candidates(text, breadcrumb=breadcrumb)]


def test_a_short_section_is_one_candidate() -> None:
    """Sentences, list and code together."""
    assert texts("Oil it. You need:\n\n- Oil\n\n```\noil\n```\n") == ["Oil it. You need: - Oil oil"]


def test_a_candidate_is_of_one_section() -> None:
    """Two sections say two things, however short they are."""
    assert texts("# Oil\n\nOil it.\n\n# Water\n\nDrain it.\n\n**Rust**\n\nScrape it.\n", "Oil") == [
        "Oil it.", "Drain it.", "Scrape it.",
    ]  # fmt: skip


def test_a_long_section_has_candidates_that_overlap() -> None:
    """Each begins in the middle of the one before, so what belongs together is together in one of them."""
    found = candidates(SENTENCE * 20)
    assert [one.positions[0] for one in found] == [0, 4, 8, 12, 16]
    assert all(one.word_count <= MAX_WORDS for one in found)
    assert found[-1].positions[-1] == 19


def test_one_fragment_may_be_longer() -> None:
    """A sentence is never cut."""
    (long,) = candidates("word " * 200 + "end.")
    assert long.positions == (0,)
    assert long.word_count == 201


def test_code_may_be_longer_than_text() -> None:
    """Half of it is useless; with a text too long, it is a candidate of its own, after its lead-in."""
    code = "```\n" + "lift water\n" * 50 + "```\n"
    first, *_ = candidates(f"Run this:\n\n{code}")
    assert first.word_count == 102
    last = candidates(f"{SENTENCE * 6}Run this:\n\n{code}")[-1]
    assert [last.fragments[position].kind for position in last.positions] == [Kind.PARAGRAPH, Kind.CODE]
    assert last.plain.startswith("Run this: lift water")


def test_an_item_comes_with_the_sentence_that_introduces_its_list() -> None:
    """Also where the candidate begins far below it."""
    items = f"- {SENTENCE}\n" * 20
    found = candidates(f"You need:\n\n{items}")
    assert len(found) > 2
    assert all(one.plain.startswith("You need:") for one in found)
    assert all(one.positions[0] == 0 for one in found)


def test_a_model_reads_the_title_and_the_nearest_headings() -> None:
    """The path of headings may be long; what is nearest says most."""
    (found,) = candidates("It lifts.", title="Pump", breadcrumb=("Pump", "A", "B", "C"))
    assert found.headings == ("Pump", "A", "B", "C")
    assert found.read_text == "Pump > B > C: It lifts."


def is_within_limit(run: list[Fragment]) -> bool:
    limit = MAX_CODE_WORDS if run[-1].kind == Kind.CODE else MAX_WORDS
    return len(run) == 1 or sum(one.word_count for one in run) <= limit


@given(BLOCKS)
def test_candidates_cover_every_fragment_within_their_limits(text: str) -> None:
    """Each is a run of neighbours of one section that is no longer than a quote may be, below its lead-in."""
    fragments = read_fragments(stretch(text))
    found = list(find_candidates(fragments))
    assert {position for one in found for position in one.positions} == set(range(len(fragments)))
    for one in found:
        begin = one.positions[-1]
        while begin - 1 in one.positions:
            begin -= 1
        lead, run = fragments[begin].lead, fragments[begin : one.positions[-1] + 1]
        assert one.positions == (*(() if lead in (None, begin) else (lead,)), *range(begin, one.positions[-1] + 1))
        assert len({fragments[position].headings for position in one.positions}) == 1
        assert is_within_limit(run) or (fragments[begin + 1].lead == begin and is_within_limit(run[1:]))


@given(BLOCKS)
def test_candidates_are_in_reading_order(text: str) -> None:
    """No two are equal, and none ends before the one above it does."""
    found = [one.positions for one in find_candidates(read_fragments(stretch(text)))]
    assert len(set(found)) == len(found)
    ends = [positions[-1] for positions in found]
    assert ends == sorted(ends)
