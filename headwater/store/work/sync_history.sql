-- name: list_syncs
-- Syncs, newest first, from before a given one, of one knowledge base or of all, each with the sums over its sources. A
-- source whose worker is gone stands as `list_sync_sources` has it.
SELECT y.id, k.slug AS knowledge_base, y.origin, y.is_full, y.requested_at, p.*
  FROM syncs y JOIN knowledge_bases k ON k.id = y.knowledge_base_id AND k.deleted_at IS NULL,
       LATERAL (
           SELECT count(*) AS source_count, coalesce(array_agg(DISTINCT w.state), '{}') AS states,
                  count(*) FILTER (WHERE w.state IN ('ready', 'failed', 'cancelled')) AS over_count,
                  count(*) FILTER (WHERE w.state = 'failed') AS failed_source_count,
                  coalesce((array_agg(s.slug ORDER BY w.state <> 'failed', s.slug))[1:%(named)s], '{}') AS sources,
                  (array_agg(t.run_id ORDER BY s.slug) FILTER (WHERE t.run_id IS NOT NULL))[1] AS run_id,
                  (array_agg(t.errors -> 0 ->> 'message' ORDER BY s.slug) FILTER (WHERE w.state = 'failed'))[1] AS error,
                  min(t.started_at) AS started_at,
                  CASE WHEN bool_and(w.state IN ('ready', 'failed', 'cancelled')) THEN max(t.finished_at) END AS finished_at,
                  coalesce(sum(t.added_count), 0) AS added_count, coalesce(sum(t.changed_count), 0) AS changed_count,
                  sum(t.documents_total) AS documents_total, coalesce(sum(t.documents_done), 0) AS documents_done,
                  coalesce(sum(t.removed_count), 0) AS removed_count, coalesce(sum(t.failed_count), 0) AS failed_count,
                  coalesce(sum(t.embedded_count), 0) AS embedded_count, coalesce(sum(t.token_count), 0)::bigint AS token_count,
                  coalesce(sum(t.cost_usd), 0) AS cost_usd, coalesce(sum(t.to_embed_count), 0) AS to_embed_count,
                  (array_agg(t.stage ORDER BY t.started_at) FILTER (WHERE w.state = 'syncing'))[1] AS stage,
                  coalesce((array_agg(t.done_count ORDER BY t.started_at) FILTER (WHERE w.state = 'syncing'))[1], 0)
                      AS done_count,
                  coalesce((array_agg(t.total_count ORDER BY t.started_at) FILTER (WHERE w.state = 'syncing'))[1], 0)
                      AS total_count,
                  (array_agg(t.stage_started_at ORDER BY t.started_at) FILTER (WHERE w.state = 'syncing'))[1]
                      AS stage_started_at
             FROM sync_sources t JOIN sources s ON s.id = t.source_id,
                  LATERAL (SELECT t.state = 'syncing' AND NOT is_locked('source:' || t.source_id)
                               OR t.state = 'queued' AND NOT is_locked('batch:' || t.batch) AS is_lost) AS l,
                  LATERAL (SELECT CASE WHEN l.is_lost AND t.attempt_count < %(attempts)s AND s.managed_by IS NULL
                                       THEN 'pending' WHEN l.is_lost THEN 'failed' ELSE t.state END AS state) AS w
            WHERE t.sync_id = y.id) AS p
 WHERE (%(knowledge_base_id)s::bigint IS NULL OR y.knowledge_base_id = %(knowledge_base_id)s)
   AND (%(before)s::bigint IS NULL OR y.id < %(before)s)
   AND (%(visible)s::bigint[] IS NULL OR y.knowledge_base_id = ANY(%(visible)s::bigint[]))
 ORDER BY y.id DESC LIMIT %(limit)s;

-- name: list_source_syncs
-- The syncs of one source, newest first, or one of them. One whose worker is gone stands as `list_sync_sources` has it.
SELECT y.id, y.origin, y.is_full, y.requested_at, t.started_at, t.finished_at, t.run_id, t.added_count, t.changed_count,
       t.removed_count, t.failed_count, t.embedded_count, t.cost_usd,
       nullif(concat_ws(': ', nullif(t.errors -> 0 ->> 'uri', ''), t.errors -> 0 ->> 'message'), '') AS error,
       CASE WHEN l.is_lost AND t.attempt_count < %(attempts)s AND s.managed_by IS NULL THEN 'pending'
            WHEN l.is_lost THEN 'failed' ELSE t.state END AS state
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id,
       LATERAL (SELECT t.state = 'syncing' AND NOT is_locked('source:' || t.source_id)
                    OR t.state = 'queued' AND NOT is_locked('batch:' || t.batch) AS is_lost) AS l
 WHERE t.source_id = %(source_id)s AND (%(sync_id)s::bigint IS NULL OR y.id = %(sync_id)s)
 ORDER BY y.id DESC LIMIT %(limit)s;

-- name: synced_documents
-- The documents of a source that a sync added, changed or removed, as far as their versions are still kept.
SELECT * FROM (
    SELECT d.id, d.uri, v.title, CASE WHEN v.sequence = 1 THEN 'added' ELSE 'changed' END AS change
      FROM documents d JOIN document_versions v ON v.document_id = d.id
     WHERE d.source_id = %(source_id)s AND v.run_id = %(run_id)s
     UNION ALL
    SELECT d.id, d.uri, v.title, 'removed'
      FROM documents d JOIN document_versions v ON v.id = d.head_version_id
     WHERE d.source_id = %(source_id)s AND d.removed_at BETWEEN %(started_at)s AND %(finished_at)s) AS found
 ORDER BY change, uri COLLATE "C" LIMIT %(limit)s;
