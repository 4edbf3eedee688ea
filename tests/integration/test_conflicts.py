"""What people read when somebody else was faster (REL-1): our words, not those of Postgres."""

import pytest
from psycopg import sql

from headwater.administration.knowledge_bases import create_knowledge_base
from headwater.errors import ConflictError
from headwater.store.server.conflicts import sentence
from headwater.store.store import Store

_INSIDE = {"chunk_summaries_summary_key_fkey", "summary_tree_summary_key_fkey", "questions_set_key_fkey"}
"""Foreign keys to rows that people have no word for."""


def _run(store: Store, statement: str) -> list[str]:
    with store.database.transaction() as session:
        cursor = session.connection.execute(sql.SQL(statement))
        return [str(row["name"]) for row in cursor.fetchall()]


def test_a_conflict_says_in_plain_words_what_is_gone_or_taken(store: Store) -> None:
    """No table, column, key or value of Postgres is in the message."""
    kept, gone = (create_knowledge_base(store, slug, name=slug, description="") for slug in ("kept", "gone"))
    talks = [store.conversations.add(kept) for _ in range(2)]
    _run(store, "DELETE FROM knowledge_bases WHERE slug = 'gone' RETURNING slug AS name")
    with pytest.raises(ConflictError) as caught:
        store.conversations.add(gone)
    assert str(caught.value) == (
        "The knowledge base was deleted meanwhile, so nothing was changed. Check that it still exists."
    )
    store.conversations.share(talks[0].id, "a-token")
    with pytest.raises(ConflictError) as caught:
        store.conversations.share(talks[1].id, "a-token")
    assert "a-token" not in str(caught.value)
    assert "conversations" not in str(caught.value)
    with pytest.raises(ConflictError, match=r"^Another knowledge base took this slug"):
        _run(
            store,
            "INSERT INTO knowledge_bases (slug, name, description, settings)"
            " SELECT slug, name, description, settings FROM knowledge_bases RETURNING slug AS name",
        )


def test_every_thing_with_a_name_has_its_words(store: Store) -> None:
    """A new foreign key, or a new name that is unique, needs a sentence."""
    keys = set(
        _run(
            store,
            "SELECT conname AS name FROM pg_constraint"
            " WHERE contype = 'f' AND connamespace::regnamespace::text = 'public'",
        )
    )
    slugs = set(
        _run(
            store,
            "SELECT indexrelid::regclass::text AS name FROM pg_index"
            " WHERE indisunique AND pg_get_indexdef(indexrelid) ~ 'slug'",
        )
    )
    assert len(keys) > 50
    assert {name for name in keys | slugs if sentence(name) == sentence("")} == _INSIDE
