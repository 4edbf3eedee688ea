"""Offering and comparing questions when there are many: it costs what is offered, not what there is (QST-1)."""

from typing import Any, LiteralString

import numpy as np
import psycopg
import pytest
from pgvector import HalfVector

from headwater.store.server.named_queries import named_queries
from tests.support import Headwater

_COUNT = 20_000
_MOST_PAGES = 3_000  # reading all of the 20,000 takes 30 times as many
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
                         code_version)
SELECT question_id, %(index)s, version_id, 'kept', ' who', '', %(vector)s::halfvec, 'r', 'c' FROM made;
ANALYZE;
"""


def test_few_of_many_questions_are_read(kb: Headwater) -> None:
    """For the page of the chat, and to find those that ask for the same."""
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    vector = HalfVector(np.ones(index.dimensions, dtype=np.float32))
    with psycopg.connect(kb.store.database.url, autocommit=True) as connection:
        cursor = psycopg.ClientCursor(connection)
        own = {"knowledge_base_id": index.knowledge_base_id, "search_index_id": index.id, "vector": vector.to_text()}
        cursor.execute(_QUESTIONS, {"count": _COUNT, "source": kb.source().id, "index": index.id, **own})
        ((document, question),) = cursor.execute("SELECT document_id, question_id FROM made WHERE i = 7").fetchall()

        def pages(query: str, **values: Any) -> int:
            text = named_queries()[query]
            ((plan,),) = cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + text, values)
            found: dict[str, Any] = plan[0]["Plan"]
            return int(found["Shared Hit Blocks"]) + int(found["Shared Read Blocks"])

        for source in (None, "docs"):
            assert pages("varied_suggestions", **own, source=source, limit=10) < _MOST_PAGES
        assert pages("nearest_kept", **own, id=question, document_ids=[document], limit=5) < _MOST_PAGES
    assert len(kb.store.suggestions.varied(kb.knowledge_base, source=None, limit=10)) == 10
