-- name: list_places
-- The places of some spans of versions that have many: only the marks that a span needs, from the last mark at or before
-- its start to the last one at or before its end, found by binary search. OFFSET 0 makes Postgres unpack the marks once.
SELECT w.position, jsonb_build_object('kind', v.places->'kind', 'marks', needed.marks, 'address', v.places->'address')
       AS places
  FROM unnest(%(version_ids)s::uuid[], %(starts)s::int[], %(ends)s::int[])
       WITH ORDINALITY AS w (id, start_offset, end_offset, position)
       JOIN document_versions v ON v.id = w.id AND v.places IS NOT NULL
       CROSS JOIN LATERAL (SELECT v.places->'marks' AS marks OFFSET 0) AS kept
       CROSS JOIN LATERAL (
         WITH RECURSIVE halved AS (
           SELECT bound, 0 AS low, jsonb_array_length(kept.marks) AS high
             FROM (VALUES (w.start_offset), (w.end_offset)) AS b (bound)
            UNION ALL
           SELECT bound, CASE WHEN is_before THEN middle + 1 ELSE low END, CASE WHEN is_before THEN high ELSE middle END
             FROM halved CROSS JOIN LATERAL (SELECT (low + high) / 2 AS middle) AS half
                  CROSS JOIN LATERAL (SELECT (kept.marks->middle->>0)::int <= bound AS is_before) AS compared
            WHERE low < high
         ), bounds AS (
           SELECT greatest(min(low) - 1, 0) AS first, max(low) - 1 AS last FROM halved WHERE low = high
         )
         SELECT coalesce(jsonb_agg(kept.marks->i ORDER BY i), '[]') AS marks
           FROM bounds CROSS JOIN LATERAL generate_series(first, last) AS i
       ) AS needed;

-- name: put_places
-- Store the places of existing versions, if they differ.
UPDATE document_versions v SET places = t.places
  FROM unnest(%(ids)s::uuid[], %(places)s::jsonb[]) AS t (id, places)
 WHERE v.id = t.id AND v.places IS DISTINCT FROM t.places;
