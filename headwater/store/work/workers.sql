-- name: is_cancelled
-- Whether all requests for a worker's current work have been cancelled.
SELECT coalesce(bool_and(cancelled_at IS NOT NULL), false) AS is_cancelled
  FROM sync_sources WHERE source_id = %(source_id)s AND batch = %(batch)s AND state = 'syncing';

-- name: cancelled_row
-- Whether a batch's request for a source was cancelled, and no other request of the batch asked for it.
SELECT id FROM sync_sources t
 WHERE t.source_id = %(source_id)s AND t.batch = %(batch)s AND t.state = 'cancelled'
   AND NOT EXISTS (SELECT FROM sync_sources o WHERE o.source_id = t.source_id AND o.batch = t.batch
                      AND o.state IN ('pending', 'queued', 'syncing')) LIMIT 1;

-- name: postpone_sync_sources
-- Requests of the API or an interval that found another worker wait for the next run, and those whose worker was lost,
-- for which nobody stands by any more; others get an error.
UPDATE sync_sources t SET state = 'pending', batch = NULL
  FROM syncs y
 WHERE y.id = t.sync_id AND (y.origin IN ('api', 'schedule') OR t.attempt_count > 0) AND t.source_id = %(source_id)s AND t.batch = %(batch)s
   AND t.state IN ('pending', 'queued');

-- name: begin_sync_source
-- A run takes over its rows of a batch, including those begun before a database outage, and other rows that wait for the
-- same source; none if there are none.
UPDATE sync_sources t SET state = 'syncing', run_id = %(run_id)s, batch = %(batch)s, started_at = now()
  FROM syncs y
 WHERE y.id = t.sync_id AND t.source_id = %(source_id)s
   AND (t.batch = %(batch)s AND t.state IN ('pending', 'queued') OR t.run_id = %(run_id)s AND t.state = 'syncing'
        OR t.state = 'pending' AND t.batch IS NULL AND %(is_whole)s AND y.is_full <= %(is_full)s)
RETURNING t.id, t.sync_id, t.batch, t.attempt_count;

-- name: counts_of_lost_workers
-- What workers had counted for a source before they were lost, of the request that was furthest.
SELECT documents_done AS read, added_count AS added, changed_count AS changed, unchanged_count AS unchanged,
       embedded_count AS embedded, summarized_count AS summarized, token_count AS tokens, cost_usd,
       written_count AS rows_written
  FROM sync_sources
 WHERE source_id = %(source_id)s AND batch = %(batch)s AND state = 'syncing' AND attempt_count > 0
 ORDER BY documents_done DESC, id DESC LIMIT 1;

-- name: take_source
-- From now on only this sync may write to the source. It reads what the source has from now on, so nobody awaits another.
UPDATE sources SET fencing_token = %(token)s, state = CASE WHEN %(is_whole)s THEN 'syncing' ELSE state END,
       awaited_at = CASE WHEN %(is_whole)s THEN NULL ELSE awaited_at END
 WHERE id = %(source_id)s AND state <> 'deleting' RETURNING id;

-- name: report_progress
-- The progress of a running sync.
UPDATE sync_sources SET stage_started_at = CASE WHEN stage = %(stage)s AND stage_started_at IS NOT NULL
                                                THEN stage_started_at ELSE now() END,
       stage = %(stage)s, current_uri = %(current_uri)s, to_embed_count = %(to_embed)s, done_count = %(done)s, total_count = %(total)s,
       documents_total = %(total_documents)s, documents_done = %(read)s, failed_count = %(failed)s,
       added_count = %(added)s, changed_count = %(changed)s, unchanged_count = greatest(%(unchanged)s, 0),
       embedded_count = %(embedded)s, summarized_count = %(summarized)s, reused_count = %(reused)s,
       written_count = %(rows_written)s, token_count = %(tokens)s, cost_usd = %(cost_usd)s,
       errors = coalesce(%(errors)s, errors)
 WHERE source_id = %(source_id)s AND batch = %(batch)s AND state = 'syncing';

-- name: finish_sync_source
-- The results of a sync of one source, for every request in this batch.
UPDATE sync_sources
   SET state = CASE WHEN cancelled_at IS NOT NULL AND %(state)s <> 'ready' THEN 'cancelled' ELSE %(state)s END,
       finished_at = now(), documents_total = %(total)s, documents_done = %(read)s, failed_count = %(failed)s,
       token_count = %(tokens)s, cost_usd = %(cost_usd)s, document_count = %(documents)s, added_count = %(added)s,
       changed_count = %(changed)s, removed_count = %(removed)s, unchanged_count = %(unchanged)s,
       chunk_count = %(chunks)s, embedded_count = %(embedded)s, written_count = %(rows_written)s,
       summarized_count = %(summarized)s, reused_count = %(reused)s, summaries_left = %(summaries_left)s,
       questions_left = %(questions_left)s,
       duration_ms = %(ms)s, errors = %(errors)s, skipped = %(skipped)s
 WHERE source_id = %(source_id)s AND batch = %(batch)s AND state = 'syncing';

-- name: finish_source
-- The state of a source after its sync.
UPDATE sources SET state = %(state)s, error = %(error)s, synced_at = now(),
       verified_at = CASE WHEN %(is_full)s AND %(state)s = 'ready' THEN now() ELSE verified_at END
 WHERE id = %(source_id)s AND fencing_token = %(token)s;

-- name: get_source_stages
-- The data versions that Dagster last received for a source.
SELECT stage, data_version, partition_key FROM source_stages WHERE source_id = %(source_id)s;

-- name: put_source_stage
-- Store the data version that Dagster receives for a source.
INSERT INTO source_stages (source_id, stage, data_version, partition_key, run_id)
VALUES (%(source_id)s, %(stage)s, %(data_version)s, %(partition_key)s, %(run_id)s)
ON CONFLICT (source_id, stage) DO UPDATE SET data_version = excluded.data_version,
   partition_key = excluded.partition_key, run_id = excluded.run_id, materialized_at = now();

-- name: is_worked_at
-- Whether a live process syncs a source of a knowledge base.
SELECT EXISTS (SELECT FROM sources s WHERE s.knowledge_base_id = %(knowledge_base_id)s
                  AND is_locked('source:' || s.id)) AS is_worked_at;

-- name: is_locked
-- Whether a live process holds a lock.
SELECT is_locked(%(name)s) AS is_held;
