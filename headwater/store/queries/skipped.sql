-- name: without_text
-- Documents of a source that hold no visible character; most texts are too long to be looked into.
SELECT count(*) AS document_count, (array_agg(d.uri ORDER BY d.uri))[1:3] AS examples
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL
   AND octet_length(v.text) < 1000 AND v.text !~ '[^[:space:]]';
