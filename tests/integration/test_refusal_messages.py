"""What a refusal says: which filter leaves nothing, what came closest (RET-2, RET-7, ANS-4)."""

from typing import Any

import pytest

from headwater.domain.search import SearchFilters
from headwater.errors import InvalidInputError, NoDocumentsError, NotFoundError
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.store.server.query_session import Session
from query_api.routes.search_payloads import SearchPayload
from tests.support import Headwater

LIMITS = """\
---
title: Limits
category: reference/limits
---
# Limits

## Plans

The plans differ in size.

| Plan    | Storage   | Price a month |
|---------|-----------|---------------|
| Starter | 5 GB      | 0 euros       |
| Harbour | 200 GB    | 40 euros      |

```text
| Plan | Storage |
|------|---------|
| Fake | 9 GB    |
```

## Warranty

The warranty of the pump lasts twenty-four months.
"""
FILES = {"limits.md": LIMITS, "pump.md": "# Pump manual\n\nThe pump lifts forty litres of water per minute.\n"}


def _tagged(kb: Headwater) -> None:
    kb.query("UPDATE sources SET tags = '{handbook}', category = 'guides' RETURNING id")


pytestmark = pytest.mark.synced(files=FILES, then=_tagged, embedding_model="builtin/minilm-int8")


def ask(kb: Headwater, question: str, **filters: Any) -> Any:
    """Ask with filters."""
    from headwater.answering.direct_answer import ask as ask_question

    return ask_question(kb.store, kb.settings, kb.knowledge_base, question, SearchFilters(**filters))


def notes(kb: Headwater, **filters: Any) -> list[str]:
    """What a search with filters notes."""
    options = SearchOptions(filters=SearchFilters(**filters))
    return SearchPayload.of("pump", search(kb.store, kb.settings, kb.knowledge_base, "pump", options)).notes


@pytest.mark.parametrize(
    ("filters", "note"),
    [
        ({"categories": ("referense",)}, "There is no category `referense` here. Did you mean `reference`?"),
        ({"categories": ("reference/x",)}, "There is no category `reference/x` here. Did you mean `reference`?"),
        ({"categories": ("guide",)}, "There is no category `guide` here. Did you mean `guides`?"),
        ({"tags": ("handbok",)}, "There is no tag `handbok` here. Did you mean `handbook`?"),
        ({"languages": ("xx",)}, "There is no language `xx` here. There are: en."),
    ],
)  # fmt: skip
def test_an_unknown_value_of_a_filter_is_named_with_the_nearest(
    kb: Headwater, filters: dict[str, Any], note: str
) -> None:
    """In a search and in the error of a question, which says that the filters leave nothing (ANS-7)."""
    assert notes(kb, **filters) == ["Nothing matches the filters.", note]
    with pytest.raises(NoDocumentsError) as error:
        ask(kb, "How much water does the pump lift?", **filters)
    assert str(error.value) == f"No document of kb matches the filters. {note}"


def test_filters_that_exist_may_leave_nothing_together(kb: Headwater) -> None:
    """Then no value is to blame."""
    filters = {"categories": ("reference",), "documents": ("nothing.md",)}
    assert notes(kb, **filters) == ["Nothing matches the filters."]
    with pytest.raises(NoDocumentsError, match=r"No document of kb matches the filters\. Widen"):
        ask(kb, "How much water does the pump lift?", **filters)


def test_of_several_values_an_unknown_one_is_named(kb: Headwater) -> None:
    """The others find something, which would hide it."""
    (note,) = notes(kb, tags=("handbook", "hanbook"))
    assert note == "There is no tag `hanbook` here. Did you mean `handbook`?"
    assert notes(kb, tags=("handbook",)) == []


def test_a_search_that_finds_something_looks_for_no_wrong_filters(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To know every category and language, each document must be read; tags are those of sources (RET-2)."""
    asked: list[str] = []
    run = Session._run

    def noting(session: Session, query: str, values: Any) -> Any:
        asked.append(query)
        return run(session, query, values)

    monkeypatch.setattr(Session, "_run", noting)
    several = ("reference", "guides")
    assert notes(kb, categories=several, languages=("en", "de"), tags=("handbook", "handbook")) == []
    assert notes(kb, categories=several) == []
    assert "filter_values" not in asked
    assert notes(kb, documents=("nothing.md",), tags=("handbook",)) == ["Nothing matches the filters."]
    assert "filter_values" not in asked
    notes(kb, languages=("de", "fr"))
    assert asked.count("filter_values") == 1


def test_of_many_unknown_values_five_are_named(kb: Headwater) -> None:
    """Each once; the others are counted, so that notes stay short, and a long value is cut (RET-2)."""
    many = [f"referense{number}" for number in range(60)]
    first, *named, last = notes(kb, categories=(*many, *many), tags=("handbok",))
    assert first == "Nothing matches the filters."
    assert [note.split("`")[1] for note in named] == many[:5]
    assert all(note.endswith("Did you mean `reference`?") for note in named)
    assert last == "Further values of the filters that do not exist here: 56."
    assert len(notes(kb, tags=("x" * 5000,))[1]) < 300


def test_of_many_categories_ten_are_listed(kb: Headwater) -> None:
    """A note, which is stored with an answer, does not hold them all."""
    kb.query("UPDATE sources SET tags = (SELECT array_agg('t' || n) FROM generate_series(100, 299) AS n) RETURNING id")
    shown = ", ".join(f"t{number}" for number in range(100, 110))
    with pytest.raises(NoDocumentsError, match=f"There is no tag `handbook` here. There are: {shown}, and 190 more."):
        ask(kb, "How much water does the pump lift?", tags=("handbook",))


def test_a_past_without_matches_says_so(kb: Headwater) -> None:
    """Which values there were then, nobody asks."""
    from headwater.answering.direct_answer import ask as ask_question

    filters = SearchFilters(categories=("referense",))
    with pytest.raises(
        NoDocumentsError, match=r"showed readers no documents that match the filters as of [\d:.T+-]+\.$"
    ):
        ask_question(kb.store, kb.settings, kb.knowledge_base, "pump?", filters, as_of=kb.now())


def test_a_refusal_names_and_offers_the_closest_passage(kb: Headwater) -> None:
    """Title and URI, and the passage itself to open."""
    answer = ask(kb, "How often is the zebra of the pump manual painted?")
    assert (answer.refused, answer.reason, answer.citations) == (True, "nothing_relevant", ())
    assert answer.answer.startswith("The documents of this knowledge base do not answer this question.")
    assert "“Pump manual” (pump.md)" in answer.answer
    assert [one.uri for one in answer.further] == ["pump.md"]


def test_a_refusal_says_what_was_searched(kb: Headwater) -> None:
    """Under a filter, the knowledge base as a whole was not asked; the sources are named if only they were chosen."""
    question = "How often is the zebra of the pump manual painted?"
    (source,) = kb.store.sources.all("kb")
    answer = ask(kb, question, sources=(source.slug,)).answer
    assert answer.startswith(f"The documents of {source.slug} do not answer this question.")
    answer = ask(kb, question, tags=("handbook",)).answer
    assert answer.startswith("The part of this knowledge base that was searched does not answer this question.")
    answer = ask(kb, question, sources=(source.slug,), tags=("handbook",)).answer
    assert answer.startswith("The part of this knowledge base that was searched does not answer this question.")


def test_a_row_that_answers_is_quoted_below_its_header(kb: Headwater) -> None:
    """With a citation that holds the row (ANS-4)."""
    answer = ask(kb, "What is the price a month of the Harbour plan?")
    plain = answer.answer.replace("**", "")
    assert plain.startswith("Limits › Plans\n\n")
    assert "| Plan | Storage | Price a month |\n| --- | --- | --- |\n" in plain
    assert "| Harbour | 200 GB | 40 euros |" in plain
    cited = answer.citations[0]
    text = kb.query("SELECT text FROM document_versions WHERE id = %s", cited.document_version_id)[0]["text"]
    assert "| Harbour | 200 GB    | 40 euros      |" in text[cited.start : cited.end]


def test_a_sentence_that_answers_needs_no_table(kb: Headwater) -> None:
    """The table of the same document stays out of it."""
    answer = ask(kb, "How many litres of water does the pump lift per minute?")
    assert not answer.refused
    assert "|" not in answer.answer


def test_long_in_how_long_is_no_word_that_an_answer_must_hold(kb: Headwater) -> None:
    """A duration is answered without the word: it counted as one that no passage holds (RET-7)."""
    answer = ask(kb, "How long is the warranty?")
    assert not answer.refused
    assert "twenty-four months" in answer.answer


def test_an_unknown_source_is_named_with_the_nearest(kb: Headwater) -> None:
    """In a filter, and where a source is to be synced."""
    with pytest.raises(InvalidInputError, match=r"filters.sources: .* has no source dcos\. Did you mean `docs`\?"):
        notes(kb, sources=("dcos",))
    with pytest.raises(NotFoundError, match=r"no source dcos in kb\. Did you mean `docs`\?"):
        kb.store.sources.select("kb", ["dcos"])


def test_of_many_unknown_sources_ten_are_named(kb: Headwater) -> None:
    """In both places; the others are counted."""
    many = tuple(f"dcos{number:02}" for number in range(30))
    with pytest.raises(InvalidInputError, match=r"has no source dcos00, .*, dcos09, and 20 more\."):
        notes(kb, sources=many)
    with pytest.raises(NotFoundError, match=r"no source dcos00, .*, dcos09, and 20 more in kb\."):
        kb.store.sources.select("kb", many)
