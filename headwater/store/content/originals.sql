-- name: share_originals
-- Prevent the removal of originals until this transaction ends.
SELECT pg_advisory_xact_lock_shared(hashtextextended('originals', 0));

-- name: lock_originals
-- Wait for unfinished transactions that refer to originals, and block new ones.
SELECT pg_advisory_xact_lock(hashtextextended('originals', 0));

-- name: keep_originals
-- Prevent the removal of originals for as long as this connection lasts.
SELECT pg_advisory_lock_shared(hashtextextended('originals:kept', 0));

-- name: are_originals_kept
-- Whether a process, such as a backup, prevents the removal of originals.
SELECT is_locked('originals:kept') AS are_kept;

-- name: original_of_version
-- The original of a version.
SELECT original_hash AS hash FROM document_versions WHERE id = %(version_id)s AND original_hash IS NOT NULL;

-- name: unheld_originals
-- Those of some originals that neither a version nor an upload refers to.
SELECT t.hash FROM unnest(%(hashes)s::bytea[]) AS t (hash)
 WHERE NOT EXISTS (SELECT FROM document_versions v WHERE v.original_hash = t.hash)
   AND NOT EXISTS (SELECT FROM source_files f WHERE f.hash = t.hash);

-- name: held_originals
-- The next originals that versions or uploads refer to, by hash, each with one of their documents.
SELECT DISTINCT ON (held.hash) held.* FROM (
    (SELECT DISTINCT ON (v.original_hash) v.original_hash AS hash, d.uri, k.slug || '/' || s.slug AS source
       FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
            JOIN knowledge_bases k ON k.id = s.knowledge_base_id
      WHERE v.original_hash > %(after)s AND s.state <> 'deleting' AND k.deleted_at IS NULL
      ORDER BY v.original_hash, d.removed_at IS NOT NULL, d.uri LIMIT %(limit)s)
    UNION ALL
    (SELECT DISTINCT ON (f.hash) f.hash, f.name, k.slug || '/' || s.slug
       FROM source_files f JOIN sources s ON s.id = f.source_id JOIN knowledge_bases k ON k.id = s.knowledge_base_id
      WHERE f.hash > %(after)s AND s.state <> 'deleting' AND k.deleted_at IS NULL
      ORDER BY f.hash, f.name LIMIT %(limit)s)) AS held
 ORDER BY held.hash, held.uri LIMIT %(limit)s;

-- name: original_to_serve
-- The original of a version, with what a reader needs to open it; no row if the version has none, or is being deleted.
SELECT v.original_hash AS hash, v.original_media_type AS media_type, d.uri
  FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE v.id = %(version_id)s AND v.original_hash IS NOT NULL AND s.state <> 'deleting' AND k.deleted_at IS NULL;

-- name: versions_with_original
-- Those of some versions that have an original.
SELECT id FROM document_versions WHERE id = ANY(%(version_ids)s) AND original_hash IS NOT NULL;

-- name: set_originals
-- Replace the originals of versions whose own no longer exists.
UPDATE document_versions v SET original_hash = t.hash, original_media_type = t.media_type
  FROM unnest(%(ids)s::uuid[], %(hashes)s::bytea[], %(media_types)s::text[]) AS t (id, hash, media_type)
 WHERE v.id = t.id AND (v.original_hash, v.original_media_type) IS DISTINCT FROM (t.hash, t.media_type);

-- name: originals_owner
-- This database's id in the file store.
SELECT id FROM originals_owner;

-- name: become_originals_owner
-- Give this database an id, if it has none.
INSERT INTO originals_owner DEFAULT VALUES ON CONFLICT DO NOTHING;

-- name: forget_originals_owner
-- Remove the id: a restored database is a different one.
DELETE FROM originals_owner;

-- name: had_originals
-- Whether this database ever referred to an original.
SELECT EXISTS (SELECT FROM originals_owner)
    OR EXISTS (SELECT FROM document_versions WHERE original_hash IS NOT NULL)
    OR EXISTS (SELECT FROM source_files) AS had_any;
