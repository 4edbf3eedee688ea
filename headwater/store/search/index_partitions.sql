-- name: set_index_recall
-- How thoroughly an index is searched, and the recall that this gave. An exact scan has nothing to measure: no write when
-- nothing differs.
UPDATE search_indexes SET ef_search = %(ef_search)s, recall = %(recall)s, measured_at = now(),
       measured_documents = (SELECT count(*) FROM published_documents p WHERE p.search_index_id = %(id)s)
 WHERE id = %(id)s AND (%(ef_search)s::integer IS NOT NULL
                        OR (ef_search, recall) IS DISTINCT FROM (NULL, %(recall)s::float8));

-- name: delete_entries_of_index
-- Everything that search could read of an index.
WITH words AS (DELETE FROM search_weights WHERE shard = %(shard)s AND search_index_id = %(id)s)
DELETE FROM search_entries WHERE shard = %(shard)s AND search_index_id = %(id)s;

-- name: create_partitions
-- Plain tables in the shape of search_entries and search_weights: attached only when they are loaded, so that no reader
-- waits. Rows stay in line, however long: search reads them by the thousand.
CREATE TABLE {entries} (LIKE search_entries, PRIMARY KEY (shard, search_index_id, chunk_id), CHECK (shard = {id}))
  WITH (toast_tuple_target = 8160);
CREATE TABLE {weights} (LIKE search_weights, PRIMARY KEY (shard, search_index_id, chunk_id), CHECK (shard = {id}))
  WITH (toast_tuple_target = 8160);

-- name: load_partitions
-- Copy an index's entries out of the shared tables.
INSERT INTO {entries} (shard, search_index_id, chunk_id, document_id, source_id, title, embedding_hash, vector)
SELECT {id}, search_index_id, chunk_id, document_id, source_id, title, embedding_hash, vector
  FROM search_entries WHERE shard = 0 AND search_index_id = {id};
INSERT INTO {weights} (shard, search_index_id, chunk_id, document_id, source_id, length, terms, weights)
SELECT {id}, search_index_id, chunk_id, document_id, source_id, length, terms, weights
  FROM search_weights WHERE shard = 0 AND search_index_id = {id};

-- name: index_partitions
-- The twins of the shared tables' indexes.
CREATE INDEX ON {entries} (document_id, search_index_id);
CREATE INDEX ON {entries} (source_id, search_index_id);
CREATE INDEX ON {weights} (document_id, search_index_id);
CREATE INDEX ON {weights} (source_id, search_index_id);
CREATE INDEX ON {weights} USING gin (terms);

-- name: analyze_partitions
-- Statistics for the planner.
ANALYZE {entries};
ANALYZE {weights};

-- name: attach_partitions
-- Make the loaded tables part of what is searched; this does not wait for readers.
ALTER TABLE search_entries ATTACH PARTITION {entries} FOR VALUES IN ({id});
ALTER TABLE search_weights ATTACH PARTITION {weights} FOR VALUES IN ({id});

-- name: set_shard
-- From now on the index is read from its own partition.
UPDATE search_indexes SET shard = %(id)s WHERE id = %(id)s;

-- name: orphan_partitions
-- Partitions whose index is gone.
SELECT c.relname AS name FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
 WHERE h.inhparent IN ('search_entries'::regclass, 'search_weights'::regclass)
   AND c.relname ~ '^search_(entries|weights)_[0-9]+$'
   AND NOT EXISTS (SELECT FROM search_indexes i
                    WHERE c.relname IN ('search_entries_' || i.id, 'search_weights_' || i.id));

-- name: limit_lock_wait
-- Give up rather than make readers queue behind us.
SET LOCAL lock_timeout = '2s';

-- name: drop_partition
-- Reclaim the space of an index that is gone.
DROP TABLE {table};

-- name: raise_build_memory
-- A bulk build of HNSW in memory is several times faster than one that spills.
SET LOCAL maintenance_work_mem = '512MB';

-- name: index_partition_by_vector
-- HNSW over half-precision vectors of one size.
CREATE INDEX ON {entries} USING hnsw ((vector::halfvec({dimensions})) halfvec_cosine_ops) WITH (m = 12, ef_construction = 48);
