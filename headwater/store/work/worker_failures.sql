-- name: lost_runs
-- Rows that a worker began and left: no process holds the source. Only Dagster knows whether their runs have ended; of what
-- a project manages, its own Dagster, and its next run takes them.
SELECT DISTINCT t.run_id FROM sync_sources t
   JOIN sources s ON s.id = t.source_id AND s.managed_by IS NULL
 WHERE t.state = 'syncing' AND t.run_id IS NOT NULL AND NOT is_locked('source:' || t.source_id);

-- name: lost_batches
-- Rows of commands that were killed before their run began: no process holds the batch, and Dagster knows of no run.
SELECT t.id, t.batch FROM sync_sources t WHERE t.state = 'queued' AND NOT is_locked('batch:' || t.batch);

-- name: unwanted_batches
-- Of some batches, those of which every request was cancelled.
SELECT t.batch FROM sync_sources t WHERE t.batch = ANY(%(batches)s)
 GROUP BY t.batch HAVING bool_and(t.state = 'cancelled');

-- name: are_requests_cancelled
-- Whether every request that a batch served was cancelled, though some of its sources were done before.
SELECT coalesce(bool_and(r.is_cancelled), false) AS are_cancelled
  FROM (SELECT bool_or(state = 'cancelled') AS is_cancelled FROM sync_sources
         WHERE batch = %(batch)s GROUP BY sync_id) AS r;

-- name: cancelled_runs
-- Runs that were started in Dagster, such as those of a backfill, in which a source was cancelled within the last hour. The
-- first of the times has an index.
SELECT DISTINCT coalesce(t.run_id, t.batch) AS run_id FROM sync_sources t JOIN syncs y ON y.id = t.sync_id
 WHERE t.state = 'cancelled' AND t.cancelled_at > now() - interval '1 day' AND t.finished_at > now() - interval '1 hour'
   AND coalesce(t.run_id, t.batch) IS NOT NULL AND y.origin = 'dagster';

-- name: open_rows_of_run
-- Unfinished rows of a run.
SELECT id FROM sync_sources
 WHERE (run_id = %(run_id)s AND state = 'syncing') OR (batch = %(batch)s AND state IN ('pending', 'queued', 'syncing'));

-- name: retry_sync_sources
-- Let rows whose worker was lost wait for another, or fail them if too many were lost.
UPDATE sync_sources SET state = 'pending', batch = NULL, attempt_count = attempt_count + 1, stage = NULL
 WHERE id = ANY(%(ids)s) AND state IN ('pending', 'queued', 'syncing') AND attempt_count < %(attempts)s
RETURNING id, source_id;

-- name: mark_sources_pending
-- Sources whose lost worker will be replaced become pending.
UPDATE sources SET state = 'pending' WHERE id = ANY(%(source_ids)s) AND state = 'syncing';

-- name: abandon_sync_sources
-- Close rows whose worker is dead.
UPDATE sync_sources SET state = 'failed', finished_at = now(),
       errors = errors || jsonb_build_array(jsonb_build_object('uri', '', 'code', %(code)s::text, 'message', %(message)s::text))
 WHERE id = ANY(%(ids)s) AND state IN ('pending', 'queued', 'syncing')
RETURNING source_id;

-- name: mark_sources_failed
-- Sources whose worker is dead are no longer syncing.
UPDATE sources SET state = 'failed', error = %(message)s WHERE id = ANY(%(source_ids)s) AND state = 'syncing';

-- name: cancel_rows
-- Cancel the rows of a cancelled run.
UPDATE sync_sources SET state = 'cancelled', cancelled_at = coalesce(cancelled_at, now()), finished_at = now()
 WHERE id = ANY(%(ids)s) AND state IN ('pending', 'queued', 'syncing')
RETURNING source_id;

-- name: cancel_waiting_rows
-- Cancel the rows of a batch that its run has not begun.
UPDATE sync_sources SET state = 'cancelled', cancelled_at = now(), finished_at = now()
 WHERE batch = %(batch)s AND state = 'pending';

-- name: leave_source
-- Return a source whose sync was cancelled to its previous state.
UPDATE sources SET state = CASE WHEN synced_at IS NULL THEN 'pending' WHEN error IS NULL THEN 'ready' ELSE 'failed' END
 WHERE id = ANY(%(source_ids)s) AND state = 'syncing';
