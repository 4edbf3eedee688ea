-- name: overview_knowledge_bases
-- Knowledge bases by slug with counts of their sources and of the documents that searches find; only visible ones if
-- some are not.
SELECT k.slug, k.name, k.description, s.*, p.document_count
  FROM (SELECT * FROM knowledge_bases
         WHERE slug > %(after)s AND deleted_at IS NULL
           AND (%(visible)s::bigint[] IS NULL OR id = ANY(%(visible)s::bigint[]))
           AND (%(named)s = '' OR strpos(lower(concat_ws(' ', name, slug, description)), lower(%(named)s)) > 0)
         ORDER BY slug LIMIT %(limit)s) AS k,
       LATERAL (
           SELECT count(*) AS source_count, max(s.synced_at) AS synced_at,
                  count(*) FILTER (WHERE NOT w.is_lost AND EXISTS (
                      SELECT FROM sync_sources t WHERE t.source_id = s.id AND t.finished_at IS NULL
                         AND t.state IN ('pending', 'queued', 'syncing'))) AS busy_count,
                  count(*) FILTER (WHERE s.state = 'failed' OR w.is_lost) AS failed_count,
                  count(*) FILTER (WHERE s.paused_at IS NOT NULL) AS paused_count
             FROM sources s,
                  LATERAL (SELECT s.managed_by IS NOT NULL AND s.state = 'syncing' AND NOT is_locked('source:' || s.id)
                           AS is_lost) AS w
            WHERE s.knowledge_base_id = k.id AND s.state <> 'deleting') AS s,
       LATERAL (
           SELECT count(*) AS document_count
             FROM published_documents d JOIN search_indexes i ON i.id = d.search_index_id
            WHERE i.knowledge_base_id = k.id AND i.state = 'active') AS p
 ORDER BY k.slug;

-- name: overview_open_parts
-- Work that waits or runs on the sources of a knowledge base; the furthest of a source comes last. Work whose process is
-- dead waits for another one, but not what a project manages, which alone can run it. `runs_first` is empty if the source
-- is another knowledge base's.
SELECT t.source_id, t.sync_id, CASE WHEN w.is_lost THEN 'pending' ELSE t.state END AS state, t.stage,
       t.done_count, t.total_count, t.documents_done, t.documents_total, t.failed_count, t.embedded_count, t.to_embed_count,
       t.current_uri, t.started_at, t.stage_started_at, y.requested_at, t.batch, p.runs_first
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id,
       LATERAL (SELECT t.state = 'syncing' AND NOT is_locked('source:' || t.source_id)
                    OR t.state = 'queued' AND NOT is_locked('batch:' || t.batch) AS is_lost) AS w,
       LATERAL (SELECT max(CASE WHEN k.id = y.knowledge_base_id THEN k.slug || '/' || o.slug ELSE '' END) AS runs_first
                  FROM sync_sources r JOIN sources o ON o.id = r.source_id
                       JOIN knowledge_bases k ON k.id = o.knowledge_base_id
                 WHERE t.state = 'pending' AND r.state = 'syncing' AND is_locked('source:' || r.source_id)
                   AND (r.batch = t.batch OR r.source_id = t.source_id)) AS p
 WHERE y.knowledge_base_id = %(knowledge_base_id)s AND t.state IN ('pending', 'queued', 'syncing')
   AND NOT (w.is_lost AND s.managed_by IS NOT NULL)
 ORDER BY t.source_id, array_position(ARRAY['pending', 'queued', 'syncing'], t.state), t.id;

-- name: overview_documents
-- Documents of a source by URI, with those that its last sync could not read; a document that failed stands with its
-- error, though readers may still find its older version.
WITH uploads AS (SELECT name FROM source_files WHERE source_id = %(source_id)s),
     problems AS (
    SELECT DISTINCT ON (x ->> 'uri') x ->> 'uri' AS uri, x ->> 'message' AS message
      FROM (SELECT t.errors FROM sync_sources t
             WHERE t.source_id = %(source_id)s AND t.finished_at IS NOT NULL
             ORDER BY t.finished_at DESC LIMIT 1) AS t, jsonb_array_elements(t.errors) AS x
     WHERE x ->> 'uri' > %(after)s AND x ->> 'code' <> 'METADATA_DROPPED'
       AND (%(with_uploads)s OR NOT EXISTS (SELECT FROM uploads f WHERE f.name = x ->> 'uri')))
SELECT coalesce(d.uri, e.uri) AS uri, d.id::text AS id, coalesce(v.title, '') AS title, e.message AS error,
       CASE WHEN e.message IS NOT NULL THEN 'failed'
            WHEN EXISTS (SELECT FROM published_documents p WHERE p.document_id = d.id) THEN 'ready'
            ELSE 'waiting' END AS state
  FROM (SELECT * FROM documents
         WHERE source_id = %(source_id)s AND removed_at IS NULL AND uri > %(after)s
           AND (NOT %(only_failed)s OR uri IN (SELECT p.uri FROM problems p))
           AND (%(with_uploads)s OR NOT EXISTS (SELECT FROM uploads f WHERE f.name = uri))
         ORDER BY uri LIMIT %(limit)s) AS d
       FULL JOIN problems e ON e.uri = d.uri
       LEFT JOIN document_versions v ON v.id = d.head_version_id
 ORDER BY 1 LIMIT %(limit)s;

-- name: overview_all_documents
-- Documents of a knowledge base by URI, also those that were removed from their source, after a given one.
SELECT d.id, d.uri, coalesce(nullif(v.title, ''), d.uri) AS title, d.source,
       CASE WHEN d.removed_at IS NOT NULL THEN 'removed'
            WHEN EXISTS (SELECT FROM published_documents p JOIN search_indexes i ON i.id = p.search_index_id
                          WHERE p.document_id = d.id AND i.state = 'active') THEN 'ready'
            ELSE 'waiting' END AS state,
       (SELECT count(*) FROM document_versions o WHERE o.document_id = d.id) AS version_count,
       coalesce((SELECT t.chunk_count FROM chunk_sets t WHERE t.version_id = v.id
                  ORDER BY t.created_at DESC, t.settings_hash LIMIT 1), 0) AS chunk_count
  FROM (SELECT d.id, d.uri, d.removed_at, d.head_version_id, s.slug AS source
          FROM documents d JOIN sources s ON s.id = d.source_id
         WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting'
           AND (%(source)s = '' OR s.slug = %(source)s)
           AND (%(text)s = '' OR strpos(lower(d.uri || ' ' || coalesce(
                   (SELECT w.title FROM document_versions w WHERE w.id = d.head_version_id), '')), lower(%(text)s)) > 0)
           AND (%(after)s::uuid IS NULL
                OR (d.uri, d.id) > (SELECT b.uri, b.id FROM documents b WHERE b.id = %(after)s::uuid))
         ORDER BY d.uri, d.id LIMIT %(limit)s) AS d
       JOIN document_versions v ON v.id = d.head_version_id
 ORDER BY d.uri, d.id;

-- name: overview_questions
-- Of the newest answers of a knowledge base that have ended, whose questions are stored, and that a reader may read: the
-- refusals, newest first, or those that took longest.
SELECT id, question, is_refused, total_ms, created_at
  FROM (SELECT id, question, is_refused, coalesce((timings_ms ->> 'total')::float8, 0) AS total_ms, created_at
          FROM answers a WHERE knowledge_base_id = %(knowledge_base_id)s AND state = 'done' AND question <> ''
           AND (%(sees_all)s OR conversation_id IS NULL
                OR EXISTS (SELECT FROM conversations c WHERE c.id = a.conversation_id AND c.owner = %(owner)s::text))
         ORDER BY created_at DESC LIMIT %(among)s) AS a
 WHERE is_refused OR NOT %(refused)s
 ORDER BY CASE WHEN NOT %(refused)s THEN total_ms END DESC, created_at DESC, id LIMIT %(limit)s;
