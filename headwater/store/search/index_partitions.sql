-- name: set_index_recall
-- Store how thoroughly an index is searched, and the measured recall. An exact scan has nothing to measure: nothing is
-- written if nothing differs.
UPDATE search_indexes SET ef_search = %(ef_search)s, recall = %(recall)s, measured_at = now(),
       measured_documents = (SELECT count(*) FROM published_documents p WHERE p.search_index_id = %(id)s)
 WHERE id = %(id)s AND (%(ef_search)s::integer IS NOT NULL
                        OR (ef_search, recall) IS DISTINCT FROM (NULL, %(recall)s::float8));

-- name: delete_shared_entries
-- Delete an index's rows from the shared tables, for some kinds of entries.
WITH words AS (
    DELETE FROM search_weights WHERE kind = ANY(%(kinds)s) AND shard = 0 AND search_index_id = %(id)s)
DELETE FROM search_entries WHERE kind = ANY(%(kinds)s) AND shard = 0 AND search_index_id = %(id)s;

-- name: create_partition
-- A plain table with the columns of its future parent: it is attached only when it is loaded, so that no reader waits.
-- Rows stay inline: a search reads thousands. With the checks, attaching it need not scan it.
CREATE TABLE {table} (LIKE {parent}, PRIMARY KEY (shard, search_index_id, target_id), CHECK (shard = {id}),
                      CHECK (kind = {kind}))
  WITH (toast_tuple_target = 8160);

-- name: load_entries
-- Copy an index's entries out of the shared table.
INSERT INTO {table} (shard, search_index_id, target_id, document_id, source_id, title, embedding_hash, vector, kind)
SELECT {id}, search_index_id, target_id, document_id, source_id, title, embedding_hash, vector, kind
  FROM {parent} WHERE shard = 0 AND search_index_id = {id};

-- name: load_weights
-- Copy their words.
INSERT INTO {table} (shard, search_index_id, target_id, document_id, source_id, length, terms, weights, kind)
SELECT {id}, search_index_id, target_id, document_id, source_id, length, terms, weights, kind
  FROM {parent} WHERE shard = 0 AND search_index_id = {id};

-- name: index_partition
-- The same indexes as on the shared table.
CREATE INDEX ON {table} (document_id, search_index_id);
CREATE INDEX ON {table} (source_id, search_index_id);

-- name: index_partition_by_terms
-- And those for words.
CREATE INDEX ON {table} USING gin (terms);

-- name: analyze_partition
-- Statistics for the planner.
ANALYZE {table};

-- name: attach_partition
-- Attach a loaded table to the searched one; this does not wait for readers.
ALTER TABLE {parent} ATTACH PARTITION {table} FOR VALUES IN ({id});

-- name: set_shard
-- From now on searches read the index from its own partition.
UPDATE search_indexes SET shard = {id} WHERE id = {id};

-- name: orphan_partitions
-- Partitions of deleted indexes.
SELECT c.relname AS name
  FROM unnest(ARRAY['search_entries', 'search_weights']::regclass[]) AS t (root), pg_partition_tree(t.root) AS p
       JOIN pg_class c ON c.oid = p.relid
 WHERE c.relname ~ '^search_(entries|weights)_[a-z]+_[0-9]+$'
   AND NOT EXISTS (SELECT FROM search_indexes i WHERE i.id = substring(c.relname FROM '[0-9]+$')::bigint);

-- name: limit_lock_wait
-- Give up instead of making readers wait behind this lock.
SET LOCAL lock_timeout = '2s';

-- name: drop_partition
-- Free the space of a deleted index.
DROP TABLE {table};

-- name: lock_index_build
-- Block publishing until this connection frees the lock.
SELECT pg_advisory_lock(hashtextextended('search_index:' || %(id)s::bigint, 0));

-- name: begin_build
-- A bulk build of HNSW in memory is several times faster than one that spills. More stays, if the server allows more.
SELECT set_config('maintenance_work_mem', {kilobytes}::text || 'kB', true)
 WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < {memory}::bigint;

-- name: index_partition_by_vector
-- HNSW over half-precision vectors of one size.
CREATE INDEX ON {table} USING hnsw ((vector::halfvec({dimensions})) halfvec_cosine_ops) WITH (m = 12, ef_construction = 48);
