-- name: ensure_search_index
-- The index for a knowledge base's present settings; the first one of a knowledge base answers from the start. Where the
-- model does not know its dimensions (0), its vectors tell; where there is none yet, publishing will.
INSERT INTO search_indexes (knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language, state, activated_at)
SELECT %(knowledge_base_id)s, %(model)s,
       coalesce(nullif(%(dimensions)s, 0), (SELECT vector_dims(vector) FROM embeddings WHERE model = %(model)s LIMIT 1), 0),
       %(chunk_settings)s, %(settings_hash)s, %(language)s,
       CASE WHEN a.is_first THEN 'active' ELSE 'building' END, CASE WHEN a.is_first THEN now() END
  FROM (SELECT NOT EXISTS (SELECT FROM search_indexes
                            WHERE knowledge_base_id = %(knowledge_base_id)s AND state = 'active') AS is_first) AS a
ON CONFLICT (knowledge_base_id, model, settings_hash, language) DO NOTHING;

-- name: live_search_indexes
-- Every index that a sync must publish into: a rollback never serves what was deleted.
SELECT * FROM search_indexes WHERE knowledge_base_id = %(knowledge_base_id)s ORDER BY id;

-- name: active_search_index
-- The index that answers.
SELECT i.*, k.slug AS knowledge_base FROM search_indexes i JOIN knowledge_bases k ON k.id = i.knowledge_base_id
 WHERE k.slug = %(knowledge_base)s AND k.deleted_at IS NULL AND i.state = 'active';

-- name: get_search_index
-- One index, for a writer.
SELECT * FROM search_indexes WHERE id = %(id)s;

-- name: share_index_lock
-- Many may publish into an index at once, but not while it moves.
SELECT pg_advisory_xact_lock_shared(hashtextextended('search_index:' || %(id)s::bigint, 0));

-- name: documents_to_publish
-- Documents of a source, or some of them, of which an index serves another version than the newest, or that it stemmed by
-- another language than theirs; one not cut up yet is not ready.
SELECT d.id, d.removed_at IS NOT NULL AS is_removed, coalesce(c.chunk_count, 0) AS chunk_count
  FROM documents d LEFT JOIN published_documents p ON p.document_id = d.id AND p.search_index_id = %(search_index_id)s
       LEFT JOIN document_versions v ON v.id = p.version_id
       LEFT JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s
 WHERE d.source_id = %(source_id)s AND (%(document_ids)s::uuid[] IS NULL OR d.id = ANY(%(document_ids)s))
   AND CASE WHEN d.removed_at IS NOT NULL THEN p.version_id IS NOT NULL
            ELSE (p.version_id IS DISTINCT FROM d.head_version_id
                  OR coalesce(p.language, %(language)s)
                     <> stemming_language(document_language(v.language, v.detected_language), %(language)s))
                 AND c.version_id IS NOT NULL END
 ORDER BY d.uri;

-- name: learn_dimensions
-- An index made before its model had answered gets the dimensions of the model's vectors.
UPDATE search_indexes SET dimensions = m.dimensions
  FROM (SELECT vector_dims(vector) AS dimensions FROM embeddings WHERE model = %(model)s LIMIT 1) AS m
 WHERE id = %(id)s AND search_indexes.dimensions = 0;

-- name: publish_documents
-- From now on the index serves the newest versions.
INSERT INTO published_documents (search_index_id, document_id, version_id, run_id, language)
SELECT %(search_index_id)s, d.id, d.head_version_id, %(run_id)s,
       stemming_language(document_language(v.language, v.detected_language), %(language)s)
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.id = ANY(%(document_ids)s) AND d.removed_at IS NULL
ON CONFLICT (search_index_id, document_id) DO UPDATE
   SET version_id = excluded.version_id, run_id = excluded.run_id, language = excluded.language, published_at = now();

-- name: withdraw_documents
-- From now on the index does not know the vanished ones.
DELETE FROM published_documents p USING documents d
 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = d.id
   AND d.id = ANY(%(document_ids)s) AND d.removed_at IS NOT NULL;
