-- name: documents_size
-- The characters of a source's documents.
SELECT coalesce(sum(length(v.text)), 0) AS character_count
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL;

-- name: chunks_size
-- The characters of a source's chunks, for all settings in use.
SELECT coalesce(sum(c.character_count), 0) AS character_count
  FROM documents d JOIN version_chunks vc ON vc.version_id = d.head_version_id JOIN chunks c ON c.id = vc.chunk_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL AND vc.settings_hash = ANY(%(settings_hashes)s);

-- name: preview_documents
-- A few documents of a source, for people.
SELECT d.uri, v.title, length(v.text) AS character_count, v.category
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL ORDER BY v.fetched_at DESC, d.uri LIMIT 5;

-- name: preview_chunks
-- A few chunks of a source, for people.
SELECT d.uri, vc.breadcrumb, left(c.text, 160) AS text, c.character_count
  FROM documents d JOIN version_chunks vc ON vc.version_id = d.head_version_id JOIN chunks c ON c.id = vc.chunk_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL ORDER BY c.created_at DESC, d.uri, vc.position LIMIT 5;

-- name: embeddings_size
-- The number of vectors of a source's texts under a model, and their tokens.
SELECT count(*) AS vector_count, coalesce(sum(e.token_count), 0) AS token_count
  FROM (SELECT DISTINCT w.embedding_hash
          FROM documents d JOIN version_entries w ON w.version_id = d.head_version_id
         WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL AND w.settings_hash = %(settings_hash)s) AS t
       JOIN embeddings e ON e.model = %(model)s AND e.text_hash = t.embedding_hash;

-- name: texts_of_knowledge_base
-- The distinct texts that a knowledge base's index is made of under some chunk settings, with their characters, and how
-- many of them have no vector of a model yet.
SELECT count(*) AS text_count, coalesce(sum(t.character_count), 0) AS character_count,
       count(*) FILTER (WHERE t.is_missing) AS missing_count,
       coalesce(sum(t.character_count) FILTER (WHERE t.is_missing), 0) AS missing_character_count
  FROM (SELECT DISTINCT ON (vc.embedding_hash) c.character_count,
               NOT EXISTS (SELECT FROM embeddings e WHERE e.model = %(model)s AND e.text_hash = vc.embedding_hash) AS is_missing
          FROM sources s JOIN documents d ON d.source_id = s.id
               JOIN version_chunks vc ON vc.version_id = d.head_version_id JOIN chunks c ON c.id = vc.chunk_id
         WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting' AND d.removed_at IS NULL
           AND vc.settings_hash = %(settings_hash)s AND vc.embedding_hash IS NOT NULL
         ORDER BY vc.embedding_hash) AS t;
