-- name: merge_pending_terms
-- Merge GIN's pending list into the index. Autovacuum does so too, but only after many changes.
SELECT gin_clean_pending_list(i.indexrelid) AS pages
  FROM pg_inherits h JOIN pg_index i ON i.indrelid = h.inhrelid JOIN pg_class c ON c.oid = i.indexrelid
       JOIN pg_am a ON a.oid = c.relam
 WHERE h.inhparent IN (SELECT relid FROM pg_partition_tree('search_weights')) AND a.amname = 'gin' AND c.relkind = 'i';

-- name: counted_entries
-- The number of entries, and the number in the statistics of keyword search: they differ if some have no weights.
SELECT (SELECT count(*) FROM search_entries e
         WHERE e.kind = %(kind)s AND e.shard = %(shard)s AND e.search_index_id = %(search_index_id)s) AS entry_count,
       coalesce((SELECT s.entry_count FROM search_statistics s
                  WHERE s.search_index_id = %(search_index_id)s AND s.kind = %(kind)s), 0) AS counted;

-- name: entries_to_weigh
-- Entries without weights; EXCEPT is never a nested loop, whatever the planner assumes about tables just loaded.
SELECT target_id FROM search_entries
 WHERE kind = %(kind)s AND shard = %(shard)s AND search_index_id = %(search_index_id)s
EXCEPT
SELECT target_id FROM search_weights
 WHERE kind = %(kind)s AND shard = %(shard)s AND search_index_id = %(search_index_id)s;

-- name: texts_to_weigh
-- The texts and languages for the words of some entries.
SELECT e.target_id, e.document_id, e.source_id, d.uri, e.title, w.breadcrumb, w.text,
       (SELECT c.kind FROM chunks c WHERE c.id = e.target_id) AS chunk_kind,
       coalesce(p.language, %(language)s) AS language
  FROM search_entries e JOIN documents d ON d.id = e.document_id
       JOIN published_documents p ON p.search_index_id = %(search_index_id)s AND p.document_id = e.document_id
       JOIN version_entries w ON w.version_id = p.version_id AND w.settings_hash = %(settings_hash)s AND w.kind = %(kind)s
                             AND w.target_id = e.target_id
 WHERE e.kind = %(kind)s AND e.shard = %(shard)s AND e.search_index_id = %(search_index_id)s
   AND e.target_id = ANY(%(target_ids)s);

-- name: forget_languages
-- Remove languages that no published document has any more.
UPDATE search_statistics s SET languages = held.languages
  FROM (SELECT ARRAY(SELECT DISTINCT p.language FROM published_documents p
                      WHERE p.search_index_id = %(search_index_id)s AND p.language <> %(language)s
                      ORDER BY 1) AS languages) AS held
 WHERE s.search_index_id = %(search_index_id)s AND s.languages <> held.languages;

-- name: weights_after
-- Some entries' weights, in the order of their targets.
SELECT target_id, length, weights FROM search_weights
 WHERE kind = %(kind)s AND shard = %(shard)s AND search_index_id = %(search_index_id)s
   AND (%(after)s::uuid IS NULL OR target_id > %(after)s)
 ORDER BY target_id LIMIT %(limit)s;

-- name: set_weighed_length
-- Store the average length for which weights are made from now on.
UPDATE search_statistics SET weighed_length = %(average)s
 WHERE search_index_id = %(search_index_id)s AND kind = %(kind)s;

-- name: note_complete
-- From now on every entry has weights, because publishing weighs new ones.
UPDATE search_statistics SET is_complete = true WHERE search_index_id = %(search_index_id)s AND kind = %(kind)s;
