-- name: documents_without_drift
-- Documents whose newest version was split by a release that did not count drift.
SELECT d.id FROM documents d JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL AND c.drift_count IS NULL ORDER BY d.uri;

-- name: cut_versions
-- The newest versions of some documents with the ends of their chunks, for some settings.
SELECT v.id, v.document_id, d.uri, v.title, v.text, v.media_type,
       array(SELECT vc.end_offset FROM version_chunks vc WHERE vc.version_id = v.id
                AND vc.settings_hash = %(settings_hash)s ORDER BY vc.position) AS ends
  FROM unnest(%(document_ids)s::uuid[]) AS w (document_id)
       JOIN documents d ON d.id = w.document_id JOIN document_versions v ON v.id = d.head_version_id;

-- name: put_drift
-- Store how many chunks of some versions a fresh split would not make.
UPDATE chunk_sets c SET drift_count = n.drift_count
  FROM unnest(%(version_ids)s::uuid[], %(counts)s::integer[]) AS n (version_id, drift_count)
 WHERE c.version_id = n.version_id AND c.settings_hash = %(settings_hash)s;

-- name: drifted_documents
-- Documents in which the share of chunks that a fresh split would not make exceeds a limit.
SELECT d.id FROM documents d JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL AND c.drift_count > %(limit)s::float8 * c.chunk_count;

-- name: set_drift_share
-- The share of a source's chunks that a fresh split would not make; unknown while some were not counted.
UPDATE sources s SET drift_share = n.drift_share
  FROM (SELECT CASE WHEN count(*) = count(c.drift_count)
                    THEN coalesce(sum(c.drift_count)::real / nullif(sum(c.chunk_count), 0), 0) END AS drift_share
          FROM documents d JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s
         WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL) AS n
 WHERE s.id = %(source_id)s AND s.drift_share IS DISTINCT FROM n.drift_share;
