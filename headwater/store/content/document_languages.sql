-- name: versions_without_language
-- Newest versions from an older release, whose language was not detected yet: only the parts of a long text that
-- detection needs, in the order of their URIs.
SELECT d.uri, v.id, v.media_type, v.language,
       CASE WHEN length(v.text) <= 3 * %(part)s THEN v.text
            ELSE concat_ws(E'\n', left(v.text, %(part)s), substr(v.text, length(v.text) / 2 + 1, %(part)s),
                           right(v.text, %(part)s)) END AS text
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
 WHERE d.source_id = %(source_id)s AND d.uri > %(after)s AND d.removed_at IS NULL AND v.detected_language IS NULL
 ORDER BY d.uri LIMIT %(limit)s;

-- name: set_detected_languages
-- Store the detected languages of some versions.
UPDATE document_versions v SET detected_language = t.language
  FROM unnest(%(ids)s::uuid[], %(languages)s::text[]) AS t (id, language) WHERE v.id = t.id;
