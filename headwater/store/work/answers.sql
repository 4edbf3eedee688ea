-- name: put_answer
-- An answer, a refusal, or the text so far of an answer that grows; no row if the answer has ended already, or if the
-- knowledge base was deleted. When a growing one was saved is told by this server's clock, which also judges whether its
-- process is gone.
INSERT INTO answers (id, knowledge_base_id, question, answer, is_refused, reason, passages, model, embedding_model, usage,
                     timings_ms, created_at, as_of, notes, state, saved_at, error_code, error_detail, title, slug,
                     description, intent, prompt_version, request_hash, options_hash, question_vector, source_revisions,
                     asked_sources, search_text, conversation_id, parent_id, statements, further, quote_marker, degraded, readings, asked_by)
SELECT %(id)s, %(knowledge_base_id)s, %(question)s, %(answer)s, %(refused)s, %(reason)s, %(passages)s, %(model)s,
        %(embedding_model)s, %(usage)s, %(timings_ms)s, %(created_at)s, %(as_of)s, %(notes)s, %(state)s, CASE WHEN %(saved_at)s::timestamptz IS NOT NULL THEN now() END,
        %(error_code)s, %(error_detail)s, %(title)s, %(slug)s, %(description)s, %(intent)s, %(prompt_version)s,
        %(request_hash)s, %(options_hash)s, %(question_vector)s::halfvec, %(source_revisions)s, %(asked_sources)s,
        %(search_text)s, %(conversation_id)s, %(parent_id)s, %(statements)s, %(further)s, %(quote)s, %(degraded)s, %(readings)s, %(asked_by)s
  FROM knowledge_bases k WHERE k.id = %(knowledge_base_id)s AND k.deleted_at IS NULL FOR KEY SHARE
ON CONFLICT (id) DO UPDATE
   SET answer = excluded.answer, is_refused = excluded.is_refused, reason = excluded.reason, passages = excluded.passages,
       model = excluded.model, embedding_model = excluded.embedding_model, usage = excluded.usage,
       timings_ms = excluded.timings_ms, notes = excluded.notes,
       -- The turns of a conversation are in the order in which they were asked.
       created_at = CASE WHEN answers.conversation_id IS NULL THEN excluded.created_at ELSE answers.created_at END,
       state = excluded.state, saved_at = excluded.saved_at,
       error_code = excluded.error_code, error_detail = excluded.error_detail, title = excluded.title,
       slug = excluded.slug, description = excluded.description, intent = excluded.intent,
       prompt_version = excluded.prompt_version, request_hash = excluded.request_hash, options_hash = excluded.options_hash,
       source_revisions = excluded.source_revisions, asked_sources = excluded.asked_sources, search_text = excluded.search_text,
       statements = excluded.statements, further = excluded.further, quote_marker = excluded.quote_marker,
       degraded = excluded.degraded, readings = excluded.readings, asked_by = excluded.asked_by
 WHERE answers.state IN ('generating', 'interrupted');

-- name: hold_answer
-- An answer that is stored already, so that it is not deleted while it is stored again.
SELECT id FROM answers WHERE id = %(id)s FOR NO KEY UPDATE;

-- name: hold_conversation
-- A conversation, so that it is not deleted while an answer is stored.
SELECT id FROM conversations WHERE id = %(id)s FOR KEY SHARE;

-- name: grow_answer
-- The text so far of an answer whose passages are stored, which are most of its row; no row if the answer has ended
-- already, or was deleted.
UPDATE answers
   SET answer = %(answer)s, usage = %(usage)s, timings_ms = %(timings_ms)s, state = 'generating', saved_at = %(saved_at)s,
       asked_by = %(asked_by)s, error_code = NULL, error_detail = NULL
 WHERE id = %(id)s AND state IN ('generating', 'interrupted')
   AND EXISTS (SELECT FROM knowledge_bases k WHERE k.id = knowledge_base_id AND k.deleted_at IS NULL);

-- name: answer_is_there
-- Whether an answer, if it was stored, still is; no row if its knowledge base was deleted.
SELECT NOT %(is_stored)s OR EXISTS (SELECT FROM answers a WHERE a.id = %(answer_id)s) AS is_there
  FROM knowledge_bases k WHERE k.id = %(knowledge_base_id)s AND k.deleted_at IS NULL;

-- name: touch_answer
-- A sign of life of an answer that waits for its turn to be made.
UPDATE answers SET saved_at = now() WHERE id = %(id)s AND state IN ('generating', 'interrupted');

-- name: interrupt_answers
-- Marks answers whose process has given no sign of life for a while; by id, or all of them.
UPDATE answers SET state = 'interrupted', asked_by = NULL, error_code = %(code)s, error_detail = %(detail)s
 WHERE state = 'generating' AND saved_at < now() - %(silence)s AND (%(id)s::uuid IS NULL OR id = %(id)s);

-- name: cancel_answer
-- Ends an answer that grows in another process, which notices when it next saves; only for a reader who asked for it, in
-- whose conversation it is, or who sees all.
UPDATE answers a SET state = 'cancelled', asked_by = NULL
 WHERE a.id = %(id)s AND a.state = 'generating'
   AND (%(sees_all)s OR a.asked_by = %(owner)s::text
        OR EXISTS (SELECT FROM conversations c WHERE c.id = a.conversation_id AND c.owner = %(owner)s::text));

-- name: usage_by_day
-- What the answers of the last days, today included, cost by day (UTC) and model, newest first; the cost is null if a
-- price is unknown.
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, model, count(*) AS answers,
       coalesce(sum((usage ->> 'prompt_tokens')::bigint), 0)::bigint AS prompt_tokens,
       coalesce(sum((usage ->> 'completion_tokens')::bigint), 0)::bigint AS completion_tokens,
       CASE WHEN bool_and(coalesce(usage ->> 'cost', '') <> '') THEN sum((usage ->> 'cost')::float8) END AS cost
  FROM answers
 WHERE knowledge_base_id = %(knowledge_base_id)s AND created_at >= (date_trunc('day', now() AT TIME ZONE 'UTC') - %(days)s * interval '1 day' + interval '1 day') AT TIME ZONE 'UTC'
 GROUP BY 1, 2 ORDER BY 1 DESC, 2;

-- name: insert_citation
-- A citation with a copy of its lineage, so that it can be traced after its source was deleted; no row if the version was
-- deleted or is being deleted: the deletion waits for this lock, then marks the answer stale.
INSERT INTO citations (answer_id, marker, position, source_id, source, uri, title, breadcrumb, chunk_id, document_id,
                       document_version_id, start_offset, end_offset, score, fetched_at, run_id, code_version, embedding_model, place, node_id, trust)
SELECT %(answer_id)s, %(marker)s, %(position)s, s.id, s.slug, d.uri, coalesce(nullif(v.title, ''), d.uri), %(breadcrumb)s, %(chunk_id)s, d.id, v.id,
       %(start)s, %(end)s, %(score)s, v.fetched_at, v.run_id, v.code_version, %(embedding_model)s, %(place)s, %(node_id)s, %(trust)s
  FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
 WHERE v.id = %(document_version_id)s AND s.state <> 'deleting' FOR KEY SHARE OF s;

-- name: insert_summary_citation
-- A citation of a summary, with a copy of it; one that is stored stays.
INSERT INTO summary_citations (answer_id, position, marker, node_id, summary_key, kind, title, text, document_count, model,
                               prompt_version, run_id, code_version, made_at)
VALUES (%(answer_id)s, %(position)s, %(marker)s, %(node_id)s, %(summary_key)s, %(kind)s, %(title)s, %(text)s,
        %(document_count)s, %(model)s, %(prompt_version)s, %(run_id)s, %(code_version)s, %(made_at)s)
ON CONFLICT (answer_id, position) DO NOTHING;

-- name: list_summary_citations
-- An answer's citations of summaries, in the order of their markers; `is_current` as in `answer_is_stale`.
SELECT c.*, EXISTS (SELECT FROM summary_tree n WHERE n.id = c.node_id AND n.summary_key = c.summary_key) AS is_current
  FROM summary_citations c WHERE c.answer_id = %(answer_id)s ORDER BY c.position;

-- name: get_answer
-- One answer.
SELECT a.*, a.quote_marker AS quote, k.slug AS knowledge_base FROM answers a JOIN knowledge_bases k ON k.id = a.knowledge_base_id
 WHERE a.id = %(id)s AND k.deleted_at IS NULL;

-- name: list_citations
-- An answer's citations with their lineage, in the order of their markers. Fields read from the version
-- are null if it was removed; `has_source` and `source_deleted_at` say why.
SELECT c.*, c.start_offset AS start, c.end_offset AS "end", v.id IS NOT NULL AS is_available, s.id IS NOT NULL AS has_source, d.requested_at AS source_deleted_at,
       k.slug AS knowledge_base, v.sequence, v.parser_version, v.id = o.head_version_id AS is_newest,
       b.run_id AS chunk_run_id, b.code_version AS chunk_code_version, r.dagster_url AS outside_url,
       coalesce(r.upstream, (SELECT jsonb_agg(jsonb_build_object('asset', a.asset) ORDER BY a.place)
                               FROM jsonb_array_elements_text(s.config -> 'assets') WITH ORDINALITY AS a (asset, place)),
                '[]') AS upstream,
       (SELECT i.chunk_settings FROM search_indexes i
         WHERE i.knowledge_base_id = k.id AND i.settings_hash = b.settings_hash LIMIT 1) AS chunk_settings
  FROM citations c JOIN answers a ON a.id = c.answer_id JOIN knowledge_bases k ON k.id = a.knowledge_base_id
       LEFT JOIN sources s ON s.id = c.source_id AND s.state <> 'deleting'
       LEFT JOIN document_versions v ON v.id = c.document_version_id AND s.id IS NOT NULL
       LEFT JOIN documents o ON o.id = v.document_id
       LEFT JOIN chunks b ON b.id = c.chunk_id AND v.id IS NOT NULL
       LEFT JOIN outside_runs r ON r.run_id = c.run_id AND r.source_id = c.source_id
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

-- name: list_answers
-- Answers of a knowledge base that a reader may read, newest first, those before a given one.
SELECT a.id, a.question, a.title, a.state, a.is_refused, a.reason, a.model, a.created_at, a.as_of,
       answer_is_stale(a.id) AS is_stale
  FROM answers a
 WHERE a.knowledge_base_id = %(knowledge_base_id)s
   AND (%(sees_all)s OR a.conversation_id IS NULL
        OR EXISTS (SELECT FROM conversations c WHERE c.id = a.conversation_id AND c.owner = %(owner)s::text))
   AND (%(before)s::uuid IS NULL
        OR (a.created_at, a.id) < (SELECT b.created_at, b.id FROM answers b WHERE b.id = %(before)s::uuid))
 ORDER BY a.created_at DESC, a.id DESC LIMIT %(limit)s;
