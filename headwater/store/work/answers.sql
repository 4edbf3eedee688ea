-- name: insert_answer
-- An answer, or a refusal.
INSERT INTO answers (id, knowledge_base_id, question, answer, is_refused, reason, passages, model, embedding_model, usage,
                     timings_ms, created_at, as_of, notes, request_hash, options_hash, question_vector, source_revisions,
                     asked_sources)
VALUES (%(id)s, %(knowledge_base_id)s, %(question)s, %(answer)s, %(refused)s, %(reason)s, %(passages)s, %(model)s,
        %(embedding_model)s, %(usage)s, %(timings_ms)s, %(created_at)s, %(as_of)s, %(notes)s, %(request_hash)s,
        %(options_hash)s, %(question_vector)s::halfvec, %(source_revisions)s, %(asked_sources)s);

-- name: insert_citation
-- A citation with a copy of its lineage, so that it can be traced after its source was deleted; no row if the version was
-- deleted or is being deleted: the deletion waits for this lock, then marks the answer stale.
INSERT INTO citations (answer_id, marker, position, source_id, source, uri, title, breadcrumb, chunk_id, document_id,
                       document_version_id, start_offset, end_offset, score, fetched_at, run_id, code_version, embedding_model, place)
SELECT %(answer_id)s, %(marker)s, %(position)s, s.id, s.slug, d.uri, coalesce(nullif(v.title, ''), d.uri), %(breadcrumb)s, %(chunk_id)s, d.id, v.id,
       %(start)s, %(end)s, %(score)s, v.fetched_at, v.run_id, v.code_version, %(embedding_model)s, %(place)s
  FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
 WHERE v.id = %(document_version_id)s AND s.state <> 'deleting' FOR KEY SHARE OF s;

-- name: get_answer
-- One answer.
SELECT a.*, k.slug AS knowledge_base FROM answers a JOIN knowledge_bases k ON k.id = a.knowledge_base_id
 WHERE a.id = %(id)s AND k.deleted_at IS NULL;

-- name: list_citations
-- An answer's citations with their lineage, in the order of their markers. Fields read from the version
-- are null if it was removed; `has_source` and `source_deleted_at` say why.
SELECT c.*, c.start_offset AS start, c.end_offset AS "end", v.id IS NOT NULL AS is_available, s.id IS NOT NULL AS has_source, d.requested_at AS source_deleted_at,
       k.slug AS knowledge_base, v.sequence, v.parser_version, v.id = o.head_version_id AS is_newest,
       b.run_id AS chunk_run_id, b.code_version AS chunk_code_version,
       (SELECT i.chunk_settings FROM search_indexes i
         WHERE i.knowledge_base_id = k.id AND i.settings_hash = b.settings_hash LIMIT 1) AS chunk_settings
  FROM citations c JOIN answers a ON a.id = c.answer_id JOIN knowledge_bases k ON k.id = a.knowledge_base_id
       LEFT JOIN sources s ON s.id = c.source_id AND s.state <> 'deleting'
       LEFT JOIN document_versions v ON v.id = c.document_version_id AND s.id IS NOT NULL
       LEFT JOIN documents o ON o.id = v.document_id
       LEFT JOIN chunks b ON b.id = c.chunk_id AND v.id IS NOT NULL
       LEFT JOIN LATERAL (SELECT max(x.requested_at) AS requested_at FROM deletions x
                           WHERE x.kind = 'source' AND x.row_id = c.source_id) AS d ON true
 WHERE c.answer_id = %(answer_id)s ORDER BY c.position;

-- name: changed_sources
-- The sources that have changed since the search for an answer; `answer_is_stale` reads the same.
SELECT s.slug AS source, r.revised_at AS changed_at
  FROM answers a JOIN sources s ON s.knowledge_base_id = a.knowledge_base_id AND s.state <> 'deleting'
       JOIN source_revisions r ON r.source_id = s.id
 WHERE a.id = %(answer_id)s AND a.source_revisions IS NOT NULL
   AND (a.asked_sources IS NULL OR s.slug = ANY(a.asked_sources))
   AND r.revision > coalesce((a.source_revisions ->> s.id::text)::bigint, 0)
 ORDER BY s.slug;
