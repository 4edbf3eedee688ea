-- name: chunks_of_headings
-- The published chunks below some breadcrumbs, heading by heading in the order given, those nearest to the vector first.
SELECT t.number, vc.chunk_id
  FROM unnest(%(target_ids)s::uuid[]) WITH ORDINALITY AS t (target_id, number)
       JOIN search_entries_heading h ON h.shard = 0 AND h.search_index_id = %(search_index_id)s AND h.target_id = t.target_id
       JOIN published_documents p ON p.search_index_id = %(search_index_id)s AND p.document_id = h.document_id
       JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
                             AND vc.heading_hash = h.embedding_hash
       JOIN search_entries_chunk e ON e.shard = {shard} AND e.search_index_id = %(search_index_id)s
                                  AND e.target_id = vc.chunk_id
 ORDER BY t.number, e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}), vc.position
 LIMIT %(limit)s;
