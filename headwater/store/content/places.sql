-- name: list_places
-- The places of some versions, and what tells those of versions that an older release wrote.
SELECT v.id, v.places, v.parser_version, v.media_type, d.uri
  FROM document_versions v JOIN documents d ON d.id = v.document_id WHERE v.id = ANY(%(version_ids)s);

-- name: put_places
-- The places of versions that are there, where they are others than before.
UPDATE document_versions v SET places = t.places
  FROM unnest(%(ids)s::uuid[], %(places)s::jsonb[]) AS t (id, places)
 WHERE v.id = t.id AND v.places IS DISTINCT FROM t.places;
