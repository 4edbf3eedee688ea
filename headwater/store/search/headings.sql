-- name: delete_old_headings
-- Take out the breadcrumbs that the newest versions no longer have. Each is looked up by its key, here and below, as
-- entries are when they are published.
DELETE FROM search_headings h
 WHERE h.search_index_id = %(search_index_id)s AND h.document_id = ANY(%(document_ids)s)
   AND (SELECT vc.heading_hash FROM documents d
               JOIN version_chunks vc ON vc.version_id = d.head_version_id AND vc.settings_hash = %(settings_hash)s
         WHERE d.id = h.document_id AND d.removed_at IS NULL AND vc.heading_hash = h.embedding_hash LIMIT 1) IS NULL;

-- name: insert_new_headings
-- Put in the breadcrumbs that the newest versions have and the index lacks; a missing vector violates the column and
-- stops it.
INSERT INTO search_headings (search_index_id, document_id, embedding_hash, breadcrumb, vector)
SELECT DISTINCT ON (d.id, vc.heading_hash) %(search_index_id)s, d.id, vc.heading_hash, vc.breadcrumb, m.vector
  FROM documents d
       JOIN version_chunks vc ON vc.version_id = d.head_version_id AND vc.settings_hash = %(settings_hash)s
       LEFT JOIN embeddings m ON m.model = %(model)s AND m.text_hash = vc.heading_hash
 WHERE d.id = ANY(%(document_ids)s) AND d.removed_at IS NULL AND vc.heading_hash IS NOT NULL
   AND (SELECT h.document_id FROM search_headings h WHERE h.search_index_id = %(search_index_id)s
           AND h.document_id = d.id AND h.embedding_hash = vc.heading_hash) IS NULL;

-- name: nearest_headings
-- The breadcrumbs nearest to a vector; every one is compared.
SELECT h.document_id, h.embedding_hash, h.breadcrumb,
       1 - (h.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS similarity
  FROM search_headings h
 WHERE h.search_index_id = %(search_index_id)s
   AND (%(source_ids)s::bigint[] IS NULL
        OR h.document_id IN (SELECT d.id FROM documents d WHERE d.source_id = ANY(%(source_ids)s)))
   AND (%(document_ids)s::uuid[] IS NULL OR h.document_id = ANY(%(document_ids)s))
 ORDER BY similarity DESC, h.document_id, h.embedding_hash LIMIT %(limit)s;

-- name: chunks_of_headings
-- The published chunks below some breadcrumbs, heading by heading in the order given, those nearest to the vector first.
SELECT t.number, vc.chunk_id
  FROM unnest(%(document_ids)s::uuid[], %(hashes)s::bytea[]) WITH ORDINALITY AS t (document_id, hash, number)
       JOIN published_documents p ON p.search_index_id = %(search_index_id)s AND p.document_id = t.document_id
       JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
                             AND vc.heading_hash = t.hash
       JOIN search_entries e ON e.shard = {shard} AND e.search_index_id = %(search_index_id)s AND e.chunk_id = vc.chunk_id
 ORDER BY t.number, e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}), vc.position
 LIMIT %(limit)s;
