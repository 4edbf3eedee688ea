-- name: question_lexemes
-- A question's words, stemmed as in `search_chunks`, each lexeme with its number of occurrences.
SELECT lexeme, sum(n)::integer AS n, array_agg(word) AS words FROM (
    SELECT DISTINCT (ts_lexize(d.name, t.word))[1] AS lexeme, t.word, t.n
      FROM unnest(%(words)s::text[], %(word_counts)s::integer[]) AS t (word, n),
           unnest(%(dictionaries)s::regdictionary[]) AS d (name)
     WHERE ts_lexize(%(stopping)s::regdictionary, t.word) <> '{}'
     UNION ALL SELECT t.word, t.word, t.n FROM unnest(%(exact)s::text[], %(exact_counts)s::integer[]) AS t (word, n)) AS asked
 WHERE lexeme IS NOT NULL GROUP BY lexeme;

-- name: get_statistics
-- The statistics of an index's entries of one kind; none before the first.
SELECT entry_count, length_sum, weighed_length, languages, is_complete
  FROM search_statistics WHERE search_index_id = %(search_index_id)s AND kind = %(kind)s;

-- name: seen_documents
-- The version of each document that readers saw at a past time, with a filter, and whether the index still serves it.
SELECT u.version_id, d.id AS document_id,
       EXISTS (SELECT FROM published_documents p WHERE p.search_index_id = %(search_index_id)s
                  AND p.document_id = d.id AND p.version_id = u.version_id) AS is_served
  FROM sources s JOIN documents d ON d.source_id = s.id JOIN publications u ON u.document_id = d.id
       JOIN document_versions v ON v.id = u.version_id
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting'
   AND u.published_at <= %(as_of)s AND (u.withdrawn_at IS NULL OR u.withdrawn_at > %(as_of)s)
   AND (%(source_ids)s::bigint[] IS NULL OR s.id = ANY(%(source_ids)s))
   AND (%(categories)s::text[] IS NULL OR s.id = ANY(%(category_source_ids)s) OR EXISTS (
        SELECT FROM unnest(%(categories)s) AS f WHERE v.category = f OR starts_with(v.category, f || '/')))
   AND (%(tags)s::text[] IS NULL OR s.id = ANY(%(tag_source_ids)s)
        OR v.metadata -> 'labels' ?| %(tags)s OR v.metadata -> 'tags' ?| %(tags)s
        OR v.metadata -> 'keywords' ?| %(tags)s OR v.metadata -> 'categories' ?| %(tags)s)
   AND (%(authors)s::text[] IS NULL OR v.metadata -> 'author' ?| %(authors)s
        OR v.metadata -> 'authors' ?| %(authors)s OR v.metadata -> 'from' ?| %(authors)s)
   AND (%(documents)s::text[] IS NULL OR d.uri = ANY(%(documents)s) OR d.id::text = ANY(%(documents)s))
   AND (%(languages)s::text[] IS NULL OR EXISTS (
        SELECT FROM unnest(%(languages)s) AS f
         WHERE starts_with(replace(lower(document_language(v.language, v.detected_language)), '_', '-') || '-', f || '-')))
   AND (%(dated_from)s::timestamptz IS NULL OR coalesce(v.dated_at, v.fetched_at) >= %(dated_from)s)
   AND (%(dated_to)s::timestamptz IS NULL OR coalesce(v.dated_at, v.fetched_at) < %(dated_to)s);

-- name: closed_chunks
-- The chunks of versions that the index no longer serves: split with its own settings if they ever were.
SELECT vc.chunk_id, v.id AS version_id, vc.settings_hash, d.uri, v.title, vc.breadcrumb, c.text, c.kind AS chunk_kind,
       stemming_language(document_language(v.language, v.detected_language), %(language)s) AS language
  FROM document_versions v JOIN documents d ON d.id = v.document_id
       JOIN LATERAL (SELECT t.settings_hash FROM chunk_sets t WHERE t.version_id = v.id
                      ORDER BY t.settings_hash = %(settings_hash)s DESC, t.created_at DESC, t.settings_hash
                      LIMIT 1) AS t ON true
       JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = t.settings_hash
       JOIN chunks c ON c.id = vc.chunk_id
 WHERE v.id = ANY(%(version_ids)s);

-- name: served_terms
-- How many entries of some documents contain each of a question's terms, of how many, and the average length for weights.
SELECT t.term, count(w.target_id)::integer AS held,
       (SELECT count(*) FROM search_weights_chunk a WHERE a.shard = %(shard)s AND a.search_index_id = %(search_index_id)s
           AND a.document_id = ANY(%(document_ids)s)) AS total,
       (SELECT weighed_length FROM search_statistics s WHERE s.search_index_id = %(search_index_id)s AND s.kind = 'chunk') AS weighed_length
  FROM unnest(%(terms)s::integer[]) AS t (term)
       LEFT JOIN search_weights_chunk w ON w.shard = %(shard)s AND w.search_index_id = %(search_index_id)s
              AND w.document_id = ANY(%(document_ids)s) AND w.terms @> ARRAY[t.term]
 GROUP BY t.term;

-- name: search_as_of
-- `search_chunks` over the versions that readers saw at a past time: versions that the index still serves are read from
-- its entries; for the rest, the caller computed the word scores (`closed_scores`), and the vectors come from the cache,
-- if there are any of the index's model. Everything is scanned exactly: closed versions are in no HNSW index.
WITH question AS MATERIALIZED (SELECT %(question)s::sparsevec AS weights
), closed AS MATERIALIZED (
    SELECT vc.chunk_id, vc.version_id, vc.settings_hash, m.vector, t.score AS text_score
      FROM unnest(%(closed_chunk_ids)s::uuid[], %(closed_version_ids)s::uuid[], %(closed_settings)s::bytea[],
                  %(closed_scores)s::float8[]) AS t (chunk_id, version_id, settings_hash, score)
           JOIN version_chunks vc ON vc.version_id = t.version_id AND vc.settings_hash = t.settings_hash
                                 AND vc.chunk_id = t.chunk_id
           LEFT JOIN embeddings m ON m.model = %(model)s AND m.text_hash = vc.embedding_hash
), entries AS MATERIALIZED (
    SELECT chunk_id, version_id, settings_hash, text_score,
           1 - (vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS vector_score FROM closed
     UNION ALL
    SELECT e.target_id, p.version_id, %(settings_hash)s, -(w.weights <#> q.weights),
           1 - (e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}))
      FROM question q CROSS JOIN search_entries_chunk e
           JOIN published_documents p ON p.search_index_id = e.search_index_id AND p.document_id = e.document_id
           LEFT JOIN search_weights_chunk w ON w.shard = e.shard AND w.search_index_id = e.search_index_id
                                           AND w.target_id = e.target_id
     WHERE e.shard = {shard} AND e.search_index_id = %(search_index_id)s AND e.document_id = ANY(%(served_ids)s)
), by_vector AS (
    SELECT *, row_number() OVER (ORDER BY vector_score DESC, chunk_id) AS place,
           coalesce((vector_score - min(vector_score) OVER ())
                    / nullif(max(vector_score) OVER () - min(vector_score) OVER (), 0), 1) AS share
      FROM (SELECT * FROM entries WHERE vector_score IS NOT NULL ORDER BY vector_score DESC, chunk_id LIMIT %(depth)s) AS n
), by_text AS (
    SELECT *, row_number() OVER (ORDER BY text_score DESC, chunk_id) AS place,
           coalesce((text_score - min(text_score) OVER ())
                    / nullif(max(text_score) OVER () - min(text_score) OVER (), 0), 1) AS share
      FROM (SELECT * FROM entries WHERE {by_text} = 1 AND text_score > 0
             ORDER BY text_score DESC, chunk_id LIMIT %(depth)s) AS m
), fused AS (
    SELECT chunk_id, version_id, settings_hash, n.place AS vector_rank, m.place AS text_rank,
           CASE {is_weighted} WHEN 0
                THEN coalesce(1 / (60 + n.place)::float8, 0) + coalesce(1 / (60 + m.place)::float8, 0)
                ELSE coalesce(n.share, 0) * %(vector_weight)s::float8
                   + coalesce(m.share, 0) * (1 - %(vector_weight)s::float8) END AS score
      FROM by_vector n FULL JOIN by_text m USING (chunk_id, version_id, settings_hash)
     ORDER BY score DESC, chunk_id
     LIMIT %(limit)s
)
SELECT f.score AS fused, f.vector_rank, f.text_rank, f.chunk_id, d.id AS document_id,
       a.vector_score AS vector, a.text_score,
       v.id AS document_version_id, s.slug AS source, d.uri, coalesce(nullif(v.title, ''), d.uri) AS title, v.category,
       document_language(v.language, v.detected_language) AS language,
       vc.breadcrumb, vc.start_offset, vc.end_offset, vc.line, vc.position, c.kind, c.text,
       (SELECT u.text FROM chunk_sentences u WHERE u.chunk_id = c.id) AS summary,
       CASE WHEN pg_column_size(v.places) < 500 THEN v.places::text WHEN v.places IS NOT NULL THEN '' END AS places,
       v.parser_version, v.media_type
  FROM fused f
       JOIN entries a USING (chunk_id, version_id, settings_hash)
       JOIN document_versions v ON v.id = f.version_id
       JOIN documents d ON d.id = v.document_id
       JOIN sources s ON s.id = d.source_id
       JOIN version_chunks vc ON vc.version_id = f.version_id AND vc.settings_hash = f.settings_hash
                             AND vc.chunk_id = f.chunk_id
       JOIN chunks c ON c.id = f.chunk_id
 ORDER BY f.score DESC, f.chunk_id;
