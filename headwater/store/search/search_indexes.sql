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

-- name: delete_old_entries
-- Take out what the newest versions no longer hold, and say what its words were; with words that have lost their entry.
-- Each is looked up by its key, here and below: an anti-join would read the whole index for it.
WITH gone AS (
    DELETE FROM search_entries e
     WHERE e.shard = %(shard)s AND e.search_index_id = %(search_index_id)s AND e.document_id = ANY(%(document_ids)s)
       AND (SELECT vc.chunk_id FROM documents d JOIN document_versions v ON v.id = d.head_version_id
                   JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = %(settings_hash)s
             WHERE d.id = e.document_id AND d.removed_at IS NULL AND vc.chunk_id = e.chunk_id
               AND vc.embedding_hash = e.embedding_hash AND v.title = e.title LIMIT 1) IS NULL
    RETURNING e.chunk_id
), words AS (
    DELETE FROM search_weights w
     WHERE w.shard = %(shard)s AND w.search_index_id = %(search_index_id)s AND w.document_id = ANY(%(document_ids)s)
       AND (w.chunk_id IN (SELECT chunk_id FROM gone)
            OR (SELECT e.chunk_id FROM search_entries e WHERE e.shard = %(shard)s
                   AND e.search_index_id = %(search_index_id)s AND e.chunk_id = w.chunk_id) IS NULL)
    RETURNING w.chunk_id, w.length, w.terms
)
SELECT g.chunk_id IS NOT NULL AS is_entry, w.length, w.terms FROM gone g FULL JOIN words w USING (chunk_id);

-- name: insert_new_entries
-- Put in what the newest versions hold and the index lacks; a missing vector violates the column and stops it. Returns
-- what they are found by.
WITH fresh AS (
    INSERT INTO search_entries (shard, search_index_id, chunk_id, document_id, source_id, title, embedding_hash, vector)
    SELECT %(shard)s, %(search_index_id)s, vc.chunk_id, d.id, d.source_id, v.title, vc.embedding_hash, m.vector
      FROM documents d JOIN document_versions v ON v.id = d.head_version_id
           JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = %(settings_hash)s
           LEFT JOIN embeddings m ON m.model = %(model)s AND m.text_hash = vc.embedding_hash
     WHERE d.id = ANY(%(document_ids)s) AND d.removed_at IS NULL
       AND (SELECT e.chunk_id FROM search_entries e WHERE e.shard = %(shard)s
               AND e.search_index_id = %(search_index_id)s AND e.chunk_id = vc.chunk_id) IS NULL
    RETURNING chunk_id, document_id, source_id, title
)
SELECT f.chunk_id, f.document_id, f.source_id, f.title, d.uri, vc.breadcrumb, c.text,
       stemming_language(document_language(v.language, v.detected_language), %(language)s) AS language
  FROM fresh f JOIN documents d ON d.id = f.document_id JOIN chunks c ON c.id = f.chunk_id
       JOIN document_versions v ON v.id = d.head_version_id
       JOIN version_chunks vc ON vc.version_id = d.head_version_id AND vc.settings_hash = %(settings_hash)s
                             AND vc.chunk_id = f.chunk_id;

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
