-- name: search_as_of
-- `search_hybrid` over the versions that readers saw at a past time. What the index still serves is read from its
-- entries. Of the others, the chunks are scanned exactly: cut up as the index's are, where the version ever was, with
-- their vectors of the index's model, where there are any (else only their words find them), and with words made as
-- `insert_new_entries` makes them. The nearest are ordered by score, which HNSW does not serve: it would miss some.
WITH question AS MATERIALIZED (
    SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery AS words
      FROM unnest(to_tsvector(%(language)s::regconfig, %(text)s))
), seen AS MATERIALIZED (
    SELECT u.version_id, d.id AS document_id, d.uri, v.title,
           EXISTS (SELECT FROM published_documents p WHERE p.search_index_id = %(search_index_id)s
                      AND p.document_id = d.id AND p.version_id = u.version_id) AS is_served
      FROM sources s JOIN documents d ON d.source_id = s.id JOIN publications u ON u.document_id = d.id
           JOIN document_versions v ON v.id = u.version_id
     WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting'
       AND u.published_at <= %(as_of)s AND (u.withdrawn_at IS NULL OR u.withdrawn_at > %(as_of)s)
       AND (%(source_ids)s::bigint[] IS NULL OR s.id = ANY(%(source_ids)s))
       AND (%(categories)s::text[] IS NULL OR s.id = ANY(%(category_source_ids)s) OR EXISTS (
            SELECT FROM unnest(%(categories)s) AS f WHERE v.category = f OR starts_with(v.category, f || '/')))
), closed AS MATERIALIZED (
    SELECT vc.chunk_id, n.version_id, vc.settings_hash, m.vector,
           setweight(to_tsvector(%(language)s::regconfig,
                  n.title || ' ' || regexp_replace(n.uri, '[^[:alnum:]]+', ' ', 'g')), 'A')
           || setweight(to_tsvector(%(language)s::regconfig, array_to_string(vc.breadcrumb, ' ')), 'B')
           || to_tsvector(%(language)s::regconfig, c.text) AS words
      FROM seen n
           JOIN LATERAL (SELECT t.settings_hash FROM chunk_sets t WHERE t.version_id = n.version_id
                          ORDER BY t.settings_hash = %(settings_hash)s DESC, t.created_at DESC, t.settings_hash
                          LIMIT 1) AS t ON true
           JOIN version_chunks vc ON vc.version_id = n.version_id AND vc.settings_hash = t.settings_hash
           JOIN chunks c ON c.id = vc.chunk_id
           LEFT JOIN embeddings m ON m.model = %(model)s AND m.text_hash = vc.embedding_hash
     WHERE NOT n.is_served
), entries AS NOT MATERIALIZED (
    SELECT chunk_id, version_id, settings_hash, vector, words FROM closed
     UNION ALL
    SELECT e.chunk_id, n.version_id, %(settings_hash)s, e.vector, e.words
      FROM seen n JOIN search_entries e ON e.document_id = n.document_id
     WHERE n.is_served AND e.shard = {shard} AND e.search_index_id = %(search_index_id)s
), nearest AS MATERIALIZED (
    SELECT e.chunk_id, e.version_id, e.settings_hash,
           1 - (e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS score
      FROM entries e
     WHERE e.vector IS NOT NULL
     ORDER BY score DESC
     LIMIT %(depth)s
), matching AS MATERIALIZED (
    SELECT e.chunk_id, e.version_id, e.settings_hash, ts_rank(e.words, q.words, 1) AS score
      FROM question q, entries e
     WHERE e.words @@ q.words
     ORDER BY score DESC, e.chunk_id
     LIMIT %(depth)s
), by_vector AS (SELECT *, row_number() OVER (ORDER BY score DESC, chunk_id) AS place FROM nearest
), by_text AS (SELECT *, row_number() OVER (ORDER BY score DESC, chunk_id) AS place FROM matching
), fused AS (
    SELECT chunk_id, version_id, settings_hash, n.score AS vector_score, m.score AS text_score,
           coalesce(1.0 / (60 + n.place), 0) + coalesce(1.0 / (60 + m.place), 0) AS score
      FROM by_vector n FULL JOIN by_text m USING (chunk_id, version_id, settings_hash)
     ORDER BY score DESC, chunk_id
     LIMIT %(limit)s
)
SELECT f.score::float8 AS score, f.vector_score, f.text_score, f.chunk_id, d.id AS document_id,
       v.id AS document_version_id, s.slug AS source, d.uri, coalesce(nullif(v.title, ''), d.uri) AS title, v.category,
       vc.breadcrumb, vc.start_offset, vc.end_offset, vc.line, c.kind, c.text
  FROM fused f
       JOIN document_versions v ON v.id = f.version_id
       JOIN documents d ON d.id = v.document_id
       JOIN sources s ON s.id = d.source_id
       JOIN version_chunks vc ON vc.version_id = f.version_id AND vc.settings_hash = f.settings_hash
                             AND vc.chunk_id = f.chunk_id
       JOIN chunks c ON c.id = f.chunk_id
 ORDER BY f.score DESC, f.chunk_id;
