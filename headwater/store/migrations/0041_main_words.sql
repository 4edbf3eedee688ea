-- The main words of each document, found by the words of its chunks; nothing is read or embedded again. As the statement
-- `insert_main_words` finds them.
CREATE TABLE search_weights_document PARTITION OF search_weights
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('document') WITH (toast_tuple_target = 8160);
INSERT INTO search_weights (shard, search_index_id, target_id, document_id, source_id, length, terms, weights, kind)
SELECT 0, m.search_index_id, m.document_id, m.document_id, m.source_id, m.chunk_count, array_agg(m.term),
       ('{' || string_agg(m.own || ':' || m.held / m.chunk_count::real, ',' ORDER BY m.own) || '}/536870912')::sparsevec,
       'document'
  FROM (SELECT c.search_index_id, c.document_id, c.source_id, c.chunk_count, t.term,
               t.term # ((c.search_index_id * 2654435761) & 536870911)::integer AS own, count(*) AS held
          FROM (SELECT w.search_index_id, w.document_id, w.source_id, w.terms,
                       count(*) OVER (PARTITION BY w.search_index_id, w.document_id) AS chunk_count
                  FROM search_weights_chunk w JOIN search_indexes i ON i.id = w.search_index_id AND i.shard = w.shard) AS c
               CROSS JOIN LATERAL unnest(c.terms) AS t (term)
         WHERE c.chunk_count > 1
         GROUP BY c.search_index_id, c.document_id, c.source_id, c.chunk_count, t.term
        HAVING count(*) >= greatest(2, c.chunk_count / 20.0)) AS m
 GROUP BY m.search_index_id, m.document_id, m.source_id, m.chunk_count;
INSERT INTO search_statistics (search_index_id, kind, entry_count, length_sum, weighed_length)
SELECT search_index_id, 'document', count(*), sum(length), 1 FROM search_weights_document GROUP BY search_index_id;
INSERT INTO search_terms (search_index_id, kind, term_id, entry_count)
SELECT w.search_index_id, 'document', t.term # ((w.search_index_id * 2654435761) & 536870911)::integer, count(*)
  FROM search_weights_document w, unnest(w.terms) AS t (term) GROUP BY w.search_index_id, t.term;
