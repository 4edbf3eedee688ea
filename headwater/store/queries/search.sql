-- name: search_hybrid
-- Nearest vectors and best words, fused by reciprocal rank (Cormack, Clarke, Buettcher 2009; k = 60), with all that a
-- passage shows. `vector::halfvec({dimensions})` is the expression that the HNSW index is built on; it serves no other
-- order, so adding 0 makes an exact scan. (Postgres 18 ignores enable_indexscan = off in a partition.)
WITH question AS MATERIALIZED (
    SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery AS words
      FROM unnest(to_tsvector(%(language)s::regconfig, %(text)s))
), nearest AS MATERIALIZED (
    SELECT e.chunk_id, 1 - (e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS score
      FROM search_entries e
     WHERE e.shard = {shard} AND e.search_index_id = %(search_index_id)s
       AND (%(source_ids)s::bigint[] IS NULL OR e.source_id = ANY(%(source_ids)s))
       AND (%(categories)s::text[] IS NULL OR e.source_id = ANY(%(category_source_ids)s) OR EXISTS (
            SELECT FROM unnest(%(categories)s) AS f WHERE e.category = f OR starts_with(e.category, f || '/')))
     ORDER BY CASE {is_exact} WHEN 0 THEN e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
                              ELSE 0 + (e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) END
     LIMIT %(depth)s
), matching AS MATERIALIZED (
    SELECT e.chunk_id, ts_rank(e.words, q.words, 1) AS score
      FROM question q, search_entries e
     WHERE e.shard = {shard} AND e.search_index_id = %(search_index_id)s AND e.words @@ q.words
       AND (%(source_ids)s::bigint[] IS NULL OR e.source_id = ANY(%(source_ids)s))
       AND (%(categories)s::text[] IS NULL OR e.source_id = ANY(%(category_source_ids)s) OR EXISTS (
            SELECT FROM unnest(%(categories)s) AS f WHERE e.category = f OR starts_with(e.category, f || '/')))
     ORDER BY score DESC, e.chunk_id
     LIMIT %(depth)s
), by_vector AS (SELECT *, row_number() OVER (ORDER BY score DESC, chunk_id) AS place FROM nearest
), by_text AS (SELECT *, row_number() OVER (ORDER BY score DESC, chunk_id) AS place FROM matching
), fused AS (
    SELECT chunk_id, n.score AS vector_score, m.score AS text_score,
           coalesce(1.0 / (60 + n.place), 0) + coalesce(1.0 / (60 + m.place), 0) AS score
      FROM by_vector n FULL JOIN by_text m USING (chunk_id)
     ORDER BY score DESC, chunk_id
     LIMIT %(limit)s
)
SELECT f.score::float8 AS score, f.vector_score, f.text_score, f.chunk_id, d.id AS document_id,
       v.id AS document_version_id, s.slug AS source, d.uri, coalesce(nullif(v.title, ''), d.uri) AS title, v.category, vc.breadcrumb,
       vc.start_offset, vc.end_offset, vc.line, c.kind, c.text
  FROM fused f
       JOIN chunks c ON c.id = f.chunk_id
       JOIN documents d ON d.id = c.document_id
       JOIN sources s ON s.id = d.source_id
       JOIN published_documents p ON p.document_id = d.id AND p.search_index_id = %(search_index_id)s
       JOIN document_versions v ON v.id = p.version_id
       JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = %(settings_hash)s AND vc.chunk_id = c.id
 ORDER BY f.score DESC, f.chunk_id;
