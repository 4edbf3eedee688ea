-- name: known_documents
-- The stored state of each document of a source, by URI.
SELECT d.uri, d.id, d.fingerprint, d.validator, d.access_digest, d.removed_at IS NOT NULL AS is_removed,
       coalesce(v.original_media_type, v.media_type) AS media_type, coalesce(d.read_by, v.parser_version) AS parser_version,
       v.parser_version AS made_by, v.content_hash, v.sequence, v.id AS version_id
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s;

-- name: set_validators
-- Store new validators and access digests of documents that did not change.
UPDATE documents d SET validator = t.validator, access_digest = t.access_digest
  FROM unnest(%(ids)s::uuid[], %(validators)s::text[], %(access_digests)s::text[]) AS t (id, validator, access_digest)
 WHERE d.id = t.id;
