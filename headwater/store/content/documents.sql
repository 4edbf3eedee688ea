-- name: do_not_wait_for_disk
-- This transaction's commit does not wait for the disk; a later commit that does makes this one durable too.
SET LOCAL synchronous_commit = off;

-- name: put_documents
-- New documents, and new newest versions of known ones, which may have been renamed; unchanged rows are not written.
INSERT INTO documents AS d (id, source_id, uri, fingerprint, validator, access_digest, head_version_id, read_by)
SELECT id, %(source_id)s, uri, fingerprint, validator, access_digest, version_id, read_by
  FROM unnest(%(ids)s::uuid[], %(uris)s::text[], %(fingerprints)s::text[], %(validators)s::text[],
              %(access_digests)s::text[], %(version_ids)s::uuid[], %(parser_versions)s::text[])
       AS t (id, uri, fingerprint, validator, access_digest, version_id, read_by)
ON CONFLICT (id) DO UPDATE
   SET fingerprint = excluded.fingerprint, validator = excluded.validator, access_digest = excluded.access_digest,
       uri = excluded.uri, head_version_id = excluded.head_version_id, read_by = excluded.read_by, removed_at = NULL
 WHERE (d.uri, d.fingerprint, d.validator, d.access_digest, d.head_version_id, d.read_by)
       IS DISTINCT FROM (excluded.uri, excluded.fingerprint, excluded.validator, excluded.access_digest,
                         excluded.head_version_id, excluded.read_by)
    OR d.removed_at IS NOT NULL;

-- name: remove_documents
-- Documents that the source no longer has; publishing removes them from search.
UPDATE documents SET removed_at = now() WHERE id = ANY(%(ids)s) AND removed_at IS NULL;

-- name: hold_deletions
-- How many documents a sync would remove but asks first, null for none; an older confirmation no longer counts.
UPDATE sources SET held_deletions = %(count)s, confirmed_deletions = NULL WHERE id = %(source_id)s;

-- name: documents_data_version
-- A digest over every document's content.
SELECT md5(coalesce(string_agg(d.uri || ':' || encode(v.content_hash, 'hex'), ',' ORDER BY d.uri COLLATE "C"), ''))
       AS data_version, count(*) AS row_count
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL;

-- name: documents_to_chunk
-- Documents whose newest version is not split with some settings, with the stored size of its text.
SELECT d.id, pg_column_size(v.text) AS size
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL
   AND NOT EXISTS (SELECT FROM chunk_sets c WHERE c.version_id = v.id AND c.settings_hash = %(settings_hash)s)
 ORDER BY d.uri;

-- name: versions_to_chunk
-- The newest versions of some documents, unless they are split with some settings. Here and in similar queries, each is
-- looked up by its key: an anti-join would read the whole source for each batch.
SELECT v.id, v.document_id, d.uri, v.title, v.text, v.media_type
  FROM unnest(%(document_ids)s::uuid[]) WITH ORDINALITY AS w (document_id, place)
       JOIN documents d ON d.id = w.document_id JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.removed_at IS NULL
   AND (SELECT c.version_id FROM chunk_sets c WHERE c.version_id = v.id AND c.settings_hash = %(settings_hash)s) IS NULL
 ORDER BY w.place;

-- name: pieces_before
-- The chunks, without overlap, of the newest earlier version of each document that was split with some settings.
SELECT p.document_id, array_agg(substr(c.text, vc.overlap_count + 1) ORDER BY vc.position) AS pieces
  FROM (SELECT DISTINCT ON (v.document_id) v.document_id, v.id
          FROM document_versions v JOIN chunk_sets s ON s.version_id = v.id AND s.settings_hash = %(settings_hash)s
         WHERE v.document_id = ANY(%(document_ids)s)
         ORDER BY v.document_id, v.sequence DESC) AS p
       JOIN version_chunks vc ON vc.version_id = p.id AND vc.settings_hash = %(settings_hash)s
       JOIN chunks c ON c.id = vc.chunk_id
 GROUP BY p.document_id;

-- name: chunks_data_version
-- A digest over every chunk's text and headings, for all settings in use.
SELECT md5(coalesce(string_agg(vc.chunk_id || encode(vc.embedding_hash, 'hex'), ','
                               ORDER BY d.uri COLLATE "C", vc.settings_hash, vc.position), '')) AS data_version,
       count(*) AS row_count
  FROM documents d JOIN version_chunks vc ON vc.version_id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL AND vc.settings_hash = ANY(%(settings_hashes)s);

-- name: texts_to_embed
-- Texts without a vector that the newest versions of some documents contribute: each once, in the order of the first
-- document that contains it (`place`, from 1). Each version is looked up by its key; OFFSET 0 forces this, because the
-- planner does not know the sizes of tables that were just filled.
SELECT t.* FROM (
    SELECT DISTINCT ON (v.embedding_hash) v.embedding_hash, v.breadcrumb, w.place, v.prose
      FROM unnest(%(document_ids)s::uuid[]) WITH ORDINALITY AS w (document_id, place)
           CROSS JOIN LATERAL (
               SELECT d.head_version_id FROM documents d WHERE d.id = w.document_id AND d.removed_at IS NULL OFFSET 0) AS d
           CROSS JOIN LATERAL (
               SELECT e.embedding_hash, e.breadcrumb, e.prose FROM version_entries e
                WHERE e.version_id = d.head_version_id AND e.settings_hash = %(settings_hash)s
                  AND e.embedding_hash IS NOT NULL
                  AND (SELECT m.text_hash FROM embeddings m
                        WHERE m.model = %(model)s AND m.text_hash = e.embedding_hash) IS NULL OFFSET 0) AS v
     ORDER BY v.embedding_hash, w.place) AS t
 ORDER BY t.place;

-- name: count_texts_to_embed
-- How many texts `texts_to_embed` returns for some documents.
SELECT count(DISTINCT v.embedding_hash) AS text_count
  FROM unnest(%(document_ids)s::uuid[]) AS w (document_id)
       CROSS JOIN LATERAL (
           SELECT d.head_version_id FROM documents d WHERE d.id = w.document_id AND d.removed_at IS NULL OFFSET 0) AS d
       CROSS JOIN LATERAL (
           SELECT e.embedding_hash FROM version_entries e
            WHERE e.version_id = d.head_version_id AND e.settings_hash = %(settings_hash)s
              AND e.embedding_hash IS NOT NULL
              AND (SELECT m.text_hash FROM embeddings m
                    WHERE m.model = %(model)s AND m.text_hash = e.embedding_hash) IS NULL OFFSET 0) AS v;

-- name: vector_dimensions
-- The dimensions of a model, from any of its vectors.
SELECT vector_dims(vector) AS dimensions FROM embeddings WHERE model = %(model)s LIMIT 1;
