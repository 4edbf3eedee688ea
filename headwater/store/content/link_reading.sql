-- name: links_from_document
-- The links of a document, in the order of its text.
SELECT * FROM described_links
 WHERE search_index_id = %(search_index_id)s AND document_id = %(document_id)s
 ORDER BY position LIMIT %(limit)s;

-- name: references_to_document
-- Links of other documents that lead to a document. They are sorted before they are described, which takes most of the
-- time: every page of a site may link to its first one.
SELECT d.*
  FROM (SELECT l.document_id, l.position, os.slug, od.uri
          FROM links l JOIN published_documents p ON p.search_index_id = %(search_index_id)s
                                                 AND p.document_id = l.document_id AND p.version_id = l.version_id
               JOIN documents od ON od.id = l.document_id JOIN sources os ON os.id = od.source_id
         WHERE l.kind = 'references' AND l.targets && ARRAY[%(uri)s] AND l.document_id <> %(document_id)s
         ORDER BY os.slug, od.uri COLLATE "C", l.position OFFSET 0) AS c
       JOIN LATERAL (SELECT * FROM described_links d
                      WHERE d.search_index_id = %(search_index_id)s AND d.document_id = c.document_id
                        AND d.position = c.position AND d.target_document_id = %(document_id)s OFFSET 0) AS d ON true
 ORDER BY c.slug, c.uri COLLATE "C", c.position LIMIT %(limit)s;

-- name: uses_of_document
-- Imports and calls in other documents that lead to a definition in a document.
WITH own AS MATERIALIZED (
    SELECT k.name, k.targets[1] AS symbol
      FROM published_documents p JOIN links k ON k.version_id = p.version_id AND k.kind = 'defines'
     WHERE p.search_index_id = %(search_index_id)s AND p.document_id = %(document_id)s)
SELECT * FROM described_links
 WHERE search_index_id = %(search_index_id)s AND kind IN ('imports', 'calls')
   AND name IN (SELECT name FROM own) AND targets && ARRAY(SELECT symbol FROM own)
   AND target_document_id = %(document_id)s AND document_id <> %(document_id)s
 ORDER BY origin_source, origin_uri COLLATE "C", position LIMIT %(limit)s;

-- name: definitions_of_symbol
-- The definitions of a symbol: of this name, or of this end of a qualified name.
SELECT * FROM described_links
 WHERE search_index_id = %(search_index_id)s AND kind = 'defines' AND name = %(name)s
   AND (targets[1] = %(symbol)s OR right(targets[1], length(%(symbol)s) + 1) IN ('.' || %(symbol)s, '/' || %(symbol)s))
 ORDER BY origin_source, origin_uri COLLATE "C", position LIMIT %(limit)s;

-- name: uses_of_symbol
-- Imports and calls that lead to some definitions, and calls of the name whose target the code does not say.
SELECT * FROM described_links
 WHERE search_index_id = %(search_index_id)s AND kind IN ('imports', 'calls') AND name = %(name)s
   AND (target_symbol = ANY(%(symbols)s) AND target_document_id = ANY(%(document_ids)s)
        OR kind = 'calls' AND target_document_id IS NULL AND cardinality(targets) = 0)
 ORDER BY origin_source, origin_uri COLLATE "C", position LIMIT %(limit)s;

-- name: calls_within
-- Imports and calls that stand in some definitions.
SELECT * FROM described_links
 WHERE search_index_id = %(search_index_id)s AND kind = 'calls' AND document_id = ANY(%(document_ids)s)
   AND origin_symbol = ANY(%(symbols)s) AND target_document_id IS NOT NULL
 ORDER BY position LIMIT %(limit)s;

-- name: unresolved_references
-- Links to documents that lead to none, of one source or of all, except to folders that contain documents. `was_there`
-- says that the document existed once.
SELECT l.*,
       EXISTS (SELECT FROM sources s JOIN documents w ON w.source_id = s.id AND w.uri = ANY(l.targets)
                WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting'
                  AND (s.id = l.source_id OR w.uri ~ '^https?://')) AS was_there
  FROM described_links l
 WHERE l.search_index_id = %(search_index_id)s AND l.kind = 'references' AND l.target_document_id IS NULL
   AND NOT EXISTS (SELECT FROM documents f
                    WHERE f.source_id = l.source_id AND f.removed_at IS NULL
                      AND starts_with(f.uri, rtrim(l.targets[1], '/') || '/'))
 ORDER BY l.origin_source, l.origin_uri COLLATE "C", l.position;

-- name: reference_counts
-- For each source of an index: its links to documents, and how many of them lead to one.
SELECT s.slug, count(*) AS count, count(l.target_document_id) AS resolved
  FROM resolved_links l JOIN sources s ON s.id = l.source_id
 WHERE l.search_index_id = %(search_index_id)s AND l.kind = 'references'
 GROUP BY s.slug ORDER BY s.slug;

-- name: documents_without_links
-- Published documents whose links were not read; with examples.
SELECT count(*) AS count, coalesce((array_agg(d.uri ORDER BY d.uri))[1:10], '{}') AS examples
  FROM published_documents p JOIN documents d ON d.id = p.document_id
 WHERE p.search_index_id = %(search_index_id)s
   AND (%(document_ids)s::uuid[] IS NULL OR p.document_id = ANY(%(document_ids)s))
   AND NOT EXISTS (SELECT FROM link_sets s WHERE s.version_id = p.version_id);

-- name: links_without_origin
-- Links whose document version or document is gone, or is another's; with examples.
SELECT count(*) AS count, coalesce((array_agg(DISTINCT l.name))[1:10], '{}') AS examples
  FROM links l LEFT JOIN document_versions v ON v.id = l.version_id
 WHERE v.document_id IS DISTINCT FROM l.document_id
   AND (%(document_ids)s::uuid[] IS NULL OR l.document_id = ANY(%(document_ids)s));

-- name: document_of_uri
-- The published documents of a knowledge base's index with a URI.
SELECT d.id FROM published_documents p JOIN documents d ON d.id = p.document_id
 WHERE p.search_index_id = %(search_index_id)s AND d.uri = %(uri)s ORDER BY d.id;
