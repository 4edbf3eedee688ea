-- name: filtered_documents
-- The published documents that match a filter, and the number of their entries. A document's date is the one in its
-- metadata, or else when this version was fetched. Its labels and authors stand in its metadata.
SELECT coalesce(array_agg(d.id) FILTER (WHERE %(with_documents)s), '{}') AS document_ids,
       coalesce(sum(t.chunk_count), 0)::bigint AS entry_count,
       coalesce(bool_or(d.source_id <> ALL(%(tag_source_ids)s::bigint[])), false) AS has_labelled
  FROM published_documents p JOIN documents d ON d.id = p.document_id JOIN document_versions v ON v.id = p.version_id
       JOIN chunk_sets t ON t.version_id = v.id AND t.settings_hash = %(settings_hash)s
 WHERE p.search_index_id = %(search_index_id)s
   AND (%(source_ids)s::bigint[] IS NULL OR d.source_id = ANY(%(source_ids)s))
   AND (%(categories)s::text[] IS NULL OR d.source_id = ANY(%(category_source_ids)s) OR EXISTS (
        SELECT FROM unnest(%(categories)s) AS f WHERE v.category = f OR starts_with(v.category, f || '/')))
   AND (%(tags)s::text[] IS NULL OR d.source_id = ANY(%(tag_source_ids)s)
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

-- name: set_scan_limit
-- Set how many tuples this transaction's filtered HNSW scans may visit.
SELECT set_config('hnsw.max_scan_tuples', %(tuples)s::text, true), set_config('hnsw.scan_mem_multiplier', '8', true);

-- name: set_ef_search
-- Set how thoroughly this transaction searches HNSW.
SELECT set_config('hnsw.ef_search', %(ef_search)s::text, true);

-- name: search_chunks
-- The best chunks by words and by vector, fused, with every score and all fields of a passage.
--
-- Words: each word is stemmed in every language of the index; stop words of the question's language are skipped. BM25
-- is the inner product of the question's weights (idf times the number of occurrences) and an entry's. Entries are
-- looked up by the rarest terms first, until these terms occur in `budget` entries together, and at least in `depth`;
-- the other terms only add to the scores of entries found that way.
-- Vectors: the HNSW index is built on the expression `vector::halfvec({dimensions})` and serves no other order, so
-- adding 0 forces an exact scan. (Postgres 18 ignores enable_indexscan = off in a partition.) With `words_first`, only
-- so many entries are compared: those that match best by words.
-- Fusion: reciprocal ranks (Cormack, Clarke, Buettcher 2009; k = 60) or, with `vector_weight`, the weighted sum of both
-- scores, each scaled to 0 to 1. For entries that only one leg found, the other score is looked up.
-- Names that determine the plan are part of the text (`{{names}}`); the rest are parameters, so one plan serves all questions.
WITH words AS (
    SELECT lexeme, sum(n) AS n, array_agg(word) AS words FROM (
        SELECT DISTINCT (ts_lexize(d.name, t.word))[1] AS lexeme, t.word, t.n
          FROM unnest(%(words)s::text[], %(word_counts)s::integer[]) AS t (word, n),
               unnest(%(dictionaries)s::regdictionary[]) AS d (name)
         WHERE ts_lexize(%(stopping)s::regdictionary, t.word) <> '{{}}'
         UNION ALL SELECT t.word, t.word, t.n FROM unnest(%(exact)s::text[], %(exact_counts)s::integer[]) AS t (word, n)
        ) AS asked
     WHERE lexeme IS NOT NULL GROUP BY lexeme
), terms AS MATERIALIZED (
    SELECT w.lexeme, term_id(w.lexeme) AS term, w.n, w.words, s.entry_count AS total, coalesce(t.entry_count, 0) AS held,
           ln(1 + (s.entry_count - coalesce(t.entry_count, 0) + 0.5) / (coalesce(t.entry_count, 0) + 0.5)) AS idf
      FROM words w JOIN search_statistics s ON s.search_index_id = %(search_index_id)s AND s.kind = 'chunk'
           LEFT JOIN search_terms t ON t.search_index_id = s.search_index_id AND t.kind = 'chunk' AND t.term_id = term_id(w.lexeme)
), ranked AS (
    SELECT term, sum(n * idf)::real AS weight, max(held) AS held, max(total) AS total,
           sum(max(held)) OVER (ORDER BY max(held), term) AS so_far, row_number() OVER (ORDER BY max(held), term) AS place
      FROM terms WHERE held > 0 GROUP BY term
), question AS MATERIALIZED (
    SELECT ('{{' || string_agg(term || ':' || weight, ',' ORDER BY term) || '}}/536870912')::sparsevec AS weights,
           array_agg(term # {scope}) FILTER (
               WHERE so_far <= CASE WHEN {is_filtered} = 1 THEN total * 1000
                                    ELSE greatest({least_budget}, least({budget}, total / 5)) END
                  OR so_far - held < {depth}) AS candidates
      FROM ranked
), worded AS MATERIALIZED (
    SELECT w.target_id AS chunk_id, -(w.weights <#> q.weights) AS score
      FROM question q, search_weights_chunk w
     WHERE ({by_text} = 1 OR {words_first} > 0) AND w.shard = {shard} AND w.search_index_id = %(search_index_id)s
       AND w.terms && q.candidates
       AND ({is_filtered} = 0 OR (%(source_ids)s::bigint[] IS NULL OR w.source_id = ANY(%(source_ids)s))
                             AND (%(document_ids)s::uuid[] IS NULL OR w.document_id = ANY(%(document_ids)s)))
     ORDER BY score DESC, w.target_id
     LIMIT greatest({depth}, {words_first})
), nearest AS MATERIALIZED (
    SELECT chunk_id, 1 - distance AS score
      FROM (SELECT e.target_id AS chunk_id, CASE {is_exact}
                       WHEN 0 THEN e.vector::halfvec({dimensions}) <=> %(vector)b::halfvec({dimensions})
                       ELSE 0 + (e.vector::halfvec({dimensions}) <=> %(vector)b::halfvec({dimensions})) END AS distance
              FROM search_entries_chunk e
             WHERE {by_vector} = 1 AND {words_first} = 0 AND e.shard = {shard} AND e.search_index_id = %(search_index_id)s
               AND ({is_filtered} = 0 OR (%(source_ids)s::bigint[] IS NULL OR e.source_id = ANY(%(source_ids)s))
                                     AND (%(document_ids)s::uuid[] IS NULL OR e.document_id = ANY(%(document_ids)s)))
             ORDER BY distance
             LIMIT {depth}) AS n
     UNION ALL
    SELECT chunk_id, 1 - distance
      FROM (SELECT m.chunk_id, e.vector::halfvec({dimensions}) <=> %(vector)b::halfvec({dimensions}) AS distance
              FROM worded m JOIN search_entries_chunk e ON e.shard = {shard} AND e.search_index_id = %(search_index_id)s
                                                       AND e.target_id = m.chunk_id
             WHERE {by_vector} = 1 AND {words_first} > 0
             ORDER BY distance
             LIMIT {depth}) AS n
), matching AS (
    SELECT chunk_id, score FROM worded WHERE {by_text} = 1 ORDER BY score DESC, chunk_id LIMIT {depth}
), by_vector AS (
    SELECT chunk_id, score, row_number() OVER (ORDER BY score DESC, chunk_id) AS place,
           coalesce((score - min(score) OVER ()) / nullif(max(score) OVER () - min(score) OVER (), 0), 1) AS share
      FROM nearest
), by_text AS (
    SELECT chunk_id, score, row_number() OVER (ORDER BY score DESC, chunk_id) AS place,
           coalesce((score - min(score) OVER ()) / nullif(max(score) OVER () - min(score) OVER (), 0), 1) AS share
      FROM matching
), fused AS (
    SELECT chunk_id, n.place AS vector_rank, m.place AS text_rank, n.score AS vector_score, m.score AS text_score,
           CASE {is_weighted} WHEN 0
                THEN coalesce(1 / (60 + n.place)::float8, 0) + coalesce(1 / (60 + m.place)::float8, 0)
                ELSE coalesce(n.share, 0) * %(vector_weight)s::float8
                   + coalesce(m.share, 0) * (1 - %(vector_weight)s::float8) END AS score
      FROM by_vector n FULL JOIN by_text m USING (chunk_id)
     ORDER BY score DESC, chunk_id
     LIMIT %(limit)s
)
SELECT f.score AS fused, f.vector_rank, f.text_rank, f.chunk_id, d.id AS document_id,
       coalesce(f.vector_score, (
           SELECT 1 - (e.vector::halfvec({dimensions}) <=> %(vector)b::halfvec({dimensions})) FROM search_entries_chunk e
            WHERE e.shard = {shard} AND e.search_index_id = %(search_index_id)s AND e.target_id = f.chunk_id)) AS vector,
       coalesce(f.text_score, (
           SELECT -(w.weights <#> q.weights) FROM question q, search_weights_chunk w
            WHERE w.shard = {shard} AND w.search_index_id = %(search_index_id)s AND w.target_id = f.chunk_id)) AS text_score,
       v.id AS document_version_id, s.slug AS source, d.uri, coalesce(nullif(v.title, ''), d.uri) AS title, v.category,
       document_language(v.language, v.detected_language) AS language,
       vc.breadcrumb, vc.start_offset, vc.end_offset, vc.line, vc.position, c.kind, c.text,
       (SELECT u.text FROM chunk_sentences u WHERE u.chunk_id = c.id) AS summary,
       CASE WHEN pg_column_size(v.places) < 500 THEN v.places::text WHEN v.places IS NOT NULL THEN '' END AS places,
       v.parser_version, v.media_type,
       (SELECT count(*) FROM nearest) AS nearest_count,
       CASE row_number() OVER (ORDER BY f.score DESC, f.chunk_id) WHEN 1 THEN (
           SELECT jsonb_agg(jsonb_build_object('lexeme', t.lexeme, 'held', t.held, 'total', t.total, 'idf', t.idf,
                                                 'words', t.words))
             FROM terms t) END AS terms
  FROM fused f
       JOIN chunks c ON c.id = f.chunk_id
       JOIN documents d ON d.id = c.document_id
       JOIN sources s ON s.id = d.source_id
       JOIN published_documents p ON p.document_id = d.id AND p.search_index_id = %(search_index_id)s
       JOIN document_versions v ON v.id = p.version_id
       JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = %(settings_hash)s AND vc.chunk_id = c.id
 ORDER BY f.score DESC, f.chunk_id;

-- name: index_to_search
-- One index, and this transaction's planner settings: tables are joined in the written order, and a search without a
-- filter is planned once per connection. Planning each time would take longer than many searches.
SELECT i.*, s.search_index_id IS NOT NULL AS is_weighed, s.languages, coalesce(s.entry_count, 0) AS entry_count,
       set_config('join_collapse_limit', '1', true), set_config('from_collapse_limit', '1', true),
       set_config('plan_cache_mode', CASE WHEN %(is_filtered)s THEN 'force_custom_plan' ELSE 'force_generic_plan' END, true)
  FROM search_indexes i LEFT JOIN search_statistics s ON s.search_index_id = i.id AND s.kind = 'chunk' WHERE i.id = %(id)s;
