-- name: versions_to_link
-- The newest versions of some documents whose links are not read yet, without their texts.
SELECT v.id, v.document_id, d.uri, v.media_type
  FROM unnest(%(document_ids)s::uuid[]) WITH ORDINALITY AS w (document_id, place)
       JOIN documents d ON d.id = w.document_id JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.removed_at IS NULL
   AND NOT EXISTS (SELECT FROM link_sets s WHERE s.version_id = v.id AND s.reader = %(reader)s)
 ORDER BY w.place;

-- name: documents_to_link
-- Documents of a source whose newest version's links are not read yet.
SELECT d.id
  FROM documents d
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL
   AND NOT EXISTS (SELECT FROM link_sets s WHERE s.version_id = d.head_version_id AND s.reader = %(reader)s)
 ORDER BY d.uri;

-- name: texts_to_link
-- The texts of some versions.
SELECT id, text FROM document_versions WHERE id = ANY(%(version_ids)s);

-- name: forget_links
-- The links of some versions, which are read in another way now.
DELETE FROM link_sets WHERE version_id = ANY(%(version_ids)s);

-- name: links_data_version
-- A digest over the links of a source, and their number: they depend on the versions and on the reader.
SELECT md5(coalesce(string_agg(s.version_id || ':' || s.reader, ',' ORDER BY s.version_id), '')) AS data_version,
       coalesce(sum(s.link_count), 0)::bigint AS row_count
  FROM documents d JOIN link_sets s ON s.version_id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL;

-- name: link_counts
-- How many links of each kind the newest versions of a source have.
SELECT l.kind, count(*) AS count
  FROM documents d JOIN links l ON l.version_id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL GROUP BY l.kind;
