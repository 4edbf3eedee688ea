"""Filters at their exact limits, in the present and as of a past time (RET-2, LIN-1)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.domain.search import SearchFilters, SearchIndex
from headwater.retrieval.filter_advice import filter_notes
from tests.support import Headwater

Make = Callable[..., Headwater]
_FIRST, _SECOND, _THIRD = (datetime(2024, month, 10, tzinfo=UTC) for month in (1, 2, 3))
_INSTANT = timedelta(microseconds=1)


def _text(date: datetime, language: str) -> str:
    return f"---\ndate: {date:%Y-%m-%d}\nlang: {language}\n---\n# Pump\n\nThe pump lifts water."


def _made(headwater: Make) -> tuple[Headwater, Callable[..., set[str]]]:
    """Four documents in three sources; and a search that finds the same of them in the present and as of now."""
    kb = headwater("docs", "notes", "other", files={
        "docs/guide/a.md": _text(_FIRST, "en"), "docs/guidebook/b.md": _text(_SECOND, "enm"),
        "notes/c.md": _text(_THIRD, "en-GB"), "other/d.md": _text(_THIRD, "de"),
    })  # fmt: skip
    for slug, category, tags in (("notes", "hand/book", ["new", "old"]), ("other", "hand/books", ["old"])):
        kb.query("UPDATE sources SET category = %s, tags = %s WHERE slug = %s RETURNING 1", category, tags, slug)
    kb.sync()
    kb.query("UPDATE document_versions SET language = metadata ->> 'lang' RETURNING 1")
    now = kb.now()

    def left(**filters: Any) -> set[str]:
        present = {passage.uri for passage in kb.search("pump water", **filters)}
        assert {passage.uri for passage in kb.search("pump water", as_of=now, **filters)} == present
        return present

    return kb, left


def test_filters_hold_at_their_limits(headwater: Make) -> None:
    """From a date on and before another; a language, a category, a tag by itself and not what begins like it."""
    kb, left = _made(headwater)
    everything = {"guide/a.md", "guidebook/b.md", "c.md", "d.md"}
    assert left() == everything
    # Dates: the first is in, the last is not.
    assert left(dated_from=_SECOND) == {"guidebook/b.md", "c.md", "d.md"}
    assert left(dated_from=_SECOND + _INSTANT) == {"c.md", "d.md"}
    assert left(dated_to=_SECOND) == {"guide/a.md"}
    assert left(dated_to=_SECOND + _INSTANT) == {"guide/a.md", "guidebook/b.md"}
    assert left(dated_from=_SECOND, dated_to=_SECOND) == set()
    # Names that begin alike.
    assert left(languages=("en",)) == {"guide/a.md", "c.md"}
    assert left(categories=("guide",)) == {"guide/a.md"}
    assert left(categories=("hand/book",)) == {"c.md"}
    assert left(categories=("hand",)) == {"c.md", "d.md"}
    # Of several tags one is enough; several kinds of filters all hold.
    assert left(tags=("new", "old")) == {"c.md", "d.md"}
    assert left(tags=("new", "never")) == {"c.md"}
    assert left(sources=("docs", "notes"), tags=("old",)) == {"c.md"}
    # Documents by URI and by id.
    identity = str(kb.query("SELECT id FROM documents WHERE uri = 'd.md'")[0]["id"])
    assert left(documents=(identity,)) == {"d.md"}
    assert left(documents=(identity, "c.md")) == {"c.md", "d.md"}


def test_labels_and_authors_of_documents_are_filters(headwater: Make) -> None:
    """A tag is a source's or a document's label; authors are those of metadata; both are exact (RET-2)."""
    kb = headwater("docs", "notes", files={
        "docs/a.md": "---\nlabels: [Bug, pump]\nauthor: Ada Lovelace\n---\n# Pump\n\nThe pump lifts water.",
        "docs/b.md": "---\ntags: [Bug]\nauthors: [Ada Lovelace, Bo Ek]\n---\n# Pump\n\nThe pump lifts water.",
        "docs/c.md": "---\nlabels: {Bug: 1}\nauthor: 7\n---\n# Pump\n\nThe pump lifts water.",
        "notes/d.md": "# Pump\n\nThe pump lifts water.",
    })  # fmt: skip
    kb.query("UPDATE sources SET tags = '{handbook}' WHERE slug = 'notes' RETURNING 1")
    kb.sync()
    now = kb.now()

    def left(**filters: Any) -> set[str]:
        present = {passage.uri for passage in kb.search("pump water", **filters)}
        assert {passage.uri for passage in kb.search("pump water", as_of=now, **filters)} == present
        return present

    assert left(tags=("pump",)) == {"a.md"}
    assert left(tags=("handbook",)) == {"d.md"}
    assert left(tags=("handbook", "pump")) == {"a.md", "d.md"}
    assert left(tags=("handbook", "pump"), sources=("docs",)) == {"a.md"}
    assert left(tags=("Bug",), authors=("Bo Ek",)) == {"b.md"}
    assert left(tags=("bug",)) == set()
    assert left(authors=("Ada Lovelace",)) == {"a.md", "b.md"}
    assert left(authors=("Ada",)) == set()
    assert left(tags=("never",)) == set()
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    labels = kb.store.filter_values.labels(index, "tag", "author")
    assert labels == {"tag": ["Bug", "pump"], "author": ["Ada Lovelace", "Bo Ek"]}


def test_keywords_in_one_text_are_filters_one_by_one(headwater: Make) -> None:
    """Office and PDF files have them so, and some front matter (RET-2)."""
    kb = headwater(files={
        "docs/a.md": "---\nkeywords: oil; pump, brass screw\n---\n# Pump\n\nThe pump lifts water.",
        "docs/b.md": "---\ntags: pump, valve\n---\n# Pump\n\nThe pump lifts water.",
    })  # fmt: skip
    kb.sync()
    for tag, uris in {"pump": {"a.md", "b.md"}, "brass screw": {"a.md"}, "valve": {"b.md"}, "screw": set()}.items():
        assert {passage.uri for passage in kb.search("pump water", tags=(tag,))} == uris


def _labelled(headwater: Make) -> tuple[Headwater, SearchIndex]:
    """Two documents with labels and authors, and their index."""
    kb = headwater(files={
        "docs/a.md": "---\nlabels: [Bug, pump]\nauthor: Ada\n---\n# Pump\n\nThe pump lifts water.",
        "docs/b.md": "---\ntags: [Bug]\nauthors: [Ada, Bo]\n---\n# Valve\n\nThe valve drips.",
    })  # fmt: skip
    kb.sync()
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    return kb, index


def test_tags_do_not_displace_authors(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind has a limit of its own, and a rare tag that is asked for is no unknown one (RET-2)."""
    kb, index = _labelled(headwater)
    monkeypatch.setattr("headwater.store.search.filter_values._MAX_LABELS", 1)
    assert kb.store.filter_values.labels(index, "tag", "author") == {"tag": ["Bug"], "author": ["Ada"]}
    filters = SearchFilters(tags=("Bug", "pump", "never"), authors=("Bo",))
    (note,) = filter_notes(kb.store, index, filters, is_nothing_left=True)
    assert "no tag `never`" in note


def test_labels_are_read_again_after_a_change(headwater: Make) -> None:
    """They are remembered until documents are published or removed, or a source has another category (RET-2)."""
    kb, index = _labelled(headwater)
    values = kb.store.filter_values
    assert values.labels(index, "tag")["tag"] == ["Bug", "pump"]
    assert not values.of_documents(index).categories
    kb.query("UPDATE document_versions SET metadata = '{}' RETURNING 1")  # as nothing in Headwater does
    assert values.labels(index, "tag", "author") == {"tag": ["Bug", "pump"], "author": []}
    (kb.folder / "docs" / "b.md").write_text("---\ntags: [valve]\n---\n# Valve\n\nThe valve drips.")
    kb.sync()
    assert values.labels(index, "tag")["tag"] == ["valve"]
    (kb.folder / "docs" / "b.md").unlink()
    kb.sync()
    assert values.labels(index, "tag")["tag"] == []
    kb.query("UPDATE sources SET category = 'guides' RETURNING 1")
    assert list(values.of_documents(index).categories) == ["guides"]


def test_labels_of_many_documents_are_read_once_a_minute(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a sync publishes, each page would read the metadata of all again."""
    kb, index = _labelled(headwater)
    monkeypatch.setattr("headwater.store.search.filter_values._MANY_CHUNKS", 0)
    monkeypatch.setattr("headwater.store.search.filter_values._REMEMBERED_SECONDS", 1e9)
    assert kb.store.filter_values.labels(index, "tag")["tag"] == ["Bug", "pump"]
    (kb.folder / "docs" / "b.md").write_text("---\ntags: [valve]\n---\n# Valve\n\nThe valve drips.")
    kb.sync()
    assert kb.store.filter_values.labels(index, "tag")["tag"] == ["Bug", "pump"]
    assert kb.store.filter_values.find_labels(index, "tag", ["valve", "never"]) == ["valve"]
    monkeypatch.setattr("headwater.store.search.filter_values._REMEMBERED_SECONDS", 0.0)
    assert sorted(kb.store.filter_values.labels(index, "tag")["tag"]) == ["Bug", "pump", "valve"]
