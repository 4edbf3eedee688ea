-- name: filter_values
-- What filters of a search index can name: the categories and languages of its documents, which are read once, and the
-- categories of the knowledge base's sources.
SELECT coalesce(array_agg(DISTINCT f.value) FILTER (WHERE f.kind = 'category' AND f.value <> ''), '{}') AS categories,
       coalesce(array_agg(DISTINCT f.value) FILTER (WHERE f.kind = 'language' AND f.value <> ''), '{}') AS languages
  FROM (SELECT d.kind, d.value
          FROM published_documents p JOIN document_versions v ON v.id = p.version_id
               CROSS JOIN LATERAL (VALUES
                   ('category', v.category),
                   ('language', replace(lower(document_language(v.language, v.detected_language)), '_', '-'))) AS d (kind, value)
         WHERE p.search_index_id = %(search_index_id)s
        UNION ALL
        SELECT 'category', s.category FROM sources s
         WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting') AS f;

-- name: document_labels
-- The labels and authors that metadata of an index's documents name, the most frequent first.
SELECT n.kind, t.value #>> '{}' AS value, count(*) AS document_count
  FROM published_documents p JOIN document_versions v ON v.id = p.version_id
       JOIN LATERAL (VALUES ('tag', 'labels'), ('tag', 'tags'), ('tag', 'keywords'), ('tag', 'categories'),
                            ('author', 'author'), ('author', 'authors'), ('author', 'from')) AS n (kind, name)
         ON n.kind = ANY(%(kinds)s) AND v.metadata ? n.name
       CROSS JOIN LATERAL jsonb_path_query(v.metadata -> n.name, '$[*]') AS t (value)
 WHERE p.search_index_id = %(search_index_id)s AND jsonb_typeof(t.value) = 'string' AND t.value <> '""'
 GROUP BY 1, 2 ORDER BY document_count DESC, value LIMIT %(limit)s;

-- name: source_tags
-- The tags of a knowledge base's sources.
SELECT DISTINCT unnest(s.tags) AS tag FROM sources s
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting';
