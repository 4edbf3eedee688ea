-- name: source_summaries
-- The summaries of a knowledge base's sources, by slug, except of sources that are being deleted.
SELECT n.id, n.source_id, n.identity, n.summary_key AS key, s.text
  FROM summary_tree n JOIN summaries s ON s.key = n.summary_key JOIN sources c ON c.id = n.source_id
 WHERE c.knowledge_base_id = %(knowledge_base_id)s AND c.state <> 'deleting' AND n.kind = 'source'
 ORDER BY c.slug COLLATE "C";

-- name: inputs_of_tree
-- What the tree of a knowledge base was made of.
SELECT inputs FROM summarized_knowledge_bases WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: note_inputs
-- What the tree of a knowledge base is made of.
INSERT INTO summarized_knowledge_bases AS k (knowledge_base_id, inputs) VALUES (%(knowledge_base_id)s, %(inputs)s)
ON CONFLICT (knowledge_base_id) DO UPDATE SET inputs = excluded.inputs WHERE k.inputs <> excluded.inputs;

-- name: forget_inputs
-- A knowledge base that has no tree any more.
DELETE FROM summarized_knowledge_bases WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: knowledge_base_summary
-- The summary of a knowledge base.
SELECT s.text FROM summary_tree n JOIN summaries s ON s.key = n.summary_key
 WHERE n.knowledge_base_id = %(knowledge_base_id)s AND n.kind = 'knowledge_base';

-- name: hold_knowledge_base
-- Keep a knowledge base and its sources from being deleted until this transaction ends.
SELECT id FROM knowledge_bases WHERE id = %(id)s FOR NO KEY UPDATE;

-- name: count_live_sources
-- How many of some nodes are summaries of sources that are not being deleted.
SELECT count(*) AS live_count FROM summary_tree n JOIN sources c ON c.id = n.source_id
 WHERE n.id = ANY(%(ids)s) AND n.kind = 'source' AND c.state <> 'deleting';

-- name: delete_nodes_above_sources
-- The nodes above the sources of a knowledge base, but for some.
DELETE FROM summary_tree WHERE knowledge_base_id = %(knowledge_base_id)s AND id <> ALL(%(kept)s::uuid[]);

-- name: digest_above_sources
-- A digest over the nodes above the sources of a knowledge base, and their number.
SELECT md5(coalesce(string_agg(encode(summary_key, 'hex') || coalesce(parent_id::text, ''), ',' ORDER BY id), ''))
       AS data_version, count(*) AS row_count
  FROM summary_tree WHERE knowledge_base_id = %(knowledge_base_id)s;

-- name: counts_of_whole_tree
-- How many nodes of each kind the tree of a knowledge base has, with those of its sources; groups above sources apart.
SELECT n.kind, count(*) AS count
  FROM summary_tree n LEFT JOIN sources c ON c.id = n.source_id
 WHERE n.knowledge_base_id = %(knowledge_base_id)s
    OR c.knowledge_base_id = %(knowledge_base_id)s AND c.state <> 'deleting'
 GROUP BY n.kind;

-- name: chunks_off_the_tree
-- Chunks of summarised documents that are below no path, or several, to the summary of the knowledge base.
WITH RECURSIVE tree AS (
    SELECT id, chunk_ids FROM summary_tree
     WHERE knowledge_base_id = %(knowledge_base_id)s AND kind = 'knowledge_base'
     UNION ALL
    SELECT n.id, n.chunk_ids FROM tree t JOIN summary_tree n ON n.parent_id = t.id),
paths AS (SELECT chunk_id, count(*) AS path_count FROM tree, unnest(chunk_ids) AS chunk_id GROUP BY chunk_id),
wanted AS (
    SELECT DISTINCT vc.chunk_id, d.uri
      FROM sources c JOIN documents d ON d.source_id = c.id AND d.removed_at IS NULL
           JOIN summarized_documents s ON s.document_id = d.id
           JOIN version_chunks vc ON vc.version_id = s.version_id AND vc.settings_hash = s.settings_hash
     WHERE c.knowledge_base_id = %(knowledge_base_id)s AND c.state <> 'deleting')
SELECT count(*) AS count, (array_agg(DISTINCT w.uri) FILTER (WHERE w.uri IS NOT NULL))[1:3] AS examples
  FROM wanted w FULL JOIN paths p ON p.chunk_id = w.chunk_id
 WHERE p.path_count IS DISTINCT FROM 1 OR w.chunk_id IS NULL;
