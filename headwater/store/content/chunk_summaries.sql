-- name: chunks_without_summary
-- The chunks of a source's newest versions that have no summary by a recipe, in the order of the documents' URIs; those
-- that are but headings need none.
SELECT vc.chunk_id
  FROM documents d JOIN version_chunks vc ON vc.version_id = d.head_version_id AND vc.settings_hash = %(settings_hash)s
       JOIN chunks c ON c.id = vc.chunk_id LEFT JOIN chunk_summaries u ON u.chunk_id = vc.chunk_id AND u.recipe_hash = %(recipe_hash)s
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL AND u.chunk_id IS NULL
   AND btrim(regexp_replace(c.text, '^#{1,6}\s.*$', '', 'gn'), E' \n\t') <> ''
 ORDER BY d.uri COLLATE "C", vc.position;

-- name: chunk_texts
-- What a summary of some chunks is made of: their prose, or if that is none but headings their text; in order.
SELECT c.id AS chunk_id,
       CASE WHEN btrim(regexp_replace(c.prose, '^#{1,6}\s.*$', '', 'gn'), E' \n\t') <> '' THEN c.prose ELSE c.text END AS text,
       document_language(v.language, v.detected_language) AS language
  FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS w (id, place) JOIN chunks c ON c.id = w.id
       JOIN documents d ON d.id = c.document_id JOIN document_versions v ON v.id = d.head_version_id
 ORDER BY w.place;

-- name: put_chunk_summaries
-- The summaries of some chunks; unchanged ones are not written. A summary that was deleted meanwhile is left out, so the
-- next sync makes it.
INSERT INTO chunk_summaries AS u (chunk_id, source_id, summary_key, recipe_hash)
SELECT t.chunk_id, %(source_id)s, s.key, %(recipe_hash)s
  FROM unnest(%(chunk_ids)s::uuid[], %(keys)s::bytea[]) AS t (chunk_id, key) JOIN summaries s ON s.key = t.key
   FOR KEY SHARE OF s
ON CONFLICT (chunk_id) DO UPDATE SET summary_key = excluded.summary_key, recipe_hash = excluded.recipe_hash
 WHERE (u.summary_key, u.recipe_hash) IS DISTINCT FROM (excluded.summary_key, excluded.recipe_hash);

-- name: delete_all_chunk_summaries
-- The summaries of a source's chunks, when its knowledge base no longer wants any.
DELETE FROM chunk_summaries WHERE source_id = %(source_id)s;

-- name: take_chunk_summaries
-- Take the summaries of some documents' chunks away: of all, or of those that no version contains any more.
DELETE FROM chunk_summaries u USING chunks c
 WHERE c.document_id = ANY(%(document_ids)s) AND u.chunk_id = c.id
   AND (NOT %(unheld_only)s OR NOT EXISTS (SELECT FROM version_chunks vc WHERE vc.chunk_id = c.id))
RETURNING u.summary_key;

-- name: lock_summaries
-- Wait for transactions that are about to use some summaries, so that the next statement sees that they do.
SELECT key FROM summaries WHERE key = ANY(%(keys)s) ORDER BY key FOR UPDATE;

-- name: delete_summaries_without_use
-- Those of some summaries that no tree and no chunk has any more. Lock them before, in a statement of its own.
DELETE FROM summaries s
 WHERE s.key = ANY(%(keys)s) AND NOT EXISTS (SELECT FROM summary_tree n WHERE n.summary_key = s.key)
   AND NOT EXISTS (SELECT FROM chunk_summaries u WHERE u.summary_key = s.key)
RETURNING s.embedding_hash;

-- name: chunk_summaries_digest
-- A digest over the summaries of a source's chunks, and their number: as many chunks as have one that is shown.
SELECT md5(coalesce(string_agg(u.chunk_id::text || encode(u.summary_key, 'hex'), ',' ORDER BY u.chunk_id), ''))
       AS data_version, count(*) FILTER (WHERE s.text <> '') AS summary_count, count(*) AS row_count
  FROM chunk_summaries u JOIN summaries s ON s.key = u.summary_key WHERE u.source_id = %(source_id)s;
