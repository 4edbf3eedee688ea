-- name: documents_to_summarize
-- Documents of a source whose newest version is split, and not summarised by a recipe, in the order of their URIs.
SELECT d.id
  FROM documents d
       JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s AND c.chunk_count > 0
       LEFT JOIN summarized_documents s ON s.document_id = d.id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL
   AND (s.version_id, s.settings_hash, s.recipe_hash)
       IS DISTINCT FROM (d.head_version_id, %(settings_hash)s, %(recipe_hash)s)
 ORDER BY d.uri COLLATE "C";

-- name: chunks_to_summarize
-- The chunks of some documents' newest versions, in order: their prose, or if that is none but
-- headings their text without its overlap.
SELECT d.id AS document_id, v.id AS version_id, coalesce(nullif(v.title, ''), d.uri) AS title,
       document_language(v.language, v.detected_language) AS language, vc.chunk_id, vc.breadcrumb,
       CASE WHEN btrim(regexp_replace(c.prose, '^#{1,6}\s.*$', '', 'gn'), E' \n\t') <> '' THEN c.prose
            ELSE substr(c.text, vc.overlap_count + 1) END AS text, c.kind = 'code' AS is_code
  FROM unnest(%(document_ids)s::uuid[]) WITH ORDINALITY AS w (document_id, place)
       JOIN documents d ON d.id = w.document_id JOIN document_versions v ON v.id = d.head_version_id
       JOIN version_chunks vc ON vc.version_id = v.id AND vc.settings_hash = %(settings_hash)s
       JOIN chunks c ON c.id = vc.chunk_id
 ORDER BY w.place, vc.position;

-- name: summary_texts
-- The texts of summaries that exist.
SELECT key, text FROM summaries WHERE key = ANY(%(keys)s);

-- name: put_summaries
-- Summaries; one that exists stays.
INSERT INTO summaries (key, text, model, prompt_version, prompt_tokens, completion_tokens, cost_usd, source_id,
                       knowledge_base_id, run_id, code_version, embedding_hash)
SELECT key, text, %(model)s, %(prompt_version)s, prompt_tokens, completion_tokens, cost_usd, %(source_id)s,
       %(knowledge_base_id)s, %(run_id)s, %(code_version)s, sha256(convert_to(text, 'UTF8'))
  FROM unnest(%(keys)s::bytea[], %(texts)s::text[], %(prompt_tokens)s::integer[], %(completion_tokens)s::integer[],
              %(costs)s::float8[]) AS t (key, text, prompt_tokens, completion_tokens, cost_usd)
 ORDER BY key  -- two writers of the same keys must not wait for each other
ON CONFLICT (key) DO NOTHING;

-- name: hold_summaries
-- Keep summaries from being deleted until this transaction ends; returns those that still exist.
SELECT key FROM summaries WHERE key = ANY(%(keys)s) ORDER BY key FOR KEY SHARE;

-- name: document_summaries
-- The stored summaries of a source's documents, in the order of their URIs, but for those of some documents.
SELECT n.id, n.document_id, n.identity, n.summary_key AS key, s.text, coalesce(nullif(v.title, ''), d.uri) AS title
  FROM summary_tree n JOIN summaries s ON s.key = n.summary_key JOIN documents d ON d.id = n.document_id
       JOIN document_versions v ON v.id = d.head_version_id
 WHERE n.source_id = %(source_id)s AND n.kind = 'document' AND d.removed_at IS NULL
   AND n.document_id <> ALL(%(without)s::uuid[])
 ORDER BY d.uri COLLATE "C";

-- name: documents_in_order
-- The documents of a source in the order in which its tree has them.
SELECT id FROM documents WHERE source_id = %(source_id)s AND removed_at IS NULL ORDER BY uri COLLATE "C";

-- name: summarized_without_text
-- Documents of a source that have nodes but no longer any text to summarise, or are gone.
SELECT DISTINCT n.document_id
  FROM summary_tree n JOIN documents d ON d.id = n.document_id
       LEFT JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s
 WHERE n.source_id = %(source_id)s AND (d.removed_at IS NOT NULL OR c.chunk_count = 0);

-- name: delete_document_nodes
-- All nodes of some documents.
DELETE FROM summary_tree WHERE document_id = ANY(%(document_ids)s);

-- name: forget_summarized
-- What the trees of some documents were made of.
DELETE FROM summarized_documents WHERE document_id = ANY(%(document_ids)s);

-- name: note_summarized
-- What the trees of some documents are made of.
INSERT INTO summarized_documents AS s (document_id, version_id, settings_hash, recipe_hash)
SELECT document_id, version_id, %(settings_hash)s, %(recipe_hash)s
  FROM unnest(%(document_ids)s::uuid[], %(version_ids)s::uuid[]) AS t (document_id, version_id)
ON CONFLICT (document_id) DO UPDATE
   SET version_id = excluded.version_id, settings_hash = excluded.settings_hash, recipe_hash = excluded.recipe_hash
 WHERE (s.version_id, s.settings_hash, s.recipe_hash)
       IS DISTINCT FROM (excluded.version_id, excluded.settings_hash, excluded.recipe_hash);

-- name: delete_upper_nodes
-- The nodes above a source's documents, but for some.
DELETE FROM summary_tree WHERE source_id = %(source_id)s AND document_id IS NULL AND id <> ALL(%(kept)s::uuid[]);

-- name: is_topless
-- Whether the summary of a document of a source has none above it.
SELECT EXISTS (SELECT FROM summary_tree n WHERE n.source_id = %(source_id)s AND n.kind = 'document'
                  AND NOT EXISTS (SELECT FROM summary_tree p WHERE p.id = n.parent_id)) AS is_topless;

-- name: unsplit_count
-- Documents of a source whose newest version is not split by some settings.
SELECT count(*) AS unsplit_count
  FROM documents d LEFT JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL AND c.version_id IS NULL;

-- name: delete_nodes_above
-- All nodes above the tree of a source that is deleted, or above documents that are: they may quote it.
WITH RECURSIVE above AS (
    SELECT n.parent_id AS id FROM summary_tree n
     WHERE n.source_id = %(source_id)s::bigint AND n.kind = 'source'
        OR n.document_id = ANY(%(document_ids)s::uuid[]) AND n.kind = 'document'
     UNION
    SELECT p.parent_id FROM above a JOIN summary_tree p ON p.id = a.id)
DELETE FROM summary_tree n USING above a WHERE n.id = a.id;

-- name: put_nodes
-- Nodes; unchanged ones are not written. Where a source hangs is up to the tree of its knowledge base.
INSERT INTO summary_tree AS n (id, source_id, knowledge_base_id, kind, identity, summary_key, parent_id, position,
                               document_id, chunk_ids)
SELECT (value ->> 'id')::uuid, %(source_id)s, %(knowledge_base_id)s, value ->> 'kind', decode(value ->> 'identity', 'hex'),
       decode(value ->> 'key', 'hex'), (value ->> 'parent_id')::uuid, (value ->> 'position')::integer,
       (value ->> 'document_id')::uuid, ARRAY(SELECT jsonb_array_elements_text(value -> 'chunk_ids'))::uuid[]
  FROM jsonb_array_elements(%(nodes)s)
ON CONFLICT (id) DO UPDATE
   SET kind = excluded.kind, summary_key = excluded.summary_key, chunk_ids = excluded.chunk_ids,
       parent_id = CASE n.kind WHEN 'source' THEN n.parent_id ELSE excluded.parent_id END,
       position = CASE n.kind WHEN 'source' THEN n.position ELSE excluded.position END
 WHERE (n.kind, n.summary_key, n.chunk_ids) IS DISTINCT FROM (excluded.kind, excluded.summary_key, excluded.chunk_ids)
    OR n.kind <> 'source' AND (n.parent_id, n.position) IS DISTINCT FROM (excluded.parent_id, excluded.position);

-- name: place_nodes
-- Where the documents of a source, or the sources of a knowledge base, hang in its tree.
UPDATE summary_tree n SET parent_id = t.parent_id, position = t.position
  FROM unnest(%(ids)s::uuid[], %(parent_ids)s::uuid[], %(positions)s::integer[]) AS t (id, parent_id, position)
 WHERE n.id = t.id AND (n.parent_id, n.position) IS DISTINCT FROM (t.parent_id, t.position);

-- name: tree_digest
-- A digest over the tree of a source, wherever it hangs, and the number of its nodes.
SELECT md5(coalesce(string_agg(encode(summary_key, 'hex') || CASE kind WHEN 'source' THEN '' ELSE coalesce(parent_id::text, '') END,
                               ',' ORDER BY id), ''))
       AS data_version, count(*) AS row_count
  FROM summary_tree WHERE source_id = %(source_id)s;

-- name: tree_counts
-- How many nodes of each kind the tree of a source has.
SELECT kind, count(*) AS count FROM summary_tree WHERE source_id = %(source_id)s GROUP BY kind;

-- name: tree_levels
-- How many nodes of each kind are on each level of the tree of a source, from its top down.
WITH RECURSIVE tree AS (
    SELECT id, kind, 0 AS depth FROM summary_tree WHERE source_id = %(source_id)s AND kind = 'source'
     UNION ALL
    SELECT n.id, n.kind, t.depth + 1 FROM tree t JOIN summary_tree n ON n.parent_id = t.id)
SELECT depth, kind, count(*) AS count FROM tree GROUP BY depth, kind ORDER BY depth, kind;

-- name: tree_nodes
-- The trees of some sources, in their order, or of a knowledge base, down to a depth, each node before those below it. Of
-- each tree so many nodes; with `most`, only as many whole levels as have no more nodes together, but the first two in any case.
WITH RECURSIVE tree AS (
    SELECT n.*, n.id AS top_id, 0 AS depth, ARRAY[0] AS path, 1::bigint AS so_far FROM summary_tree n
     WHERE n.source_id = ANY(%(source_ids)s::bigint[]) AND n.kind = 'source'
        OR n.knowledge_base_id = %(knowledge_base_id)s::bigint AND n.kind = 'knowledge_base'
     UNION ALL
    SELECT *
      FROM (SELECT n.*, t.top_id, t.depth + 1 AS depth, t.path || n.position, t.so_far + count(*) OVER (PARTITION BY t.top_id)
                   AS so_far
              FROM tree t JOIN summary_tree n ON n.parent_id = t.id
             WHERE t.depth < %(depth)s) AS below
     WHERE depth = 1 OR %(most)s::bigint IS NULL OR so_far <= %(most)s)
SELECT t.id, t.kind, CASE WHEN t.depth > 0 THEN t.parent_id END AS parent_id, t.position, t.depth, t.document_id, d.uri,
       c.slug AS source, s.text, s.model, s.prompt_version, s.run_id, s.created_at,
       CASE t.kind WHEN 'source' THEN c.slug WHEN 'knowledge_base' THEN k.name
                   ELSE coalesce(nullif(v.title, ''), d.uri, '') END AS title,
       (SELECT count(*) FROM summary_tree b WHERE b.parent_id = t.id) AS child_count,
       cardinality(t.chunk_ids) AS chunk_count
  FROM (SELECT *, row_number() OVER (PARTITION BY top_id ORDER BY path) AS place FROM tree) AS t
       JOIN summaries s ON s.key = t.summary_key
       LEFT JOIN sources c ON c.id = t.source_id LEFT JOIN knowledge_bases k ON k.id = t.knowledge_base_id
       LEFT JOIN documents d ON d.id = t.document_id LEFT JOIN document_versions v ON v.id = d.head_version_id
 WHERE t.place <= %(limit)s
 ORDER BY array_position(%(source_ids)s::bigint[], t.source_id), t.path;

-- name: delete_trees
-- The tree of a source, when its knowledge base no longer wants one.
DELETE FROM summary_tree WHERE source_id = %(source_id)s;

-- name: forget_all_summarized
-- What the trees of a source's documents were made of.
DELETE FROM summarized_documents s USING documents d WHERE d.id = s.document_id AND d.source_id = %(source_id)s;

-- name: unused_summaries
-- Summaries that no tree and no chunk has any more, and that were made some time ago.
SELECT key FROM summaries s
 WHERE s.created_at < %(before)s AND NOT EXISTS (SELECT FROM summary_tree n WHERE n.summary_key = s.key)
   AND NOT EXISTS (SELECT FROM chunk_summaries u WHERE u.summary_key = s.key);
