-- name: share_originals
-- Keep every original that is there until this transaction ends.
SELECT pg_advisory_xact_lock_shared(hashtextextended('originals', 0));

-- name: lock_originals
-- Wait for whoever refers to originals in a transaction that is not over, and keep others from it.
SELECT pg_advisory_xact_lock(hashtextextended('originals', 0));

-- name: keep_originals
-- Keep every original for as long as this connection lasts.
SELECT pg_advisory_lock_shared(hashtextextended('originals:kept', 0));

-- name: are_originals_kept
-- Whether someone keeps every original, such as a backup.
SELECT is_locked('originals:kept') AS are_kept;

-- name: original_of_version
-- The file that a version was taken from.
SELECT original_hash AS hash FROM document_versions WHERE id = %(version_id)s AND original_hash IS NOT NULL;

-- name: unheld_originals
-- Which of some files no version of any document was taken from.
SELECT t.hash FROM unnest(%(hashes)s::bytea[]) AS t (hash)
 WHERE NOT EXISTS (SELECT FROM document_versions v WHERE v.original_hash = t.hash);

-- name: held_originals
-- The next files that versions were taken from, by hash, each with one of their documents.
SELECT DISTINCT ON (v.original_hash) v.original_hash AS hash, d.uri, k.slug || '/' || s.slug AS source
  FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE v.original_hash > %(after)s AND s.state <> 'deleting' AND k.deleted_at IS NULL
 ORDER BY v.original_hash, d.removed_at IS NOT NULL, d.uri LIMIT %(limit)s;

-- name: set_originals
-- The files of versions whose own is not there any more.
UPDATE document_versions v SET original_hash = t.hash, original_media_type = t.media_type
  FROM unnest(%(ids)s::uuid[], %(hashes)s::bytea[], %(media_types)s::text[]) AS t (id, hash, media_type)
 WHERE v.id = t.id AND (v.original_hash, v.original_media_type) IS DISTINCT FROM (t.hash, t.media_type);

-- name: originals_owner
-- Who this database is to the file store.
SELECT id FROM originals_owner;

-- name: become_originals_owner
-- Give this database an id, if it has none.
INSERT INTO originals_owner DEFAULT VALUES ON CONFLICT DO NOTHING;

-- name: forget_originals_owner
-- Take the id away: what was restored is another database.
DELETE FROM originals_owner;

-- name: had_originals
-- Whether this database ever referred to an original.
SELECT EXISTS (SELECT FROM originals_owner)
    OR EXISTS (SELECT FROM document_versions WHERE original_hash IS NOT NULL) AS had_any;
