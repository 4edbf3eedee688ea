"""Passages put together within a budget."""

from collections.abc import Sequence
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.domain.search import Passage
from headwater.lexical.token_estimate import estimate_tokens
from headwater.retrieval.context import assemble, by_document
from tests.passages import numbered as passage

DOCUMENT = "One starts here. Two goes on\nafter that.\n\n```sh\nrun --all\n```\n\nThree ends it. Four is left."


def piece(start: int, end: int, rank: int = 1, document: int = 1, text: str = DOCUMENT) -> Passage:
    return passage(
        rank=rank,
        chunk_id=UUID(int=rank),
        document_id=UUID(int=document),
        document_version_id=UUID(int=100 + document),
        source=f"s{document % 2}",
        uri=f"{document}.md",
        title=f"Document {document}",
        breadcrumb=(f"Document {document}", "Start"),
        start=start,
        text=text[start:end],
    )


def test_a_part_is_headed_by_where_it_is_from() -> None:
    """Number, title, the headings below it, link; the title is not said twice."""
    context = assemble([[piece(0, 16)]], 100)
    assert context.text == "[1] Document 1 > Start (1.md)\nOne starts here."
    assert context.token_count == estimate_tokens(context.text)


def test_buckets_take_turns() -> None:
    """The best of each bucket comes before the second of any (RET-5)."""
    passages = [piece(0, 10, 1, 1), piece(20, 30, 2, 1), piece(0, 10, 3, 2), piece(0, 10, 4, 3)]
    parts = assemble(by_document(passages), 1000).parts
    assert [(part.passages[0].uri, part.start) for part in parts] == [
        ("1.md", 0),
        ("2.md", 0),
        ("3.md", 0),
        ("1.md", 20),
    ]
    assert [part.number for part in parts] == [1, 2, 3, 4]


def test_neighbours_are_joined_without_what_they_share() -> None:
    """Overlapping and touching passages of one version are one part, the code between them put back."""
    bridged = [piece(0, 20, 1), piece(60, len(DOCUMENT), 2), piece(0, 9, 3, 2), piece(15, 60, 4), piece(5, 12, 5)]
    parts = assemble([[one] for one in bridged], 1000).parts
    assert [part.text for part in parts] == [DOCUMENT, DOCUMENT[:9]]
    assert [one.rank for one in parts[0].passages] == [1, 4, 2]
    assert "run --all" in parts[0].text


def test_versions_of_one_document_are_not_joined() -> None:
    """Their offsets are of two texts."""
    old, new = piece(0, 20, 1, 1), piece(10, 30, 2, 2)
    assert len(assemble([[old, new]], 1000).parts) == 2


def test_what_does_not_fit_is_left_out_and_the_rest_goes_on() -> None:
    """A long passage keeps no shorter one out; what is left then is filled with its first sentences."""
    long, short = piece(0, 400, 1, 1, "Sentence of six words is here. " * 20), piece(0, 16, 2, 2)
    budget = assemble([[short]], 1000).token_count + 30
    context = assemble([[long], [short]], budget)
    assert [part.passages[0].uri for part in context.parts] == ["2.md", "1.md"]
    assert context.parts[1].text == "Sentence of six words is here. Sentence of six words is here."
    assert context.token_count <= budget


def test_a_sentence_that_is_too_long_is_cut_at_a_word() -> None:
    """Something of the best passage is better than nothing."""
    context = assemble([[piece(0, 600, 1, 1, "word " * 120)]], 30)
    assert context.parts[0].text.replace("word", "").strip() == ""
    assert 25 <= context.token_count <= 30


def test_nothing_fits_into_nothing() -> None:
    """No budget, no passages: no text, and no error."""
    assert assemble([[piece(0, 16)]], 3).text == ""
    assert assemble([], 1000).parts == ()


def test_a_heading_is_one_line() -> None:
    """Whatever a title holds, a part's heading cannot be mistaken for two."""
    one = passage(title="A\n[2] B", uri="a b.md", breadcrumb=("x\ny",))
    assert assemble([[one]], 100).parts[0].heading == "[1] A [2] B > x y (a b.md)"


TEXTS = [
    "Ähre und Öl. 备份保留三十天。\n\nNext one?  Yes! " * 6,
    "word " * 80,
    "a.b_c-d(e)\n" * 30,
]
SPANS = st.tuples(st.integers(0, 2), st.integers(0, 300), st.integers(1, 200))


def _passages(spans: Sequence[tuple[int, int, int]]) -> list[Passage]:
    made = []
    for rank, (document, start, length) in enumerate(spans, start=1):
        text = TEXTS[document]
        begin = min(start, len(text) - 1)
        made.append(piece(begin, min(begin + length, len(text)), rank, document, text))
    return [one for one in made if one.text.strip()]  # no chunk is blank


@settings(max_examples=300)
@given(st.lists(SPANS, max_size=8), st.integers(0, 300))
def test_a_context_keeps_its_promises(spans: list[tuple[int, int, int]], budget: int) -> None:
    """Never over budget, no character twice, verbatim, and the same again for the same passages."""
    passages = _passages(spans)
    context = assemble(by_document(passages), budget)
    assert context.token_count == estimate_tokens(context.text) <= budget
    assert assemble(by_document(passages), budget) == context
    seen: set[tuple[UUID, int]] = set()
    for part in context.parts:
        version = part.passages[0].document_version_id
        assert part.text == TEXTS[version.int - 100][part.start : part.end]
        assert part.heading in context.text
        places = {(version, place) for place in range(part.start, part.end)}
        assert not places & seen
        seen |= places


@given(st.lists(SPANS, max_size=8))
def test_with_room_everything_is_in(spans: list[tuple[int, int, int]]) -> None:
    """Nothing is lost by joining, and parts stand in the order in which their first passage came."""
    passages = _passages(spans)
    parts = assemble([passages], 100_000).parts
    held = {(p.passages[0].document_version_id, place) for p in parts for place in range(p.start, p.end)}
    assert held == {(p.document_version_id, place) for p in passages for place in range(p.start, p.end)}

    def first_turn(number: int) -> int:
        mine = parts[number]
        version = mine.passages[0].document_version_id
        return next(
            p.rank for p in passages if p.document_version_id == version and mine.start <= p.start and p.end <= mine.end
        )

    turns = [first_turn(number) for number in range(len(parts))]
    assert turns == sorted(turns)
