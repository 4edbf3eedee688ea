"""Offering and comparing questions when there are many: it costs what is offered, not what there is (QST-1)."""

from collections.abc import Callable
from typing import Any, LiteralString

import numpy as np
import psycopg
import pytest
from pgvector import HalfVector

from headwater.domain.questions import SuggestedQuestion
from headwater.models_gateway.embedder import Vectors
from headwater.store.server.named_queries import load_queries
from tests.support import Headwater

_COUNT = 20_000
_MOST_PAGES = 3_000  # reading all of the 20,000 takes 30 times as many
_MOST_ROWS = 20_000  # all of the 20,000 with their documents are five times as many
pytestmark = pytest.mark.synced(files={"a.md": "# Pump\n\nThe pump lifts forty litres of water.\n"})

_QUESTIONS: LiteralString = """
CREATE TEMP TABLE made AS
SELECT i, gen_random_uuid() AS document_id, gen_random_uuid() AS version_id, gen_random_uuid() AS question_id
  FROM generate_series(1, %(count)s) AS i;
INSERT INTO documents (id, source_id, uri, fingerprint, head_version_id)
SELECT document_id, %(source)s, 'm' || i || '.md', '', version_id FROM made;
INSERT INTO document_versions (id, document_id, sequence, content_hash, parser_version, title, text, media_type,
                               category, language, metadata, outgoing, fetched_at, run_id, code_version)
SELECT version_id, document_id, 1, '', '', '', '', 'text/markdown', '', '', '{}', '{}', now(), 'r', 'c' FROM made;
INSERT INTO published_documents (search_index_id, document_id, version_id, run_id)
SELECT %(index)s, document_id, version_id, 'r' FROM made;
INSERT INTO question_sets (key, questions, model, prompt_version, prompt_tokens, completion_tokens, source_id, run_id,
                           code_version)
VALUES ('', '{}', '', '', 0, 0, %(source)s, 'r', 'c');
INSERT INTO questions (id, source_id, document_id, position, question, set_key)
SELECT question_id, %(source)s, document_id, 0, 'Who lifts ' || i || '?', '' FROM made;
INSERT INTO suggestions (question_id, search_index_id, version_id, state, words, embedding_hash, vector, run_id,
                         code_version, source_id)
SELECT question_id, %(index)s, version_id, 'kept', ' who lifts ' || i, '', %(vector)s::halfvec, 'r', 'c', %(source)s
  FROM made;
ANALYZE;
"""
_OF_THE_PUMP: LiteralString = """
UPDATE questions SET document_id = (SELECT id FROM documents WHERE uri = 'a.md') WHERE question = 'Who lifts 7?';
UPDATE suggestions SET words = ' how ' || repeat('キロメートル', 200)
 WHERE question_id = (SELECT id FROM questions WHERE question = 'Who lifts 8?')
"""
_ROWS_READ: LiteralString = """
SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS count FROM pg_stat_xact_user_tables
"""


def test_few_of_many_questions_are_read(kb: Headwater) -> None:
    """For the page of the chat, and to find those that ask for the same; while a reader types, and below an answer."""
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    answer = kb.ask("How much water does the pump lift?")
    vector = HalfVector(np.ones(index.dimensions, dtype=np.float32))
    with psycopg.connect(kb.store.database.url, autocommit=True) as connection:
        cursor = psycopg.ClientCursor(connection)
        own = {"knowledge_base_id": index.knowledge_base_id, "search_index_id": index.id, "vector": vector.to_text()}
        cursor.execute(_QUESTIONS, {"count": _COUNT, "source": kb.source().id, "index": index.id, **own})
        cursor.execute(_OF_THE_PUMP)
        ((document, question),) = cursor.execute("SELECT document_id, question_id FROM made WHERE i = 7").fetchall()

        def pages(query: str, **values: Any) -> int:
            text = load_queries()[query]
            ((plan,),) = cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + text, values)
            found: dict[str, Any] = plan[0]["Plan"]
            return int(found["Shared Hit Blocks"]) + int(found["Shared Read Blocks"])

        for source in (None, "docs"):
            assert pages("varied_suggestions", **own, source=source, limit=10) < _MOST_PAGES
        assert pages("nearest_kept", **own, id=question, document_ids=[document], limit=5) < _MOST_PAGES
    assert len(kb.store.suggestions.select_varied(kb.knowledge_base, source=None, limit=10)) == 10

    suggestions = kb.store.suggestions

    def found(call: Callable[[], list[SuggestedQuestion]]) -> list[str]:
        """The questions that a call finds; it reads few rows of all tables together."""
        with kb.store.database.together(), kb.store.database.transaction() as session:
            session.connection.execute("SET LOCAL max_parallel_workers_per_gather = 0")  # theirs are not counted
            before = session.connection.execute(_ROWS_READ).fetchall()[0]["count"]
            questions = [one.question for one in call()]
            after = session.connection.execute(_ROWS_READ).fetchall()[0]["count"]
        assert after - before < _MOST_ROWS
        return questions

    def like(*words: str, vector: Vectors | None = None, source: str | None = None) -> list[str]:
        return found(
            lambda: suggestions.like(kb.knowledge_base, words, vector, similarity=0.4, source=source, limit=10)
        )

    def related(vector: Vectors | None, cited_similarity: float) -> list[str]:
        return found(
            lambda: suggestions.related(answer.id, vector, similarity=0.5, cited_similarity=cited_similarity, limit=9)
        )

    ones = np.ones(index.dimensions, dtype=np.float32)
    assert like("pump") == []
    assert like("キロメ") == like("how", "キロメートル" * 100) == ["Who lifts 8?"]
    assert like("キロメートル" * 1_000) == []
    assert like("pump", vector=ones) == ["Who lifts 7?"]  # the one of the document that is near
    for source in (None, "docs"):
        assert like("19999", source=source) == like("lifts", "19999", source=source) == ["Who lifts 19999?"]
        assert len(like("who", vector=ones, source=source)) == 10
    assert like("it's", "a\\", "' 1'") == []
    assert related(ones, 0.2) == related(None, -1) == ["Who lifts 7?"]
