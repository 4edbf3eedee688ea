-- name: golden_questions_of
-- A knowledge base's golden set, in its original order.
SELECT * FROM golden_questions WHERE knowledge_base_id = %(knowledge_base_id)s ORDER BY id;

-- name: delete_other_golden_questions
-- Delete golden questions from files that are not in the new set; the others did not come from a file.
DELETE FROM golden_questions
 WHERE knowledge_base_id = %(knowledge_base_id)s AND origin = 'file' AND question <> ALL(%(questions)s::text[]);

-- name: put_golden_questions
-- Golden questions that are new or differ; only those rows are written and returned.
INSERT INTO golden_questions (knowledge_base_id, question, relevant, answer, is_unanswerable, origin, answer_id)
SELECT %(knowledge_base_id)s, value ->> 'question', coalesce(value -> 'relevant', '[]'), value ->> 'answer',
       coalesce((value ->> 'unanswerable')::boolean, false), %(origin)s, %(answer_id)s
  FROM jsonb_array_elements(%(questions)s) WITH ORDINALITY AS given (value, place)
 ORDER BY place
ON CONFLICT (knowledge_base_id, question) DO UPDATE
   SET relevant = excluded.relevant, answer = excluded.answer, is_unanswerable = excluded.is_unanswerable,
       origin = excluded.origin, answer_id = excluded.answer_id
 WHERE (golden_questions.relevant, golden_questions.answer, golden_questions.is_unanswerable, golden_questions.origin,
        golden_questions.answer_id)
       IS DISTINCT FROM
       (excluded.relevant, excluded.answer, excluded.is_unanswerable, excluded.origin, excluded.answer_id)
RETURNING *, xmax = 0 AS is_added;

-- name: delete_golden_question
-- One golden question of a knowledge base.
DELETE FROM golden_questions WHERE knowledge_base_id = %(knowledge_base_id)s AND id = %(id)s
RETURNING *;

-- name: chunks_to_ask_about
-- Chunks of the documents that readers see: one of each document in the order of a hash, then the second ones, and so on.
SELECT c.id AS chunk_id, c.text, d.uri, coalesce(nullif(v.title, ''), d.uri) AS title, n.breadcrumb,
       v.id AS document_version_id, n.start_offset AS start, n.end_offset AS "end",
       document_language(v.language, v.detected_language) AS language
  FROM (SELECT e.target_id, p.version_id, md5(e.target_id::text) AS place,
               row_number() OVER (PARTITION BY e.document_id ORDER BY md5(e.target_id::text)) AS turn
          FROM search_entries_chunk e
               JOIN published_documents p ON p.document_id = e.document_id AND p.search_index_id = e.search_index_id
         WHERE e.search_index_id = %(search_index_id)s AND e.shard = %(shard)s
         ORDER BY turn, place LIMIT %(limit)s) AS chosen
       JOIN chunks c ON c.id = chosen.target_id
       JOIN version_chunks n ON n.chunk_id = c.id AND n.version_id = chosen.version_id
       JOIN document_versions v ON v.id = chosen.version_id JOIN documents d ON d.id = v.document_id
 ORDER BY chosen.turn, chosen.place, n.start_offset;

-- name: insert_evaluation
-- The results of a golden set on an index.
INSERT INTO evaluations (knowledge_base_id, search_index_id, model, golden_hash, index_digest, question_count, metrics,
                         run_id, counts, answer_model, judge_model, judge_prompt)
VALUES (%(knowledge_base_id)s, %(search_index_id)s, %(model)s, %(golden_hash)s, %(index_digest)s, %(question_count)s,
        %(metrics)s, %(run_id)s, %(counts)s, %(answer_model)s, %(judge_model)s, %(judge_prompt)s)
RETURNING *;

-- name: list_evaluations
-- A knowledge base's evaluations, newest first, those before a given one.
SELECT * FROM evaluations
 WHERE knowledge_base_id = %(knowledge_base_id)s AND (%(before)s::bigint IS NULL OR id < %(before)s)
 ORDER BY id DESC LIMIT %(limit)s;

-- name: last_evaluation_of_runs
-- The newest evaluation made by a Dagster run.
SELECT * FROM evaluations WHERE knowledge_base_id = %(knowledge_base_id)s AND run_id IS NOT NULL
 ORDER BY id DESC LIMIT 1;

-- name: evaluation_before
-- The newest earlier evaluation of the same golden set on another index or another state of this one: repeating an
-- evaluation without a change says nothing about a change.
SELECT b.* FROM evaluations e JOIN evaluations b ON b.knowledge_base_id = e.knowledge_base_id
 WHERE e.id = %(id)s AND b.id < e.id AND b.golden_hash = e.golden_hash
   AND (b.search_index_id, b.index_digest) <> (e.search_index_id, e.index_digest)
 ORDER BY b.id DESC LIMIT 1;
