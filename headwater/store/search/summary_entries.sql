-- name: nodes_without_entry
-- The summaries of a source's tree that an index lacks.
SELECT DISTINCT t.summary_key FROM tree_entries t
 WHERE t.source_id = %(source_id)s
   AND NOT EXISTS (SELECT FROM search_entries_summary e
                    WHERE e.shard = 0 AND e.search_index_id = %(search_index_id)s AND e.target_id = t.target_id
                      AND e.embedding_hash = t.embedding_hash);

-- name: summaries_to_embed
-- The texts of some summaries without a vector of a model, each once; those that no model made need none.
SELECT DISTINCT ON (s.embedding_hash) s.embedding_hash, s.text FROM summaries s
 WHERE s.key = ANY(%(keys)s) AND s.model <> 'builtin/extractive'
   AND NOT EXISTS (SELECT FROM embeddings m WHERE m.model = %(model)s AND m.text_hash = s.embedding_hash)
 ORDER BY s.embedding_hash;

-- name: delete_old_tree_entries
-- Delete the entries of a source's summaries that its tree no longer has, or no longer with this text.
DELETE FROM search_entries_summary e
 WHERE e.shard = 0 AND e.search_index_id = %(search_index_id)s AND e.source_id = %(source_id)s
   AND NOT EXISTS (SELECT FROM tree_entries t WHERE t.target_id = e.target_id AND t.embedding_hash = e.embedding_hash);

-- name: insert_new_tree_entries
-- Insert the missing entries of a source's summaries; one whose text has no vector waits for the next sync.
INSERT INTO search_entries_summary (shard, search_index_id, target_id, document_id, source_id, title, embedding_hash, vector,
                                    kind)
SELECT 0, %(search_index_id)s, t.target_id, t.document_id, t.source_id, '', t.embedding_hash, m.vector, 'summary'
  FROM tree_entries t JOIN embeddings m ON m.model = %(model)s AND m.text_hash = t.embedding_hash
 WHERE t.source_id = %(source_id)s
   AND NOT EXISTS (SELECT FROM search_entries_summary e
                    WHERE e.shard = 0 AND e.search_index_id = %(search_index_id)s AND e.target_id = t.target_id);

-- name: nearest_summaries
-- The summaries nearest to a vector, with all their fields; every entry is compared. A document's summary counts as long
-- as the index serves the document.
SELECT n.id, n.kind, s.slug AS source, n.document_id, d.uri, coalesce(nullif(v.title, ''), d.uri, '') AS title, m.text,
       m.model, m.prompt_version, m.run_id, m.code_version, m.created_at AS made_at, m.key AS summary_key, f.similarity
  FROM (SELECT e.target_id, 1 - (e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS similarity
          FROM search_entries_summary e
         WHERE e.shard = 0 AND e.search_index_id = %(search_index_id)s
           AND (%(source_ids)s::bigint[] IS NULL OR e.source_id = ANY(%(source_ids)s))
           AND (%(document_ids)s::uuid[] IS NULL OR e.document_id = ANY(%(document_ids)s))
           AND (e.document_id IS NULL OR EXISTS (
                SELECT FROM published_documents p
                 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = e.document_id))
         ORDER BY similarity DESC, e.target_id LIMIT %(limit)s) AS f
       JOIN summary_tree n ON n.id = f.target_id JOIN summaries m ON m.key = n.summary_key
       JOIN sources s ON s.id = n.source_id AND s.state <> 'deleting'
       LEFT JOIN documents d ON d.id = n.document_id LEFT JOIN document_versions v ON v.id = d.head_version_id
 ORDER BY f.similarity DESC, n.id;

-- name: highest_summaries
-- The highest summaries of what a filter leaves: without one, that of a knowledge base with several sources and those of
-- its sources; else those of sources or documents, source by source.
SELECT n.id, n.kind, k.slug AS source, n.document_id, '' AS uri, k.name AS title, m.text,
       m.model, m.prompt_version, m.run_id, m.code_version, m.created_at AS made_at, m.key AS summary_key,
       NULL::float8 AS similarity
  FROM search_indexes i JOIN summary_tree n ON n.knowledge_base_id = i.knowledge_base_id AND n.kind = 'knowledge_base'
       JOIN summaries m ON m.key = n.summary_key JOIN knowledge_bases k ON k.id = i.knowledge_base_id
 WHERE i.id = %(search_index_id)s AND %(source_ids)s::bigint[] IS NULL AND %(document_ids)s::uuid[] IS NULL
   AND (SELECT count(*) > 1 FROM summary_tree c WHERE c.parent_id = n.id)
 UNION ALL
(SELECT n.id, n.kind, s.slug AS source, n.document_id, d.uri, coalesce(nullif(v.title, ''), d.uri, '') AS title, m.text,
       m.model, m.prompt_version, m.run_id, m.code_version, m.created_at AS made_at, m.key AS summary_key,
       NULL::float8 AS similarity
  FROM search_indexes i JOIN sources s ON s.knowledge_base_id = i.knowledge_base_id AND s.state <> 'deleting'
       JOIN summary_tree n ON n.source_id = s.id JOIN summaries m ON m.key = n.summary_key
       LEFT JOIN documents d ON d.id = n.document_id LEFT JOIN document_versions v ON v.id = d.head_version_id
 WHERE i.id = %(search_index_id)s
   AND (%(source_ids)s::bigint[] IS NULL OR n.source_id = ANY(%(source_ids)s))
   AND CASE WHEN %(document_ids)s::uuid[] IS NULL THEN n.kind = 'source'
            ELSE n.kind = 'document' AND n.document_id = ANY(%(document_ids)s) END
 ORDER BY s.slug, d.uri COLLATE "C", n.id
 LIMIT %(limit)s);

-- name: documents_below
-- The documents below some nodes that an index serves, each in the version that was summarised, with its own summary and
-- its first chunk; at most so many of each node, and how many there are. From each group the document nearest to the
-- group comes first, then the second of each: so a few of them tell what there is.
WITH RECURSIVE below AS (
    SELECT n.id AS top, n.id, n.parent_id, n.document_id, n.summary_key, ARRAY[0] AS path
      FROM summary_tree n WHERE n.id = ANY(%(ids)s::uuid[])
     UNION ALL
    SELECT b.top, n.id, n.parent_id, n.document_id, n.summary_key, b.path || n.position
      FROM below b JOIN summary_tree n ON n.parent_id = b.id WHERE b.document_id IS NULL
), near AS (
    SELECT b.*, count(*) OVER (PARTITION BY b.top) AS total,
           e.vector::halfvec({dimensions}) <=> t.vector::halfvec({dimensions}) AS from_top,
           row_number() OVER (PARTITION BY b.top, b.parent_id
                              ORDER BY e.vector::halfvec({dimensions}) <=> g.vector::halfvec({dimensions}), b.path) AS turn
      FROM below b JOIN published_documents p ON p.search_index_id = %(search_index_id)s AND p.document_id = b.document_id
           LEFT JOIN search_entries_summary e
                  ON e.shard = 0 AND e.search_index_id = %(search_index_id)s AND e.target_id = b.id
           LEFT JOIN search_entries_summary g
                  ON g.shard = 0 AND g.search_index_id = %(search_index_id)s AND g.target_id = b.parent_id
           LEFT JOIN search_entries_summary t
                  ON t.shard = 0 AND t.search_index_id = %(search_index_id)s AND t.target_id = b.top
     WHERE b.document_id IS NOT NULL
), found AS (
    SELECT n.*, row_number() OVER (PARTITION BY n.top ORDER BY n.turn, n.from_top, n.path) AS place FROM near n
)
SELECT f.top, f.id AS node_id, f.document_id, v.id AS document_version_id, s.slug AS source, d.uri,
       coalesce(nullif(v.title, ''), d.uri) AS title, length(v.text) AS length, m.text AS summary, f.total, c.chunk_id,
       m.key AS summary_key, m.model, m.prompt_version, m.run_id, m.code_version, m.created_at AS made_at
  FROM found f JOIN documents d ON d.id = f.document_id JOIN sources s ON s.id = d.source_id
       JOIN summarized_documents z ON z.document_id = d.id JOIN document_versions v ON v.id = z.version_id
       JOIN summaries m ON m.key = f.summary_key
       CROSS JOIN LATERAL (SELECT vc.chunk_id FROM version_chunks vc
                            WHERE vc.version_id = v.id AND vc.settings_hash = z.settings_hash
                            ORDER BY vc.position LIMIT 1) AS c
 WHERE f.place <= %(limit)s
 ORDER BY f.top, f.place;

-- name: chunks_below
-- The chunks below some nodes, in the order of the tree, those nearest to a vector first; at most so many of each node.
WITH RECURSIVE below AS (
    SELECT n.id AS top, n.id, n.chunk_ids FROM summary_tree n WHERE n.id = ANY(%(ids)s::uuid[])
     UNION ALL
    SELECT b.top, n.id, n.chunk_ids FROM below b JOIN summary_tree n ON n.parent_id = b.id
)
SELECT f.top, f.chunk_id
  FROM (SELECT b.top, e.target_id AS chunk_id,
               row_number() OVER (PARTITION BY b.top
                                  ORDER BY e.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}),
                                           e.target_id) AS place
          FROM below b CROSS JOIN LATERAL unnest(b.chunk_ids) AS x (chunk_id)
               JOIN search_entries_chunk e ON e.shard = {shard} AND e.search_index_id = %(search_index_id)s
                                          AND e.target_id = x.chunk_id
         WHERE (%(source_ids)s::bigint[] IS NULL OR e.source_id = ANY(%(source_ids)s))
           AND (%(document_ids)s::uuid[] IS NULL OR e.document_id = ANY(%(document_ids)s))) AS f
 WHERE f.place <= %(limit)s
 ORDER BY f.top, f.place;

-- name: has_summaries
-- Whether there is any summary of what an index serves, and whether any has a vector.
SELECT EXISTS (SELECT FROM search_indexes i JOIN sources s ON s.knowledge_base_id = i.knowledge_base_id
                        AND s.state <> 'deleting' JOIN summary_tree n ON n.source_id = s.id
                WHERE i.id = %(search_index_id)s) AS has_any,
       EXISTS (SELECT FROM search_entries_summary e WHERE e.shard = 0 AND e.search_index_id = %(search_index_id)s) AS has_vectors;

-- name: summaries_of_documents
-- The summaries of some documents.
SELECT n.id, n.kind, s.slug AS source, n.document_id, d.uri, coalesce(nullif(v.title, ''), d.uri) AS title, m.text,
       m.model, m.prompt_version, m.run_id, m.code_version, m.created_at AS made_at, m.key AS summary_key,
       NULL::float8 AS similarity
  FROM summary_tree n JOIN summaries m ON m.key = n.summary_key
       JOIN sources s ON s.id = n.source_id AND s.state <> 'deleting'
       JOIN documents d ON d.id = n.document_id JOIN document_versions v ON v.id = d.head_version_id
 WHERE n.kind = 'document' AND n.document_id = ANY(%(ids)s::uuid[]);

-- name: summarized_names
-- The titles and URIs of the summarised documents that a filter leaves.
SELECT d.id AS document_id, s.slug AS source, d.uri, coalesce(v.title, '') AS title,
       coalesce(starts_with(v.original_media_type, 'image/'), false) AS is_image
  FROM published_documents p JOIN documents d ON d.id = p.document_id
       JOIN sources s ON s.id = d.source_id AND s.state <> 'deleting'
       JOIN document_versions v ON v.id = p.version_id
 WHERE p.search_index_id = %(search_index_id)s
   AND (%(source_ids)s::bigint[] IS NULL OR d.source_id = ANY(%(source_ids)s))
   AND (%(document_ids)s::uuid[] IS NULL OR d.id = ANY(%(document_ids)s))
   AND EXISTS (SELECT FROM summary_tree n WHERE n.document_id = d.id AND n.kind = 'document')
 ORDER BY s.slug, d.uri COLLATE "C"
 LIMIT %(limit)s;

-- name: served_texts
-- The texts of some documents as an index serves them, or as many characters of each.
SELECT p.document_id, coalesce(left(v.text, %(characters)s), v.text) AS text FROM published_documents p JOIN document_versions v ON v.id = p.version_id
 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = ANY(%(ids)s::uuid[]);

-- name: chunks_at
-- The chunks of a document, as an index serves it, that hold some offsets; the later one where two overlap.
SELECT DISTINCT ON (o.place) o.place, vc.chunk_id
  FROM published_documents p JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
       JOIN unnest(%(places)s::int[]) AS o (place) ON vc.start_offset <= o.place AND vc.end_offset > o.place
 WHERE p.search_index_id = %(search_index_id)s AND p.document_id = %(document_id)s
 ORDER BY o.place, vc.position DESC;

-- name: dated_chunks
-- The published chunks that name a version or a date as one: below a heading with it, or behind a word such as "added
-- in". The patterns are those of the caller. If there are too many, to look through or to return, those of the first
-- documents by their URI.
WITH looked AS MATERIALIZED (
    SELECT vc.chunk_id, vc.breadcrumb, vc.position, d.uri, d.source_id
      FROM published_documents p
           JOIN version_chunks vc ON vc.version_id = p.version_id AND vc.settings_hash = %(settings_hash)s
           JOIN documents d ON d.id = p.document_id
     WHERE p.search_index_id = %(search_index_id)s
       AND (%(source_ids)s::bigint[] IS NULL OR d.source_id = ANY(%(source_ids)s))
       AND (%(document_ids)s::uuid[] IS NULL OR d.id = ANY(%(document_ids)s))
     ORDER BY d.uri COLLATE "C", d.source_id, vc.position
     LIMIT %(most)s)
SELECT c.id AS chunk_id
  FROM looked l JOIN chunks c ON c.id = l.chunk_id
 WHERE %(in_text)s <> '' AND c.text ~* %(in_text)s
    OR EXISTS (SELECT FROM unnest(l.breadcrumb) AS h (heading) WHERE h.heading ~* %(in_heading)s)
 GROUP BY c.id
 ORDER BY min(l.uri COLLATE "C"), min(l.source_id), min(l.position), c.id
 LIMIT %(limit)s;

-- name: renewed_documents
-- The documents of an index that were written or changed on a day or later: by the date in their metadata, or because a
-- new version of them was read. The latest come first.
SELECT d.id AS document_id, coalesce(v.dated_at, v.fetched_at) AS changed_at
  FROM published_documents p JOIN documents d ON d.id = p.document_id
       JOIN document_versions v ON v.id = p.version_id
 WHERE p.search_index_id = %(search_index_id)s
   AND (%(source_ids)s::bigint[] IS NULL OR d.source_id = ANY(%(source_ids)s))
   AND (%(document_ids)s::uuid[] IS NULL OR d.id = ANY(%(document_ids)s))
   AND (v.dated_at >= %(day)s OR v.dated_at IS NULL AND v.sequence > 1 AND v.fetched_at >= %(day)s)
 ORDER BY changed_at DESC, d.uri COLLATE "C"
 LIMIT %(limit)s;
