"""Mutations of syncing: who works, who may write, what waits, what is kept, what is deleted.

Belongs here: fencing, states, batches, idempotence, lineage, retention, receipts. Not here: publishing (`indexing`).
"""

from tests.mutations.mutation import Mutation

_SQL = "headwater/store/work/syncs.sql"
_WORKERS = "headwater/store/work/workers.py"
_STORE = "headwater/store/content/documents.py"
_DOCUMENTS = "headwater/syncing/documents.py"
_VANISHED = "headwater/syncing/vanished_documents.py"
_VERSIONS = "headwater/syncing/new_versions.py"
_KNOWN = "headwater/syncing/trusted_documents.py"
_DELETIONS = "headwater/store/catalogue/deletions.py"
_DELETING = "headwater/store/catalogue/deletions.sql"
_KEEPING_HOUSE = "headwater/administration/housekeeping.py"
_OLD = "headwater/store/work/retention.sql"
_FENCING = ("tests/integration/test_fencing_tokens.py",)
_LINEAGE = ("tests/integration/test_lineage.py",)
_STATES = ("tests/integration/test_sync_states.py",)
_SYNC = ("tests/integration/test_sync.py",)
_FLOW = "headwater/syncing/flow.py"
_STAGE_FAILURES = "headwater/syncing/stage_failures.py"
_STAGES = ("tests/integration/test_stages.py",)
_HOUSE = ("tests/integration/test_housekeeping.py",)
_RECEIPTS = ("tests/integration/test_deletions.py",)

SYNCING = (
    # Who works and who may write.
    Mutation(
        file="headwater/store/server/database.py",
        old='is_held=bool(row["is_held"])',
        new="is_held=True",
        tests=("tests/integration/test_sync.py::test_one_live_worker_per_source",),
        why="two workers sync one source",
    ),
    Mutation(
        file="headwater/store/work/fencing_tokens.sql",
        old="AND fencing_token = %(token)s FOR SHARE",
        new="FOR SHARE",
        tests=_FENCING,
        why="an overtaken worker writes",
    ),
    Mutation(
        file="headwater/store/work/workers.sql",
        old="AND fencing_token = %(token)s;",
        new=";",
        tests=_FENCING,
        why="an overtaken worker closes its source",
    ),
    Mutation(
        file=_STORE,
        old="require_token(session, work)",
        new="pass",
        tests=_FENCING,
        why="an overtaken worker writes documents",
    ),
    Mutation(
        file="headwater/store/catalogue/deletions.sql",
        old="fencing_token = -fencing_token - 1",
        new="fencing_token = fencing_token",
        tests=_FENCING,
        why="a worker goes on writing for a deleted source",
    ),
    # States of syncs.
    Mutation(
        file="headwater/store/work/workers.sql",
        old="bool_and(cancelled_at IS NOT NULL)",
        new="bool_or(cancelled_at IS NOT NULL)",
        tests=_STATES,
        why="of two askers one cancels for both",
    ),
    Mutation(
        file="headwater/store/work/workers.sql",
        old="WHEN cancelled_at IS NOT NULL AND %(state)s <> 'ready' THEN",
        new="WHEN cancelled_at IS NOT NULL THEN",
        tests=_STATES,
        why="work that was done in spite of a cancellation counts as cancelled",
    ),
    Mutation(
        file=_WORKERS,
        old="if work.is_whole or error is not None:",
        new="if work.is_whole:",
        tests=_STATES,
        why="a failing run of chunks alone leaves its source ready",
    ),
    Mutation(
        file="headwater/syncing/source_sync.py",
        old="is_whole=len(self.stages) == len(STAGES)",
        new="is_whole=True",
        tests=("tests/integration/test_failures.py::test_a_part_of_the_chain_does_not_clear_a_failure",),
        why="a run of chunks alone clears a failure",
    ),
    Mutation(
        file="headwater/store/work/workers.sql",
        old="CASE WHEN %(is_whole)s THEN 'syncing' ELSE state END",
        new="'syncing'",
        tests=_STATES,
        why="a run of chunks alone leaves its source syncing",
    ),
    Mutation(
        file="headwater/store/work/workers.sql",
        old="(y.origin IN ('api', 'schedule') OR t.attempt_count > 0) AND t.source_id",
        new="(y.origin IN ('api') OR t.attempt_count > 0) AND t.source_id",
        tests=_STATES,
        why="what an interval asked for is lost when another works",
    ),
    Mutation(
        file="headwater/store/work/workers.sql",
        old="(y.origin IN ('api', 'schedule') OR t.attempt_count > 0) AND t.source_id",
        new="y.origin IN ('api', 'schedule') AND t.source_id",
        tests=_STATES,
        why="a command whose worker was killed fails because another run goes on",
    ),
    Mutation(
        file="headwater/syncing/source_sync.py",
        old="if work.lost_workers and self.counts == SyncCounts():",
        new="if False:",
        tests=_STATES,
        why="what a killed worker counted and paid is forgotten",
    ),
    Mutation(
        file="headwater/store/work/syncs.sql",
        old="state = CASE WHEN state = 'syncing' THEN state ELSE 'cancelled' END",
        new="state = 'cancelled'",
        tests=_STATES,
        why="a running sync says that it is cancelled while it goes on",
    ),
    Mutation(
        file="headwater/store/work/worker_failures.sql",
        old="WHEN synced_at IS NULL THEN 'pending' WHEN error IS NULL THEN 'ready'",
        new="WHEN synced_at IS NULL THEN 'pending' WHEN true THEN 'ready'",
        tests=_STATES,
        why="a failed source is ready after a cancelled sync",
    ),
    Mutation(
        file="headwater/store/work/worker_failures.py",
        old="MAX_LOST_WORKERS = 3",
        new="MAX_LOST_WORKERS = 4",
        tests=_STATES,
        why="more workers may be lost over a row than documented",
    ),
    Mutation(
        file="headwater/store/work/worker_failures.sql",
        old="AND attempt_count < %(attempts)s",
        new="AND attempt_count <= %(attempts)s",
        tests=_STATES,
        why="one more worker may be lost over a row",
    ),
    Mutation(
        file="headwater/store/work/workers.sql",
        old="CASE WHEN %(is_full)s AND %(state)s = 'ready' THEN now()",
        new="CASE WHEN %(state)s = 'ready' THEN now()",
        tests=_STATES,
        why="a sync that trusted fingerprints counts as a verification",
    ),
    # Batches.
    Mutation(
        file="headwater/store/work/syncs.sql",
        old="AND (y.is_full <= %(is_full)s);",
        new=";",
        tests=_STATES,
        why="a full request is served by a batch that trusts fingerprints",
    ),
    Mutation(
        file="headwater/store/work/syncs.sql",
        old="AND s.state <> 'deleting' AND NOT is_locked('source:' || t.source_id)\n GROUP",
        new="AND s.state <> 'deleting'\n GROUP",
        tests=_STATES,
        why="a run is made for a source at which another works",
    ),
    Mutation(
        file="pipelines/sensors.py",
        old="tags={**sync_tags(batch.keys, batch.origins), BATCH_TAG: batch.name},\n            )",
        new="tags={},\n            )",
        tests=("tests/integration/test_sync_states.py",),
        why="a run does not know its batch",
    ),
    Mutation(
        file="pipelines/sensors.py",
        old="run_key=batch.name",
        new="run_key=None",
        tests=("tests/integration/test_sync_states.py",),
        why="a tick that is repeated makes a second run",
    ),
    Mutation(
        file="headwater/store/work/syncs.py",
        old="size = min(limit, max(",
        new="size = max(limit, max(",
        tests=("tests/unit/test_share_out.py",),
        why="a run has more sources than it may",
    ),
    Mutation(
        file="headwater/store/work/syncs.py",
        old="if len(by_owner) <= runs else",
        new="if len(by_owner) < runs else",
        tests=("tests/unit/test_share_out.py",),
        why="knowledge bases share runs where each could have its own",
    ),
    # Idempotence.
    Mutation(
        file=_DOCUMENTS,
        old="elif old is None or old.fingerprint != item.fingerprint or ",
        new="elif True or ",
        tests=("tests/integration/test_operating.py::test_a_full_sync_trusts_no_fingerprint",),
        why="an unchanged document is read again",
    ),
    Mutation(
        file=_VERSIONS,
        old="is_same = old is not None and old.content_hash in (",
        new="is_same = False and old.content_hash in (",
        tests=("tests/integration/test_content_versions.py",),
        why="equal content is a new version",
    ),
    Mutation(
        file=_VERSIONS,
        old="(new_hash, _hash_of_old_release(document, old.made_by))",
        new="(new_hash,)",
        tests=("tests/integration/test_content_versions.py",),
        why="an upgrade makes a new version of every document",
    ),
    Mutation(
        file=_KNOWN,
        old="self._is_read_the_same(old) and ",
        new="",
        tests=("tests/integration/test_conditional_requests.py",),
        why="what an older parser read is not read again",
    ),
    Mutation(
        file=_KNOWN,
        old=" or self._is_full else old",
        new=" else old",
        tests=("tests/integration/test_operating.py::test_a_full_sync_trusts_no_fingerprint",),
        why="a full sync trusts fingerprints",
    ),
    Mutation(
        file=_DOCUMENTS,
        old="is_complete = is_complete and bool(item.uri)",
        new="is_complete = is_complete",
        tests=("tests/integration/test_sync_states.py",),
        why="an incomplete list deletes what it does not name",
    ),
    Mutation(
        file=_VANISHED,
        old=" and not old.uri.startswith(unlisted)",
        new="",
        tests=("tests/integration/test_flow.py::test_documents_of_a_folder_that_cannot_be_listed_go_on_answering",),
        why="a folder that cannot be listed loses its documents",
    ),
    Mutation(
        file=_VANISHED,
        old="is_guarded and not is_confirmed and",
        new="False and",
        tests=("tests/integration/test_deletion_guard.py",),
        why="a source that lists half of its documents loses the others without a question",
    ),
    Mutation(
        file="headwater/syncing/interruption.py",
        old="self._document_began = None  # so",
        new="pass  # so",
        tests=("tests/unit/test_interruption.py",),
        why="a signal while a document is being stopped stops its source",
    ),
    Mutation(
        file=_VERSIONS,
        old="sequence, new_hash.hex())",
        new="sequence)",
        tests=(
            "tests/integration/test_housekeeping.py::test_a_document_that_vanished_goes_and_comes_back_as_a_new_one",
        ),
        why="a document that comes back takes the id of a version that is cited",
    ),
    # Stages.
    Mutation(
        file=_FLOW,
        old="            if self.is_held_back(stage):\n                work.settle()",
        new="            if False:\n                work.settle()",
        tests=_STAGES,
        why="a stage completes though the one that it builds on failed",
    ),
    Mutation(
        file=_STAGE_FAILURES,
        old="ancestor = self._stages.get(ancestor.parent)",
        new="ancestor = None",
        tests=_STAGES,
        why="a failure holds back nothing that builds on it",
    ),
    Mutation(
        file=_FLOW,
        old="            if not self.is_held_back(stage):\n",
        new="            if True:\n",
        tests=_STAGES,
        why="a stage that failed is given more documents",
    ),
    Mutation(
        file=_STAGE_FAILURES,
        old="for name in reversed(failed[1:]):",
        new="for name in ():",
        tests=_STAGES,
        why="nobody learns why a second stage failed",
    ),
    Mutation(
        file="headwater/store/catalogue/knowledge_bases.sql",
        old="AND g.stage NOT IN ('documents', 'chunks', 'links', 'questions')",
        new="AND g.stage = 'embeddings'",
        tests=_STAGES,
        why="what a new stage makes never reaches the search index",
    ),
    Mutation(
        file="headwater/store/search/index_partitions.sql",
        old="(ef_search, recall) IS DISTINCT FROM (NULL, %(recall)s::float8)",
        new="true",
        tests=("tests/integration/test_index_bounds.py",),
        why="an index is written though nothing differs",
    ),
    # Lineage.
    Mutation(
        file=_STORE,
        old="fetched_at, by.run_id, by.code_version, document_date",
        new='fetched_at, "", by.code_version, document_date',
        tests=_LINEAGE,
        why="a version does not name its run",
    ),
    Mutation(
        file=_STORE,
        old="len(chunked_version.rows),\n                    by.run_id,\n                    by.code_version",
        new='len(chunked_version.rows), "", by.code_version',
        tests=_LINEAGE,
        why="a set of chunks does not name its run",
    ),
    Mutation(
        file=_STORE,
        old="by.run_id, by.code_version, c.token_count",
        new='"", by.code_version, c.token_count',
        tests=_LINEAGE,
        why="a chunk does not name its run",
    ),
    Mutation(
        file=_STORE,
        old="HalfVector(vector), count, by.run_id, by.code_version)",
        new='HalfVector(vector), count, by.run_id, "")',
        tests=_LINEAGE,
        why="a vector does not name the code that made it",
    ),
    # Retention.
    Mutation(
        file=_KEEPING_HOUSE,
        old="timedelta(days=settings.version_retention_days)",
        new="timedelta(days=HISTORY_RETENTION_DAYS)",
        tests=("tests/integration/test_retention.py",),
        why="versions are kept as long as the history",
    ),
    Mutation(
        file=_KEEPING_HOUSE,
        old="prune_syncs(now - timedelta(days=HISTORY_RETENTION_DAYS))",
        new="prune_syncs(now - timedelta(days=settings.version_retention_days))",
        tests=("tests/integration/test_retention.py",),
        why="syncs are kept as long as versions",
    ),
    Mutation(
        file=_KEEPING_HOUSE,
        old="drop_expired(INDEX_RETENTION_DAYS)",
        new="drop_expired(settings.version_retention_days)",
        tests=("tests/integration/test_retention.py",),
        why="retained indexes are kept as long as versions",
    ),
    Mutation(
        file="headwater/store/work/retention.sql",
        old="n.source_id = t.source_id AND n.id > t.id AND n.finished_at IS NOT NULL",
        new="n.source_id = t.source_id AND n.finished_at IS NOT NULL",
        tests=_HOUSE,
        why="the newest sync of a source is forgotten",
    ),
    # Deleting.
    Mutation(
        file=_DELETIONS,
        old="_counts(Counter(removed) + went)",
        new="_counts(went)",
        tests=_RECEIPTS,
        why="a receipt counts the last batch only",
    ),
    Mutation(
        file=_DELETIONS,
        old='went["version_chunks"] = session.run(',
        new="session.run(",
        tests=_RECEIPTS,
        why="a receipt leaves out where chunks stood",
    ),
    Mutation(
        file=_DELETIONS,
        old="if not lock.is_held or current.finished_at is not None:",
        new="if current.finished_at is not None:",
        tests=("tests/integration/test_receipts.py",),
        why="two processes finish one deletion",
    ),
    Mutation(
        file="headwater/store/catalogue/deletions.sql",
        old="c.answer_id = a.id AND c.source_id = %(source_id)s AND a.stale_at",
        new="c.answer_id = a.id AND a.stale_at",
        tests=("tests/integration/test_answers.py::test_deleting_a_source_marks_only_the_answers_that_cited_it_stale",),
        why="answers that cite another source become stale",
    ),
    Mutation(
        file=_DELETING,
        old="   AND NOT EXISTS (SELECT FROM version_entries w WHERE w.embedding_hash = e.text_hash)\n",
        new="",
        tests=("tests/integration/test_receipts.py",),
        why="a vector goes that another source holds",
    ),
    Mutation(
        file="headwater/store/catalogue/deletions.sql",
        old="e.search_index_id = i.id AND e.shard IN (0, i.shard)",
        new="e.search_index_id = i.id AND e.shard = 0",
        tests=("tests/integration/test_receipts.py",),
        why="a deleted source stays in large indexes",
    ),
    # Summaries.
    Mutation(
        file="headwater/models_gateway/budget.py",
        old="if token_count >= self.limit and",
        new="if token_count > self.limit and",
        tests=("tests/unit/test_summary_trees.py::test_a_budget_that_is_spent_lets_no_call_begin",),
        why="a call begins although the budget of summaries is spent",
    ),
    Mutation(
        file=_DELETIONS,
        old='went["summary_tree"] = delete_above(session, source_id=row["id"])',
        new='went["summary_tree"] = 0',
        tests=("tests/integration/test_knowledge_base_summaries.py",),
        why="the summary of a knowledge base quotes a source that was deleted",
    ),
    Mutation(
        file=_DELETIONS,
        old='            session.run("hold_off_chunking")  # as for documents',
        new="            # as for documents",
        tests=("tests/integration/test_deletions.py::test_a_vector_is_kept_for_who_is_about_to_use_its_summary",),
        why="a sync that writes the summary of a deleted source again loses its vector",
    ),
    Mutation(
        file=_DELETIONS,
        old='went["summaries"] = delete_with_chunks(session, ids)',
        new='went["summaries"] = 0',
        tests=("tests/integration/test_chunk_summaries.py",),
        why="the summary of a chunk, which quotes it, stays when its source is deleted",
    ),
    Mutation(
        file="headwater/syncing/chunk_summaries.py",
        old="job.counts.summaries_left += len(missing) - completed",
        new="pass",
        tests=("tests/integration/test_chunk_summaries.py",),
        why="nobody is told that chunks lack a summary, since the budget was spent",
    ),
    Mutation(
        file="headwater/summaries/source_tree.py",
        old="self.changed or self.gone or self.is_topless",
        new="self.changed or self.gone",
        tests=("tests/integration/test_knowledge_base_summaries.py",),
        why="a source stays without a summary after a document was deleted for good",
    ),
    Mutation(
        file="assets/source_index.py",
        old="if is_unwanted:",
        new="if False:",
        tests=("tests/integration/test_operating.py",),
        why="Dagster calls a run a success although all its syncs were cancelled",
    ),
    Mutation(
        file="headwater/store/work/worker_failures.sql",
        old="SELECT bool_or(state = 'cancelled') AS is_cancelled",
        new="SELECT bool_and(state = 'cancelled') AS is_cancelled",
        tests=("tests/integration/test_cancelled_runs.py",),
        why="a sync that was cancelled after its first source is a success in Dagster",
    ),
    Mutation(
        file="pipelines/run_failures.py",
        old="and not instance.get_run_ids(failed)",
        new="",
        tests=("tests/integration/test_cancelled_runs.py",),
        why="a backfill in which one source failed and another was cancelled is called canceled in Dagster",
    ),
    Mutation(
        file="headwater/store/work/worker_failures.sql",
        old="HAVING bool_and(t.state = 'cancelled')",
        new="HAVING bool_or(t.state = 'cancelled')",
        tests=("tests/integration/test_operating.py",),
        why="a run in Dagster's queue is cancelled though somebody still wants one of its sources",
    ),
)
