-- name: get_node
-- One node of a summary tree, with what made its summary.
SELECT n.id, n.kind, n.parent_id, n.document_id, d.uri, coalesce(nullif(v.title, ''), d.uri, s.slug, k.name) AS title, m.text,
       m.key AS summary_key, m.model, m.prompt_version, m.prompt_tokens, m.completion_tokens, m.cost_usd, m.run_id,
       m.code_version, m.created_at AS made_at, coalesce(s.slug, '') AS source, k.slug AS knowledge_base, n.chunk_ids
  FROM summary_tree n JOIN summaries m ON m.key = n.summary_key
       LEFT JOIN sources s ON s.id = n.source_id
       JOIN knowledge_bases k ON k.id = coalesce(n.knowledge_base_id, s.knowledge_base_id)
       LEFT JOIN documents d ON d.id = n.document_id LEFT JOIN document_versions v ON v.id = d.head_version_id
 WHERE n.id = %(id)s AND k.deleted_at IS NULL AND s.state IS DISTINCT FROM 'deleting';

-- name: children_of_node
-- The nodes below one, in order.
SELECT n.id, n.kind, n.document_id, d.uri, coalesce(nullif(v.title, ''), d.uri, '') AS title, m.text
  FROM summary_tree n JOIN summaries m ON m.key = n.summary_key
       LEFT JOIN documents d ON d.id = n.document_id LEFT JOIN document_versions v ON v.id = d.head_version_id
 WHERE n.parent_id = %(id)s ORDER BY n.position;

-- name: ends_of_groups
-- The titles of the first and of the last document below some groups.
WITH RECURSIVE ends AS (
    SELECT g.id AS group_id, g.id, e.is_last
      FROM unnest(%(ids)s::uuid[]) AS g (id) CROSS JOIN (VALUES (false), (true)) AS e (is_last)
     UNION ALL
    SELECT e.group_id, c.id, e.is_last
      FROM ends e CROSS JOIN LATERAL (
               SELECT n.id FROM summary_tree n WHERE n.parent_id = e.id AND n.kind <> 'piece'
                ORDER BY CASE WHEN e.is_last THEN -n.position ELSE n.position END LIMIT 1) AS c
)
SELECT e.group_id, e.is_last, coalesce(nullif(v.title, ''), d.uri) AS title
  FROM ends e JOIN summary_tree n ON n.id = e.id JOIN documents d ON d.id = n.document_id
       LEFT JOIN document_versions v ON v.id = d.head_version_id;

-- name: versions_below_node
-- The document versions that a node was made of, in the order of the tree, each with the chunks below the node and the
-- runs that made them; at most so many, and how many there are.
WITH RECURSIVE below AS (
    SELECT n.id, n.chunk_ids, ARRAY[0] AS path FROM summary_tree n WHERE n.id = %(id)s
     UNION ALL
    SELECT n.id, n.chunk_ids, b.path || n.position FROM below b JOIN summary_tree n ON n.parent_id = b.id
), held AS (
    SELECT c.document_id, min(b.path) AS path, array_agg(c.id ORDER BY b.path, x.place) AS chunk_ids,
           array_agg(DISTINCT c.run_id) AS chunk_run_ids
      FROM below b CROSS JOIN LATERAL unnest(b.chunk_ids) WITH ORDINALITY AS x (chunk_id, place)
           JOIN chunks c ON c.id = x.chunk_id
     GROUP BY c.document_id
)
SELECT d.id AS document_id, d.uri, s.slug AS source, coalesce(nullif(v.title, ''), d.uri) AS title,
       v.id AS document_version_id, v.sequence, v.fetched_at, v.run_id, v.code_version, v.parser_version, h.chunk_ids,
       h.chunk_run_ids, EXISTS (SELECT FROM publications u WHERE u.version_id = v.id AND u.withdrawn_at IS NULL) AS is_current,
       count(*) OVER () AS total
  FROM held h JOIN documents d ON d.id = h.document_id JOIN sources s ON s.id = d.source_id
       JOIN summarized_documents z ON z.document_id = d.id JOIN document_versions v ON v.id = z.version_id
 ORDER BY h.path LIMIT %(limit)s;
