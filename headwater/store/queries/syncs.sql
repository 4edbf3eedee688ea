-- name: try_lock
-- Take a session's advisory lock if nobody holds it.
SELECT pg_try_advisory_lock(hashtextextended(%(name)s, 0)) AS is_held;

-- name: free_locks
-- Give up every lock of this connection.
SELECT pg_advisory_unlock_all();

-- name: insert_sync
-- A request to sync; its sources follow.
INSERT INTO syncs (knowledge_base_id, origin, is_full) VALUES (%(knowledge_base_id)s, %(origin)s, %(is_full)s) RETURNING id;

-- name: insert_sync_sources
-- One row per source of a request; a batch is named at once when the asker runs it himself.
INSERT INTO sync_sources (sync_id, source_id, batch, state)
SELECT %(sync_id)s, unnest(%(source_ids)s::bigint[]), %(batch)s,
       CASE WHEN %(batch)s::text IS NULL THEN 'pending' ELSE 'queued' END;

-- name: get_sync
-- One request.
SELECT y.*, k.slug AS knowledge_base
  FROM syncs y JOIN knowledge_bases k ON k.id = y.knowledge_base_id WHERE y.id = %(id)s;

-- name: list_sync_sources
-- What became of each source of a request. One whose worker is gone waits for another, unless too many were lost over it.
SELECT t.*, s.slug AS source,
       CASE WHEN w.is_lost AND t.attempt_count < %(attempts)s THEN 'pending'
            WHEN w.is_lost THEN 'failed' ELSE t.state END AS state
  FROM sync_sources t JOIN sources s ON s.id = t.source_id,
       LATERAL (SELECT t.state = 'syncing' AND NOT is_locked('source:' || t.source_id)
                    OR t.state = 'queued' AND NOT is_locked('batch:' || t.batch) AS is_lost) AS w
 WHERE t.sync_id = %(sync_id)s ORDER BY s.slug;

-- name: lock_source_rows
-- Keep others from asking for the same sources at the same moment.
SELECT id FROM sources WHERE id = ANY(%(source_ids)s) ORDER BY id FOR UPDATE;

-- name: open_sync_sources
-- Unfinished work on some sources, and whether whoever had begun it, or was to do it himself, is gone.
SELECT t.id, t.sync_id, t.source_id, t.state, t.batch, t.run_id, y.is_full, s.slug AS source,
       CASE t.state WHEN 'syncing' THEN NOT is_locked('source:' || t.source_id)
                    WHEN 'queued' THEN NOT is_locked('batch:' || t.batch)
                    ELSE false END AS is_lost
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id
 WHERE t.source_id = ANY(%(source_ids)s) AND t.state IN ('pending', 'queued', 'syncing')
 ORDER BY t.id;

-- name: abandon_sync_sources
-- Close rows whose worker is gone.
UPDATE sync_sources SET state = 'failed', finished_at = now(),
       errors = errors || jsonb_build_array(jsonb_build_object('uri', '', 'code', %(code)s::text, 'message', %(message)s::text))
 WHERE id = ANY(%(ids)s) AND state IN ('pending', 'queued', 'syncing')
RETURNING source_id;

-- name: retry_sync_sources
-- Rows whose worker was lost wait for another, until too many were lost over them.
UPDATE sync_sources SET state = 'pending', batch = NULL, attempt_count = attempt_count + 1, stage = NULL
 WHERE id = ANY(%(ids)s) AND state IN ('pending', 'queued', 'syncing') AND attempt_count < %(attempts)s
RETURNING id, source_id;

-- name: mark_sources_pending
-- Sources whose lost worker will be replaced wait.
UPDATE sources SET state = 'pending' WHERE id = ANY(%(source_ids)s) AND state = 'syncing';

-- name: cancel_sync_sources
-- What nobody has begun is cancelled at once; whoever works on the rest finds the time set, and stops.
UPDATE sync_sources
   SET cancelled_at = coalesce(cancelled_at, now()),
       finished_at = CASE WHEN state = 'syncing' THEN finished_at ELSE now() END,
       state = CASE WHEN state = 'syncing' THEN state ELSE 'cancelled' END
 WHERE sync_id = %(sync_id)s AND state IN ('pending', 'queued', 'syncing')
RETURNING source_id, state;

-- name: is_cancelled
-- Whether everyone who asked for what a worker is doing has cancelled it.
SELECT coalesce(bool_and(cancelled_at IS NOT NULL), false) AS is_cancelled
  FROM sync_sources WHERE source_id = %(source_id)s AND batch = %(batch)s AND state = 'syncing';

-- name: cancelled_row
-- Whether what a batch was to do with a source was cancelled, and nobody else asked for it by the same batch.
SELECT id FROM sync_sources t
 WHERE t.source_id = %(source_id)s AND t.batch = %(batch)s AND t.state = 'cancelled'
   AND NOT EXISTS (SELECT FROM sync_sources o WHERE o.source_id = t.source_id AND o.batch = t.batch
                      AND o.state IN ('pending', 'queued', 'syncing')) LIMIT 1;

-- name: lost_runs
-- Rows that a worker began and left: nobody holds the source. Their runs say whether they are over.
SELECT DISTINCT t.run_id FROM sync_sources t
 WHERE t.state = 'syncing' AND t.run_id IS NOT NULL AND NOT is_locked('source:' || t.source_id);

-- name: mark_sources_failed
-- Sources whose worker is gone are no longer syncing.
UPDATE sources SET state = 'failed', error = %(message)s WHERE id = ANY(%(source_ids)s) AND state = 'syncing';

-- name: unbatched_sources
-- Sources with rows that wait for a run, oldest first; one at which someone works is left for later.
SELECT t.source_id, s.knowledge_base_id, y.is_full
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id
 WHERE t.state = 'pending' AND t.batch IS NULL AND s.state <> 'deleting' AND NOT is_locked('source:' || t.source_id)
 GROUP BY 1, 2, 3 ORDER BY y.is_full DESC, min(t.id);

-- name: name_batch
-- Give rows the name of a run to be; done before that run exists, so that a sensor's tick which dies is repeated and
-- nothing runs twice. All waiting rows of a source share a batch.
UPDATE sync_sources t SET batch = %(batch)s
  FROM syncs y
 WHERE y.id = t.sync_id AND t.state = 'pending' AND t.batch IS NULL AND t.source_id = ANY(%(source_ids)s)
   AND (y.is_full <= %(is_full)s);

-- name: pending_batches
-- Batches that no run has begun.
SELECT t.batch, array_agg(DISTINCT k.slug || '/' || s.slug) AS keys, bool_or(y.is_full) AS is_full
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE t.state = 'pending' AND t.batch IS NOT NULL
 GROUP BY t.batch ORDER BY min(t.id);

-- name: postpone_sync_sources
-- What the API or an interval asked for and found another at work waits for the next run; what others did is told so.
UPDATE sync_sources t SET state = 'pending', batch = NULL
  FROM syncs y
 WHERE y.id = t.sync_id AND y.origin IN ('api', 'schedule') AND t.source_id = %(source_id)s AND t.batch = %(batch)s
   AND t.state IN ('pending', 'queued');

-- name: begin_sync_source
-- A run takes over its rows of a batch, those that it had begun before the database went away, and those of others that
-- wait for the same; none when there is none to take.
UPDATE sync_sources t SET state = 'syncing', run_id = %(run_id)s, batch = %(batch)s, started_at = now()
  FROM syncs y
 WHERE y.id = t.sync_id AND t.source_id = %(source_id)s
   AND (t.batch = %(batch)s AND t.state IN ('pending', 'queued') OR t.run_id = %(run_id)s AND t.state = 'syncing'
        OR t.state = 'pending' AND t.batch IS NULL AND %(is_whole)s AND y.is_full <= %(is_full)s)
RETURNING t.id, t.sync_id, t.batch;

-- name: take_source
-- From now on only this sync may write to the source.
UPDATE sources SET fencing_token = %(token)s, state = CASE WHEN %(is_whole)s THEN 'syncing' ELSE state END
 WHERE id = %(source_id)s AND state <> 'deleting' RETURNING id;

-- name: check_fencing_token
-- A row when this sync still is the one that may write; kept so until the transaction ends.
SELECT id FROM sources WHERE id = %(source_id)s AND fencing_token = %(token)s FOR SHARE;

-- name: report_progress
-- Where a running sync stands.
UPDATE sync_sources SET stage = %(stage)s, done_count = %(done)s, total_count = %(total)s,
       documents_total = %(documents_total)s, documents_done = %(documents_done)s, failed_count = %(failed)s,
       errors = coalesce(%(errors)s, errors)
 WHERE source_id = %(source_id)s AND batch = %(batch)s AND state = 'syncing';

-- name: finish_sync_source
-- The results of a sync of one source, for everyone who asked for it in this batch.
UPDATE sync_sources
   SET state = CASE WHEN cancelled_at IS NOT NULL AND %(state)s <> 'ready' THEN 'cancelled' ELSE %(state)s END,
       finished_at = now(), documents_total = %(total)s, documents_done = %(read)s, failed_count = %(failed)s,
       token_count = %(tokens)s, cost_usd = %(cost_usd)s, document_count = %(documents)s, added_count = %(added)s,
       changed_count = %(changed)s, removed_count = %(removed)s, unchanged_count = %(unchanged)s,
       chunk_count = %(chunks)s, embedded_count = %(embedded)s, written_count = %(rows_written)s,
       duration_ms = %(ms)s, errors = %(errors)s, skipped = %(skipped)s
 WHERE source_id = %(source_id)s AND batch = %(batch)s AND state = 'syncing';

-- name: finish_source
-- How a source stands after its sync.
UPDATE sources SET state = %(state)s, error = %(error)s, synced_at = now(),
       verified_at = CASE WHEN %(is_full)s AND %(state)s = 'ready' THEN now() ELSE verified_at END
 WHERE id = %(source_id)s AND fencing_token = %(token)s;

-- name: leave_source
-- A source whose sync was cancelled stands as it did before.
UPDATE sources SET state = CASE WHEN synced_at IS NULL THEN 'pending' WHEN error IS NULL THEN 'ready' ELSE 'failed' END
 WHERE id = ANY(%(source_ids)s) AND state = 'syncing';

-- name: get_source_stages
-- What Dagster was last told about a source.
SELECT stage, data_version, partition_key FROM source_stages WHERE source_id = %(source_id)s;

-- name: put_source_stage
-- Remember what Dagster is told about a source.
INSERT INTO source_stages (source_id, stage, data_version, partition_key, run_id)
VALUES (%(source_id)s, %(stage)s, %(data_version)s, %(partition_key)s, %(run_id)s)
ON CONFLICT (source_id, stage) DO UPDATE SET data_version = excluded.data_version,
   partition_key = excluded.partition_key, run_id = excluded.run_id, materialized_at = now();

-- name: open_rows_of_run
-- Rows that a run left open.
SELECT id FROM sync_sources
 WHERE (run_id = %(run_id)s AND state = 'syncing') OR (batch = %(batch)s AND state IN ('pending', 'queued', 'syncing'));

-- name: cancel_rows
-- Rows of a run that was cancelled.
UPDATE sync_sources SET state = 'cancelled', cancelled_at = coalesce(cancelled_at, now()), finished_at = now()
 WHERE id = ANY(%(ids)s) AND state IN ('pending', 'queued', 'syncing')
RETURNING source_id;

-- name: is_worked_at
-- Whether a live process syncs a source of a knowledge base.
SELECT EXISTS (SELECT FROM sources s WHERE s.knowledge_base_id = %(knowledge_base_id)s
                  AND is_locked('source:' || s.id)) AS is_worked_at;

-- name: is_busy
-- Whether a knowledge base still has work that waits for a run, or a live process at work.
SELECT EXISTS (SELECT FROM sync_sources t JOIN sources s ON s.id = t.source_id
                WHERE s.knowledge_base_id = %(knowledge_base_id)s AND t.state = 'pending')
    OR is_locked('refresh:' || %(knowledge_base_id)s::bigint)
    OR EXISTS (SELECT FROM sources s WHERE s.knowledge_base_id = %(knowledge_base_id)s
                  AND is_locked('source:' || s.id)) AS is_busy;

-- name: is_locked
-- Whether a live process holds a lock.
SELECT is_locked(%(name)s) AS is_held;

-- name: waiting_count
-- How many requests no worker has taken yet.
SELECT count(DISTINCT sync_id) AS waiting_count FROM sync_sources WHERE state = 'pending';
