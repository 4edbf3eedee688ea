-- name: kept_versions
-- Those of some document versions that are kept, and whose source is not being deleted.
SELECT v.id FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
 WHERE v.id = ANY(%(version_ids)s) AND s.state <> 'deleting';
