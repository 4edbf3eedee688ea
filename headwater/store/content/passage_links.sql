-- name: children_of_chunks
-- The children of published chunks, in order. The children of a
-- section's first chunk are also those of its other chunks. If a chunk has no stored parent, it is found by headings: those
-- of the parent are the beginning of its own.
SELECT o.chunk_id, l.child_ids
  FROM published_documents p JOIN documents d ON d.id = p.document_id
       JOIN version_chunks o ON o.version_id = p.version_id AND o.settings_hash = %(settings_hash)s
                            AND o.chunk_id = ANY(%(chunk_ids)s)
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

-- name: links_of_chunks
-- For each published chunk, the chunks that its links of some kinds lead to, in order: that with the named heading, or with
-- the definition, or else the document's first.
SELECT o.chunk_id AS origin_id, l.kind, t.chunk_id
  FROM version_chunks o
       JOIN resolved_links l ON l.version_id = o.version_id AND l.search_index_id = %(search_index_id)s
                            AND l.start_offset >= o.start_offset AND l.start_offset < o.end_offset
       JOIN documents td ON td.id = l.target_document_id
       JOIN LATERAL (
           SELECT vc.chunk_id FROM version_chunks vc
            WHERE vc.version_id = l.target_version_id AND vc.settings_hash = %(settings_hash)s
              AND CASE WHEN l.anchor <> '' THEN vc.position = 0 OR l.anchor = ANY(vc.anchors)
                       ELSE vc.start_offset <= l.target_offset END
            ORDER BY l.anchor = ANY(vc.anchors) DESC,
                     CASE WHEN l.anchor <> '' THEN vc.position ELSE -vc.position END LIMIT 1) AS t ON true
 WHERE o.settings_hash = %(settings_hash)s AND o.chunk_id = ANY(%(chunk_ids)s) AND l.kind = ANY(%(kinds)s)
   AND (%(within_sources)s::bigint[] IS NULL OR td.source_id = ANY(%(within_sources)s))
   AND (%(within_documents)s::uuid[] IS NULL OR td.id = ANY(%(within_documents)s))
 ORDER BY l.position;

-- name: passages_of_chunks
-- All fields of a passage for published chunks, and their similarity to a vector if one is given.
SELECT NULL::integer AS vector_rank, NULL::integer AS text_rank, NULL::float8 AS text_score, 0::float8 AS fused,
       1 - (e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS vector,
       c.id AS chunk_id, d.id AS document_id, v.id AS document_version_id, s.slug AS source, d.uri,
       coalesce(nullif(v.title, ''), d.uri) AS title, v.category,
       document_language(v.language, v.detected_language) AS language, vc.breadcrumb, vc.start_offset, vc.end_offset, vc.line,
       vc.position, c.kind, c.text,
       (SELECT u.text FROM chunk_sentences u WHERE u.chunk_id = c.id) AS summary,
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
       (SELECT u.text FROM chunk_sentences u WHERE u.chunk_id = c.id) AS summary,
       CASE WHEN pg_column_size(v.places) < 500 THEN v.places::text WHEN v.places IS NOT NULL THEN '' END AS places,
       v.parser_version, v.media_type
  FROM (SELECT DISTINCT n.* FROM unnest(%(version_ids)s::uuid[], %(chunk_ids)s::uuid[]) AS h (version_id, chunk_id)
               JOIN version_chunks o ON o.version_id = h.version_id AND o.chunk_id = h.chunk_id
               JOIN version_chunks n ON n.version_id = o.version_id AND n.settings_hash = o.settings_hash
                                    AND n.position BETWEEN o.position - %(reach)s AND o.position + %(reach)s) AS b
       JOIN chunks c ON c.id = b.chunk_id JOIN document_versions v ON v.id = b.version_id
       JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
 ORDER BY v.id, b.position;
