-- name: share_index_lock
-- Several syncs may publish into an index at once, but not while it is moved.
SELECT pg_advisory_xact_lock_shared(hashtextextended('search_index:' || %(id)s::bigint, 0));

-- name: documents_to_publish
-- Documents of a source, or some of them, whose newest version the index does not serve, or which it stemmed in
-- another language; a version that is not split yet is left out.
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
-- From now on the index does not serve removed documents.
DELETE FROM published_documents p USING documents d
 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = d.id
   AND d.id = ANY(%(document_ids)s) AND d.removed_at IS NOT NULL;

-- name: revise_source
-- From now on readers see new or changed documents of a source, or filters select others; answers made before are stale.
INSERT INTO source_revisions AS r (source_id, revision) VALUES (%(source_id)s, 1)
ON CONFLICT (source_id) DO UPDATE SET revision = r.revision + 1, revised_at = clock_timestamp();

-- name: publication_time
-- The single instant at which a transaction's publications end and begin: at no time does a document have two versions
-- or, while it is replaced, none. Taken late, because readers see the change at the end.
SELECT clock_timestamp() AS published_at;

-- name: close_publications
-- Close the publications of some documents that the active index no longer serves.
UPDATE publications u SET withdrawn_at = %(published_at)s
 WHERE u.document_id = ANY(%(document_ids)s) AND u.withdrawn_at IS NULL
   AND NOT EXISTS (SELECT FROM published_documents p
                    WHERE p.search_index_id = %(search_index_id)s AND p.version_id = u.version_id);

-- name: open_publications
-- Open publications for some documents that the active index serves.
INSERT INTO publications (document_id, version_id, published_at)
SELECT p.document_id, p.version_id, %(published_at)s FROM published_documents p
 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = ANY(%(document_ids)s)
   AND NOT EXISTS (SELECT FROM publications u WHERE u.version_id = p.version_id AND u.withdrawn_at IS NULL);

-- name: get_search_index
-- One index, for writing.
SELECT * FROM search_indexes WHERE id = %(id)s;
