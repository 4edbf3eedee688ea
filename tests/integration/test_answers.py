"""Questions, answers, citations and their lineage (ANS-4, RET-2, LIN-1, SRC-12)."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from headwater.domain.versions import is_current
from headwater.errors import InvalidInputError, NoDocumentsError, NotFoundError
from query_api.routes.lineage_payloads import AnswerLineage
from tests.support import Headwater

Make = Callable[..., Headwater]
PUMP = """\
---
title: Pump manual
---
# Pump manual

## Capacity

The pump lifts forty litres of water per minute.

```sh
pump --start
pump --speed 3
```

## Care

Oil the bearing every winter. A dry bearing squeaks, and a squeaking bearing breaks. Use the oil that came with it, a
spoonful each time, and wipe off what runs down. Turn the shaft by hand until it moves without a sound. Write the date
on the card that hangs beside the pump, so that nobody does it twice or forgets it for a second winter in a row.
"""
FILES = {
    "pump/manual.md": PUMP,
    "wheel/manual.md": "# Wheel manual\n\n## Size\n\nThe wheel measures three metres across.\n",
}

pytestmark = pytest.mark.synced(files=FILES)


def test_an_answer_quotes_what_it_cites(kb: Headwater) -> None:
    """Each sentence of the answer stands in the cited version at the cited offsets; markers and citations agree."""
    answer = kb.ask("How many litres of water does the pump lift per minute?")
    assert not answer.refused
    markers = set(re.findall(r"\[\d+\]", answer.answer))
    assert markers == {citation.marker for citation in answer.citations}
    first = answer.citations[0]
    assert first.uri == "pump/manual.md"
    assert first.breadcrumb == ("Pump manual", "Capacity")
    text = kb.query("SELECT text FROM document_versions WHERE id = %s", first.document_version_id)[0]["text"]
    assert "The pump lifts forty litres of water per minute." in text[first.start : first.end]


def test_a_question_beside_the_documents_is_refused(kb: Headwater) -> None:
    """A refusal says why and cites nothing."""
    answer = kb.ask("What is the capital of France?")
    assert (answer.refused, answer.reason, answer.citations) == (True, "nothing_relevant", ())


def test_a_question_before_the_first_sync_is_an_error(headwater: Make) -> None:
    """There are no documents, which is another thing than nothing relevant (ANS-7)."""
    kb = headwater()
    with pytest.raises(NoDocumentsError, match="were not synced yet"):
        kb.ask("How many litres?")
    assert kb.query("SELECT id FROM answers") == []


def test_code_is_shown_but_not_embedded(kb: Headwater) -> None:
    """A passage's text has its code block back (CHK-4)."""
    passage = next(p for p in kb.search("pump capacity") if p.breadcrumb[-1] == "Capacity")
    assert "pump --speed 3" in passage.text
    stored = kb.query("SELECT prose FROM chunks WHERE id = %s", passage.chunk_id)[0]["prose"]
    assert "pump --speed" not in stored


def test_filters_are_exact(headwater: Make) -> None:
    """A source or category filter leaves nothing else, whatever the ranking (RET-2)."""
    kb = headwater("docs", "notes", files={**FILES, "notes/n.md": "# Notes\n\nThe pump and the wheel."})
    kb.sync()
    assert {p.source for p in kb.search("pump wheel", sources=("notes",))} == {"notes"}
    assert {p.uri for p in kb.search("pump", categories=("wheel",))} == {"wheel/manual.md"}
    assert kb.search("pump", categories=("whee",)) == []
    with pytest.raises(InvalidInputError, match="nowhere"):
        kb.search("pump", sources=("nowhere",))


def test_a_category_holds_what_is_beneath_it(headwater: Make) -> None:
    """`a` matches `a/b`."""
    kb = headwater(files={"a/b/x.md": "# X\n\nWords.", "ab/y.md": "# Y\n\nWords."})
    kb.sync()
    assert {p.uri for p in kb.search("words", categories=("a",))} == {"a/b/x.md"}


@pytest.mark.dagster
def test_trace_leads_to_the_run_that_fetched_the_version(headwater: Make) -> None:
    """Every link of the chain is there, and the run exists in Dagster (LIN-1)."""
    kb = headwater(files=FILES)
    run, _ = kb.sync_run()
    answer = kb.ask("How many metres does the wheel measure across?")
    lineage = AnswerLineage.of(kb.store.answers.get(answer.id), "http://127.0.0.1:3000")
    assert lineage.citations
    for citation in lineage.citations:
        assert citation.run_id == run.run_id
        assert citation.run_url == f"http://127.0.0.1:3000/runs/{run.run_id}"
        assert (citation.source, citation.embedding_model, citation.available) == ("docs", "builtin/hash", True)
    assert kb.instance.get_run_by_id(run.run_id) is not None
    chunk = kb.store.versions.chunk_lineage(lineage.citations[0].chunk_id)
    assert [is_current(version.visible) for version in chunk.versions] == [True]


def test_deleting_a_source_marks_only_the_answers_that_cited_it_stale(headwater: Make) -> None:
    """Its text is gone everywhere; the trace still says where it had come from (SRC-12)."""
    kb = headwater("docs", "notes", files={**FILES, "notes/n.md": "# Notes\n\nSpare keys hang in the north shed."})
    kb.sync()
    kept = kb.ask("How many metres does the wheel measure across?")
    gone = kb.ask("Where do the spare keys hang?")
    assert gone.citations[0].source == "notes"
    kb.delete("notes")
    stale = {row["id"] for row in kb.query("SELECT id FROM answers WHERE stale_at IS NOT NULL")}
    assert stale == {gone.id}
    assert kept.id not in stale
    assert all(passage.source == "docs" for passage in kb.search("spare keys hang in the north shed"))
    lineage = AnswerLineage.of(kb.store.answers.get(gone.id), "")
    assert [(c.source, c.available) for c in lineage.citations] == [("notes", False)]
    assert kb.query("SELECT count(*) AS n FROM chunks WHERE text LIKE %s", "%north shed%")[0]["n"] == 0


def test_deleting_a_knowledge_base_removes_all_of_it_and_nothing_else(headwater: Make) -> None:
    """A vector that another knowledge base holds too stays; what only this one held goes (KB-1)."""
    kb = headwater(files=FILES)
    other = headwater(slug="other", files={"same.md": FILES["wheel/manual.md"]})
    kb.sync()
    other.sync()
    found = other.search("wheel metres across")
    kb.delete()
    assert other.search("wheel metres across") == found
    for table in ("documents", "document_versions", "chunks", "search_entries_chunk", "search_weights"):
        assert other.query(f"SELECT count(*) AS n FROM {table}")[0]["n"] == 1, table
    assert other.query("SELECT count(*) AS n FROM embeddings")[0]["n"] == 2, "the chunk's, and its heading's"
    with pytest.raises(NotFoundError):
        kb.store.knowledge_bases.get("kb")


@pytest.mark.dagster
def test_renaming_a_knowledge_base_keeps_everything(kb: Headwater) -> None:
    """Under its new slug it answers as before, and a sync writes no content (KB-1)."""
    kb.store.knowledge_bases.update("kb", new_slug="machines", name="Machines")
    renamed = replace(kb, slug="machines")
    assert not renamed.ask("How many litres of water does the pump lift per minute?").refused
    done = renamed.sync()["docs"]
    assert (done.rows_written, done.embedded) == (0, 0)
    assert renamed.coloured("embeddings")["materialized"] == {"machines/docs"}


@pytest.mark.parametrize("question", ["", "   ", "x" * 5000])
def test_a_question_that_cannot_be_asked_is_refused_as_input(headwater: Make, question: str) -> None:
    """Empty and overlong questions are the asker's error (ANS-1)."""
    with pytest.raises(InvalidInputError):
        headwater().ask(question)


@pytest.mark.parametrize("question", ["a'; DROP TABLE answers; --", "\x00\ud800", "(((|&!:*", "的 ? é", "%s %(x)s {0}"])
def test_odd_questions_are_questions(kb: Headwater, question: str) -> None:
    """Whatever is asked reaches SQL as a value, and is answered or refused (SEC-1)."""
    answer = kb.ask(question)
    assert kb.store.answers.get(answer.id).id == answer.id
