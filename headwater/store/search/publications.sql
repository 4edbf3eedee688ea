-- name: publication_time
-- The one instant at which a transaction's publications end and begin: as of no time is a document in two versions or,
-- while it changes hands, in none. Taken late, since readers see it all at the end.
SELECT clock_timestamp() AS published_at;

-- name: close_publications
-- What the answering index does not serve any more, of some documents, was visible until now.
UPDATE publications u SET withdrawn_at = %(published_at)s
 WHERE u.document_id = ANY(%(document_ids)s) AND u.withdrawn_at IS NULL
   AND NOT EXISTS (SELECT FROM published_documents p
                    WHERE p.search_index_id = %(search_index_id)s AND p.version_id = u.version_id);

-- name: open_publications
-- What the answering index serves, of some documents, is visible from now on.
INSERT INTO publications (document_id, version_id, published_at)
SELECT p.document_id, p.version_id, %(published_at)s FROM published_documents p
 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = ANY(%(document_ids)s)
   AND NOT EXISTS (SELECT FROM publications u WHERE u.version_id = p.version_id AND u.withdrawn_at IS NULL);
