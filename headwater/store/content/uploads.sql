-- name: lock_upload
-- The hash of an upload; a concurrent upload of the same name waits.
SELECT hash FROM source_files WHERE source_id = %(source_id)s AND name = %(name)s FOR UPDATE;

-- name: put_upload
-- Add or replace an upload; the same content uploaded again changes nothing but its media type. No row if the source is
-- being deleted.
INSERT INTO source_files AS f (source_id, name, hash, size, media_type)
SELECT s.id, %(name)s, %(hash)s, %(size)s, %(media_type)s
  FROM sources s WHERE s.id = %(source_id)s AND s.state <> 'deleting' FOR KEY SHARE
ON CONFLICT (source_id, name) DO UPDATE
   SET hash = excluded.hash, size = excluded.size, media_type = excluded.media_type,
       uploaded_at = CASE WHEN f.hash = excluded.hash THEN f.uploaded_at ELSE now() END
RETURNING source_id;

-- name: delete_upload
-- Delete an upload; returns the hash of its content.
DELETE FROM source_files WHERE source_id = %(source_id)s AND name = %(name)s RETURNING hash;

-- name: upload_contents
-- The next uploads of a source, by name, as a sync reads them.
SELECT name, hash, media_type FROM source_files
 WHERE source_id = %(source_id)s AND name > %(after)s AND hash IS NOT NULL ORDER BY name LIMIT %(limit)s;

-- name: list_uploads
-- Uploads of a source by name, with what became of them: the document that the last sync made of the same content, or
-- the error of the newest sync that began after the upload.
SELECT f.name, f.hash, f.size, f.media_type, f.uploaded_at,
       CASE WHEN d.is_ready THEN 'ready'
            WHEN e.message IS NOT NULL OR t.state IN ('ready', 'failed') THEN 'failed'
            WHEN t.state = 'syncing' AND s.state = 'syncing' THEN 'syncing'
            ELSE 'waiting' END AS state,
       CASE WHEN NOT coalesce(d.is_ready, false) THEN coalesce(e.message,
            CASE t.state WHEN 'failed' THEN s.error
                         WHEN 'ready' THEN 'The last sync could not read it. Sync again to see why.' END) END AS error,
       CASE WHEN d.is_ready THEN d.id END AS document_id
  FROM source_files f JOIN sources s ON s.id = f.source_id
       LEFT JOIN LATERAL (
           SELECT o.id::text AS id, o.removed_at IS NULL AND o.fingerprint = encode(f.hash, 'hex')
                  AND EXISTS (SELECT FROM published_documents p
                               WHERE p.document_id = o.id AND p.version_id = o.head_version_id) AS is_ready
             FROM documents o WHERE o.source_id = f.source_id AND o.uri = f.name) AS d ON true
       LEFT JOIN LATERAL (
           SELECT n.state, n.errors FROM sync_sources n
            WHERE n.source_id = f.source_id AND n.started_at > f.uploaded_at ORDER BY n.id DESC LIMIT 1) AS t ON true
       LEFT JOIN LATERAL (
           SELECT x ->> 'message' AS message FROM jsonb_array_elements(t.errors) AS x
            WHERE x ->> 'uri' = f.name AND x ->> 'code' <> 'METADATA_DROPPED' LIMIT 1) AS e ON true
 WHERE f.source_id = %(source_id)s AND f.name > %(after)s AND (%(name)s::text IS NULL OR f.name = %(name)s)
 ORDER BY f.name LIMIT %(limit)s;
