-- name: without_text
-- Documents of a source without a visible character; most texts are too long to be checked.
SELECT count(*) AS document_count, (array_agg(d.uri ORDER BY d.uri))[1:3] AS examples
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL
   AND octet_length(v.text) < 1000 AND v.text !~ '[^[:space:]]';

-- name: insert_sync
-- A request to sync; its sources follow.
INSERT INTO syncs (knowledge_base_id, origin, is_full) VALUES (%(knowledge_base_id)s, %(origin)s, %(is_full)s) RETURNING id;

-- name: insert_sync_sources
-- One row per source of a request; the batch is named at once if it has a run already. A row is queued if it waits for a
-- process that holds the batch, and pending if it waits for a run of Dagster's.
INSERT INTO sync_sources (sync_id, source_id, batch, state)
SELECT %(sync_id)s, unnest(%(source_ids)s::bigint[]), %(batch)s, %(state)s;

-- name: sources_by_keys
-- The sources with some keys, but for those that somebody's own Dagster project syncs.
SELECT s.id, s.knowledge_base_id
  FROM sources s JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE k.slug || '/' || s.slug = ANY(%(keys)s)
   AND s.state <> 'deleting' AND s.managed_by IS NULL AND k.deleted_at IS NULL ORDER BY s.id;

-- name: sources_of_batch
-- The sources of which a batch has a row.
SELECT source_id FROM sync_sources WHERE batch = %(batch)s;

-- name: get_sync
-- One request.
SELECT y.*, k.slug AS knowledge_base
  FROM syncs y JOIN knowledge_bases k ON k.id = y.knowledge_base_id WHERE y.id = %(id)s;

-- name: list_sync_sources
-- The state of each source of a request. A source whose worker died waits for another, unless too many were lost, or a
-- project manages it, of which nobody knows whether and when it runs again. One
-- that waits for a run which has begun waits for the source that this run syncs now: empty if it is another knowledge base's.
SELECT t.*, s.slug AS source, p.runs_first,
       CASE WHEN w.is_lost AND t.attempt_count < %(attempts)s AND s.managed_by IS NULL THEN 'pending'
            WHEN w.is_lost THEN 'failed' ELSE t.state END AS state
  FROM sync_sources t JOIN sources s ON s.id = t.source_id,
       LATERAL (SELECT t.state = 'syncing' AND NOT is_locked('source:' || t.source_id)
                    OR t.state = 'queued' AND NOT is_locked('batch:' || t.batch) AS is_lost) AS w,
       LATERAL (SELECT max(CASE WHEN k.id = s.knowledge_base_id THEN k.slug || '/' || o.slug ELSE '' END) AS runs_first
                  FROM sync_sources r JOIN sources o ON o.id = r.source_id
                       JOIN knowledge_bases k ON k.id = o.knowledge_base_id
                 WHERE t.state = 'pending' AND r.state = 'syncing' AND is_locked('source:' || r.source_id)
                   AND (r.batch = t.batch OR r.source_id = t.source_id)) AS p
 WHERE t.sync_id = %(sync_id)s ORDER BY s.slug;

-- name: lock_source_rows
-- Block other requests for the same sources for the moment.
SELECT id FROM sources WHERE id = ANY(%(source_ids)s) ORDER BY id FOR UPDATE;

-- name: open_sync_sources
-- Unfinished work on some sources, and whether the process that had begun it, or was to do it, is dead.
SELECT t.id, t.sync_id, t.source_id, t.state, t.batch, t.run_id, y.is_full, y.origin, s.slug AS source,
       CASE t.state WHEN 'syncing' THEN NOT is_locked('source:' || t.source_id)
                    WHEN 'queued' THEN NOT is_locked('batch:' || t.batch)
                    ELSE false END AS is_lost
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id
 WHERE t.source_id = ANY(%(source_ids)s) AND t.state IN ('pending', 'queued', 'syncing')
 ORDER BY t.id;

-- name: cancel_sync_sources
-- Cancel waiting parts at once; the workers of running parts see the time and stop.
UPDATE sync_sources
   SET cancelled_at = coalesce(cancelled_at, now()),
       finished_at = CASE WHEN state = 'syncing' THEN finished_at ELSE now() END,
       state = CASE WHEN state = 'syncing' THEN state ELSE 'cancelled' END
 WHERE sync_id = %(sync_id)s AND state IN ('pending', 'queued', 'syncing')
RETURNING source_id, state;

-- name: unbatched_sources
-- Sources with rows that wait for a run, oldest first; a source with a live worker is left for later.
SELECT t.source_id, s.knowledge_base_id, y.is_full
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id
 WHERE t.state = 'pending' AND t.batch IS NULL AND s.managed_by IS NULL
   AND s.state <> 'deleting' AND NOT is_locked('source:' || t.source_id)
 GROUP BY 1, 2, 3 ORDER BY y.is_full DESC, min(t.id);

-- name: name_batch
-- Give rows the name of a future run, before that run exists, so that a sensor's tick that dies is repeated and
-- nothing runs twice. All waiting rows of a source share a batch.
UPDATE sync_sources t SET batch = %(batch)s
  FROM syncs y
 WHERE y.id = t.sync_id AND t.state = 'pending' AND t.batch IS NULL AND t.source_id = ANY(%(source_ids)s)
   AND (y.is_full <= %(is_full)s);

-- name: pending_batches
-- Batches that no run has started.
SELECT t.batch, array_agg(DISTINCT k.slug || '/' || s.slug) AS keys, bool_or(y.is_full) AS is_full,
       array_agg(DISTINCT y.origin) AS origins
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE t.state = 'pending' AND t.batch IS NOT NULL
 GROUP BY t.batch ORDER BY min(t.id);

-- name: is_busy
-- Whether a knowledge base has work that waits for a run, or a live worker.
SELECT EXISTS (SELECT FROM sync_sources t JOIN sources s ON s.id = t.source_id
                WHERE s.knowledge_base_id = %(knowledge_base_id)s AND t.state = 'pending')
    OR is_locked('refresh:' || %(knowledge_base_id)s::bigint)
    OR EXISTS (SELECT FROM sources s WHERE s.knowledge_base_id = %(knowledge_base_id)s
                  AND is_locked('source:' || s.id)) AS is_busy;

-- name: sensor_look
-- All that the sensor of requests must know when nothing happened: whether a row is open or was cancelled within its last
-- few ticks, since a run may wait in Dagster's queue for it, and Dagster ends a backfill half a minute after its runs; and
-- which sources and knowledge bases there are, as one fingerprint.
SELECT EXISTS (SELECT FROM sync_sources WHERE state IN ('pending', 'queued', 'syncing'))
       OR EXISTS (SELECT FROM sync_sources WHERE state = 'cancelled' AND cancelled_at > now() - interval '60 seconds')
       AS has_open,
       md5(coalesce((SELECT string_agg(k.slug || '/' || coalesce(s.slug, ''), ',' ORDER BY k.slug, s.slug)
                       FROM knowledge_bases k LEFT JOIN sources s ON s.knowledge_base_id = k.id AND s.state <> 'deleting'
                      WHERE k.deleted_at IS NULL), '')) AS names;

-- name: waiting_count
-- How many requests no worker has taken yet.
SELECT count(DISTINCT sync_id) AS waiting_count FROM sync_sources WHERE state = 'pending';
