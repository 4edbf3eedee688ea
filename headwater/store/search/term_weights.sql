-- name: hold_statistics
-- The statistics of one kind in an index, locked against other writers until the transaction ends; the first row sets
-- the average length for weights. The languages of new entries are added to those of the index.
INSERT INTO search_statistics AS s (search_index_id, kind, entry_count, length_sum, weighed_length, languages)
VALUES (%(search_index_id)s, %(kind)s, 0, 0, %(average)s, %(languages)s)
ON CONFLICT (search_index_id, kind) DO UPDATE
   SET languages = CASE WHEN s.languages @> excluded.languages THEN s.languages
                        ELSE ARRAY(SELECT DISTINCT unnest(s.languages || excluded.languages) ORDER BY 1) END
RETURNING s.entry_count, s.length_sum, s.weighed_length;

-- name: add_statistics
-- Add the counts of new entries and subtract those of removed ones.
UPDATE search_statistics SET entry_count = entry_count + %(entries)s, length_sum = length_sum + %(length)s
 WHERE search_index_id = %(search_index_id)s AND kind = %(kind)s;

-- name: add_terms
-- The same for each term. The lock on search_statistics gives this transaction sole access to the index's terms, so
-- no other can interfere; ON CONFLICT would take half as long again.
WITH delta AS MATERIALIZED (
    SELECT * FROM unnest(%(terms)s::integer[], %(counts)s::integer[]) AS d (term_id, entry_count)
), known AS (
    UPDATE search_terms t SET entry_count = t.entry_count + d.entry_count FROM delta d
     WHERE t.search_index_id = %(search_index_id)s AND t.kind = %(kind)s AND t.term_id = d.term_id
    RETURNING t.term_id
)
INSERT INTO search_terms (search_index_id, kind, term_id, entry_count)
SELECT %(search_index_id)s, %(kind)s, d.term_id, d.entry_count FROM delta d
 WHERE NOT EXISTS (SELECT FROM known k WHERE k.term_id = d.term_id);

-- name: insert_weights
-- Insert the keyword data of some entries. Arrays of arrays must all have the same length, so they are sent as one text
-- separated by spaces, which the driver also handles faster.
INSERT INTO search_weights (shard, search_index_id, target_id, document_id, source_id, length, terms, weights, kind)
SELECT %(shard)s, %(search_index_id)s, w.target_id, w.document_id, w.source_id, w.length, w.terms::integer[],
       w.weights::sparsevec, %(kind)s
  FROM unnest(%(target_ids)s::uuid[], %(document_ids)s::uuid[], %(source_ids)s::bigint[], %(lengths)s::integer[],
              string_to_array(%(terms)s, ' '), string_to_array(%(weights)s, ' '))
       AS w (target_id, document_id, source_id, length, terms, weights);

-- name: delete_words_of_other_languages
-- Delete and return the words of documents that were published in another language than their newest versions
-- have.
DELETE FROM search_weights w
 WHERE w.kind = %(kind)s AND w.shard = %(shard)s AND w.search_index_id = %(search_index_id)s AND w.document_id = ANY(
       SELECT d.id FROM documents d JOIN document_versions v ON v.id = d.head_version_id
              JOIN published_documents p ON p.search_index_id = %(search_index_id)s AND p.document_id = d.id
        WHERE d.id = ANY(%(document_ids)s)
          AND coalesce(p.language, %(language)s)
              <> stemming_language(document_language(v.language, v.detected_language), %(language)s))
RETURNING w.target_id, w.length, w.terms;

-- name: texts_of_entries
-- The texts for the words of some entries of one kind, all of some documents, and their language. Each version is read
-- once, by its key, and OFFSET 0 forces this: in a fresh database the planner expects one chunk in a document, and joined
-- entries with chunks by going through all chunks for each entry.
SELECT w.target_id, d.id AS document_id, d.source_id, d.uri, v.title, w.breadcrumb, w.text,
       (SELECT c.kind FROM chunks c WHERE c.id = w.target_id) AS chunk_kind,
       stemming_language(document_language(v.language, v.detected_language), %(language)s) AS language
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
       CROSS JOIN LATERAL (
           SELECT w.target_id, w.breadcrumb, w.text FROM version_entries w
            WHERE w.version_id = v.id AND w.settings_hash = %(settings_hash)s AND w.kind = %(kind)s
              AND w.target_id = ANY(%(target_ids)s) OFFSET 0) AS w
 WHERE d.id = ANY(%(document_ids)s) AND d.removed_at IS NULL;

-- name: update_weights
-- The same entries, weighed for another average length.
UPDATE search_weights w SET weights = n.weights::sparsevec
  FROM unnest(%(target_ids)s::uuid[], string_to_array(%(weights)s, ' ')) AS n (target_id, weights)
 WHERE w.kind = %(kind)s AND w.shard = %(shard)s AND w.search_index_id = %(search_index_id)s AND w.target_id = n.target_id;

-- name: delete_unheld_terms
-- Delete those of some terms that no entry contains any more.
DELETE FROM search_terms
 WHERE search_index_id = %(search_index_id)s AND kind = %(kind)s AND term_id = ANY(%(terms)s::integer[])
   AND entry_count = 0;
