-- name: delete_old_entries
-- Delete the entries of one kind that the newest versions no longer contribute, by their text or their document's title.
-- Each is looked up by its key, here and below: an anti-join would read the whole index.
DELETE FROM {entries} e
 WHERE e.shard = {shard} AND e.search_index_id = %(search_index_id)s AND e.document_id = ANY(%(document_ids)s)
   AND (SELECT w.target_id FROM documents d JOIN document_versions v ON v.id = d.head_version_id
               JOIN version_entries w ON w.version_id = v.id AND w.settings_hash = %(settings_hash)s AND w.kind = %(kind)s
         WHERE d.id = e.document_id AND d.removed_at IS NULL AND w.target_id = e.target_id
           AND w.embedding_hash = e.embedding_hash AND v.title = e.title LIMIT 1) IS NULL
RETURNING e.target_id;

-- name: insert_new_entries
-- Insert the missing entries of one kind for the newest versions; a missing vector violates the column's constraint
-- and stops it. Each version is looked up by its key; OFFSET 0 forces this, whatever the planner assumes.
INSERT INTO {entries} (shard, search_index_id, target_id, document_id, source_id, title, embedding_hash, vector, kind)
SELECT {shard}, %(search_index_id)s, w.target_id, w.document_id, w.source_id, w.title, w.embedding_hash, m.vector, %(kind)s
  FROM (SELECT DISTINCT ON (w.target_id) w.target_id, w.embedding_hash, d.id AS document_id, d.source_id, v.title
          FROM documents d JOIN document_versions v ON v.id = d.head_version_id
               CROSS JOIN LATERAL (
                   SELECT w.target_id, w.embedding_hash FROM version_entries w
                    WHERE w.version_id = v.id AND w.settings_hash = %(settings_hash)s AND w.kind = %(kind)s
                      AND w.embedding_hash IS NOT NULL OFFSET 0) AS w
         WHERE d.id = ANY(%(document_ids)s) AND d.removed_at IS NULL) AS w
       LEFT JOIN embeddings m ON m.model = %(model)s AND m.text_hash = w.embedding_hash
 WHERE (SELECT e.target_id FROM {entries} e WHERE e.shard = {shard} AND e.search_index_id = %(search_index_id)s
           AND e.target_id = w.target_id) IS NULL
RETURNING target_id;

-- name: delete_words
-- Delete and return the words of some documents' entries: those that disappeared, and those that have lost their
-- entry.
DELETE FROM {weights} w
 WHERE w.shard = {shard} AND w.search_index_id = %(search_index_id)s AND w.document_id = ANY(%(document_ids)s)
   AND (w.target_id = ANY(%(target_ids)s)
        OR (SELECT e.target_id FROM {entries} e WHERE e.shard = {shard} AND e.search_index_id = %(search_index_id)s
               AND e.target_id = w.target_id) IS NULL)
RETURNING w.length, w.terms;

-- name: nearest_entries
-- The entries of one kind nearest to a vector, as far as they are similar enough; every one is compared.
SELECT target_id, similarity
  FROM (SELECT e.target_id, 1 - (e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS similarity,
               e.document_id, e.embedding_hash
          FROM {entries} e
         WHERE e.shard = {shard} AND e.search_index_id = %(search_index_id)s
           AND (%(source_ids)s::bigint[] IS NULL OR e.source_id = ANY(%(source_ids)s))
           AND (%(document_ids)s::uuid[] IS NULL OR e.document_id = ANY(%(document_ids)s))
         ORDER BY similarity DESC, e.document_id, e.embedding_hash LIMIT %(limit)s) AS n
 WHERE similarity >= %(least)s
 ORDER BY similarity DESC, document_id, embedding_hash;
