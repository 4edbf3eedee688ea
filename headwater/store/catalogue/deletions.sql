-- name: lock_knowledge_base_to_delete
-- Lock a knowledge base: a transaction that stores an answer of it meanwhile waits, and then finds it deleted.
SELECT id FROM knowledge_bases WHERE slug = %(slug)s AND deleted_at IS NULL FOR UPDATE;

-- name: lock_source_to_delete
-- A source by its slug, when no sync is publishing from it; one that is already being deleted only if there is no other.
SELECT id, state FROM sources WHERE knowledge_base_id = %(knowledge_base_id)s AND slug = %(slug)s
 ORDER BY state = 'deleting', id DESC LIMIT 1 FOR UPDATE;

-- name: lock_sources_to_delete
-- The sources of a knowledge base, when no sync is publishing from them.
SELECT id FROM sources WHERE knowledge_base_id = %(knowledge_base_id)s ORDER BY id FOR UPDATE;

-- name: share_index_locks
-- Wait for indexes of a knowledge base that are being moved: otherwise the rows they copy would stay.
SELECT pg_advisory_xact_lock_shared(hashtextextended('search_index:' || id, 0))
  FROM search_indexes WHERE knowledge_base_id = %(knowledge_base_id)s ORDER BY id;

-- name: hide_entries_of_source
-- Delete everything that search reads of a source, in every index.
DELETE FROM search_entries e USING search_indexes i, documents d
 WHERE i.knowledge_base_id = %(knowledge_base_id)s AND d.source_id = %(source_id)s
   AND e.document_id = d.id AND e.search_index_id = i.id AND e.shard IN (0, i.shard);

-- name: hide_summaries_of_source
-- Delete the entries of a source's summaries in every index; most have no document.
DELETE FROM search_entries_summary e WHERE e.source_id = %(source_id)s;

-- name: hide_weights_of_source
-- Delete the keyword data of a source in every index, and return it by index and kind. Rows that a moved index left
-- behind in the shared table are not counted.
WITH words AS (
    DELETE FROM search_weights w USING search_indexes i
     WHERE i.knowledge_base_id = %(knowledge_base_id)s AND w.source_id = %(source_id)s
       AND w.search_index_id = i.id AND w.shard IN (0, i.shard)
    RETURNING w.search_index_id, w.kind, w.length, w.terms, w.shard = i.shard OR w.kind <> ALL(%(partitioned)s) AS is_live
), held AS (
    SELECT w.search_index_id, w.kind, t AS term, count(*)::integer AS held FROM words w, unnest(w.terms) AS t
     WHERE w.is_live GROUP BY 1, 2, 3
)
SELECT w.search_index_id, w.kind, count(*) AS entry_count, sum(w.length)::bigint AS length_sum,
       (SELECT coalesce(array_agg(h.term), '{}') FROM held h
         WHERE h.search_index_id = w.search_index_id AND h.kind = w.kind) AS terms,
       (SELECT coalesce(array_agg(h.held), '{}') FROM held h
         WHERE h.search_index_id = w.search_index_id AND h.kind = w.kind) AS counts
  FROM words w WHERE w.is_live GROUP BY 1, 2 ORDER BY 1, 2;

-- name: hide_shared_entries
-- Delete a knowledge base's rows in the table that small indexes share.
DELETE FROM search_entries e USING search_indexes i
 WHERE i.knowledge_base_id = %(knowledge_base_id)s AND e.shard = 0 AND e.search_index_id = i.id;

-- name: hide_shared_weights
-- The same for keyword data.
DELETE FROM search_weights w USING search_indexes i
 WHERE i.knowledge_base_id = %(knowledge_base_id)s AND w.shard = 0 AND w.search_index_id = i.id;

-- name: count_partition_entries
-- The row counts of a knowledge base's partitions, which are dropped as a whole, because nothing reads them any more.
SELECT coalesce(sum((SELECT count(*) FROM search_entries e WHERE e.shard = i.shard AND e.search_index_id = i.id)), 0)::bigint
       AS entry_count
  FROM search_indexes i WHERE i.knowledge_base_id = %(knowledge_base_id)s AND i.shard <> 0;

-- name: hide_documents
-- Unpublish the documents of some sources in every index.
DELETE FROM published_documents p USING documents d
 WHERE d.source_id = ANY(%(source_ids)s) AND p.document_id = d.id;

-- name: hide_publications
-- Delete when readers saw some sources, so that `as of` does not find them either.
DELETE FROM publications p USING documents d
 WHERE d.source_id = ANY(%(source_ids)s) AND p.document_id = d.id;

-- name: hide_search_indexes
-- The indexes of a knowledge base.
DELETE FROM search_indexes WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: mark_answers_stale
-- Answers that cited a source; those of a deleted knowledge base go with it.
UPDATE answers a SET stale_at = now()
  FROM citations c WHERE c.answer_id = a.id AND c.source_id = %(source_id)s AND a.stale_at IS NULL;

-- name: cancel_syncs_of_sources
-- Cancel waiting and running requests.
UPDATE sync_sources SET state = 'cancelled', cancelled_at = now(), finished_at = now()
 WHERE source_id = ANY(%(source_ids)s) AND state IN ('pending', 'queued', 'syncing');

-- name: hide_sources
-- Mark sources as being deleted, and invalidate their fencing tokens: syncs are numbered from 1.
UPDATE sources SET state = 'deleting', error = NULL, fencing_token = -fencing_token - 1, updated_at = now()
 WHERE id = ANY(%(source_ids)s) AND state <> 'deleting';

-- name: hide_knowledge_base
-- Hide the knowledge base and free its slug.
UPDATE knowledge_bases SET deleted_at = now() WHERE id = %(id)s;

-- name: insert_deletion
-- The receipt, with the counts so far.
INSERT INTO deletions (kind, key, row_id, removed) VALUES (%(kind)s, %(key)s, %(row_id)s, %(removed)s) RETURNING *;

-- name: get_deletion
-- One receipt.
SELECT * FROM deletions WHERE id = %(id)s;

-- name: newest_deletion_of
-- The receipt of the object that had an id.
SELECT * FROM deletions WHERE kind = %(kind)s AND row_id = %(row_id)s ORDER BY id DESC LIMIT 1;

-- name: list_deletions
-- Receipts, newest first, those before a given one; only of sources of visible knowledge bases if some are not.
SELECT * FROM deletions x
 WHERE (%(before)s::bigint IS NULL OR x.id < %(before)s)
   AND (%(visible)s::bigint[] IS NULL
        OR x.kind = 'source'
           AND EXISTS (SELECT FROM knowledge_bases k
                        WHERE k.slug = split_part(x.key, '/', 1) AND k.deleted_at IS NULL AND k.created_at <= x.requested_at
                          AND k.id = ANY(%(visible)s::bigint[])))
 ORDER BY x.id DESC LIMIT %(limit)s;

-- name: unfinished_deletions
-- Hidden objects whose rows still exist.
SELECT id FROM deletions WHERE finished_at IS NULL ORDER BY id;

-- name: add_to_deletion
-- Add to the counts.
UPDATE deletions SET removed = %(removed)s WHERE id = %(id)s;

-- name: finish_deletion
-- All rows are removed.
UPDATE deletions SET finished_at = clock_timestamp(), files_removed = files_removed + %(files_removed)s
 WHERE id = %(id)s;

-- name: count_removed_files
-- Count removed originals.
UPDATE deletions SET files_removed = files_removed + %(count)s WHERE id = %(id)s AND %(count)s > 0;

-- name: sources_to_delete
-- The sources of a deletion that still exist.
SELECT id FROM sources
 WHERE CASE WHEN %(kind)s = 'source' THEN id = %(row_id)s ELSE knowledge_base_id = %(row_id)s END ORDER BY id;

-- name: lock_deleting
-- One batch at a time: if two batches contain the same text, the second sees that it is the last.
SELECT pg_advisory_xact_lock(hashtextextended('deletions', 0));

-- name: embedding_models
-- The models in the vector cache, each found by one step through its key.
WITH RECURSIVE known AS (
    (SELECT model FROM embeddings ORDER BY model LIMIT 1)
    UNION ALL
    SELECT (SELECT e.model FROM embeddings e WHERE e.model > known.model ORDER BY e.model LIMIT 1)
      FROM known WHERE known.model IS NOT NULL
)
SELECT model FROM known WHERE model IS NOT NULL;

-- name: documents_to_delete
-- The next documents of a source, by URI.
SELECT id, uri FROM documents WHERE source_id = %(source_id)s AND uri > %(after)s ORDER BY uri LIMIT %(limit)s;

-- name: texts_of_documents
-- The texts that any version of some documents contributes to an index.
SELECT DISTINCT w.embedding_hash
  FROM document_versions v JOIN version_entries w ON w.version_id = v.id
 WHERE v.document_id = ANY(%(document_ids)s) AND w.embedding_hash IS NOT NULL;

-- name: has_originals
-- Whether any document of a source has an original.
SELECT EXISTS (SELECT FROM document_versions v JOIN documents d ON d.id = v.document_id
                WHERE d.source_id = %(source_id)s AND v.original_hash IS NOT NULL) AS has_any;

-- name: release_uploads
-- Some uploads of a source; the source no longer refers to them.
WITH held AS (SELECT name, hash FROM source_files WHERE source_id = %(source_id)s AND hash IS NOT NULL LIMIT %(limit)s)
UPDATE source_files f SET hash = NULL FROM held h
 WHERE f.source_id = %(source_id)s AND f.name = h.name RETURNING h.hash;

-- name: release_originals
-- The originals of some documents; these documents no longer refer to them.
WITH held AS (
    SELECT id, original_hash AS hash FROM document_versions
     WHERE document_id = ANY(%(document_ids)s) AND original_hash IS NOT NULL
)
UPDATE document_versions v SET original_hash = NULL FROM held h WHERE v.id = h.id RETURNING h.hash;

-- name: delete_version_chunks
-- Delete the positions of the chunks of some documents.
DELETE FROM version_chunks vc USING document_versions v
 WHERE v.document_id = ANY(%(document_ids)s) AND vc.version_id = v.id;

-- name: delete_embeddings
-- Delete vectors of some texts that nothing uses any more.
DELETE FROM embeddings e USING unnest(%(models)s::text[]) AS m (model), unnest(%(hashes)s::bytea[]) AS h (text_hash)
 WHERE e.model = m.model AND e.text_hash = h.text_hash
   AND NOT EXISTS (SELECT FROM version_entries w WHERE w.embedding_hash = e.text_hash)
   AND NOT EXISTS (SELECT FROM summaries s WHERE s.embedding_hash = e.text_hash)
   AND NOT EXISTS (SELECT FROM suggestions g WHERE g.embedding_hash = e.text_hash);

-- name: delete_chunks
-- The chunks of some documents.
DELETE FROM chunks WHERE document_id = ANY(%(document_ids)s);

-- name: delete_links
-- Links of some documents.
DELETE FROM links l USING document_versions v WHERE v.document_id = ANY(%(document_ids)s) AND l.version_id = v.id;

-- name: delete_link_sets
-- Records that versions of some documents were read for links.
DELETE FROM link_sets s USING document_versions v WHERE v.document_id = ANY(%(document_ids)s) AND s.version_id = v.id;

-- name: delete_chunk_sets
-- Delete the records that some documents were split.
DELETE FROM chunk_sets s USING document_versions v
 WHERE v.document_id = ANY(%(document_ids)s) AND s.version_id = v.id;

-- name: delete_document_versions
-- Delete all versions of some documents.
DELETE FROM document_versions WHERE document_id = ANY(%(document_ids)s);

-- name: delete_summary_nodes
-- The summary tree of a source.
DELETE FROM summary_tree WHERE source_id = %(source_id)s RETURNING summary_key;

-- name: summaries_to_delete
-- The summaries that were made for a source, or for its knowledge base above its sources; or just for a knowledge base.
SELECT key FROM summaries
 WHERE source_id = %(source_id)s::bigint
    OR knowledge_base_id = coalesce(%(knowledge_base_id)s::bigint,
                                    (SELECT c.knowledge_base_id FROM sources c WHERE c.id = %(source_id)s::bigint));

-- name: delete_spending
-- What the syncs of a knowledge base cost.
DELETE FROM sync_spending WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: lock_questions
-- Wait for checks that write what they found of a source's questions, and block new ones: they lock a question before its
-- suggestion, too.
SELECT count(*) FROM (SELECT id FROM questions WHERE source_id = %(source_id)s ORDER BY id FOR UPDATE) AS q;

-- name: delete_suggestions
-- What the checks of a source's questions found.
DELETE FROM suggestions g USING questions q WHERE q.source_id = %(source_id)s AND g.question_id = q.id
RETURNING g.embedding_hash;

-- name: delete_questions
-- The questions of a source.
DELETE FROM questions WHERE source_id = %(source_id)s RETURNING set_key;

-- name: delete_questioned_documents
-- What the questions of a source's documents were made of.
DELETE FROM questioned_documents q USING documents d WHERE d.id = q.document_id AND d.source_id = %(source_id)s;

-- name: delete_question_sets
-- Those questions that no document has any more of some, and of all that were made for a source.
DELETE FROM question_sets s
 WHERE (s.key = ANY(%(keys)s) OR s.source_id = %(source_id)s) AND NOT EXISTS (SELECT FROM questions q WHERE q.set_key = s.key);

-- name: delete_documents
-- Delete some documents, when nothing else is left of them.
DELETE FROM documents WHERE id = ANY(%(document_ids)s);

-- name: answers_to_delete
-- Some answers of a knowledge base.
SELECT id FROM answers WHERE knowledge_base_id = %(knowledge_base_id)s LIMIT %(limit)s;

-- name: delete_citations
-- The citations of some answers.
DELETE FROM citations WHERE answer_id = ANY(%(answer_ids)s);

-- name: delete_feedback
-- The feedback on some answers.
DELETE FROM feedback WHERE answer_id = ANY(%(answer_ids)s);

-- name: delete_answers
-- Some answers.
DELETE FROM answers WHERE id = ANY(%(answer_ids)s);

-- name: delete_sync_sources
-- Delete some results of syncs for some sources.
DELETE FROM sync_sources WHERE id IN (SELECT id FROM sync_sources WHERE source_id = ANY(%(source_ids)s) LIMIT %(limit)s);

-- name: delete_source_files
-- Delete the uploads of some sources.
DELETE FROM source_files WHERE source_id = ANY(%(source_ids)s);

-- name: forget_responses
-- Forget the responses that repeats of requests would get: they may quote what is being deleted.
DELETE FROM kept_responses WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: delete_source_stages
-- Delete the data versions that Dagster received for some sources.
DELETE FROM source_stages WHERE source_id = ANY(%(source_ids)s);

-- name: delete_outside_runs
-- Delete the runs of other people's Dagster for some sources.
DELETE FROM outside_runs WHERE source_id = ANY(%(source_ids)s);

-- name: delete_sources
-- Delete some sources, when nothing else is left of them.
DELETE FROM sources WHERE id = ANY(%(source_ids)s);

-- name: delete_syncs
-- The syncs of a knowledge base.
DELETE FROM syncs WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: delete_conversations
-- The conversations of a knowledge base, when none of their turns is left.
DELETE FROM conversations WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: delete_golden_questions
-- The golden set of a knowledge base.
DELETE FROM golden_questions WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: delete_evaluations
-- The results of a knowledge base's golden set.
DELETE FROM evaluations WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: delete_knowledge_base
-- Delete a knowledge base, when nothing else is left of it.
DELETE FROM knowledge_bases WHERE id = %(knowledge_base_id)s;
