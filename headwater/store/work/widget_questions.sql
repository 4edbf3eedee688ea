-- name: count_widget_question
-- Take one question of the budget of today (UTC); no row if the budget is spent. One statement, so that of any number of
-- visitors at once no more pass than the budget has questions.
INSERT INTO widget_days AS d (widget_id, day, questions)
VALUES (%(widget_id)s, (clock_timestamp() AT TIME ZONE 'UTC')::date, 1)
ON CONFLICT (widget_id, day) DO UPDATE SET questions = d.questions + 1
 WHERE d.questions < %(most_questions)s AND d.cost < %(most_cost)s
RETURNING day;

-- name: insert_widget_question
-- Who asked, in the transaction that takes it from the budget.
INSERT INTO widget_questions (id, widget_id, visitor, follows, answer_id, day)
VALUES (%(id)s, %(widget_id)s, %(visitor)s, %(follows)s, %(id)s, %(day)s);

-- name: return_widget_question
-- Give a question back whose answer could not begin.
WITH gone AS (DELETE FROM widget_questions WHERE id = %(id)s RETURNING widget_id, day)
UPDATE widget_days d SET questions = d.questions - 1 FROM gone g WHERE d.widget_id = g.widget_id AND d.day = g.day;

-- name: add_widget_costs
-- Add the costs of the answers that have ended to the days on which they were asked, once each, whichever process made them.
-- An answer that has not been saved for a minute has lost its process.
WITH ended AS (
    SELECT q.id, coalesce((a.usage ->> 'cost')::float8, 0) AS cost
      FROM widget_questions q JOIN answers a ON a.id = q.id
     WHERE q.widget_id = %(widget_id)s AND q.cost IS NULL
       AND (a.state <> 'generating' OR a.saved_at < now() - interval '1 minute')
       FOR UPDATE OF q SKIP LOCKED),
     counted AS (
    UPDATE widget_questions q SET cost = e.cost FROM ended e WHERE q.id = e.id RETURNING q.day, q.cost)
UPDATE widget_days d SET cost = d.cost + c.cost
  FROM (SELECT day, sum(cost) AS cost FROM counted GROUP BY day) AS c
 WHERE d.widget_id = %(widget_id)s AND d.day = c.day AND c.cost > 0;

-- name: add_widget_search_cost
-- Add the cost of a search to today (UTC); a search is no question.
INSERT INTO widget_days AS d (widget_id, day, questions, cost)
VALUES (%(widget_id)s, (clock_timestamp() AT TIME ZONE 'UTC')::date, 0, %(cost)s)
ON CONFLICT (widget_id, day) DO UPDATE SET cost = d.cost + excluded.cost;

-- name: serve_widget_question
-- A stored answer serves the question, so it costs nothing.
UPDATE widget_questions SET answer_id = %(answer_id)s, cost = coalesce(cost, 0) WHERE id = %(id)s;

-- name: widget_question
-- A question of a visitor; no row if it is another's.
SELECT id, visitor, answer_id, vote FROM widget_questions
 WHERE id = %(id)s AND widget_id = %(widget_id)s AND visitor = %(visitor)s;

-- name: widget_conversation
-- A question and those that it follows, oldest first, all of one visitor, as far as their answers are stored and complete,
-- each with the documents that its answer cites.
WITH RECURSIVE path AS (
    SELECT q.*, 1 AS depth FROM widget_questions q
     WHERE q.id = %(id)s AND q.widget_id = %(widget_id)s AND q.visitor = %(visitor)s
     UNION ALL
    SELECT q.*, p.depth + 1 FROM path p JOIN widget_questions q
        ON q.id = p.follows AND q.widget_id = p.widget_id AND q.visitor = p.visitor
     WHERE p.depth < %(limit)s)
SELECT a.question, a.answer, a.search_text,
       ARRAY(SELECT c.document_id FROM citations c WHERE c.answer_id = a.id ORDER BY c.position) AS documents
  FROM path p JOIN answers a ON a.id = p.answer_id
 WHERE a.state = 'done' AND a.question <> ''
 ORDER BY p.depth DESC;

-- name: vote_widget_question
-- What a visitor thinks of an answer. It becomes the feedback on the answer unless somebody else has given one: a visitor
-- replaces only a vote of their own.
WITH own AS (
    SELECT q.answer_id, q.voted_at FROM widget_questions q JOIN answers a ON a.id = q.answer_id
     WHERE q.id = %(id)s FOR UPDATE OF q),
     given AS (
    INSERT INTO feedback AS f (answer_id, vote, comment)
    SELECT o.answer_id, %(vote)s, %(comment)s FROM own o
    ON CONFLICT (answer_id, owner) DO UPDATE
       SET vote = excluded.vote, comment = excluded.comment, created_at = excluded.created_at
     WHERE f.created_at = (SELECT o.voted_at FROM own o)
    RETURNING f.created_at)
UPDATE widget_questions q SET vote = %(vote)s, voted_at = coalesce((SELECT g.created_at FROM given g), q.voted_at)
 WHERE q.id = %(id)s AND EXISTS (SELECT FROM own);

-- name: widget_days
-- What a widget used of its budget in the last days, newest first; today (UTC) always has a row.
SELECT t.day, coalesce(d.questions, 0) AS questions, coalesce(d.cost, 0) AS cost
  FROM (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day
         UNION SELECT day FROM widget_days WHERE widget_id = %(widget_id)s) AS t
       LEFT JOIN widget_days d ON d.widget_id = %(widget_id)s AND d.day = t.day
 ORDER BY t.day DESC LIMIT %(limit)s;

-- name: widget_votes
-- The votes of a widget's visitors in the last 30 days.
SELECT count(*) FILTER (WHERE vote = 'up') AS up, count(*) FILTER (WHERE vote = 'down') AS down
  FROM widget_questions WHERE widget_id = %(widget_id)s AND asked_at > now() - interval '30 days';

-- name: delete_old_widget_questions
-- Forget who asked what, and what was spent.
WITH days AS (DELETE FROM widget_days WHERE day < (%(before)s::timestamptz AT TIME ZONE 'UTC')::date)
DELETE FROM widget_questions WHERE asked_at < %(before)s;
