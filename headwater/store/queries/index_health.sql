-- name: index_size
-- How many documents an index serves, the chunks of their versions, and its entries.
SELECT (SELECT count(*) FROM published_documents p WHERE p.search_index_id = %(id)s) AS document_count,
       (SELECT count(*) FROM published_documents p
               JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
         WHERE p.search_index_id = %(id)s) AS chunk_count,
       (SELECT count(*) FROM search_entries e WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s) AS entry_count;

-- name: orphan_entries
-- Entries of documents that the index does not publish.
SELECT coalesce(d.uri, e.document_id::text) AS example, count(*) OVER () AS found_count
  FROM search_entries e LEFT JOIN documents d ON d.id = e.document_id
 WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s
   AND NOT EXISTS (SELECT FROM published_documents p
                    WHERE p.search_index_id = %(id)s AND p.document_id = e.document_id)
 ORDER BY example LIMIT 10;

-- name: chunks_without_entries
-- Chunks of published versions that the index has no entry of.
SELECT d.uri AS example, count(*) OVER () AS found_count
  FROM published_documents p JOIN documents d ON d.id = p.document_id
       JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
 WHERE p.search_index_id = %(id)s
   AND NOT EXISTS (SELECT FROM search_entries e WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s
                      AND e.chunk_id = vc.chunk_id)
 ORDER BY example LIMIT 10;

-- name: entries_without_chunks
-- Entries of published documents whose chunk, or whose embedded text, is not of the published version.
SELECT d.uri AS example, count(*) OVER () AS found_count
  FROM search_entries e JOIN published_documents p ON p.search_index_id = %(id)s AND p.document_id = e.document_id
       JOIN documents d ON d.id = e.document_id
 WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s
   AND NOT EXISTS (SELECT FROM version_chunks vc
                    WHERE vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
                      AND vc.chunk_id = e.chunk_id AND vc.embedding_hash = e.embedding_hash)
 ORDER BY example LIMIT 10;

-- name: entries_of_wrong_dimension
-- Vectors of another size than the index's: one of them makes every search of the index fail.
SELECT coalesce(d.uri, e.document_id::text) AS example, count(*) OVER () AS found_count
  FROM search_entries e LEFT JOIN documents d ON d.id = e.document_id
 WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s AND vector_dims(e.vector) <> %(dimensions)s
 ORDER BY example LIMIT 10;

-- name: chunks_with_two_entries
-- Chunks that have an entry in the shared table and one in the index's own partition.
SELECT min(coalesce(d.uri, e.document_id::text)) AS example, count(*) OVER () AS found_count
  FROM search_entries e LEFT JOIN documents d ON d.id = e.document_id
 WHERE e.shard IN (0, %(shard)s) AND e.search_index_id = %(id)s
 GROUP BY e.chunk_id HAVING count(*) > 1
 ORDER BY example LIMIT 10;

-- name: repeated_text_count
-- Entries that repeat a text which another entry has.
SELECT count(*) - count(DISTINCT e.embedding_hash) AS repeated_count
  FROM search_entries e WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s;

-- name: unused_vector_count
-- Vectors of the cache whose text no chunk has, nor a breadcrumb.
SELECT count(*) AS unused_count FROM embeddings m
 WHERE m.model = %(model)s AND NOT EXISTS (SELECT FROM version_chunks vc WHERE vc.embedding_hash = m.text_hash)
   AND NOT EXISTS (SELECT FROM version_chunks vc WHERE vc.heading_hash = m.text_hash);

-- name: wrong_headings
-- Breadcrumbs that differ from those of what an index publishes: without a vector, of no published chunk, or of another
-- size than the index's.
WITH wanted AS (
    SELECT DISTINCT p.document_id, vc.heading_hash
      FROM published_documents p JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
     WHERE p.search_index_id = %(id)s AND vc.heading_hash IS NOT NULL
), there AS (
    SELECT document_id, embedding_hash AS heading_hash, vector FROM search_headings WHERE search_index_id = %(id)s
)
SELECT d.uri AS example, count(*) OVER () AS found_count
  FROM wanted w FULL JOIN there t USING (document_id, heading_hash) JOIN documents d ON d.id = document_id
 WHERE w.document_id IS NULL OR t.document_id IS NULL OR vector_dims(t.vector) <> %(dimensions)s
 ORDER BY example LIMIT 10;

-- name: silent_sources
-- Ready sources that have documents, but no entry.
SELECT s.slug AS example, count(*) OVER () AS found_count
  FROM sources s
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state = 'ready'
   AND EXISTS (SELECT FROM documents d WHERE d.source_id = s.id AND d.removed_at IS NULL)
   AND NOT EXISTS (SELECT FROM search_entries e WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s::bigint
                      AND e.source_id = s.id)
 ORDER BY example LIMIT 10;

-- name: unpublished_documents
-- Documents of which the index serves another version than the newest, of sources at which nobody works.
WITH idle AS MATERIALIZED (
    SELECT s.id, s.slug FROM sources s
     WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting' AND NOT is_locked('source:' || s.id))
SELECT s.slug || '/' || d.uri AS example, count(*) OVER () AS found_count
  FROM idle s JOIN documents d ON d.source_id = s.id
       LEFT JOIN published_documents p ON p.search_index_id = %(id)s::bigint AND p.document_id = d.id
 WHERE CASE WHEN d.removed_at IS NULL THEN p.version_id IS DISTINCT FROM d.head_version_id
            ELSE p.version_id IS NOT NULL END
 ORDER BY example LIMIT 10;

-- name: overdue_sources
-- Sources with an interval of their own whose last sync is two of them ago.
SELECT s.slug AS example, count(*) OVER () AS found_count
  FROM sources s
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.paused_at IS NULL AND s.state <> 'deleting'
   AND coalesce(s.synced_at, s.created_at) < now() - 2 * s.refresh_seconds * interval '1 second'
   AND NOT is_locked('source:' || s.id)
 ORDER BY example LIMIT 10;

-- name: nearest_distances
-- The smallest distances, in no order, of some of an index's own vectors to all of them, by the scan and the depth that a
-- search has; `search_entries` says what adding 0 does. The sample is chosen by hash: another one each time would make the
-- measure jump.
WITH sample AS MATERIALIZED (
    SELECT e.chunk_id, e.vector FROM search_entries e WHERE e.shard = {shard} AND e.search_index_id = %(id)s
     ORDER BY md5(e.chunk_id::text) LIMIT %(sample)s)
SELECT s.chunk_id, n.distances
  FROM sample s CROSS JOIN LATERAL (
       SELECT array_agg(c.distance) AS distances
         FROM (SELECT e.vector::halfvec({dimensions}) <=> s.vector::halfvec({dimensions}) AS distance
                 FROM search_entries e
                WHERE e.shard = {shard} AND e.search_index_id = %(id)s
                ORDER BY CASE {is_exact} WHEN 0 THEN e.vector::halfvec({dimensions}) <=> s.vector::halfvec({dimensions})
                                    ELSE 0 + (e.vector::halfvec({dimensions}) <=> s.vector::halfvec({dimensions})) END
                LIMIT %(depth)s) AS c) AS n;

-- name: wrong_statistics
-- What keyword search counts with, where that differs from a recount: an entry without weights, weights without an entry,
-- the number or the length of all entries, or how many hold a term.
WITH words AS (SELECT chunk_id, length, terms FROM search_weights WHERE shard = %(shard)s AND search_index_id = %(id)s),
wrong AS (
    SELECT 'words of ' || coalesce(d.uri, e.document_id::text) AS example
      FROM search_entries e LEFT JOIN documents d ON d.id = e.document_id
     WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s
       AND NOT EXISTS (SELECT FROM words w WHERE w.chunk_id = e.chunk_id)
     UNION ALL
    SELECT 'words of no entry' FROM words w
     WHERE NOT EXISTS (SELECT FROM search_entries e WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s
                          AND e.chunk_id = w.chunk_id)
     UNION ALL
    SELECT 'entry_count, length_sum' FROM (SELECT count(*) AS n, coalesce(sum(length), 0) AS l FROM words) AS c
      LEFT JOIN search_statistics s ON s.search_index_id = %(id)s
     WHERE (coalesce(s.entry_count, 0), coalesce(s.length_sum, 0)) <> (c.n, c.l)
     UNION ALL
    SELECT 'term ' || coalesce(t.term_id, c.term_id)
      FROM (SELECT x # %(scope)s AS term_id, count(*) AS n FROM words w, unnest(w.terms) AS x GROUP BY 1) AS c
           FULL JOIN (SELECT term_id, entry_count AS n FROM search_terms
                       WHERE search_index_id = %(id)s AND entry_count <> 0) AS t USING (term_id)
     WHERE t.n IS DISTINCT FROM c.n
)
SELECT example, count(*) OVER () AS found_count FROM wrong ORDER BY example LIMIT 10;
