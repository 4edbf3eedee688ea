-- name: leads_of_chunks
-- The links of published chunks: to their children (in order), and their link targets as written. The children of a
-- section's first chunk are also those of its other chunks. If a chunk has no stored parent, it is found by headings: those
-- of the parent are the beginning of its own.
SELECT o.chunk_id, d.source_id, d.uri, c.outgoing, l.child_ids
  FROM published_documents p JOIN documents d ON d.id = p.document_id
       JOIN version_chunks o ON o.version_id = p.version_id AND o.settings_hash = %(settings_hash)s
                            AND o.chunk_id = ANY(%(chunk_ids)s)
       JOIN chunks c ON c.id = o.chunk_id
       CROSS JOIN LATERAL (
           SELECT coalesce(array_agg(k.chunk_id ORDER BY k.position), '{}') AS child_ids
             FROM (SELECT k.chunk_id, k.position FROM version_chunks k
                    WHERE k.version_id = o.version_id AND k.settings_hash = o.settings_hash
                      AND CASE WHEN k.parent_position IS NOT NULL
                               THEN k.parent_position IN (
                                    SELECT s.position FROM version_chunks s
                                     WHERE s.version_id = o.version_id AND s.settings_hash = o.settings_hash
                                       AND s.breadcrumb = o.breadcrumb)
                               ELSE cardinality(o.breadcrumb) BETWEEN 1 AND cardinality(k.breadcrumb) - 1
                                    AND k.breadcrumb[1:cardinality(o.breadcrumb)] = o.breadcrumb END
                    ORDER BY k.position LIMIT %(limit)s) AS k) AS l
 WHERE p.search_index_id = %(search_index_id)s AND d.id IN (SELECT document_id FROM chunks WHERE id = ANY(%(chunk_ids)s));

-- name: chunks_of_links
-- For each link, the chunk it leads to, in the likeliest published document: the chunk with the named heading, or else
-- the document's first chunk.
SELECT DISTINCT ON (t.number) t.number, vc.chunk_id
  FROM unnest(%(numbers)s::integer[], %(source_ids)s::bigint[], %(uris)s::text[], %(anchors)s::text[])
       WITH ORDINALITY AS t (number, source_id, uri, anchor, place)
       JOIN documents d ON d.source_id = t.source_id AND d.uri = t.uri
       JOIN published_documents p ON p.search_index_id = %(search_index_id)s AND p.document_id = d.id
       JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
 WHERE (vc.position = 0 OR t.anchor = ANY(vc.anchors))
   AND (%(within_sources)s::bigint[] IS NULL OR d.source_id = ANY(%(within_sources)s))
   AND (%(within_documents)s::uuid[] IS NULL OR d.id = ANY(%(within_documents)s))
 ORDER BY t.number, t.place, t.anchor = ANY(vc.anchors) DESC, vc.position;

-- name: passages_of_chunks
-- All fields of a passage for published chunks, and their similarity to a vector if one is given.
SELECT NULL::integer AS vector_rank, NULL::integer AS text_rank, NULL::float8 AS text_score, 0::float8 AS fused,
       1 - (e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS vector,
       c.id AS chunk_id, d.id AS document_id, v.id AS document_version_id, s.slug AS source, d.uri,
       coalesce(nullif(v.title, ''), d.uri) AS title, v.category,
       document_language(v.language, v.detected_language) AS language, vc.breadcrumb, vc.start_offset, vc.end_offset, vc.line,
       vc.position, c.kind, c.text,
       CASE WHEN pg_column_size(v.places) < 500 THEN v.places::text WHEN v.places IS NOT NULL THEN '' END AS places,
       v.parser_version, v.media_type
  FROM chunks c JOIN documents d ON d.id = c.document_id JOIN sources s ON s.id = d.source_id
       JOIN published_documents p ON p.document_id = d.id AND p.search_index_id = %(search_index_id)s
       JOIN document_versions v ON v.id = p.version_id
       JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = %(settings_hash)s AND vc.chunk_id = c.id
       LEFT JOIN search_entries_chunk e ON e.shard = {shard} AND e.search_index_id = %(search_index_id)s AND e.target_id = c.id
 WHERE c.id = ANY(%(chunk_ids)s);

-- name: nearby_chunks
-- All fields of a passage for the neighbours of some chunks, in the same document version and with the same settings.
SELECT NULL::integer AS vector_rank, NULL::integer AS text_rank, NULL::float8 AS text_score, 0::float8 AS fused,
       NULL::float8 AS vector, c.id AS chunk_id, d.id AS document_id, v.id AS document_version_id, s.slug AS source, d.uri,
       coalesce(nullif(v.title, ''), d.uri) AS title, v.category,
       document_language(v.language, v.detected_language) AS language, b.breadcrumb, b.start_offset, b.end_offset, b.line,
       b.position, c.kind, c.text,
       CASE WHEN pg_column_size(v.places) < 500 THEN v.places::text WHEN v.places IS NOT NULL THEN '' END AS places,
       v.parser_version, v.media_type
  FROM (SELECT DISTINCT n.* FROM unnest(%(version_ids)s::uuid[], %(chunk_ids)s::uuid[]) AS h (version_id, chunk_id)
               JOIN version_chunks o ON o.version_id = h.version_id AND o.chunk_id = h.chunk_id
               JOIN version_chunks n ON n.version_id = o.version_id AND n.settings_hash = o.settings_hash
                                    AND n.position BETWEEN o.position - %(reach)s AND o.position + %(reach)s) AS b
       JOIN chunks c ON c.id = b.chunk_id JOIN document_versions v ON v.id = b.version_id
       JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
 ORDER BY v.id, b.position;
