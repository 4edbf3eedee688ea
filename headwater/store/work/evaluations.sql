-- name: golden_questions_of
-- A knowledge base's golden set, in its original order.
SELECT question, relevant FROM golden_questions WHERE knowledge_base_id = %(knowledge_base_id)s ORDER BY id;

-- name: delete_other_golden_questions
-- Delete golden questions that are not in the new set.
DELETE FROM golden_questions
 WHERE knowledge_base_id = %(knowledge_base_id)s AND question <> ALL(%(questions)s::text[]);

-- name: put_golden_questions
-- Golden questions that are new or have other documents; only those rows are written and returned.
INSERT INTO golden_questions (knowledge_base_id, question, relevant)
SELECT %(knowledge_base_id)s, value ->> 'question', value -> 'relevant'
  FROM jsonb_array_elements(%(questions)s) WITH ORDINALITY AS given (value, place)
 ORDER BY place
ON CONFLICT (knowledge_base_id, question) DO UPDATE SET relevant = excluded.relevant
 WHERE golden_questions.relevant IS DISTINCT FROM excluded.relevant
RETURNING xmax = 0 AS is_added;

-- name: insert_evaluation
-- The results of a golden set on an index.
INSERT INTO evaluations (knowledge_base_id, search_index_id, model, golden_hash, index_digest, question_count, metrics,
                         run_id)
VALUES (%(knowledge_base_id)s, %(search_index_id)s, %(model)s, %(golden_hash)s, %(index_digest)s, %(question_count)s,
        %(metrics)s, %(run_id)s)
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
