-- name: ensure_search_index
-- The index for a knowledge base's current settings; the first one is active from the start. If the
-- model does not know its dimensions (0), they come from its vectors or, if there are none yet, from publishing.
INSERT INTO search_indexes (knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language, state, activated_at)
SELECT %(knowledge_base_id)s, %(model)s,
       coalesce(nullif(%(dimensions)s, 0), (SELECT vector_dims(vector) FROM embeddings WHERE model = %(model)s LIMIT 1), 0),
       %(chunk_settings)s, %(settings_hash)s, %(language)s,
       CASE WHEN a.is_first THEN 'active' ELSE 'building' END, CASE WHEN a.is_first THEN now() END
  FROM (SELECT NOT EXISTS (SELECT FROM search_indexes
                            WHERE knowledge_base_id = %(knowledge_base_id)s AND state = 'active') AS is_first) AS a
 WHERE NOT EXISTS (  -- otherwise each conflict would take a number that no index gets
       SELECT FROM search_indexes i
        WHERE i.knowledge_base_id = %(knowledge_base_id)s AND i.model = %(model)s
          AND i.settings_hash = %(settings_hash)s AND i.language = %(language)s)
ON CONFLICT (knowledge_base_id, model, settings_hash, language) DO NOTHING;

-- name: live_search_indexes
-- Every index that a sync must publish into, so that a rollback never serves deleted documents.
SELECT * FROM search_indexes WHERE knowledge_base_id = %(knowledge_base_id)s ORDER BY id;

-- name: active_search_index
-- The active index.
SELECT i.*, k.slug AS knowledge_base FROM search_indexes i JOIN knowledge_bases k ON k.id = i.knowledge_base_id
 WHERE k.slug = %(knowledge_base)s AND k.deleted_at IS NULL AND i.state = 'active';

-- name: own_index_lock
-- Block publishing while an index is moved.
SELECT pg_advisory_xact_lock(hashtextextended('search_index:' || %(id)s::bigint, 0));

-- name: documents_served
-- The documents that an index serves or that readers saw before.
SELECT DISTINCT d.id FROM documents d JOIN sources s ON s.id = d.source_id
  LEFT JOIN publications u ON u.document_id = d.id AND u.withdrawn_at IS NULL
  LEFT JOIN published_documents p ON p.document_id = d.id AND p.search_index_id = %(search_index_id)s
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND u.version_id IS DISTINCT FROM p.version_id;

-- name: documents_missing_from_index
-- Documents, by source, that another index serves in another version than the active one, unless it serves the newest: it
-- must serve everything that the active index does, and nothing that was withdrawn there.
SELECT s.slug AS source, count(*) AS missing_count
  FROM search_indexes i JOIN sources s ON s.knowledge_base_id = i.knowledge_base_id
       JOIN documents d ON d.source_id = s.id
       LEFT JOIN published_documents a ON a.search_index_id = i.id AND a.document_id = d.id
       LEFT JOIN published_documents b ON b.search_index_id = %(id)s AND b.document_id = d.id
 WHERE i.knowledge_base_id = %(knowledge_base_id)s AND i.state = 'active'
   AND a.version_id IS DISTINCT FROM b.version_id
   AND NOT (d.removed_at IS NULL AND b.version_id IS NOT DISTINCT FROM d.head_version_id)
   AND NOT (d.removed_at IS NOT NULL AND b.version_id IS NULL)
 GROUP BY s.slug ORDER BY s.slug;

-- name: set_index_state
-- Change an index's state. When it becomes active, an earlier refusal by the gate is cleared.
UPDATE search_indexes SET state = %(state)s,
       activated_at = CASE WHEN %(state)s = 'active' THEN now() ELSE activated_at END,
       retained_at = CASE WHEN %(state)s = 'retained' THEN now() END,
       gate = CASE WHEN %(state)s = 'active' AND NOT (gate ->> 'passed')::boolean THEN NULL ELSE gate END
 WHERE id = %(id)s;

-- name: set_index_gate
-- Store an index's gate report.
UPDATE search_indexes SET gate = %(gate)s WHERE id = %(id)s;

-- name: set_knowledge_base_settings
-- Store the settings of the newly active index.
UPDATE knowledge_bases SET settings = %(settings)s, updated_at = now()
 WHERE id = %(id)s AND settings IS DISTINCT FROM %(settings)s::jsonb;

-- name: expired_search_indexes
-- Retained indexes whose period is over, plus a minute for searches that looked up the active index before a switch.
SELECT id, retained_at FROM search_indexes
 WHERE state = 'retained' AND retained_at < now() - make_interval(days => %(days)s, mins => 1)
 ORDER BY id;

-- name: lock_knowledge_base_of_index
-- Block other switches of a knowledge base's indexes; taken before the locks of its indexes, as everywhere.
SELECT k.id FROM search_indexes i JOIN knowledge_bases k ON k.id = i.knowledge_base_id WHERE i.id = %(id)s
   FOR UPDATE OF k;

-- name: delete_search_index
-- Delete an index that is not needed for a rollback.
DELETE FROM search_indexes WHERE id = %(id)s;
