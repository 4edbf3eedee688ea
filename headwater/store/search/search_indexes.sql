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
