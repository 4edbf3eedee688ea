"""Search and answers as of a past time, over retained versions (LIN-1, DOC-1)."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from headwater.domain.search import Passage
from headwater.errors import InvalidInputError, NoDocumentsError
from headwater.indexing import preparation
from headwater.lexical.tokens import tokens
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.store.search.passage_search import SearchRequest
from headwater.store.search.past_search import PastSearch
from tests.support import Headwater

Make = Callable[..., Headwater]
QUERIES = ("pump lifts litres of water", "wheel metres", "oil the bearing", "keys shed")
FILES = {
    "pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n",
    "wheel.md": "# Wheel\n\nThe wheel measures three metres across.\n\n## Care\n\nOil the bearing every winter.\n",
    "guide/keys.md": "# Keys\n\nThe spare keys hang in the shed.\n",
}

pytestmark = pytest.mark.synced(files=FILES)


def _seen(kb: Headwater, as_of: datetime | None = None) -> dict[str, list[Passage]]:
    return {query: [_rounded(passage) for passage in kb.search(query, as_of=as_of)] for query in QUERIES}


def _rounded(passage: Passage) -> Passage:
    """The present is computed in single precision."""
    scores = replace(
        passage.scores,
        text=round(passage.scores.text or 0.0, 2),
        rerank=round(passage.scores.rerank or 0.0, 3),
        trust=round(passage.scores.trust or 0.0, 3),
    )
    return replace(passage, score=round(passage.score, 3), scores=scores)


def test_search_as_of_finds_what_search_found_then(headwater: Make) -> None:
    """After edits, renames and deletions, every passage comes back as it was, with the same scores and ranks."""
    kb = headwater(files=FILES)
    moments, found = [], []
    changes: list[Callable[[], None]] = [
        lambda: None,
        lambda: kb.write("pump.md", "# Pump\n\nThe pump lifts sixty litres of water per minute.\n"),
        lambda: kb.rename("wheel.md", "big-wheel.md"),
        lambda: kb.remove("guide/keys.md"),
        lambda: kb.write("pump.md", "# Old pump\n\nThe pump was sold.\n"),
    ]
    for change in changes:
        change()
        kb.sync()
        moments.append(kb.now())
        found.append(_seen(kb))
    assert len({str(each) for each in found}) == len(changes)  # each change could be seen
    for moment, then in zip(moments, found, strict=True):
        assert _seen(kb, moment) == then


def test_answers_as_of_quote_what_readers_saw(kb: Headwater) -> None:
    """The old answer before the edit, the new one after it, and both say for which time they are."""
    before = kb.now()
    kb.write("pump.md", "# Pump\n\nThe pump lifts sixty litres of water per minute.\n")
    kb.sync()
    question = "How many litres of water does the pump lift per minute?"
    old, new = kb.ask(question, as_of=before), kb.ask(question, as_of=kb.now())
    assert "forty" in old.answer
    assert "sixty" in new.answer
    assert "sixty" in kb.ask(question).answer
    stored = kb.store.answers.get(old.id)
    assert (stored.as_of, stored.notes) == (before, ())
    first = stored.citations[0]
    cited = kb.store.versions.get(first.document_version_id)
    assert "forty" in (cited.text or "")[first.start : first.end]


def test_a_gap_is_honoured(kb: Headwater) -> None:
    """A document that vanished and came back unchanged is not there as of the time between."""
    first = kb.now()
    kb.remove("pump.md")
    kb.sync()
    between = kb.now()
    kb.write("pump.md", FILES["pump.md"])
    kb.sync()
    assert "pump.md" in {passage.uri for passage in kb.search("pump lifts litres", as_of=first)}
    assert "pump.md" not in {passage.uri for passage in kb.search("pump lifts litres", as_of=between)}
    assert "pump.md" in {passage.uri for passage in kb.search("pump lifts litres", as_of=kb.now())}


def test_no_instant_shows_two_versions_or_none(kb: Headwater) -> None:
    """At the very moment of an edit or a rename there is one version of the document, and a microsecond before too."""
    kb.write("pump.md", "# Pump\n\nThe pump lifts sixty litres of water per minute.\n")
    kb.rename("wheel.md", "big-wheel.md")
    kb.sync()
    (edit,) = kb.query("SELECT DISTINCT withdrawn_at FROM publications WHERE withdrawn_at IS NOT NULL")
    moment = edit["withdrawn_at"]

    def uris(as_of: datetime) -> list[str]:
        return sorted({passage.uri for query in QUERIES for passage in kb.search(query, as_of=as_of)})

    assert uris(moment) == ["big-wheel.md", "guide/keys.md", "pump.md"]
    assert uris(moment - timedelta(microseconds=1)) == ["guide/keys.md", "pump.md", "wheel.md"]
    assert "sixty" in kb.search("pump litres", as_of=moment)[0].text
    assert "forty" in kb.search("pump litres", as_of=moment - timedelta(microseconds=1))[0].text


def test_filters_hold_as_of_too(headwater: Make) -> None:
    """By the source, and by the category that the document had then."""
    kb = headwater("docs", "notes", files={**FILES, "notes/n.md": "# Notes\n\nThe pump and the shed keys."})
    kb.sync()
    before = kb.now()
    kb.write("guide/keys.md", "---\ncategory: attic\n---\n# Keys\n\nThe spare keys hang in the shed.\n")
    kb.write("notes/n.md", "# Notes\n\nNothing.")
    kb.sync()
    assert {p.uri for p in kb.search("keys shed", categories=("guide",), as_of=before)} == {"guide/keys.md"}
    assert kb.search("keys shed", categories=("attic",), as_of=before) == []
    assert kb.search("keys shed", categories=("guide",)) == []
    assert {p.source for p in kb.search("pump shed keys", sources=("notes",), as_of=before)} == {"notes"}
    with pytest.raises(InvalidInputError, match="nowhere"):
        kb.search("pump", sources=("nowhere",), as_of=before)


def test_before_the_first_publication_there_is_nothing(headwater: Make) -> None:
    """No passages, and an error that names the time; also in year one, far from UTC (ANS-7)."""
    kb = headwater(files=FILES)
    start = kb.now()
    kb.sync()
    for moment in (start, datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))):
        assert kb.search("pump", as_of=moment) == []
    with pytest.raises(NoDocumentsError, match=re.escape(start.isoformat())):
        kb.ask("How many litres does the pump lift?", as_of=start)


@pytest.mark.parametrize("is_synced", [True, False])
def test_the_future_cannot_be_asked(headwater: Make, is_synced: bool) -> None:
    """It is the asker's error, before the first sync too."""
    kb = headwater(files=FILES)
    if is_synced:
        kb.sync()
    with pytest.raises(InvalidInputError, match="in the future"):
        kb.search("pump", as_of=datetime.now(UTC) + timedelta(minutes=1))
    with pytest.raises(InvalidInputError, match="in the future"):
        kb.ask("Is there a pump?", as_of=datetime(9999, 12, 31, 23, 59))  # noqa: DTZ001 - a time without a zone is UTC


def test_what_a_deleted_source_had_never_comes_back(headwater: Make) -> None:
    """Not as of the time when readers saw it either; its neighbours' past stays (SRC-12)."""
    kb = headwater("docs", "notes", files={**FILES, "notes/n.md": "# Notes\n\nThe pump is red."})
    kb.sync()
    before = kb.now()
    assert "notes" in {passage.source for passage in kb.search("pump red")}
    kb.store.deletions.hide_source("kb", "notes")
    assert {passage.source for passage in kb.search("pump red", as_of=before)} == {"docs"}
    kb.delete("notes")
    assert {passage.source for passage in kb.search("pump red", as_of=before)} == {"docs"}


def test_a_time_beyond_the_retention_is_said_to_be_incomplete(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only then: not within the retention, not before the knowledge base was there, and not for the present."""
    kb = headwater(files=FILES)
    kb.query("UPDATE knowledge_bases SET created_at = now() - interval '90 days' RETURNING id")
    kb.sync()

    def notes(days: int | None) -> tuple[str, ...]:
        as_of = None if days is None else datetime.now(UTC) - timedelta(days=days)
        return search(kb.store, kb.settings, kb.knowledge_base, "pump", SearchOptions(as_of=as_of)).notes

    assert [bool(notes(days)) for days in (None, 29, 31, 91)] == [False, False, True, False]
    assert "may be incomplete" in notes(31)[0]
    with pytest.raises(NoDocumentsError, match="may be incomplete"):
        kb.ask("How many litres does the pump lift?", as_of=datetime.now(UTC) - timedelta(days=31))


def test_old_versions_are_found_by_their_words_when_the_model_has_changed(headwater: Make) -> None:
    """The new model never saw what was gone before it came: full text alone finds that, in the old index's chunks."""
    kb = headwater(files=FILES, chunk_max=400, chunk_min=100)
    kb.sync()
    before = kb.now()
    kb.remove("guide/keys.md")
    kb.sync()
    changed = {"chunk_max": 900, "chunk_min": 300}
    kb.store.knowledge_bases.update("kb", settings=kb.knowledge_base.settings.model_copy(update=changed))
    kb.sync()
    kb.query("UPDATE search_indexes SET model = 'other/model' WHERE state = 'active' RETURNING id")
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    found = _as_of(kb.store.past, index, before, "keys shed")
    keys = next(passage for passage in found if passage.uri == "guide/keys.md")
    assert (keys.scores.vector, keys.scores.text is not None) == (None, True)
    pump = next(passage for passage in _as_of(kb.store.past, index, before, "pump") if passage.uri == "pump.md")
    assert pump.scores.vector is not None


def _as_of(past: PastSearch, index: object, moment: datetime, text: str) -> list[Passage]:
    """Search with a vector of another model's."""
    from headwater.domain.search import SearchIndex
    from headwater.models_gateway.hash_embedder import HashEmbedder

    assert isinstance(index, SearchIndex)
    vector = HashEmbedder().embed([text])[0]
    request = SearchRequest(words=tokens(text), vector=vector, limit=20, depth=100)
    return list(past.search(index, request, moment).passages)


def test_a_large_index_is_scanned_exactly_as_of_the_past(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit of exact search, what was visible is found as before, closed versions and open ones."""
    kb = headwater(files={f"{n}.md": f"# Topic {n}\n\nAbout item {n} and its valve {n * 3}." for n in range(30)})
    kb.sync()
    before, found = kb.now(), [_rounded(passage) for passage in kb.search("item 7 valve 21")]
    monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", 10)
    kb.write("7.md", "# Topic\n\nGone.")
    kb.sync()
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    assert index.shard == index.id
    assert [_rounded(passage) for passage in kb.search("item 7 valve 21", as_of=before)] == found
