-- name: server_facts
-- The versions of Postgres and pgvector, and whether autovacuum is on.
SELECT current_setting('server_version') AS postgres,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       current_setting('autovacuum')::boolean AS has_autovacuum;

-- name: memory_facts
-- The server's memory settings in bytes, and the size of the vector indexes: all of them, and the largest one.
SELECT pg_size_bytes(current_setting('shared_buffers')) AS shared_buffers,
       pg_size_bytes(current_setting('maintenance_work_mem')) AS maintenance_work_mem,
       pg_size_bytes(current_setting('work_mem')) AS work_mem,
       current_setting('max_connections')::integer AS max_connections,
       coalesce(sum(size), 0)::bigint AS vector_index_bytes,
       coalesce(max(size), 0)::bigint AS largest_index_bytes
  FROM (SELECT pg_relation_size(c.oid) AS size
          FROM pg_class c JOIN pg_am a ON a.oid = c.relam
         WHERE c.relkind = 'i' AND a.amname = 'hnsw') AS vector_indexes;

-- name: waiting_requests
-- Requests that no worker has taken for longer than some time, and since when; a source with a live worker does not
-- count, one with a dead worker waits for another.
SELECT count(DISTINCT t.sync_id) AS request_count, min(y.requested_at) AS since
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id
 WHERE t.state IN ('pending', 'syncing') AND y.requested_at < now() - make_interval(secs => %(seconds)s)
   AND NOT is_locked('source:' || t.source_id);

-- name: index_states
-- Inactive search indexes, and every one whose gate failed, with the failed criteria.
SELECT k.slug AS knowledge_base, i.id, i.model, i.state, i.retained_at,
       jsonb_path_query_array(i.gate, 'strict $.** ? (@.passed == false && exists (@.words)).words') AS failed,
       coalesce(jsonb_path_exists(i.gate, 'strict $.** ? (@.passed == false)'), false) AS is_failed
  FROM search_indexes i JOIN knowledge_bases k ON k.id = i.knowledge_base_id
 WHERE k.deleted_at IS NULL AND (i.state <> 'active' OR jsonb_path_exists(i.gate, 'strict $.** ? (@.passed == false)'))
 ORDER BY k.slug, i.id;

-- name: document_languages
-- How many documents of an index are in each language; empty means unknown.
SELECT document_language(v.language, v.detected_language) AS language, count(*) AS document_count
  FROM published_documents p JOIN document_versions v ON v.id = p.version_id
 WHERE p.search_index_id = %(search_index_id)s
 GROUP BY 1 ORDER BY 2 DESC, 1;

-- name: paused_sources
-- Paused sources.
SELECT k.slug || '/' || s.slug AS key FROM sources s JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE s.paused_at IS NOT NULL AND s.state <> 'deleting' AND k.deleted_at IS NULL ORDER BY 1;

-- name: stored_settings
-- Which knowledge bases have values for some settings.
SELECT k.slug, setting AS name FROM knowledge_bases k, jsonb_object_keys(k.settings) AS setting
 WHERE setting = ANY(%(names)s) AND k.deleted_at IS NULL ORDER BY 1, 2;

-- name: dead_rows
-- Dead rows of each table, and when they were last vacuumed.
SELECT t.relname AS table_name, t.n_live_tup AS live_count, t.n_dead_tup AS dead_count,
       greatest(t.last_vacuum, t.last_autovacuum) AS vacuumed_at,
       EXISTS (SELECT FROM unnest(c.reloptions) AS o
                WHERE o IN ('autovacuum_enabled=false', 'autovacuum_enabled=off')) AS is_off
  FROM pg_stat_user_tables t JOIN pg_class c ON c.oid = t.relid
 WHERE t.schemaname = 'public'
 ORDER BY t.n_dead_tup DESC, t.relname;
