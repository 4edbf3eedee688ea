"""Deleting with receipts: out of sight at once, gone afterwards, whoever is killed in between (KB-1, SRC-12, REL-1)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from headwater.administration.deletion import finish_deletions
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.domain.corpus import Deletion
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.errors import ConflictError, FencedError, NotFoundError
from headwater.indexing import preparation
from headwater.store.catalogue import deletions
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session
from headwater.store.store import Store
from headwater.store.work.answer_reuse import AnswerIdentity
from headwater.syncing.source_folders import source_folder
from pipelines.in_process_run import register_partitions
from query_api.routes.lineage_payloads import AnswerLineage
from tests.chat_server import MODEL, ChatRequest, ChatServer
from tests.support import Headwater

Make = Callable[..., Headwater]
TWIN = "# Twin\n\nThe wheel measures three metres across.\n"
FILES = {
    "docs/a.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n",
    "docs/b.md": TWIN,
    "notes/n.md": "# Notes\n\nSpare keys hang in the north shed.\n",
    "notes/twin.md": TWIN,
}
_VERSIONS = "JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id"
# The rows of some sources by table; `embeddings` are those whose text nobody else holds.
ROWS = {
    "documents": "SELECT count(*) AS n FROM documents d JOIN sources s ON s.id = d.source_id",
    "document_versions": f"SELECT count(*) AS n FROM document_versions v {_VERSIONS}",
    "chunk_sets": f"SELECT count(*) AS n FROM chunk_sets c JOIN document_versions v ON v.id = c.version_id {_VERSIONS}",
    "link_sets": f"SELECT count(*) AS n FROM link_sets c JOIN document_versions v ON v.id = c.version_id {_VERSIONS}",
    "links": f"SELECT count(*) AS n FROM links c JOIN document_versions v ON v.id = c.version_id {_VERSIONS}",
    "version_chunks": "SELECT count(*) AS n FROM version_chunks c"
    f" JOIN document_versions v ON v.id = c.version_id {_VERSIONS}",
    "chunks": f"SELECT count(*) AS n FROM chunks v {_VERSIONS}",
    "published_documents": f"SELECT count(*) AS n FROM published_documents v {_VERSIONS}",
    "publications": f"SELECT count(*) AS n FROM publications v {_VERSIONS}",
    "search_entries": "SELECT count(*) AS n FROM search_entries e JOIN sources s ON s.id = e.source_id",
    "sync_sources": "SELECT count(*) AS n FROM sync_sources t JOIN sources s ON s.id = t.source_id",
    "source_stages": "SELECT count(*) AS n FROM source_stages t JOIN sources s ON s.id = t.source_id",
    "sources": "SELECT count(*) AS n FROM sources s",
}
_ALONE = """
    SELECT count(*) AS n FROM embeddings e WHERE NOT EXISTS (
        SELECT FROM version_chunks c JOIN document_versions v ON v.id = c.version_id
          JOIN documents d ON d.id = v.document_id
         WHERE e.text_hash IN (c.embedding_hash, c.heading_hash) AND d.source_id <> ALL(%s))"""

pytestmark = pytest.mark.synced("docs", "notes", files=FILES)


def _rows(kb: Headwater, *source_ids: int) -> dict[str, int]:
    """How many rows of some sources each table holds, without tables that hold none."""
    ids = list(source_ids)
    found = {table: kb.query(f"{query} WHERE s.id = ANY(%s)", ids)[0]["n"] for table, query in ROWS.items()}
    found["embeddings"] = kb.query(_ALONE, ids)[0]["n"]
    return {table: count for table, count in found.items() if count}


def _left(kb: Headwater) -> set[str]:
    """The tables of content that hold anything."""
    return {table for table, rows in kb.content().items() if rows}


def test_a_receipt_counts_what_went(kb: Headwater) -> None:
    """Each table's number is that of the rows that were there; what another source holds too is not among them."""
    kb.write("docs/a.md", "# Pump\n\nThe pump was sold.\n")
    kb.remove("b.md")
    kb.sync("docs")
    gone, kept = kb.source("docs"), kb.source("notes")
    expected, others = _rows(kb, gone.id), _rows(kb, kept.id)
    assert expected["document_versions"] == 3
    deletion = kb.delete("docs")
    assert dict(deletion.removed) == expected
    assert (deletion.kind, deletion.key, deletion.row_id) == ("source", "kb/docs", gone.id)
    assert deletion.finished_at is not None
    # What both held, a text and its heading, is now held by the other alone.
    assert _rows(kb, kept.id) == {**others, "embeddings": others["embeddings"] + 2}
    assert {row["name"] for row in kb.query("SELECT source_id AS name FROM documents")} == {kept.id}
    assert kb.store.deletions.get(deletion.id) == deletion


def test_a_knowledge_bases_receipt_counts_its_answers_too(headwater: Make) -> None:
    """Nothing of it is left in any table, and the other one has every row that it had."""
    kb = headwater("docs", "notes", files=FILES)
    other = headwater(slug="other", files={"same.md": TWIN})
    kb.sync()
    other.sync()
    kb.ask("Where do the spare keys hang?")
    kept = other.ask("How many metres does the wheel measure across?")
    kb.query("INSERT INTO golden_questions (knowledge_base_id, question, relevant)"
             " VALUES (%s, 'Who?', '[]') RETURNING id", kb.knowledge_base.id)  # fmt: skip
    ids = [source.id for source in kb.store.sources.all("kb")]
    expected = {
        **_rows(kb, *ids), "search_indexes": 1, "answers": 1, "citations": 1, "syncs": 1, "golden_questions": 1,
        "knowledge_bases": 1,
    }  # fmt: skip
    others = _rows(other, other.source().id)
    assert dict(kb.delete().removed) == expected
    assert _rows(other, other.source().id) == {**others, "embeddings": others.get("embeddings", 0) + 2}
    for table in ("knowledge_bases", "sources", "syncs", "answers", "search_indexes"):
        assert other.query(f"SELECT count(*) AS n FROM {table}")[0]["n"] == 1, table
    assert other.store.answers.get(kept.id).stale_at is None


@pytest.mark.dagster
def test_a_source_is_out_of_sight_before_its_rows_are_gone(kb: Headwater) -> None:
    """Killed after the first transaction: nothing finds it any more, and people see why."""
    answer = kb.ask("Where do the spare keys hang?")
    kept = kb.ask("How many litres of water does the pump lift per minute?")
    cited = answer.citations[0]
    gone = kb.source("notes")
    expected = _rows(kb, gone.id)
    hidden = kb.store.deletions.hide_source("kb", "notes")
    assert hidden.finished_at is None
    assert _rows(kb, gone.id)["documents"] == 2
    assert {passage.source for passage in kb.search("spare keys north shed wheel")} == {"docs"}
    assert kb.query("SELECT count(*) AS n FROM publications WHERE version_id = %s", cited.document_version_id) == [
        {"n": 0}  # `as of` a time before finds nothing either
    ]
    stored = kb.store.answers.get(answer.id)
    assert (stored.answer, stored.stale_at is None) == (answer.answer, False)
    assert [each.available for each in AnswerLineage.of(stored, "").citations] == [False]
    assert kb.store.answers.get(kept.id).stale_at is None
    with pytest.raises(NotFoundError):
        kb.store.versions.chunk_lineage(cited.chunk_id)
    assert kb.source("notes").state == "deleting"
    assert [source.slug for source in kb.store.sources.all("kb")] == ["docs"]
    assert [source.slug for source in kb.store.sources.select("kb", [])] == ["docs"]
    with pytest.raises(ConflictError, match="being deleted"):
        kb.store.sources.select("kb", ["notes"])
    with pytest.raises(ConflictError, match="being deleted"):
        kb.store.sources.update(kb.source("notes"), kind="jsonl", config={}, settings=SourceSettings())
    register_partitions(kb.instance, kb.store)
    assert kb.instance.get_dynamic_partitions("sources") == ["kb/docs"]
    assert kb.store.deletions.hide_source("kb", "notes") == hidden

    (finished,) = finish_deletions(kb.settings, kb.store)
    assert dict(finished.removed) == expected
    assert _rows(kb, gone.id).keys() <= {"embeddings"}
    assert finish_deletions(kb.settings, kb.store) == []
    with pytest.raises(NotFoundError):
        kb.source("notes")


def test_a_receipt_counts_each_row_once_whoever_is_killed(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped in the middle of a batch again and again, the deletion is finished and its numbers are right."""
    kb = headwater(files={f"{n}.md": f"# Topic {n}\n\nItem {n} of many." for n in range(7)})
    kb.sync()
    source_id = kb.source().id
    expected = _rows(kb, source_id)
    kb.store.deletions.hide_source("kb", "docs")
    monkeypatch.setattr(deletions, "_DOCUMENTS", 2)
    original, calls = Session.run, 0

    def dying(session: Session, query: str, **values: object) -> int:
        nonlocal calls
        done = original(session, query, **values)
        calls += query in ("delete_documents", "delete_sources")
        if query in ("delete_documents", "delete_sources") and calls % 2 == 0:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(Session, "run", dying)
    stops = 0
    while kb.store.deletions.all()[0].finished_at is None:
        try:
            finish_deletions(kb.settings, kb.store)
        except KeyboardInterrupt:
            stops += 1
    assert stops >= 3
    assert dict(kb.store.deletions.all()[0].removed) == expected


def test_two_processes_finish_side_by_side(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deletions of sources that share texts are finished at once by several: each row is counted by one of them."""
    shared = {f"{n}.md": f"# Topic {n}\n\nItem {n} of many." for n in range(12)}
    names = ("one", "two", "three")
    kb = headwater(*names, files={f"{name}/{file}": text for name in names for file, text in shared.items()})
    kb.sync()
    ids = [source.id for source in kb.store.sources.all("kb")]
    expected = _rows(kb, *ids)
    for name in names:
        kb.store.deletions.hide_source("kb", name)
    monkeypatch.setattr(deletions, "_DOCUMENTS", 1)
    stores = [Store(Database(kb.store.database.url, size=2)) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda store: finish_deletions(kb.settings, store), stores))
    for store in stores:
        store.close()
    total: dict[str, int] = {}
    for deletion in kb.store.deletions.all():
        assert deletion.finished_at is not None
        for table, count in deletion.removed.items():
            total[table] = total.get(table, 0) + count
    assert total == expected
    assert _left(kb) == {"search_indexes", "search_statistics"}


def test_a_worker_in_the_middle_brings_nothing_back(headwater: Make) -> None:
    """Neither a worker that was running, nor one that starts with data read before the deletion."""
    kb = headwater(files=FILES)
    kb.sync()
    source, index = kb.source(), kb.store.search_indexes.active("kb")
    assert index is not None
    documents = [row["id"] for row in kb.query("SELECT id FROM documents")]
    with kb.store.workers.hold_source(source, None, "run-1") as work:
        kb.store.deletions.hide_source("kb", "docs")
        with pytest.raises(FencedError):
            kb.store.search_indexes.publish(work, index, documents, "run-1")
        assert kb.source().state == "deleting"
        assert kb.search("pump lifts water") == []
    with (
        pytest.raises(NotFoundError, match="being deleted"),
        kb.store.workers.hold_source(source, None, "run-2"),
    ):
        pass
    assert len(finish_deletions(kb.settings, kb.store)) == 1
    assert _left(kb) == {"search_indexes", "search_statistics"}
    with pytest.raises(NotFoundError):
        kb.source()


def test_a_source_leaves_every_index(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that answers, the one kept for going back, the one that is being built, and one of a size of its own."""
    for chunk_max in (500, 800):
        settings = kb.knowledge_base.settings.model_copy(update={"chunk_max": chunk_max, "chunk_min": 100})
        kb.store.knowledge_bases.update("kb", settings=settings)
        monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", 2)
        kb.sync(*(["docs"] if chunk_max == 800 else []))
    states = kb.query("SELECT state, shard > 0 AS is_large FROM search_indexes ORDER BY state")
    assert [(row["state"], row["is_large"]) for row in states] == [
        ("active", True), ("building", False), ("retained", False)
    ]  # fmt: skip
    gone = kb.source("docs").id
    assert _rows(kb, gone)["search_entries"] == 12  # of chunks and of headings
    hidden = kb.store.deletions.hide_source("kb", "docs")
    assert hidden.removed["search_entries"] == 12
    left = {row["source_id"] for row in kb.query("SELECT source_id FROM search_entries")}
    assert left == {kb.source("notes").id}
    assert {passage.source for passage in kb.search("pump wheel keys")} == {"notes"}


@pytest.mark.dagster
def test_a_slug_is_free_at_once(kb: Headwater) -> None:
    """Registered again while the old rows still exist, a source is synced from scratch, and has its own status."""
    old = kb.source("notes")
    told = len(kb.materializations("embeddings"))
    kb.store.deletions.hide_source("kb", "notes")
    new = kb.store.sources.create("kb", slug="notes", kind=old.kind, config=old.config)
    assert (new.state, new.document_count) == ("pending", 0)
    shown = [(source.id, source.state) for source in kb.store.sources.all("kb", with_deleting=True)]
    assert shown == [(kb.source("docs").id, "ready"), (new.id, "pending"), (old.id, "deleting")]
    (kb.folder / "notes").rename(kb.folder / "elsewhere")
    assert kb.sync("notes")["notes"].state == "failed"
    for stage in ("documents", "chunks", "links", "embeddings", "summary_tree"):
        assert kb.coloured(stage)["failed"] == {"kb/notes"}
    (kb.folder / "elsewhere").rename(kb.folder / "notes")
    done = kb.sync("notes")["notes"]
    assert (done.state, done.added) == ("ready", 2)
    assert len(kb.materializations("embeddings")) == told + 1
    assert kb.coloured("embeddings") == {"materialized": {"kb/docs", "kb/notes"}, "failed": set()}
    found = kb.search("spare keys north shed")
    assert found[0].source == "notes"
    expected = _rows(kb, new.id)
    finish_deletions(kb.settings, kb.store)
    assert kb.search("spare keys north shed") == found
    assert {table: _rows(kb, new.id)[table] for table in expected if table != "embeddings"} == {
        table: count for table, count in expected.items() if table != "embeddings"
    }
    assert kb.sync("notes")["notes"].rows_written == 0


@pytest.mark.dagster
def test_a_knowledge_bases_slug_is_free_at_once(headwater: Make) -> None:
    """A new one, made while the old rows still exist, has nothing of the old one, and loses nothing with them."""
    kb = headwater(files=FILES)
    kb.sync()
    answer = kb.ask("How many litres of water does the pump lift per minute?")
    config = kb.source().config
    old = kb.store.deletions.hide_knowledge_base("kb")
    with pytest.raises(NotFoundError):
        kb.store.answers.get(answer.id)
    with pytest.raises(NotFoundError):
        kb.store.sources.all("kb")
    assert kb.store.sources.all(with_deleting=True) == []
    register_partitions(kb.instance, kb.store)
    assert kb.instance.get_dynamic_partitions("sources") == []
    assert kb.instance.get_dynamic_partitions("knowledge_bases") == []
    made = kb.store.knowledge_bases.create(
        slug="kb", name="Anew", description="", settings=KnowledgeBaseSettings(embedding_model="builtin/hash")
    )
    assert made.id != old.row_id
    assert kb.search("pump") == []
    kb.store.sources.create("kb", slug="docs", kind="markdown_tree", config=config)
    assert kb.sync()["docs"].added == len(FILES)
    found = kb.search("pump lifts water")
    finish_deletions(kb.settings, kb.store)
    assert kb.search("pump lifts water") == found
    assert kb.query("SELECT id FROM knowledge_bases") == [{"id": made.id}]
    assert kb.coloured("search_index") == {"materialized": {"kb"}, "failed": set()}


def test_an_answer_made_meanwhile_is_not_kept(headwater: Make) -> None:
    """It would cite what is gone, without being stale."""
    kb = headwater(files=FILES)
    kb.sync()
    answer = kb.ask("How many litres of water does the pump lift per minute?")
    kb.query("DELETE FROM answers RETURNING id")
    kb.store.deletions.hide_source("kb", "docs")
    with pytest.raises(ConflictError, match="deleted"):
        kb.store.answers.put(kb.knowledge_base, answer, "builtin/hash", AnswerIdentity())
    assert kb.query("SELECT id FROM answers") == []


def test_deleting_does_not_make_answers_wait(kb: Headwater) -> None:
    """While a source is being taken out of sight, answers from the others are kept."""
    with psycopg.connect(kb.store.database.url) as deleter:
        deleter.execute("SELECT FROM knowledge_bases WHERE slug = 'kb' FOR NO KEY UPDATE")
        deleter.execute("SELECT FROM sources WHERE slug = 'notes' FOR UPDATE")
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(kb.ask, "How many litres of water does the pump lift per minute?")
            assert not asked.result(timeout=60).refused


def test_a_vector_is_kept_for_who_is_about_to_use_its_text(headwater: Make) -> None:
    """While another writes chunks of the same text, deleting its last holder waits, and then leaves the vector."""
    kb = headwater("docs", "notes", files={"docs/a.md": "# A\n\nWords.", "notes/a.md": "# B\n\nOther."})
    kb.sync()
    of_source = (
        " FROM version_chunks vc JOIN document_versions v ON v.id = vc.version_id"
        " JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id WHERE s.slug = %s"
    )
    (held,) = kb.query(f"SELECT vc.embedding_hash AS hash{of_source}", "docs")
    kb.store.deletions.hide_source("kb", "docs")
    with psycopg.connect(kb.store.database.url) as writer, ThreadPoolExecutor(1) as pool:
        writer.execute(
            f"UPDATE version_chunks SET embedding_hash = %s WHERE version_id IN (SELECT vc.version_id{of_source})",
            (held["hash"], "notes"),
        )
        finishing = pool.submit(finish_deletions, kb.settings, kb.store)
        with pytest.raises(TimeoutError):
            finishing.result(timeout=1)
        writer.commit()
        finishing.result(timeout=60)
    assert kb.query("SELECT FROM embeddings WHERE text_hash = %s", held["hash"]) != []
    assert kb.store.deletions.all()[0].finished_at is not None


def test_a_vector_is_kept_for_who_is_about_to_use_its_summary(headwater: Make, chat: ChatServer) -> None:
    """While another writes the same summary, deleting its last holder waits, and then leaves the vector."""
    chat.otherwise = "The pump lifts water."
    kb = headwater("docs", files={"a.md": "# A\n\nThe pump lifts forty litres of water."}, summary_model=MODEL)
    kb.sync()
    (held,) = kb.query(
        "SELECT s.* FROM summaries s JOIN summary_tree n ON n.summary_key = s.key WHERE n.kind = 'document'"
    )
    kb.store.deletions.hide_source("kb", "docs")
    with psycopg.connect(kb.store.database.url) as writer, ThreadPoolExecutor(1) as pool:
        writer.execute(
            "INSERT INTO summaries (key, text, model, prompt_version, prompt_tokens, completion_tokens, source_id,"
            " run_id, code_version, embedding_hash) VALUES ('other', %s, 'm', '1', 0, 0, 0, 'run', '1', %s)",
            (held["text"], held["embedding_hash"]),
        )
        finishing = pool.submit(finish_deletions, kb.settings, kb.store)
        with pytest.raises(TimeoutError):
            finishing.result(timeout=1)
        writer.commit()
        finishing.result(timeout=60)
    assert kb.query("SELECT FROM embeddings WHERE text_hash = %s", held["embedding_hash"]) != []
    assert kb.store.deletions.all()[0].finished_at is not None


def test_a_summary_above_sources_is_kept_for_who_is_about_to_use_it(kb: Headwater) -> None:
    """While another knowledge base puts it into its tree, deleting the one that made it waits, and then leaves it."""
    gone = kb.store.knowledge_bases.create(
        slug="gone", name="Gone", description="", settings=kb.knowledge_base.settings
    )
    with psycopg.connect(kb.store.database.url) as writer, ThreadPoolExecutor(1) as pool:
        writer.execute(
            "INSERT INTO summaries (key, text, model, prompt_version, prompt_tokens, completion_tokens,"
            " knowledge_base_id, run_id, code_version, embedding_hash)"
            " SELECT t.key, 'It says.', 'm', '1', 0, 0, %s, 'run', '1', 'h' FROM unnest(%s::bytea[]) AS t (key)",
            (gone.id, [b"used", b"unused"]),
        )
        writer.commit()
        kb.store.deletions.hide_knowledge_base("gone")
        writer.execute("SELECT FROM summaries WHERE key = 'used' FOR KEY SHARE")
        writer.execute(
            "INSERT INTO summary_tree (id, knowledge_base_id, kind, identity, summary_key, position)"
            " VALUES (gen_random_uuid(), %s, 'knowledge_base', 'i', 'used', 0)",
            (kb.knowledge_base.id,),
        )
        finishing = pool.submit(finish_deletions, kb.settings, kb.store)
        with pytest.raises(TimeoutError):
            finishing.result(timeout=1)
        writer.commit()
        (receipt,) = finishing.result(timeout=60)
    assert receipt.removed["summaries"] == 1
    left = kb.query("SELECT key FROM summaries WHERE knowledge_base_id = %s", gone.id)
    assert [row["key"] for row in left] == [b"used"]


def test_a_shared_summary_that_goes_during_a_sync_is_made_again(kb: Headwater, chat: ChatServer) -> None:
    """Another source is deleted, with the summary of its twin, after a sync has found that one (REL-1)."""
    settings = kb.knowledge_base.settings.model_copy(update={"summary_model": MODEL})
    kb.store.knowledge_bases.update("kb", settings=settings)
    chat.otherwise = "It is about a machine."
    assert kb.sync("docs")["docs"].state == "ready"
    deleted: list[Deletion] = []

    def reply(_request: ChatRequest) -> str:
        if not deleted:
            deleted.append(kb.delete("docs"))
        return "It is about spare parts."

    chat.otherwise = reply
    assert kb.sync("notes")["notes"].state == "ready"
    assert deleted[0].removed["summaries"] > 0
    assert {len([one for one in chat.prompts if word in one]) for word in ("wheel measures", "Spare keys")} == {2, 1}
    said = kb.query(
        "SELECT s.text FROM summary_tree n JOIN summaries s ON s.key = n.summary_key WHERE n.kind = 'document'"
    )
    assert [row["text"] for row in said] == ["It is about spare parts."] * 2


def test_stored_files_go_with_their_source(headwater: Make) -> None:
    """Their number is in the receipt; those of others stay, and what a worker made after all goes later."""
    kb = headwater("docs", "notes", files=FILES)
    folders = {name: source_folder(kb.settings, kb.source(name).id) for name in ("docs", "notes")}
    for folder in folders.values():
        (folder / "clone").mkdir(parents=True)
        (folder / "clone" / "HEAD").touch()
        (folder / "state").touch()
    deletion = kb.delete("docs")
    assert deletion.files_removed == 2
    assert [folder.exists() for folder in folders.values()] == [False, True]
    folders["docs"].mkdir()
    finish_deletions(kb.settings, kb.store)
    assert [folder.exists() for folder in folders.values()] == [False, True]
    assert kb.delete().files_removed == 2
    assert not folders["notes"].exists()


def test_pruning_deletes_what_the_file_does_not_name(kb: Headwater) -> None:
    """Unless asked to, applying only says so."""
    docs = SourceSpec(slug="docs", kind="markdown_tree", config=kb.source("docs").config)
    spec = KnowledgeBaseSpec(slug="kb", name="kb", description="", settings=kb.knowledge_base.settings, sources=(docs,))
    assert apply(kb.store, spec).unlisted == ["notes"]
    assert apply(kb.store, spec, prune=True).deleted == ["notes"]
    assert {passage.source for passage in kb.search("keys wheel pump")} == {"docs"}
    (receipt,) = finish_deletions(kb.settings, kb.store)
    assert (receipt.key, receipt.removed["documents"]) == ("kb/notes", 2)
    assert apply(kb.store, spec, prune=True).deleted == []


def test_what_is_not_there_cannot_be_deleted(headwater: Make) -> None:
    """Nor twice."""
    kb = headwater()
    kb.delete("docs")
    with pytest.raises(NotFoundError, match="no source docs"):
        kb.delete("docs")
    kb.delete()
    for slugs in ((), ("docs",)):
        with pytest.raises(NotFoundError, match="no knowledge base kb"):
            kb.delete(*slugs)
    with pytest.raises(NotFoundError):
        kb.store.deletions.get(10_000)
