"""Found passages into a better order (RET-6).

Belongs here: the local rerankers, thresholds, the fallback. Not here: models that a server runs
(`test_remote_reranker`), quality on collections (`bench`).
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.search import Passage
from headwater.errors import ModelUnavailableError, UnknownModelError
from headwater.retrieval.fusion import rank_passages
from headwater.retrieval.reranking.lexical_reranker import LexicalReranker, apply_reranker
from headwater.retrieval.reranking.option_entries import score_entries
from headwater.retrieval.reranking.reranker_registry import RERANKERS, check_reranker, load_reranker
from headwater.settings import Settings
from headwater.understanding.words import terms
from tests.passages import passage

LEXICAL = LexicalReranker()


@pytest.fixture
def settings(cache: Path, tmp_path: Path) -> Settings:
    """Settings with the tests' cache."""
    return Settings(home=tmp_path, cache=cache)


def best(question: str, passages: Sequence[Passage]) -> int:
    """The place of the passage with the highest score."""
    return int(np.argmax(LEXICAL.rerank(question, passages)))


# Terms


def test_forms_of_a_word_are_one_term() -> None:
    """Words without meaning are none, and a name is its parts."""
    assert terms("How are the Pumps pumping?") == terms("pump pumped")
    assert terms("max_connections") == terms("max connections")
    assert terms("the of and") == terms("") == ()


def test_scripts_without_spaces_are_cut_into_pairs() -> None:
    """So that a word in a sentence is found; full-width letters are the same as others."""
    assert terms("安装指南") == ("安装", "装指", "指南")
    assert terms("如何安装ＡＢＣ") == ("如何", "何安", "安装", "abc")


# The local reranker


def test_scores_of_search_decide_when_words_do_not() -> None:
    """Both legs together; a passage that only one of them found has half."""
    found = [
        passage("a", uri="a", scores={"vector": 0.5, "text": 2.0}),
        passage("b", uri="b", scores={"vector": 0.9, "text": 9.0}),
        passage("c", uri="c", scores={"vector": 0.9}),
    ]
    first, second, third = LEXICAL.rerank("?", found)
    assert second > third > first


@pytest.mark.parametrize(
    "entry",
    [
        "- **`-T`**, **`--topic`** *name*: Where to.",
        "### --topic\n\nSorted messages are by it.",
        "**`--topic` name**\n\nWhere to.",
    ],
)
def test_the_entry_of_an_option_comes_before_a_mention(entry: str) -> None:
    """Which has the words of the question as often (RET-6)."""
    mention = passage("Messages are sorted by --topic.", uri="a")
    assert best("what does --topic do?", [mention, passage(entry, uri="b")]) == 1


@pytest.mark.parametrize(
    "text", ["- See `--topic`: there", "It is --topic-name: so.", "- `-t`: Time.", "- --topical: No."]
)
def test_what_is_no_entry_does_not_count_as_one(text: str) -> None:
    """Neither a line that names the option later, nor another option."""
    passages = [passage("Where to.", uri="a"), passage(text, uri="b")]
    assert score_entries("what do --topic and -T do?", passages) == []


def test_how_far_ahead_counts_not_only_the_rank() -> None:
    """Ranks alone would call it a draw between the first two."""
    found = [
        passage("a", uri="a", scores={"vector": 0.80, "vector_rank": 2, "text": 9.0, "text_rank": 1}),
        passage("b", uri="b", scores={"vector": 0.81, "vector_rank": 1, "text": 4.0, "text_rank": 2}),
        passage("c", uri="c", scores={"vector": 0.40, "vector_rank": 3, "text": 3.0, "text_rank": 3}),
    ]
    assert best("?", found) == 0


def test_words_side_by_side_count_more_than_apart() -> None:
    """All else is equal."""
    same = {"vector": 0.5, "text": 5.0}
    apart = passage("Authorization is needed. It comes prior to care.", uri="a", scores=same)
    together = passage("Care is needed. It comes with prior authorization.", uri="b", scores=same)
    assert best("prior authorization", [apart, together]) == 1


def test_names_and_numbers_count_as_they_are() -> None:
    """Part of a number or a name is another one."""
    same = {"vector": 0.5, "text": 5.0}
    other = passage("The limit is 120 days here.", uri="a", scores=same)
    right = passage("The limit is 20 days here.", uri="b", scores=same)
    assert best("Who sets the limit of 20 days?", [other, right]) == 1


def test_headings_count() -> None:
    """The same text under another heading answers another question."""
    same: dict[str, object] = {"scores": {"vector": 0.5, "text": 5.0}, "title": "Plans"}
    text = "Visits cost ten dollars."
    standard = passage(text, uri="a", breadcrumb=("Plans", "Standard"), **same)
    plus = passage(text, uri="b", breadcrumb=("Plans", "Plus"), **same)
    assert best("What do visits cost in Plus?", [standard, plus]) == 1


def test_company_counts() -> None:
    """A passage on the subject of the best passages comes before one on another subject."""
    found = [
        passage("The mill grinds wheat with a stone wheel.", uri="a", scores={"vector": 0.9, "text": 9.0}),
        passage("Taxes are due in spring, by letter.", uri="b", scores={"vector": 0.5, "text": 5.0}),
        passage("A stone wheel grinds the wheat of the mill.", uri="c", scores={"vector": 0.5, "text": 5.0}),
    ]
    first, second, third = LEXICAL.rerank("?", found)
    assert first > third > second


def test_without_scores_of_search_the_share_of_words_decides() -> None:
    """As for passages that traversal brought; rare words count more."""
    found = [passage("the pump", uri="a"), passage("the pump and the valve", uri="b"), passage("a pump", uri="c")]
    assert best("pump valve", found) == 1


@pytest.mark.parametrize("scores", [{"text": 3.0}, {"vector": 0.4}, {}])
def test_each_mode_of_search_is_reranked(scores: dict[str, float]) -> None:
    """Keyword, vector, neither."""
    found = [passage("nothing of it", uri="a", scores=scores), passage("the pump lifts", uri="b", scores=scores)]
    assert best("What does the pump lift?", found) == 1


def test_nothing_is_reranked_to_nothing() -> None:
    """An empty list is no error; one passage is the best."""
    assert LEXICAL.rerank("x", []) == []
    assert LEXICAL.rerank("x", [passage(scores={"vector": 0.4})]) != [0.0]


@given(
    st.text(max_size=60),
    st.lists(
        st.tuples(
            st.text(max_size=60),
            st.none() | st.floats(-1, 1, allow_nan=False),
            st.none() | st.floats(0, 100, allow_nan=False),
        ),
        max_size=6,
    ),
)
def test_scores_are_between_0_and_1(question: str, found: list[tuple[str, float | None, float | None]]) -> None:
    """Whatever the texts and scores; the same each time."""
    passages = [
        passage(text, uri=str(number), scores={"vector": vector, "text": bm25})
        for number, (text, vector, bm25) in enumerate(found)
    ]
    scores = LEXICAL.rerank(question, passages)
    assert len(scores) == len(passages)
    assert all(0 <= score <= 1 for score in scores)
    assert LEXICAL.rerank(question, passages) == scores


class _Fixed:
    name = "stub/fixed"

    def __init__(self, *scores: float) -> None:
        self._scores = scores

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[float]:
        assert question
        assert len(passages) == len(self._scores)
        return list(self._scores)


class _Down:
    name = "stub/down"

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[float]:  # noqa: ARG002 - the protocol's
        raise ModelUnavailableError("The model stub/down cannot be used: it is off.")


def test_passages_get_score_and_rank() -> None:
    """Best first; equals keep their order."""
    found = [passage(uri=name, score=1.0) for name in "abc"]
    done = apply_reranker(_Fixed(0.2, 0.7, 0.2), "x", found)
    assert [(p.uri, p.rank, p.score, p.scores.rerank) for p in done.passages] == [
        ("b", 1, 0.7, 0.7), ("a", 2, 0.2, 0.2), ("c", 3, 0.2, 0.2),
    ]  # fmt: skip
    assert (done.dropped, done.reranker, done.note) == ((), "stub/fixed", None)


def test_what_is_under_the_threshold_is_dropped_by_name() -> None:
    """At the threshold is enough."""
    done = apply_reranker(_Fixed(0.2, 0.7, 0.5), "x", [passage(uri=name) for name in "abc"], threshold=0.5)
    assert [p.uri for p in done.passages] == ["b", "c"]
    assert [(p.uri, p.scores.rerank) for p in done.dropped] == [("a", 0.2)]


def test_a_reranker_that_is_down_costs_its_order_only() -> None:
    """The local one does it, and a note says so."""
    found = [passage("nothing", uri="a"), passage("the valve", uri="b")]
    done = apply_reranker(_Down(), "valve", found)
    assert [p.uri for p in done.passages] == ["b", "a"]
    assert done.reranker == "builtin/lexical"
    assert done.note == (
        "Not reranked by stub/down, but by builtin/lexical. The model stub/down cannot be used: it is off."
    )


def test_the_threshold_is_not_used_on_another_rerankers_scores() -> None:
    """It was chosen for the one that is down."""
    done = apply_reranker(_Down(), "pump", [passage("nothing", uri="a"), passage("pump", uri="b")], threshold=0.99)
    assert (len(done.passages), done.dropped) == (2, ())


def test_ranks_count_from_1() -> None:
    """In the order of the scores."""
    made = rank_passages([passage(uri="a", score=1, rank=9), passage(uri="b", score=2, rank=9)])
    assert [(p.uri, p.rank) for p in made] == [("b", 1), ("a", 2)]


# Names


@pytest.mark.parametrize("model", [*RERANKERS, "none", "cohere/rerank-v3.5", "jina_ai/m", "voyage/rerank-2"])
def test_names_pass(model: str) -> None:
    """Built-in ones, none, and what litellm calls `provider/model`."""
    assert check_reranker(model) == model


@pytest.mark.parametrize("model", ["", "lexical", "openai/x", "cohere/", "cohere/https://example.org", "builtin/none"])
def test_other_names_are_refused(model: str) -> None:
    """The message lists what there is; a provider that cannot rerank is none."""
    with pytest.raises(
        UnknownModelError, match=r"builtin/cross-encoder, none; fastembed/model; or provider/model.*cohere"
    ) as caught:
        check_reranker(model)
    assert repr(model) in str(caught.value)


def test_each_is_loaded_once(settings: Settings) -> None:
    """None is None."""
    assert load_reranker("none", settings) is None
    assert load_reranker("builtin/lexical", settings) is load_reranker("builtin/lexical", settings)


# The cross-encoder


def test_the_cross_encoder_finds_other_words(settings: Settings) -> None:
    """No word is shared, and search knows nothing: the model alone tells."""
    reranker = load_reranker("builtin/cross-encoder", settings)
    assert reranker is not None
    found = [
        passage("Invoices are sent every quarter.", uri="a", title="", breadcrumb=()),
        passage("Physicians see children on weekdays.", uri="b", title="", breadcrumb=()),
    ]
    first, second = reranker.rerank("When can my kid visit a doctor?", found)
    assert 0 <= first < second <= 1
    assert reranker.rerank("x", []) == []
