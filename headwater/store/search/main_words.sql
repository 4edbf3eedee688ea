-- name: delete_main_words
-- Delete and return the main words of some documents.
DELETE FROM search_weights_document w
 WHERE w.shard = 0 AND w.search_index_id = %(search_index_id)s AND w.target_id = ANY(%(document_ids)s)
RETURNING w.length, w.terms;

-- name: insert_main_words
-- Insert the main words of some documents: those in at least two of its chunks and in at least one of {rarely}, each
-- weighed by the share of chunks that hold it. A document with one chunk has none: its chunk says all that it says.
-- The chunks were just inserted, so no plan may depend on statistics: each is read once, and nothing is joined.
INSERT INTO search_weights_document (shard, search_index_id, target_id, document_id, source_id, length, terms, weights, kind)
SELECT 0, %(search_index_id)s, m.document_id, m.document_id, m.source_id, m.chunk_count, array_agg(m.term),
       ('{{' || string_agg((m.term # {scope}) || ':' || m.held / m.chunk_count::real, ',' ORDER BY m.term # {scope})
        || '}}/536870912')::sparsevec, 'document'
  FROM (SELECT t.document_id, t.source_id, t.chunk_count, t.term, count(*) AS held
          FROM (SELECT c.document_id, c.source_id, c.chunk_count, unnest(c.terms) AS term
                  FROM (SELECT w.document_id, w.source_id, w.terms, count(*) OVER (PARTITION BY w.document_id) AS chunk_count
                          FROM search_weights_chunk w
                         WHERE w.shard = {shard} AND w.search_index_id = %(search_index_id)s
                           AND w.document_id = ANY(%(document_ids)s)) AS c
                 WHERE c.chunk_count > 1) AS t
         GROUP BY t.document_id, t.source_id, t.chunk_count, t.term
        HAVING count(*) >= greatest(2, t.chunk_count / {rarely}.0)) AS m
 GROUP BY m.document_id, m.source_id, m.chunk_count
RETURNING length, terms;

-- name: documents_about
-- How much documents are about some words: the sum over their main words among these of the idf, counted in documents,
-- times the share of chunks that hold the word. As in `search_chunks`, documents are looked up by the rarest words first,
-- up to `budget`.
WITH terms AS (
    SELECT t.term_id AS term, t.entry_count AS held,
           ln(1 + (s.entry_count - t.entry_count + 0.5) / (t.entry_count + 0.5)) AS idf
      FROM (SELECT DISTINCT term_id(x.lexeme) AS term FROM unnest(%(lexemes)s::text[]) AS x (lexeme)) AS q
           JOIN search_terms t ON t.search_index_id = %(search_index_id)s AND t.kind = 'document' AND t.term_id = q.term
           JOIN search_statistics s ON s.search_index_id = t.search_index_id AND s.kind = 'document'
     WHERE t.entry_count > 0
), ranked AS (
    SELECT term, idf, held, sum(held) OVER (ORDER BY held, term) AS so_far FROM terms
), question AS MATERIALIZED (
    SELECT ('{{' || string_agg(term || ':' || idf::real, ',' ORDER BY term) || '}}/536870912')::sparsevec AS weights,
           array_agg(term # {scope}) FILTER (WHERE so_far <= {budget} OR so_far = held) AS candidates
      FROM ranked
), scored AS MATERIALIZED (
    SELECT w.document_id, w.length AS chunk_count, -(w.weights <#> q.weights) AS score
      FROM question q, search_weights_document w
     WHERE w.shard = 0 AND w.search_index_id = %(search_index_id)s AND w.terms && q.candidates
       AND (%(source_ids)s::bigint[] IS NULL OR w.source_id = ANY(%(source_ids)s))
       AND (%(document_ids)s::uuid[] IS NULL OR w.document_id = ANY(%(document_ids)s))
), best AS (
    SELECT * FROM scored ORDER BY score DESC, document_id LIMIT %(limit)s
)
SELECT document_id, chunk_count, score FROM best
 UNION
SELECT w.document_id, w.length, coalesce(s.score, 0)
  FROM search_weights_document w LEFT JOIN scored s ON s.document_id = w.document_id
 WHERE w.shard = 0 AND w.search_index_id = %(search_index_id)s AND w.target_id = ANY(%(candidates)s)
 ORDER BY score DESC, document_id;
