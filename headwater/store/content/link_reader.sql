-- name: links_from_document
-- The links of a document, in the order of its text. Here as below, links are sorted before they are described, which takes
-- most of the time.
SELECT d.*
  FROM (SELECT l.document_id, l.position
          FROM published_documents p JOIN links l ON l.version_id = p.version_id
         WHERE p.search_index_id = %(search_index_id)s AND p.document_id = %(document_id)s
         ORDER BY l.position LIMIT %(limit)s) AS c
       JOIN LATERAL (SELECT * FROM described_links d
                      WHERE d.search_index_id = %(search_index_id)s AND d.document_id = c.document_id
                        AND d.position = c.position OFFSET 0) AS d ON true
 ORDER BY c.position;

-- name: references_to_document
-- Links of other documents that lead to a document: every page of a site may link to its first one.
SELECT d.*
  FROM (SELECT l.document_id, l.position, o.slug, o.uri
          FROM links l
               CROSS JOIN LATERAL (
                   SELECT s.slug, d.uri
                     FROM published_documents p JOIN documents d ON d.id = p.document_id JOIN sources s ON s.id = d.source_id
                    WHERE p.search_index_id = %(search_index_id)s AND p.document_id = l.document_id
                      AND p.version_id = l.version_id OFFSET 0) AS o
         WHERE l.kind = 'references' AND l.targets && ARRAY[%(uri)s] AND l.document_id <> %(document_id)s
         ORDER BY o.slug, o.uri COLLATE "C", l.position OFFSET 0) AS c
       JOIN LATERAL (SELECT * FROM described_links d
                      WHERE d.search_index_id = %(search_index_id)s AND d.document_id = c.document_id
                        AND d.position = c.position AND d.target_document_id = %(document_id)s OFFSET 0) AS d ON true
 ORDER BY c.slug, c.uri COLLATE "C", c.position LIMIT %(limit)s;

-- name: uses_of_document
-- Imports and calls in other documents that lead to a definition in a document: only those that no other document of the
-- source has are looked for. Here as below, `IS TRUE` makes Postgres hash the symbols instead of joining
-- them, and `OFFSET 0` look a row up by its key, whatever it estimates.
WITH own AS MATERIALIZED (
    SELECT o.name, o.family, o.source_id, o.symbol
      FROM published_definitions o
     WHERE o.search_index_id = %(search_index_id)s AND o.document_id = %(document_id)s
       AND NOT EXISTS (SELECT FROM published_definitions k
                        WHERE k.search_index_id = o.search_index_id AND k.source_id = o.source_id AND k.name = o.name
                          AND k.family = o.family AND k.symbol_hash = o.symbol_hash AND k.document_id < o.document_id)
       AND NOT EXISTS (SELECT FROM published_definitions k
                        WHERE k.search_index_id = o.search_index_id AND k.source_id = o.source_id AND k.name = o.name
                          AND k.family = o.family AND k.symbol_hash = o.symbol_hash AND k.document_id > o.document_id))
SELECT d.*
  FROM (SELECT l.document_id, l.position, o.slug, o.uri
          FROM (SELECT DISTINCT name, family, source_id FROM own) AS n
               JOIN links l ON l.name = n.name AND l.family = n.family AND l.source_id = n.source_id
               CROSS JOIN LATERAL (
                   SELECT s.slug, d.uri
                     FROM published_documents p JOIN documents d ON d.id = p.document_id JOIN sources s ON s.id = d.source_id
                    WHERE p.search_index_id = %(search_index_id)s AND p.document_id = l.document_id
                      AND p.version_id = l.version_id OFFSET 0) AS o
         WHERE l.kind IN ('imports', 'calls') AND l.document_id <> %(document_id)s
           AND EXISTS (SELECT FROM unnest(l.targets) AS t (symbol) WHERE (t.symbol IN (SELECT symbol FROM own)) IS TRUE)
         ORDER BY o.slug, o.uri COLLATE "C", l.position LIMIT %(candidates)s) AS c
       JOIN LATERAL (SELECT * FROM described_links d
                      WHERE d.search_index_id = %(search_index_id)s AND d.document_id = c.document_id
                        AND d.position = c.position AND d.target_document_id = %(document_id)s OFFSET 0) AS d ON true
 ORDER BY c.slug, c.uri COLLATE "C", c.position LIMIT %(limit)s;

-- name: definitions_of_symbol
-- The definitions of a symbol: of this name, or of this end of a qualified name.
SELECT d.*
  FROM (SELECT l.document_id, l.position, o.slug, o.uri
          FROM links l
               CROSS JOIN LATERAL (
                   SELECT s.slug, d.uri
                     FROM published_documents p JOIN documents d ON d.id = p.document_id JOIN sources s ON s.id = d.source_id
                    WHERE p.search_index_id = %(search_index_id)s AND p.document_id = l.document_id
                      AND p.version_id = l.version_id OFFSET 0) AS o
         WHERE l.kind = 'defines' AND l.name = %(name)s
           AND (l.targets[1] = %(symbol)s
                OR right(l.targets[1], length(%(symbol)s) + 1) IN ('.' || %(symbol)s, '/' || %(symbol)s))
         ORDER BY o.slug, o.uri COLLATE "C", l.position LIMIT %(limit)s) AS c
       JOIN LATERAL (SELECT * FROM described_links d
                      WHERE d.search_index_id = %(search_index_id)s AND d.document_id = c.document_id
                        AND d.position = c.position OFFSET 0) AS d ON true
 ORDER BY c.slug, c.uri COLLATE "C", c.position;

-- name: uses_of_symbol
-- Imports and calls that lead to some definitions, and calls of the name whose target the code does not say. Another
-- document can lead only to a definition that is the only one of its source.
WITH known AS MATERIALIZED (
    SELECT k.symbol, k.document_id,
           NOT EXISTS (SELECT FROM published_definitions o
                        WHERE o.search_index_id = %(search_index_id)s AND o.source_id = d.source_id
                          AND o.name = %(name)s AND o.family = k.family AND o.symbol_hash = md5(k.symbol)
                          AND o.document_id < k.document_id)
           AND NOT EXISTS (SELECT FROM published_definitions o
                            WHERE o.search_index_id = %(search_index_id)s AND o.source_id = d.source_id
                              AND o.name = %(name)s AND o.family = k.family AND o.symbol_hash = md5(k.symbol)
                              AND o.document_id > k.document_id) AS is_only
      FROM unnest(%(symbols)s::text[], %(families)s::text[], %(document_ids)s::uuid[]) AS k (symbol, family, document_id)
           JOIN documents d ON d.id = k.document_id)
SELECT d.*
  FROM (SELECT l.document_id, l.position, o.slug, o.uri
          FROM (SELECT k.document_id, k.version_id, k.position FROM links k
                 WHERE k.kind IN ('imports', 'calls') AND k.name = %(name)s
                   AND EXISTS (SELECT FROM unnest(k.targets) AS t (symbol)
                                WHERE (t.symbol IN (SELECT symbol FROM known WHERE is_only)) IS TRUE)
                 UNION
                SELECT k.document_id, k.version_id, k.position FROM links k
                 WHERE k.kind IN ('imports', 'calls') AND k.name = %(name)s AND k.document_id = ANY(%(document_ids)s)
                   AND cardinality(k.targets) > 0
                 UNION
                SELECT k.document_id, k.version_id, k.position FROM links k
                 WHERE k.kind = 'calls' AND k.name = %(name)s AND cardinality(k.targets) = 0) AS l
               CROSS JOIN LATERAL (
                   SELECT s.slug, d.uri
                     FROM published_documents p JOIN documents d ON d.id = p.document_id JOIN sources s ON s.id = d.source_id
                    WHERE p.search_index_id = %(search_index_id)s AND p.document_id = l.document_id
                      AND p.version_id = l.version_id OFFSET 0) AS o
         ORDER BY o.slug, o.uri COLLATE "C", l.position LIMIT %(candidates)s) AS c
       JOIN LATERAL (SELECT * FROM described_links d
                      WHERE d.search_index_id = %(search_index_id)s AND d.document_id = c.document_id
                        AND d.position = c.position
                        AND (d.target_symbol = ANY(%(symbols)s) AND d.target_document_id = ANY(%(document_ids)s)
                             OR d.kind = 'calls' AND cardinality(d.targets) = 0) OFFSET 0) AS d ON true
 ORDER BY c.slug, c.uri COLLATE "C", c.position LIMIT %(limit)s;

-- name: calls_within
-- Imports and calls that stand in some definitions.
SELECT d.*
  FROM (SELECT l.document_id, l.position
          FROM published_documents p JOIN links l ON l.version_id = p.version_id
         WHERE p.search_index_id = %(search_index_id)s AND p.document_id = ANY(%(document_ids)s) AND l.kind = 'calls'
           AND l.origin = ANY(%(symbols)s) AND cardinality(l.targets) > 0
         ORDER BY l.position LIMIT %(candidates)s) AS c
       JOIN LATERAL (SELECT * FROM described_links d
                      WHERE d.search_index_id = %(search_index_id)s AND d.document_id = c.document_id
                        AND d.position = c.position AND d.target_document_id IS NOT NULL OFFSET 0) AS d ON true
 ORDER BY c.position LIMIT %(limit)s;

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

-- name: published_texts
-- The texts that an index serves of some documents.
SELECT p.document_id, v.text FROM published_documents p JOIN document_versions v ON v.id = p.version_id
 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = ANY(%(document_ids)s);

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
