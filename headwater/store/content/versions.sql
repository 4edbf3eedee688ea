-- name: chunk_lineage
-- The origin of a chunk: every version that contains it, newest first, and the run of each step.
SELECT c.id AS chunk_id, c.text, c.run_id AS chunk_run_id, c.code_version AS chunk_code_version,
       (SELECT i.chunk_settings FROM search_indexes i
         WHERE i.knowledge_base_id = k.id AND i.settings_hash = c.settings_hash LIMIT 1) AS chunk_settings,
       d.id AS document_id, d.uri, s.slug AS source, k.slug AS knowledge_base, v.id AS document_version_id, v.sequence,
       v.fetched_at, v.run_id, v.code_version, v.parser_version, vc.start_offset AS start, vc.end_offset AS "end", vc.line,
       vc.breadcrumb, v.places, v.media_type,
       (SELECT array_agg(DISTINCT e.model) FROM embeddings e WHERE e.text_hash = vc.embedding_hash) AS embedding_models,
       (SELECT r.dagster_url FROM outside_runs r WHERE r.run_id = v.run_id AND r.source_id = d.source_id) AS outside_url,
       (SELECT r.dagster_url FROM outside_runs r WHERE r.run_id = c.run_id AND r.source_id = d.source_id) AS chunk_outside_url,
       v.id = d.head_version_id AS is_newest
  FROM chunks c JOIN version_chunks vc ON vc.chunk_id = c.id JOIN document_versions v ON v.id = vc.version_id
       JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE c.id = %(chunk_id)s AND s.state <> 'deleting' AND k.deleted_at IS NULL
 ORDER BY v.sequence DESC;

-- name: get_document
-- A document, its newest version, and the version that readers see.
SELECT d.id, d.uri, d.created_at, d.removed_at, s.slug AS source, k.slug AS knowledge_base,
       coalesce(nullif(v.title, ''), d.uri) AS title, v.media_type, v.category,
       document_language(v.language, v.detected_language) AS language, v.run_id,
       (SELECT r.dagster_url FROM outside_runs r WHERE r.run_id = v.run_id AND r.source_id = s.id) AS outside_url,
       v.id AS newest_version_id, u.version_id AS current_version_id,
       (SELECT count(*) FROM document_versions o WHERE o.document_id = d.id) AS version_count
  FROM documents d JOIN sources s ON s.id = d.source_id JOIN knowledge_bases k ON k.id = s.knowledge_base_id
       JOIN document_versions v ON v.id = d.head_version_id
       LEFT JOIN publications u ON u.document_id = d.id AND u.withdrawn_at IS NULL
 WHERE d.id = %(id)s AND s.state <> 'deleting' AND k.deleted_at IS NULL;

-- name: list_versions
-- The kept versions of a document, newest first, or one version with its text. `chunk_sets` says how each
-- was split, if that is asked for; the settings are known while an index has them.
SELECT v.id, v.document_id, v.sequence, coalesce(nullif(v.title, ''), d.uri) AS title, v.media_type, v.category,
       document_language(v.language, v.detected_language) AS language, v.metadata, v.outgoing, v.fetched_at, v.run_id, v.code_version, v.parser_version,
       (SELECT r.dagster_url FROM outside_runs r WHERE r.run_id = v.run_id AND r.source_id = d.source_id) AS outside_url,
       CASE WHEN %(id)s::uuid IS NOT NULL THEN v.text END AS text,
       d.uri, s.slug AS source, k.slug AS knowledge_base, v.id = d.head_version_id AS is_newest,
       CASE WHEN %(with_chunk_sets)s THEN (SELECT jsonb_agg(jsonb_build_object(
                   'chunk_count', t.chunk_count, 'run_id', t.run_id, 'code_version', t.code_version,
                   'chunk_settings', (SELECT i.chunk_settings FROM search_indexes i
                                       WHERE i.knowledge_base_id = k.id AND i.settings_hash = t.settings_hash LIMIT 1),
                   'embedding_models', (SELECT jsonb_agg(DISTINCT m.model)
                                          FROM version_chunks vc JOIN embeddings m ON m.text_hash = vc.embedding_hash
                                         WHERE vc.version_id = v.id AND vc.settings_hash = t.settings_hash))
                   ORDER BY t.created_at, t.settings_hash)
          FROM chunk_sets t WHERE t.version_id = v.id) END AS chunk_sets
  FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE (v.document_id = %(document_id)s::uuid OR v.id = %(id)s::uuid) AND s.state <> 'deleting' AND k.deleted_at IS NULL
 ORDER BY v.sequence DESC;

-- name: list_publications
-- When readers saw some versions, and what replaced each: the version published at the instant it was withdrawn.
SELECT u.version_id, u.published_at, u.withdrawn_at, n.version_id AS replaced_by
  FROM publications u LEFT JOIN publications n ON n.document_id = u.document_id AND n.published_at = u.withdrawn_at
 WHERE u.version_id = ANY(%(version_ids)s) ORDER BY u.published_at;

-- name: get_chunk
-- A chunk in the version that readers see, or else in the newest that contains it, with its parent and its
-- children.
SELECT c.id, c.kind, c.text, c.character_count, c.token_count, c.quality, c.run_id, c.code_version, c.document_id, vc.version_id AS document_version_id,
       (SELECT r.dagster_url FROM outside_runs r WHERE r.run_id = c.run_id AND r.source_id = s.id) AS outside_url,
       (SELECT u.text FROM chunk_sentences u WHERE u.chunk_id = c.id) AS summary,
       vc.breadcrumb, vc.start_offset AS start, vc.end_offset AS "end", vc.line, vc.position, d.uri, s.slug AS source,
       v.places, v.media_type, v.parser_version,
       k.slug AS knowledge_base, coalesce(nullif(v.title, ''), d.uri) AS title, u.version_id IS NOT NULL AS is_current,
       (SELECT i.chunk_settings FROM search_indexes i
         WHERE i.knowledge_base_id = k.id AND i.settings_hash = c.settings_hash LIMIT 1) AS chunk_settings,
       (SELECT coalesce(array_agg(l.name ORDER BY l.place), '{}')
          FROM (SELECT l.name, min(l.position) AS place FROM links l
                 WHERE l.version_id = vc.version_id AND l.kind = 'references'
                   AND l.start_offset >= vc.start_offset AND l.start_offset < vc.end_offset
                 GROUP BY l.name) AS l) AS outgoing,
       (SELECT o.chunk_id FROM version_chunks o WHERE o.version_id = vc.version_id AND o.settings_hash = vc.settings_hash
           AND o.position = vc.parent_position) AS parent,
       array(SELECT o.chunk_id FROM version_chunks o WHERE o.version_id = vc.version_id
                AND o.settings_hash = vc.settings_hash AND o.parent_position = vc.position ORDER BY o.position) AS children
  FROM chunks c JOIN version_chunks vc ON vc.chunk_id = c.id JOIN document_versions v ON v.id = vc.version_id
       JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
       LEFT JOIN publications u ON u.version_id = v.id AND u.withdrawn_at IS NULL
 WHERE c.id = %(id)s AND s.state <> 'deleting' AND k.deleted_at IS NULL
 ORDER BY u.version_id IS NULL, v.sequence DESC LIMIT 1;

-- name: version_chunks
-- The chunks of a version in the order of its text, as the active index has it split, or else as it was split last: in
-- groups of neighbours, and, with a start, one by one those of the group that the chosen chunk is in.
WITH numbered AS MATERIALIZED (
    SELECT c.id, c.quality, c.character_count, vc.start_offset, vc.end_offset, vc.line,
           row_number() OVER in_order AS number, lag(c.id) OVER in_order AS before, lead(c.id) OVER in_order AS after,
           chosen_set.chunk_count
      FROM (SELECT t.settings_hash, t.chunk_count
              FROM chunk_sets t JOIN document_versions v ON v.id = t.version_id JOIN documents d ON d.id = v.document_id
                   JOIN sources s ON s.id = d.source_id
                   LEFT JOIN search_indexes i ON i.knowledge_base_id = s.knowledge_base_id AND i.state = 'active'
                         AND i.settings_hash = t.settings_hash
             WHERE t.version_id = %(version_id)s
             ORDER BY i.id IS NULL, t.created_at DESC, t.settings_hash LIMIT 1) AS chosen_set
           JOIN version_chunks vc ON vc.version_id = %(version_id)s AND vc.settings_hash = chosen_set.settings_hash
           JOIN chunks c ON c.id = vc.chunk_id
    WINDOW in_order AS (ORDER BY vc.position)
), grouped AS (
    SELECT n.*, CASE WHEN n.chunk_count <= %(most)s THEN n.number
                     ELSE (n.number - 1) / ceil(n.chunk_count::numeric / %(groups)s)::int END AS part
      FROM numbered n
)
SELECT (array_agg(id ORDER BY number))[1] AS id, min(number)::int AS first, max(number)::int AS last,
       avg(quality)::float8 AS quality, sum(character_count)::int AS character_count,
       coalesce(bool_or(id = %(chunk_id)s::uuid), false) AS is_chosen,
       NULL::int AS start, NULL::int AS "end", NULL::int AS line, NULL::uuid AS before, NULL::uuid AS after
  FROM grouped GROUP BY part
 UNION ALL
SELECT id, number::int, number::int, quality, character_count, id = %(chunk_id)s::uuid, start_offset, end_offset, line,
       before, after
  FROM grouped WHERE part = (SELECT part FROM grouped WHERE id = %(chunk_id)s::uuid)
 ORDER BY start NULLS FIRST, first;

-- name: get_text_part
-- A part of a version's text, and how long the whole is.
SELECT substr(v.text, %(start)s::int + 1, %(length)s) AS text, %(start)s::int AS start, length(v.text) AS character_count
  FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE v.id = %(id)s AND s.state <> 'deleting' AND k.deleted_at IS NULL;

-- name: list_span_texts
-- The beginnings of some spans of versions, for a list of what was cited.
SELECT w.position, substr(v.text, w.start_offset + 1, w.length) AS text
  FROM unnest(%(version_ids)s::uuid[], %(starts)s::int[], %(lengths)s::int[])
       WITH ORDINALITY AS w (id, start_offset, length, position)
       JOIN document_versions v ON v.id = w.id JOIN documents d ON d.id = v.document_id
       JOIN sources s ON s.id = d.source_id AND s.state <> 'deleting'
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id AND k.deleted_at IS NULL;

-- name: find_citation_of
-- What a citation still knows of a removed document, version or chunk.
SELECT c.uri, c.source,
       EXISTS (SELECT FROM sources s WHERE s.id = c.source_id AND s.state <> 'deleting') AS has_source
  FROM citations c
 WHERE CASE %(noun)s WHEN 'document' THEN c.document_id WHEN 'chunk' THEN c.chunk_id ELSE c.document_version_id END
       = %(id)s
 LIMIT 1;

-- name: get_chunk_summary
-- The summary of a chunk, with how it was made.
SELECT s.text, s.model, s.prompt_version, s.prompt_tokens, s.completion_tokens, s.cost_usd, s.run_id, s.code_version,
       s.created_at AS made_at
  FROM chunk_summaries u JOIN summaries s ON s.key = u.summary_key WHERE u.chunk_id = %(chunk_id)s AND s.text <> '';
