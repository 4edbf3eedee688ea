-- name: index_size
-- How many documents an index serves, the chunks of their versions, and the entries of chunks.
SELECT (SELECT count(*) FROM published_documents p WHERE p.search_index_id = %(id)s) AS document_count,
       (SELECT count(*) FROM published_documents p
               JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
         WHERE p.search_index_id = %(id)s) AS chunk_count,
       (SELECT count(*) FROM search_entries_chunk e WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s) AS entry_count;

-- name: index_counts
-- The documents and entries of an index by the stored counts of keyword search, without a recount.
SELECT (SELECT count(*) FROM published_documents p WHERE p.search_index_id = %(id)s) AS document_count,
       coalesce((SELECT s.entry_count FROM search_statistics s WHERE s.search_index_id = %(id)s AND s.kind = 'chunk'), 0) AS entry_count;

-- name: changed_since_measured
-- The share of an index's documents that were added, changed or removed since its recall was measured, relative to the
-- larger of both numbers of documents. 1 if it was never measured.
SELECT coalesce(1 - n.same::float8 / nullif(greatest(n.served, i.measured_documents), 0), 0) AS share
  FROM search_indexes i CROSS JOIN LATERAL (
       SELECT count(*) AS served, count(*) FILTER (WHERE p.published_at < i.measured_at) AS same
         FROM published_documents p WHERE p.search_index_id = i.id) AS n
 WHERE i.id = %(id)s;

-- name: orphan_entries
-- Entries of documents that the index does not publish, but for summaries, whose tree follows later. Here and below, EXCEPT or FULL JOIN finds the difference of two
-- sets: Postgres never runs those as nested loops, whatever it assumes about tables that were just loaded (NOT EXISTS
-- took 14 s for 8,624 entries). `documents` are those to check; NULL means all.
WITH wrong AS (
    SELECT e.document_id FROM search_entries e
     WHERE e.shard IN (0, %(shard)s) AND e.search_index_id = %(id)s AND e.kind <> 'summary'
       AND (%(documents)s::uuid[] IS NULL OR e.document_id = ANY(%(documents)s))
    EXCEPT
    SELECT p.document_id FROM published_documents p WHERE p.search_index_id = %(id)s
       AND (%(documents)s::uuid[] IS NULL OR p.document_id = ANY(%(documents)s))
)
SELECT coalesce(d.uri, e.document_id::text) AS example, count(*) OVER () AS found_count
  FROM wrong w JOIN search_entries e ON e.document_id = w.document_id LEFT JOIN documents d ON d.id = w.document_id
 WHERE e.shard IN (0, %(shard)s) AND e.search_index_id = %(id)s AND e.kind <> 'summary'
 ORDER BY example LIMIT 10;

-- name: missing_entries
-- Entries of one kind that published versions contribute and the index lacks.
WITH wrong AS (
    SELECT p.document_id, w.target_id
      FROM published_documents p
           JOIN version_entries w ON w.version_id = p.version_id AND w.settings_hash = %(settings_hash)s AND w.kind = %(kind)s
     WHERE p.search_index_id = %(id)s AND w.embedding_hash IS NOT NULL
       AND (%(documents)s::uuid[] IS NULL OR p.document_id = ANY(%(documents)s))
    EXCEPT
    SELECT e.document_id, e.target_id FROM search_entries e
     WHERE e.kind = %(kind)s AND e.shard = %(shard)s AND e.search_index_id = %(id)s
       AND (%(documents)s::uuid[] IS NULL OR e.document_id = ANY(%(documents)s))
)
SELECT d.uri AS example, count(*) OVER () AS found_count FROM wrong w JOIN documents d ON d.id = w.document_id
 ORDER BY example LIMIT 10;

-- name: stray_entries
-- Entries of one kind, of published documents, whose target or embedded text is not in the published version.
WITH wrong AS (
    SELECT e.document_id, e.target_id, e.embedding_hash FROM search_entries e
     WHERE e.kind = %(kind)s AND e.shard = %(shard)s AND e.search_index_id = %(id)s
       AND (%(documents)s::uuid[] IS NULL OR e.document_id = ANY(%(documents)s))
    EXCEPT
    SELECT p.document_id, w.target_id, w.embedding_hash
      FROM published_documents p
           JOIN version_entries w ON w.version_id = p.version_id AND w.settings_hash = %(settings_hash)s AND w.kind = %(kind)s
     WHERE p.search_index_id = %(id)s AND (%(documents)s::uuid[] IS NULL OR p.document_id = ANY(%(documents)s))
)
SELECT d.uri AS example, count(*) OVER () AS found_count
  FROM wrong w JOIN published_documents p ON p.search_index_id = %(id)s AND p.document_id = w.document_id
       JOIN documents d ON d.id = w.document_id
 ORDER BY example LIMIT 10;

-- name: wrong_tree_entries
-- Nodes of summary trees without an entry, and entries without a node or of another text. `documents` limits both to the
-- summaries of some documents.
WITH wanted AS (
    SELECT t.target_id, t.embedding_hash FROM tree_entries t JOIN sources s ON s.id = t.source_id
     WHERE s.knowledge_base_id = (SELECT i.knowledge_base_id FROM search_indexes i WHERE i.id = %(id)s)
       AND s.state <> 'deleting' AND (%(documents)s::uuid[] IS NULL OR t.document_id = ANY(%(documents)s))
), held AS (
    SELECT e.target_id, e.embedding_hash FROM search_entries e
     WHERE e.kind = %(kind)s AND e.shard = %(shard)s AND e.search_index_id = %(id)s
       AND (%(documents)s::uuid[] IS NULL OR e.document_id = ANY(%(documents)s))
), wrong AS (
    (SELECT * FROM wanted EXCEPT SELECT * FROM held) UNION (SELECT * FROM held EXCEPT SELECT * FROM wanted)
)
SELECT 'summary ' || target_id AS example, count(*) OVER () AS found_count FROM wrong ORDER BY example LIMIT 10;

-- name: entries_of_wrong_dimension
-- Vectors of another size than the index's, in any kind of entry: a single one makes every search among them fail.
SELECT coalesce(d.uri, e.target_id::text) AS example, count(*) OVER () AS found_count
  FROM search_entries e LEFT JOIN documents d ON d.id = e.document_id
 WHERE e.shard IN (0, %(shard)s) AND e.search_index_id = %(id)s AND vector_dims(e.vector) <> %(dimensions)s
   AND (%(documents)s::uuid[] IS NULL OR e.document_id = ANY(%(documents)s))
 ORDER BY example LIMIT 10;

-- name: repeated_entries
-- Targets that have an entry in the shared table and one in the index's own partition.
SELECT coalesce(d.uri, w.document_id::text) AS example, count(*) OVER () AS found_count
  FROM (SELECT e.target_id, min(e.document_id::text)::uuid AS document_id FROM search_entries e
         WHERE e.shard IN (0, %(shard)s) AND e.search_index_id = %(id)s
           AND (%(documents)s::uuid[] IS NULL OR e.document_id = ANY(%(documents)s))
         GROUP BY e.kind, e.target_id HAVING count(*) > 1) AS w
       LEFT JOIN documents d ON d.id = w.document_id
 ORDER BY example LIMIT 10;

-- name: repeated_text_count
-- Entries of chunks that repeat the text of another one.
SELECT count(*) - count(DISTINCT e.embedding_hash) AS repeated_count
  FROM search_entries_chunk e WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s;

-- name: unused_vector_count
-- Cached vectors of texts that no version and no summary uses.
SELECT count(*) AS unused_count
  FROM (SELECT m.text_hash FROM embeddings m WHERE m.model = %(model)s
        EXCEPT SELECT w.embedding_hash FROM version_entries w EXCEPT SELECT s.embedding_hash FROM summaries s) AS u;

-- name: silent_sources
-- Ready sources that have documents, but no entry.
SELECT s.slug AS example, count(*) OVER () AS found_count
  FROM sources s
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state = 'ready'
   AND EXISTS (SELECT FROM documents d WHERE d.source_id = s.id AND d.removed_at IS NULL)
   AND NOT EXISTS (SELECT FROM search_entries_chunk e WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s::bigint
                      AND e.source_id = s.id)
 ORDER BY example LIMIT 10;

-- name: unpublished_documents
-- Documents whose newest version the index does not serve, in sources without a worker.
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
-- Sources whose last sync is two of their own intervals ago, or whose schedule came to pass an hour ago.
SELECT s.slug AS example, count(*) OVER () AS found_count
  FROM sources s
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.paused_at IS NULL AND s.state <> 'deleting'
   AND (coalesce(s.synced_at, s.created_at) < now() - 2 * s.refresh_seconds * interval '1 second'
        OR s.scheduled_at < now() - interval '1 hour')
   AND NOT is_locked('source:' || s.id)
 ORDER BY example LIMIT 10;

-- name: nearest_distances
-- The smallest distances, in no order, of some of an index's own vectors to all of them, with the scan and depth of a
-- search; `search_chunks` explains adding 0. The sample is chosen by hash, because a different one each time would make
-- the result jump.
WITH sample AS MATERIALIZED (
    SELECT e.target_id, e.vector FROM search_entries_chunk e WHERE e.shard = {shard} AND e.search_index_id = %(id)s
     ORDER BY md5(e.target_id::text) LIMIT %(sample)s)
SELECT s.target_id, n.distances
  FROM sample s CROSS JOIN LATERAL (
       SELECT array_agg(c.distance) AS distances
         FROM (SELECT e.vector::halfvec({dimensions}) <=> s.vector::halfvec({dimensions}) AS distance
                 FROM search_entries_chunk e
                WHERE e.shard = {shard} AND e.search_index_id = %(id)s
                ORDER BY CASE {is_exact} WHEN 0 THEN e.vector::halfvec({dimensions}) <=> s.vector::halfvec({dimensions})
                                    ELSE 0 + (e.vector::halfvec({dimensions}) <=> s.vector::halfvec({dimensions})) END
                LIMIT %(depth)s) AS c) AS n;

-- name: wrong_statistics
-- Statistics of keyword search that differ from a recount: an entry without weights, weights without an entry,
-- the number or the total length of entries, or how many contain a term.
WITH words AS MATERIALIZED (
    SELECT target_id, length, terms FROM search_weights
     WHERE kind = %(kind)s AND shard = %(shard)s AND search_index_id = %(id)s
), entries AS (
    SELECT target_id FROM search_entries WHERE kind = %(kind)s AND shard = %(shard)s AND search_index_id = %(id)s
), wrong AS (
    SELECT 'words of ' || coalesce(d.uri, e.document_id::text) AS example
      FROM (SELECT target_id FROM entries EXCEPT SELECT target_id FROM words) AS m
           JOIN search_entries e ON e.kind = %(kind)s AND e.shard = %(shard)s AND e.search_index_id = %(id)s
                                  AND e.target_id = m.target_id
           LEFT JOIN documents d ON d.id = e.document_id
     UNION ALL
    SELECT 'words of no entry' FROM (SELECT target_id FROM words EXCEPT SELECT target_id FROM entries) AS m
     UNION ALL
    SELECT 'entry_count, length_sum' FROM (SELECT count(*) AS n, coalesce(sum(length), 0) AS l FROM words) AS c
      LEFT JOIN search_statistics s ON s.search_index_id = %(id)s AND s.kind = %(kind)s
     WHERE (coalesce(s.entry_count, 0), coalesce(s.length_sum, 0)) <> (c.n, c.l)
     UNION ALL
    SELECT 'term ' || coalesce(t.term_id, c.term_id)
      FROM (SELECT x # %(scope)s AS term_id, count(*) AS n FROM words w, unnest(w.terms) AS x GROUP BY 1) AS c
           FULL JOIN (SELECT term_id, entry_count AS n FROM search_terms
                       WHERE search_index_id = %(id)s AND kind = %(kind)s AND entry_count <> 0) AS t USING (term_id)
     WHERE t.n IS DISTINCT FROM c.n
)
SELECT example, count(*) OVER () AS found_count FROM wrong ORDER BY example LIMIT 10;

-- name: wrong_statistics_of_documents
-- The same for some documents: their entries without weights, their weights without an entry, their terms that are not
-- counted, and a recount of some rare ones. The totals would need every entry.
WITH words AS MATERIALIZED (
    SELECT target_id, terms FROM search_weights
     WHERE kind = %(kind)s AND shard = %(shard)s AND search_index_id = %(id)s AND document_id = ANY(%(documents)s)
), entries AS (
    SELECT target_id FROM search_entries
     WHERE kind = %(kind)s AND shard = %(shard)s AND search_index_id = %(id)s AND document_id = ANY(%(documents)s)
), held AS (
    SELECT x AS term, t.entry_count
      FROM (SELECT DISTINCT unnest(terms) AS x FROM words) AS d
           LEFT JOIN search_terms t ON t.search_index_id = %(id)s AND t.kind = %(kind)s AND t.term_id = x # %(scope)s
), recounted AS MATERIALIZED (
    SELECT term, entry_count FROM held WHERE entry_count <= %(few)s ORDER BY random() LIMIT %(terms)s
), wrong AS (
    SELECT 'words of ' || coalesce(d.uri, e.document_id::text) AS example
      FROM (SELECT target_id FROM entries EXCEPT SELECT target_id FROM words) AS m
           JOIN search_entries e ON e.kind = %(kind)s AND e.shard = %(shard)s AND e.search_index_id = %(id)s
                                  AND e.target_id = m.target_id
           LEFT JOIN documents d ON d.id = e.document_id
     UNION ALL
    SELECT 'words of no entry' FROM (SELECT target_id FROM words EXCEPT SELECT target_id FROM entries) AS m
     UNION ALL
    SELECT 'term ' || (term # %(scope)s) FROM held WHERE entry_count IS NULL
     UNION ALL
    SELECT 'term ' || (r.term # %(scope)s) FROM recounted r
     WHERE r.entry_count <> (SELECT count(*) FROM search_weights w
                              WHERE w.kind = %(kind)s AND w.shard = %(shard)s AND w.search_index_id = %(id)s
                                 AND w.terms @> ARRAY[r.term])
)
SELECT example, count(*) OVER () AS found_count FROM wrong ORDER BY example LIMIT 10;

-- name: wrong_main_words
-- Documents whose main words differ from those that their chunks have; and, of a whole index, miscounted ones.
WITH chunks AS (
    SELECT w.document_id, w.terms, count(*) OVER (PARTITION BY w.document_id) AS chunk_count FROM search_weights_chunk w
     WHERE w.shard = %(shard)s AND w.search_index_id = %(id)s
       AND (%(documents)s::uuid[] IS NULL OR w.document_id = ANY(%(documents)s))
), right_ones AS (
    SELECT t.document_id, t.term
      FROM (SELECT document_id, chunk_count, unnest(terms) AS term FROM chunks WHERE chunk_count > 1) AS t
     GROUP BY t.document_id, t.term, t.chunk_count HAVING count(*) >= greatest(2, t.chunk_count / %(rarely)s)
), stored AS MATERIALIZED (
    SELECT w.document_id, unnest(w.terms) AS term FROM search_weights_document w
     WHERE w.shard = 0 AND w.search_index_id = %(id)s
       AND (%(documents)s::uuid[] IS NULL OR w.document_id = ANY(%(documents)s))
), wrong AS (
    SELECT DISTINCT 'main words of ' || coalesce(d.uri, x.document_id::text) AS example
      FROM ((TABLE right_ones EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE right_ones)) AS x
           LEFT JOIN documents d ON d.id = x.document_id
     UNION ALL
    SELECT 'main word ' || coalesce(t.term_id, c.term_id)
      FROM (SELECT term # %(scope)s AS term_id, count(*) AS n FROM stored GROUP BY 1) AS c
           FULL JOIN (SELECT term_id, entry_count AS n FROM search_terms
                       WHERE search_index_id = %(id)s AND kind = 'document' AND entry_count <> 0) AS t USING (term_id)
     WHERE %(documents)s::uuid[] IS NULL AND t.n IS DISTINCT FROM c.n
)
SELECT example, count(*) OVER () AS found_count FROM wrong ORDER BY example LIMIT 10;

-- name: documents_to_check
-- Documents that an index serves in another state than at the last check of its knowledge base, or no more, and some
-- random ones: from its documents and from those of its entries. Ids are hashes, so any position among them is as random
-- as another.
WITH last AS (
    SELECT coalesce(checked_at, '-infinity') AS checked_at FROM knowledge_bases WHERE id = %(knowledge_base_id)s
), places AS MATERIALIZED (
    SELECT gen_random_uuid() AS at FROM generate_series(1, %(sample)s)
)
SELECT p.document_id FROM published_documents p, last
 WHERE p.search_index_id = %(id)s AND p.published_at >= last.checked_at
 UNION
SELECT u.document_id FROM last, publications u JOIN documents d ON d.id = u.document_id JOIN sources s ON s.id = d.source_id
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND u.withdrawn_at >= last.checked_at
 UNION
SELECT f.document_id FROM places CROSS JOIN LATERAL (
       SELECT p.document_id FROM published_documents p WHERE p.search_index_id = %(id)s AND p.document_id >= places.at
        ORDER BY p.document_id LIMIT 1) AS f
 UNION
SELECT f.document_id FROM places CROSS JOIN LATERAL (
       SELECT e.document_id FROM search_entries_chunk e
        WHERE e.shard = %(shard)s AND e.search_index_id = %(id)s AND e.target_id >= places.at
        ORDER BY e.target_id LIMIT 1) AS f;

-- name: check_time
-- The time from which changes are new to the next check: the start of the oldest transaction that may not be visible yet.
SELECT least(now(), min(xact_start)) AS checked_at
  FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL;

-- name: set_checked
-- Store the time of a knowledge base's last check.
UPDATE knowledge_bases SET checked_at = %(checked_at)s WHERE id = %(knowledge_base_id)s;
