"""Mutations of search indexes: the gate, switching, publishing, withdrawing.

Belongs here: what decides which documents readers see. Not here: what is found in them (`searching`).
"""

from tests.mutations.mutation import Mutation

_GATE = "headwater/indexing/gate.py"
_SWITCHING = "headwater/indexing/switch.py"
_BY_HAND = "headwater/administration/indexes.py"
_STATES = "headwater/store/search/search_indexes.py"
_PUBLISHING = "headwater/store/search/publications.py"
_SQL = "headwater/store/search/publications.sql"
_BOUNDS = ("tests/integration/test_gate_bounds.py",)
_LOCKS = ("tests/integration/test_index_bounds.py",)
_INDEXES = ("tests/integration/test_search_indexes.py",)


def _unasked(criterion: str) -> Mutation:
    """A criterion that is measured, and not asked for."""
    return Mutation(
        file=_GATE,
        old=f'yield _none_of("{criterion}"',
        new=f'_none_of("{criterion}"',
        tests=_BOUNDS,
        why=f"the gate does not ask for {criterion}",
    )


INDEXING = (
    Mutation(
        file="headwater/store/search/index_health.sql",
        old="greatest(n.served, i.measured_documents)",
        new="n.served",
        tests=_LOCKS,
        why="what went from an index is no change of it",
    ),
    Mutation(
        file="headwater/store/search/term_weights.py",
        old="if terms[term_number] < 0",
        new="if terms[term_number] > 0",
        tests=("tests/integration/test_term_weights.py::test_terms_go_with_their_last_entry",),
        why="terms that no entry holds are kept for ever",
    ),
    # The gate.
    _unasked("orphans"),
    _unasked("chunks_without_vectors"),
    _unasked("vectors_without_chunks"),
    Mutation(
        file=_GATE,
        old="yield _none_of(kind.plural",
        new="_none_of(kind.plural",
        tests=_BOUNDS,
        why="the gate does not ask for headings",
    ),
    _unasked("dimension"),
    Mutation(
        file=_GATE,
        old="passed=size.entries == size.chunks",
        new="passed=size.entries <= size.chunks",
        tests=_BOUNDS,
        why="the gate lets an index pass that has too few entries",
    ),
    Mutation(
        file=_GATE,
        old="passed=recall >= MIN_RECALL",
        new="passed=recall > MIN_RECALL",
        tests=_BOUNDS,
        why="the gate refuses a recall of exactly the limit",
    ),
    Mutation(
        file=_GATE,
        old="criteria.append(_recall(index))",
        new="_recall(index)",
        tests=_BOUNDS,
        why="the gate does not ask for recall",
    ),
    Mutation(
        file="headwater/indexing/preparation.py",
        old="MIN_RECALL = 0.90",
        new="MIN_RECALL = 0.80",
        tests=_BOUNDS,
        why="the gate is content with less recall",
    ),
    Mutation(
        file=_GATE,
        old="passed=candidate >= limit",
        new="passed=candidate > limit",
        tests=_BOUNDS,
        why="the gate refuses a golden set at its exact bound",
    ),
    Mutation(
        file=_GATE,
        old="QUALITY_LOSS = 0.05",
        new="QUALITY_LOSS = 0.10",
        tests=_BOUNDS,
        why="quality may fall by twice as much",
    ),
    Mutation(
        file=_GATE,
        old="criteria += _quality(",
        new="_quality(",
        tests=_INDEXES,
        why="the gate does not ask for the golden set",
    ),
    Mutation(
        file=_GATE, old="passed=not lacking", new="passed=True", tests=_INDEXES, why="an incomplete index answers"
    ),
    # Switching and going back.
    Mutation(
        file=_BY_HAND,
        old="index = max(retained",
        new="index = min(retained",
        tests=("tests/integration/test_index_bounds.py",),
        why="a rollback goes to the oldest index",
    ),
    Mutation(
        file=_BY_HAND,
        old='if index.state == "retained"]',
        new="]",
        tests=("tests/integration/test_index_bounds.py",),
        why="a rollback goes to an index that never answered",
    ),
    Mutation(
        file=_SWITCHING,
        old="**to_knowledge_base_settings(index.chunk_settings),",
        new="",
        tests=_INDEXES,
        why="a rollback leaves the chunk sizes of the other index",
    ),
    Mutation(
        file=_STATES,
        old="if lacking := _count_lacking(session, index):",
        new="if (lacking := _count_lacking(session, index)) and False:",
        tests=_INDEXES,
        why="a rollback serves less than before",
    ),
    Mutation(
        file=_STATES,
        old="if (current.id, current.settings) != (knowledge_base.id, knowledge_base.settings):",
        new="if current.id != knowledge_base.id:",
        tests=_INDEXES,
        why="a switch overrules a change of settings",
    ),
    Mutation(
        file=_STATES,
        old='session.run("own_index_lock", id=row["id"])',
        new="pass",
        tests=_LOCKS,
        why="a switch does not wait for whoever publishes",
    ),
    Mutation(
        file=_STATES,
        old='session.run("own_index_lock", id=search_index_id)',
        new="pass",
        tests=_LOCKS,
        why="dropping an index does not wait for whoever publishes into it",
    ),
    Mutation(
        file="headwater/store/search/search_indexes.sql",
        old="b.version_id IS NOT DISTINCT FROM d.head_version_id",
        new="true",
        tests=("tests/integration/test_search_indexes.py::test_rollback_never_serves_less",),
        why="an index that lacks documents passes for a complete one",
    ),
    Mutation(
        file="headwater/store/search/search_indexes.sql",
        old="make_interval(days => %(days)s, mins => 1)",
        new="make_interval(mins => 1)",
        tests=_INDEXES,
        why="retained indexes go at once",
    ),
    # Publishing.
    Mutation(
        file=_PUBLISHING,
        old="require_token(session, work)",
        new="pass",
        tests=("tests/integration/test_fencing_tokens.py",),
        why="an overtaken worker publishes",
    ),
    Mutation(
        file=_PUBLISHING,
        old='session.run("share_index_lock", id=index.id)',
        new="pass",
        tests=_LOCKS,
        why="publishing goes on while the index moves",
    ),
    Mutation(
        file=_PUBLISHING,
        old='count += served + session.run("withdraw_documents", **values)',
        new="count += served",
        tests=(
            "tests/integration/test_sync.py::test_a_file_that_comes_back_is_found_again",
            "tests/integration/test_sync.py::test_identical_files_deleted_one_by_one_leave_no_ghost",
        ),
        why="vanished documents stay published",
    ),
    Mutation(
        file=_PUBLISHING,
        old='if row["state"] == "active":',
        new="if True:",
        tests=("tests/integration/test_index_bounds.py",),
        why="what an index publishes that does not answer counts as seen by readers",
    ),
    Mutation(
        file="headwater/store/search/entries.py",
        old="for kind in ENTRY_KINDS if not kind.is_of_trees]",
        new="for kind in ENTRY_KINDS[:1]]",
        tests=("tests/integration/test_heading_leg.py",),
        why="entries of one kind alone are published",
    ),
    Mutation(
        file="headwater/store/search/index_partitions.py",
        old="kinds=[kind.name for kind in _PARTITIONED]",
        new="kinds=[kind.name for kind in ENTRY_KINDS]",
        tests=("tests/integration/test_heading_leg.py",),
        why="a large index loses the entries that stay in the shared tables",
    ),
    Mutation(
        file="headwater/store/search/entries.sql",
        old="w.embedding_hash = e.embedding_hash AND v.title = e.title",
        new="w.embedding_hash = e.embedding_hash",
        tests=("tests/integration/test_index_bounds.py",),
        why="a changed title is not published",
    ),
    Mutation(
        file=_SQL,
        old="SET version_id = excluded.version_id, run_id = excluded.run_id,",
        new="SET version_id = excluded.version_id,",
        tests=("tests/integration/test_lineage.py",),
        why="a publication names the run of the one before",
    ),
    Mutation(
        file=_SQL,
        old="p.version_id = u.version_id);",
        new="p.document_id = u.document_id);",
        tests=("tests/integration/test_as_of.py",),
        why="a replaced version stays visible in the past",
    ),
    Mutation(
        file=_SQL,
        old="WHEN d.removed_at IS NOT NULL THEN p.version_id IS NOT NULL",
        new="WHEN d.removed_at IS NOT NULL THEN false",
        tests=("tests/integration/test_sync.py::test_identical_files_deleted_one_by_one_leave_no_ghost",),
        why="nobody is told that a document vanished",
    ),
)
