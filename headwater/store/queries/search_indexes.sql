-- name: ensure_search_index
-- The index for a knowledge base's present settings; the first one of a knowledge base answers from the start. Where the
-- model does not know its dimensions (0), its vectors tell; where there is none yet, publishing will.
INSERT INTO search_indexes (knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language, state, activated_at)
SELECT %(knowledge_base_id)s, %(model)s,
       coalesce(nullif(%(dimensions)s, 0), (SELECT vector_dims(vector) FROM embeddings WHERE model = %(model)s LIMIT 1), 0),
       %(chunk_settings)s, %(settings_hash)s, %(language)s,
       CASE WHEN a.is_first THEN 'active' ELSE 'building' END, CASE WHEN a.is_first THEN now() END
  FROM (SELECT NOT EXISTS (SELECT FROM search_indexes
                            WHERE knowledge_base_id = %(knowledge_base_id)s AND state = 'active') AS is_first) AS a
ON CONFLICT (knowledge_base_id, model, settings_hash, language) DO NOTHING;

-- name: live_search_indexes
-- Every index that a sync must publish into: a rollback never serves what was deleted.
SELECT * FROM search_indexes WHERE knowledge_base_id = %(knowledge_base_id)s ORDER BY id;

-- name: active_search_index
-- The index that answers.
SELECT i.*, k.slug AS knowledge_base FROM search_indexes i JOIN knowledge_bases k ON k.id = i.knowledge_base_id
 WHERE k.slug = %(knowledge_base)s AND k.deleted_at IS NULL AND i.state = 'active';

-- name: get_search_index
-- One index, for a writer.
SELECT * FROM search_indexes WHERE id = %(id)s;

-- name: share_index_lock
-- Many may publish into an index at once, but not while it moves.
SELECT pg_advisory_xact_lock_shared(hashtextextended('search_index:' || %(id)s::bigint, 0));

-- name: own_index_lock
-- Keep publishers away while an index moves.
SELECT pg_advisory_xact_lock(hashtextextended('search_index:' || %(id)s::bigint, 0));

-- name: documents_to_publish
-- Documents of a source, or some of them, of which an index serves another version than the newest, or that it stemmed by
-- another language than theirs; one not cut up yet is not ready.
SELECT d.id, d.removed_at IS NOT NULL AS is_removed, coalesce(c.chunk_count, 0) AS chunk_count
  FROM documents d LEFT JOIN published_documents p ON p.document_id = d.id AND p.search_index_id = %(search_index_id)s
       LEFT JOIN document_versions v ON v.id = p.version_id
       LEFT JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s
 WHERE d.source_id = %(source_id)s AND (%(document_ids)s::uuid[] IS NULL OR d.id = ANY(%(document_ids)s))
   AND CASE WHEN d.removed_at IS NOT NULL THEN p.version_id IS NOT NULL
            ELSE (p.version_id IS DISTINCT FROM d.head_version_id
                  OR coalesce(p.language, %(language)s)
                     <> stemming_language(document_language(v.language, v.detected_language), %(language)s))
                 AND c.version_id IS NOT NULL END
 ORDER BY d.uri;

-- name: delete_old_entries
-- Take out what the newest versions no longer hold, and say what its words were; with words that have lost their entry.
-- Each is looked up by its key, here and below: an anti-join would read the whole index for it.
WITH gone AS (
    DELETE FROM search_entries e
     WHERE e.shard = %(shard)s AND e.search_index_id = %(search_index_id)s AND e.document_id = ANY(%(document_ids)s)
       AND (SELECT vc.chunk_id FROM documents d JOIN document_versions v ON v.id = d.head_version_id
                   JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = %(settings_hash)s
             WHERE d.id = e.document_id AND d.removed_at IS NULL AND vc.chunk_id = e.chunk_id
               AND vc.embedding_hash = e.embedding_hash AND v.title = e.title LIMIT 1) IS NULL
    RETURNING e.chunk_id
), words AS (
    DELETE FROM search_weights w
     WHERE w.shard = %(shard)s AND w.search_index_id = %(search_index_id)s AND w.document_id = ANY(%(document_ids)s)
       AND (w.chunk_id IN (SELECT chunk_id FROM gone)
            OR (SELECT e.chunk_id FROM search_entries e WHERE e.shard = %(shard)s
                   AND e.search_index_id = %(search_index_id)s AND e.chunk_id = w.chunk_id) IS NULL)
    RETURNING w.chunk_id, w.length, w.terms
)
SELECT g.chunk_id IS NOT NULL AS is_entry, w.length, w.terms FROM gone g FULL JOIN words w USING (chunk_id);

-- name: insert_new_entries
-- Put in what the newest versions hold and the index lacks; a missing vector violates the column and stops it. Returns
-- what they are found by.
WITH fresh AS (
    INSERT INTO search_entries (shard, search_index_id, chunk_id, document_id, source_id, title, embedding_hash, vector)
    SELECT %(shard)s, %(search_index_id)s, vc.chunk_id, d.id, d.source_id, v.title, vc.embedding_hash, m.vector
      FROM documents d JOIN document_versions v ON v.id = d.head_version_id
           JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = %(settings_hash)s
           LEFT JOIN embeddings m ON m.model = %(model)s AND m.text_hash = vc.embedding_hash
     WHERE d.id = ANY(%(document_ids)s) AND d.removed_at IS NULL
       AND (SELECT e.chunk_id FROM search_entries e WHERE e.shard = %(shard)s
               AND e.search_index_id = %(search_index_id)s AND e.chunk_id = vc.chunk_id) IS NULL
    RETURNING chunk_id, document_id, source_id, title
)
SELECT f.chunk_id, f.document_id, f.source_id, f.title, d.uri, vc.breadcrumb, c.text,
       stemming_language(document_language(v.language, v.detected_language), %(language)s) AS language
  FROM fresh f JOIN documents d ON d.id = f.document_id JOIN chunks c ON c.id = f.chunk_id
       JOIN document_versions v ON v.id = d.head_version_id
       JOIN version_chunks vc ON vc.version_id = d.head_version_id AND vc.settings_hash = %(settings_hash)s
                             AND vc.chunk_id = f.chunk_id;

-- name: learn_dimensions
-- An index made before its model had answered gets the dimensions of the model's vectors.
UPDATE search_indexes SET dimensions = m.dimensions
  FROM (SELECT vector_dims(vector) AS dimensions FROM embeddings WHERE model = %(model)s LIMIT 1) AS m
 WHERE id = %(id)s AND search_indexes.dimensions = 0;

-- name: publish_documents
-- From now on the index serves the newest versions.
INSERT INTO published_documents (search_index_id, document_id, version_id, run_id, language)
SELECT %(search_index_id)s, d.id, d.head_version_id, %(run_id)s,
       stemming_language(document_language(v.language, v.detected_language), %(language)s)
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.id = ANY(%(document_ids)s) AND d.removed_at IS NULL
ON CONFLICT (search_index_id, document_id) DO UPDATE
   SET version_id = excluded.version_id, run_id = excluded.run_id, language = excluded.language, published_at = now();

-- name: withdraw_documents
-- From now on the index does not know the vanished ones.
DELETE FROM published_documents p USING documents d
 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = d.id
   AND d.id = ANY(%(document_ids)s) AND d.removed_at IS NOT NULL;

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

-- name: documents_served
-- The documents that an index serves or that readers saw before.
SELECT DISTINCT d.id FROM documents d JOIN sources s ON s.id = d.source_id
  LEFT JOIN publications u ON u.document_id = d.id AND u.withdrawn_at IS NULL
  LEFT JOIN published_documents p ON p.document_id = d.id AND p.search_index_id = %(search_index_id)s
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND u.version_id IS DISTINCT FROM p.version_id;

-- name: documents_missing_from_index
-- Documents, by source, that another index serves otherwise than the active one, unless it serves what is newest: it must
-- not answer before it serves all that the active one does, and nothing that one has withdrawn.
SELECT s.slug AS source, count(*) AS missing_count
  FROM search_indexes i JOIN sources s ON s.knowledge_base_id = i.knowledge_base_id
       JOIN documents d ON d.source_id = s.id
       LEFT JOIN published_documents a ON a.search_index_id = i.id AND a.document_id = d.id
       LEFT JOIN published_documents b ON b.search_index_id = %(id)s AND b.document_id = d.id
 WHERE i.knowledge_base_id = %(knowledge_base_id)s AND i.state = 'active'
   AND a.version_id IS DISTINCT FROM b.version_id
   AND NOT (d.removed_at IS NULL AND b.version_id IS NOT DISTINCT FROM d.head_version_id)
   AND NOT (d.removed_at IS NOT NULL AND b.version_id IS NULL)
 GROUP BY s.slug ORDER BY s.slug;

-- name: set_index_state
-- Give an index another state. A refusal by the gate is over once the index answers.
UPDATE search_indexes SET state = %(state)s,
       activated_at = CASE WHEN %(state)s = 'active' THEN now() ELSE activated_at END,
       retained_at = CASE WHEN %(state)s = 'retained' THEN now() END,
       gate = CASE WHEN %(state)s = 'active' AND NOT (gate ->> 'passed')::boolean THEN NULL ELSE gate END
 WHERE id = %(id)s;

-- name: set_index_gate
-- The report that an index was judged by.
UPDATE search_indexes SET gate = %(gate)s WHERE id = %(id)s;

-- name: set_index_recall
-- How thoroughly an index is searched, and the recall that this gave. An exact scan has nothing to measure: no write when
-- nothing differs.
UPDATE search_indexes SET ef_search = %(ef_search)s, recall = %(recall)s, measured_at = now(),
       measured_documents = (SELECT count(*) FROM published_documents p WHERE p.search_index_id = %(id)s)
 WHERE id = %(id)s AND (%(ef_search)s::integer IS NOT NULL
                        OR (ef_search, recall) IS DISTINCT FROM (NULL, %(recall)s::float8));

-- name: set_knowledge_base_settings
-- The settings that fit the index which answers from now on.
UPDATE knowledge_bases SET settings = %(settings)s, updated_at = now()
 WHERE id = %(id)s AND settings IS DISTINCT FROM %(settings)s::jsonb;

-- name: expired_search_indexes
-- Retained indexes whose period is over; a minute more is for readers that looked up the active index before a switch.
SELECT id, retained_at FROM search_indexes
 WHERE state = 'retained' AND retained_at < now() - make_interval(days => %(days)s, mins => 1)
 ORDER BY id;

-- name: lock_knowledge_base_of_index
-- Keep others from switching the indexes of a knowledge base; before the locks of its indexes, as everywhere.
SELECT k.id FROM search_indexes i JOIN knowledge_bases k ON k.id = i.knowledge_base_id WHERE i.id = %(id)s
   FOR UPDATE OF k;

-- name: delete_entries_of_index
-- Everything that search could read of an index.
WITH words AS (DELETE FROM search_weights WHERE shard = %(shard)s AND search_index_id = %(id)s)
DELETE FROM search_entries WHERE shard = %(shard)s AND search_index_id = %(id)s;

-- name: delete_search_index
-- An index nobody goes back to.
DELETE FROM search_indexes WHERE id = %(id)s;

-- name: raise_build_memory
-- A bulk build of HNSW in memory is several times faster than one that spills.
SET LOCAL maintenance_work_mem = '512MB';

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

-- name: index_partition_by_vector
-- HNSW over half-precision vectors of one size.
CREATE INDEX ON {entries} USING hnsw ((vector::halfvec({dimensions})) halfvec_cosine_ops) WITH (m = 12, ef_construction = 48);

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

-- name: set_ef_search
-- How thoroughly this transaction searches HNSW.
SELECT set_config('hnsw.ef_search', %(ef_search)s::text, true);

-- name: limit_lock_wait
-- Give up rather than make readers queue behind us.
SET LOCAL lock_timeout = '2s';

-- name: drop_partition
-- Reclaim the space of an index that is gone.
DROP TABLE {table};
