-- name: filter_values
-- What filters of a search index can name: the categories and languages of its documents, which are read once, and the
-- categories of the knowledge base's sources. Few documents differ in these, so the equal ones are merged first.
SELECT coalesce(array_agg(DISTINCT f.value) FILTER (WHERE f.kind = 'category' AND f.value <> ''), '{}') AS categories,
       coalesce(array_agg(DISTINCT f.value) FILTER (WHERE f.kind = 'language' AND f.value <> ''), '{}') AS languages
  FROM (SELECT d.kind, d.value
          FROM (SELECT DISTINCT v.category, v.language, v.detected_language
                  FROM published_documents p JOIN document_versions v ON v.id = p.version_id
                 WHERE p.search_index_id = %(search_index_id)s) AS v
               CROSS JOIN LATERAL (VALUES
                   ('category', v.category),
                   ('language', replace(lower(document_language(v.language, v.detected_language)), '_', '-'))) AS d (kind, value)
        UNION ALL
        SELECT 'category', s.category FROM sources s
         WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting') AS f;

-- name: filter_values_state
-- A text that differs when documents of an index or sources of its knowledge base have changed, without reading documents,
-- and the number of the index's chunks.
SELECT concat_ws(' ',
           (SELECT string_agg(concat_ws(':', s.id, s.state = 'deleting', s.category, r.revision), ' ' ORDER BY s.id)
              FROM sources s LEFT JOIN source_revisions r ON r.source_id = s.id
             WHERE s.knowledge_base_id = %(knowledge_base_id)s),
           i.entry_count, i.length_sum) AS state,
       coalesce(i.entry_count, 0) AS entry_count
  FROM (SELECT) AS one LEFT JOIN search_statistics i ON i.search_index_id = %(search_index_id)s AND i.kind = 'chunk';

-- name: document_labels
-- The labels and authors that metadata of an index's documents name, the most frequent first: all, or those with some names.
SELECT l.kind, l.value
  FROM (SELECT n.kind, t.value #>> '{}' AS value, count(*) AS document_count,
               row_number() OVER (PARTITION BY n.kind ORDER BY count(*) DESC, t.value #>> '{}') AS place
          FROM published_documents p JOIN document_versions v ON v.id = p.version_id
               JOIN LATERAL (VALUES ('tag', 'labels'), ('tag', 'tags'), ('tag', 'keywords'), ('tag', 'categories'),
                                    ('author', 'author'), ('author', 'authors'), ('author', 'from')) AS n (kind, name)
                 ON n.kind = ANY(%(kinds)s) AND v.metadata ? n.name
               CROSS JOIN LATERAL jsonb_path_query(v.metadata -> n.name, '$[*]') AS t (value)
         WHERE p.search_index_id = %(search_index_id)s AND jsonb_typeof(t.value) = 'string' AND t.value <> '""'
           AND (%(names)s::text[] IS NULL OR t.value #>> '{}' = ANY(%(names)s))
         GROUP BY 1, 2) AS l
 WHERE l.place <= %(limit)s ORDER BY l.kind, l.place;

-- name: source_tags
-- The tags of a knowledge base's sources.
SELECT DISTINCT unnest(s.tags) AS tag FROM sources s
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting';
