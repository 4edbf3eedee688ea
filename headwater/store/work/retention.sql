-- name: expired_versions
-- Versions that readers have not seen since a time: replaced or withdrawn, in no index, and not in a busy source.
-- For a version that was never visible, the time when the next version was fetched counts.
SELECT v.id, v.document_id, d.source_id
  FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
 WHERE v.id <> d.head_version_id AND s.state <> 'deleting' AND d.source_id <> ALL(%(busy)s)
   AND NOT EXISTS (SELECT FROM published_documents p WHERE p.document_id = d.id AND p.version_id = v.id)
   AND coalesce(
       (SELECT max(coalesce(u.withdrawn_at, 'infinity')) FROM publications u WHERE u.version_id = v.id),
       (SELECT min(n.fetched_at) FROM document_versions n WHERE n.document_id = d.id AND n.sequence > v.sequence)
       ) < %(before)s
 ORDER BY d.source_id, v.document_id LIMIT %(limit)s;

-- name: expired_documents
-- Documents that disappeared before a time and that readers have not seen since, not in a busy source.
SELECT d.id, d.source_id
  FROM documents d JOIN sources s ON s.id = d.source_id
 WHERE d.removed_at < %(before)s AND s.state <> 'deleting' AND d.source_id <> ALL(%(busy)s)
   AND NOT EXISTS (SELECT FROM published_documents p WHERE p.document_id = d.id)
   AND NOT EXISTS (SELECT FROM publications u WHERE u.document_id = d.id
                      AND coalesce(u.withdrawn_at, 'infinity') >= %(before)s)
 ORDER BY d.source_id LIMIT %(limit)s;

-- name: lock_source
-- Block a sync of a source; no row if the source is being deleted or was deleted.
SELECT id FROM sources WHERE id = %(source_id)s AND state <> 'deleting' FOR UPDATE;

-- name: is_source_busy
-- Whether a source is being synced, by a live process or by one that may resume.
SELECT is_locked('source:' || %(source_id)s::bigint)
    OR EXISTS (SELECT FROM sync_sources t WHERE t.source_id = %(source_id)s AND t.state = 'syncing') AS is_busy;

-- name: delete_versions
-- Versions that are still neither the newest of their document nor served by an index.
DELETE FROM document_versions v USING documents d
 WHERE v.id = ANY(%(ids)s) AND d.id = v.document_id AND d.source_id = %(source_id)s AND v.id <> d.head_version_id
   AND NOT EXISTS (SELECT FROM published_documents p WHERE p.document_id = d.id AND p.version_id = v.id);

-- name: delete_unheld_chunks
-- Delete chunks of some documents that no version contains any more.
DELETE FROM chunks c
 WHERE c.document_id = ANY(%(document_ids)s)
   AND NOT EXISTS (SELECT FROM version_chunks vc WHERE vc.chunk_id = c.id);

-- name: still_removed
-- Those of some documents that have not come back.
SELECT d.id FROM documents d
 WHERE d.id = ANY(%(ids)s) AND d.source_id = %(source_id)s AND d.removed_at IS NOT NULL
   AND NOT EXISTS (SELECT FROM published_documents p WHERE p.document_id = d.id);

-- name: delete_chunks_of_documents
-- Every chunk of some documents.
DELETE FROM chunks WHERE document_id = ANY(%(ids)s);

-- name: delete_versions_of_documents
-- Every version of some documents.
DELETE FROM document_versions WHERE document_id = ANY(%(ids)s);

-- name: unheld_embeddings
-- Vectors of texts that no version, no summary and no question uses.
SELECT e.model, e.text_hash FROM embeddings e
 WHERE NOT EXISTS (SELECT FROM version_entries w WHERE w.embedding_hash = e.text_hash)
   AND NOT EXISTS (SELECT FROM summaries s WHERE s.embedding_hash = e.text_hash)
   AND NOT EXISTS (SELECT FROM suggestions g WHERE g.embedding_hash = e.text_hash) LIMIT %(limit)s;

-- name: hold_off_chunking
-- Wait for transactions that write chunks or summaries, and block new ones: a sync that has just written a text must find
-- its vector, or see that there is none.
LOCK TABLE version_chunks, summaries IN SHARE MODE;

-- name: delete_unheld_embeddings
-- Delete vectors of texts that still nothing uses.
DELETE FROM embeddings e USING unnest(%(models)s::text[], %(hashes)s::bytea[]) AS t (model, text_hash)
 WHERE e.model = t.model AND e.text_hash = t.text_hash
   AND NOT EXISTS (SELECT FROM version_entries w WHERE w.embedding_hash = e.text_hash)
   AND NOT EXISTS (SELECT FROM summaries s WHERE s.embedding_hash = e.text_hash)
   AND NOT EXISTS (SELECT FROM suggestions g WHERE g.embedding_hash = e.text_hash);

-- name: delete_old_syncs
-- Delete syncs that ended before a time, except the newest of each source.
DELETE FROM syncs WHERE id IN (
    SELECT y.id FROM syncs y
     WHERE y.requested_at < %(before)s
       AND NOT EXISTS (
           SELECT FROM sync_sources t
            WHERE t.sync_id = y.id
              AND (t.finished_at IS NULL OR t.finished_at >= %(before)s
                   OR NOT EXISTS (SELECT FROM sync_sources n
                                   WHERE n.source_id = t.source_id AND n.id > t.id AND n.finished_at IS NOT NULL)))
     LIMIT %(limit)s);

-- name: runs_in_use
-- Runs whose results still exist, including cited ones.
SELECT run_id FROM document_versions UNION SELECT run_id FROM chunks UNION SELECT run_id FROM chunk_sets
UNION SELECT run_id FROM link_sets UNION SELECT run_id FROM embeddings UNION SELECT run_id FROM summaries
UNION SELECT run_id FROM published_documents UNION SELECT run_id FROM source_stages
UNION SELECT run_id FROM citations UNION SELECT run_id FROM summary_citations
UNION SELECT run_id FROM evaluations WHERE run_id IS NOT NULL
UNION SELECT run_id FROM question_sets UNION SELECT run_id FROM suggestions UNION SELECT run_id FROM answers_ahead
UNION SELECT run_id FROM sync_sources WHERE run_id IS NOT NULL;
