-- name: documents_to_export
-- The documents of a source by URI, each with the stored size of its text.
SELECT d.id, octet_length(v.text) AS size
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL
 ORDER BY d.uri COLLATE "C";

-- name: exported_documents
-- The newest versions of some documents, in the order of their ids.
SELECT d.uri, v.title, v.text, v.media_type, v.category, v.language, v.metadata, v.outgoing AS references, v.places
  FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS w (id, place)
       JOIN documents d ON d.id = w.id JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.removed_at IS NULL
 ORDER BY w.place;
