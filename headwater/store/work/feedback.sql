-- name: put_feedback
-- What a reader thinks of an answer; it replaces what the reader thought before. No row if there is no such answer.
INSERT INTO feedback (answer_id, vote, comment)
SELECT a.id, %(vote)s, %(comment)s FROM answers a JOIN knowledge_bases k ON k.id = a.knowledge_base_id
 WHERE a.id = %(answer_id)s AND k.deleted_at IS NULL
ON CONFLICT (answer_id, owner) DO UPDATE
   SET vote = excluded.vote, comment = excluded.comment, created_at = excluded.created_at
RETURNING answer_id;

-- name: remove_feedback
-- Take back what a reader thought of an answer.
DELETE FROM feedback WHERE answer_id = %(answer_id)s AND owner IS NULL;

-- name: get_feedback
-- The feedback on one answer, with the golden question that it was promoted to.
SELECT f.*, k.slug AS knowledge_base, a.question, a.search_text, a.answer, a.is_refused, a.model,
       (SELECT min(g.id) FROM golden_questions g WHERE g.answer_id = f.answer_id) AS golden_question_id
  FROM feedback f JOIN answers a ON a.id = f.answer_id JOIN knowledge_bases k ON k.id = a.knowledge_base_id
 WHERE f.answer_id = %(answer_id)s AND f.owner IS NULL AND k.deleted_at IS NULL;

-- name: list_feedback
-- The feedback on answers of a knowledge base, newest first, that before a given one; with a vote only that.
SELECT f.*, %(knowledge_base)s AS knowledge_base, a.question, a.search_text, a.answer, a.is_refused, a.model,
       (SELECT min(g.id) FROM golden_questions g WHERE g.answer_id = f.answer_id) AS golden_question_id
  FROM feedback f JOIN answers a ON a.id = f.answer_id
 WHERE a.knowledge_base_id = %(knowledge_base_id)s AND (%(vote)s::text IS NULL OR f.vote = %(vote)s)
   AND (%(before)s::uuid IS NULL
        OR (f.created_at, f.answer_id) < (SELECT b.created_at, b.answer_id FROM feedback b
                                           WHERE b.answer_id = %(before)s::uuid AND b.owner IS NULL))
 ORDER BY f.created_at DESC, f.answer_id DESC LIMIT %(limit)s;

-- name: count_votes
-- The votes of the last days, today included, by day (UTC) and knowledge base, newest first.
SELECT k.slug AS knowledge_base, (f.created_at AT TIME ZONE 'UTC')::date AS day,
       count(*) FILTER (WHERE f.vote = 'up') AS up, count(*) FILTER (WHERE f.vote = 'down') AS down
  FROM feedback f JOIN answers a ON a.id = f.answer_id JOIN knowledge_bases k ON k.id = a.knowledge_base_id
 WHERE k.deleted_at IS NULL AND (%(knowledge_base_id)s::bigint IS NULL OR k.id = %(knowledge_base_id)s)
   AND (%(visible)s::bigint[] IS NULL OR k.id = ANY(%(visible)s::bigint[]))
   AND f.created_at >= (date_trunc('day', now() AT TIME ZONE 'UTC') - %(days)s * interval '1 day' + interval '1 day') AT TIME ZONE 'UTC'
 GROUP BY 1, 2 ORDER BY 2 DESC, 1;
