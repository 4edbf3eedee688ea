-- name: filter_values
-- What filters of a search index can name: the categories and languages of its documents, and the categories and tags of
-- the knowledge base's sources.
SELECT coalesce(array_agg(DISTINCT f.value) FILTER (WHERE f.kind = 'category' AND f.value <> ''), '{}') AS categories,
       coalesce(array_agg(DISTINCT f.value) FILTER (WHERE f.kind = 'tag'), '{}') AS tags,
       coalesce(array_agg(DISTINCT f.value) FILTER (WHERE f.kind = 'language' AND f.value <> ''), '{}') AS languages
  FROM (SELECT 'category' AS kind, v.category AS value
          FROM published_documents p JOIN document_versions v ON v.id = p.version_id WHERE p.search_index_id = %(search_index_id)s
        UNION ALL
        SELECT 'language', replace(lower(document_language(v.language, v.detected_language)), '_', '-')
          FROM published_documents p JOIN document_versions v ON v.id = p.version_id WHERE p.search_index_id = %(search_index_id)s
        UNION ALL
        SELECT 'category', s.category FROM sources s
         WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting'
        UNION ALL
        SELECT 'tag', unnest(s.tags) FROM sources s
         WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting') AS f;
